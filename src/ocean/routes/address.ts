import { formatAmount } from '../../primitives/amount.js';
import { formatHash, parseHash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { page } from '../api/page.js';
import { invalidNext, pageOf } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import {
  type Activity,
  type ActivityKey,
  type ScriptOutputKey,
  scriptActivities,
  scriptId,
  scriptPrefix,
  scriptTotals,
  scriptUnspents,
} from '../index/script-columns.js';
import { rowsBehind } from '../index/seek.js';
import type { OceanModules } from '../modules.js';
import { blockRefAt } from '../shapes/block-ref.js';
import { hex8 } from '../shapes/numbers.js';
import { pathScript, shownScript } from '../shapes/script.js';
import { outputId } from '../shapes/transaction.js';

/** Coins of an address. @see docs/protocol/ocean.md 2.1 */
export const addressRoutes: readonly Route[] = [
  get('address/{address}/balance', ({ chain, rows }, request) => {
    const totals = rows.view.get(scriptTotals, scriptId(pathScript(request, chain.params)));
    return { data: formatAmount(totals ? totals.receivedAmount - totals.spentAmount : 0n) };
  }),
  get('address/{address}/aggregation', (modules, request) => aggregation(modules, request)),
  get('address/{address}/transactions', (modules, request) => activities(modules, request)),
  get('address/{address}/transactions/unspent', (modules, request) => unspents(modules, request)),
];

function aggregation({ chain, rows }: OceanModules, request: OceanRequest): OceanAnswer {
  const script = pathScript(request, chain.params);
  const id = scriptId(script);
  const totals = rows.view.get(scriptTotals, id);
  if (!totals) return { data: undefined };
  const { height, received, spent, receivedAmount, spentAmount } = totals;
  const hid = toHex(id);
  return {
    data: {
      id: hex8(height) + hid,
      hid,
      block: blockRefAt({ chain, rows }, height),
      script: shownScript(script, chain.params),
      statistic: { txCount: received + spent, txInCount: received, txOutCount: spent },
      amount: {
        txIn: formatAmount(receivedAmount),
        txOut: formatAmount(spentAmount),
        unspent: formatAmount(receivedAmount - spentAmount),
      },
    },
  };
}

function activities({ chain, rows }: OceanModules, request: OceanRequest): OceanAnswer {
  const asked = pageOf(request);
  const script = pathScript(request, chain.params);
  const id = scriptId(script);
  const behind = asked.next === undefined ? undefined : parseActivityId(asked.next, id);
  const found = rowsBehind(rows.view, scriptActivities, { prefix: scriptPrefix(id), behind, reverse: true }, asked.size);
  const shared = { hid: toHex(id), script: shownScript(script, chain.params) };
  return page(
    found,
    asked,
    ([key]) => activityId(key),
    ([key, row]) => ({ id: activityId(key), ...shared, block: blockRefAt({ chain, rows }, key.height), ...shownActivity(key, row) }),
  );
}

function shownActivity({ type, txid, vout }: ActivityKey, { value, tokenId, spentBy }: Activity) {
  const output = { txid: formatHash(txid), n: vout };
  return {
    type,
    typeHex: typeHex(type),
    txid: spentBy ? formatHash(spentBy) : output.txid,
    [type]: output,
    value: formatAmount(value),
    tokenId,
  };
}

function typeHex(type: ActivityKey['type']): string {
  return type === 'vin' ? '00' : '01';
}

function activityId({ height, type, txid, vout }: ActivityKey): string {
  return hex8(height) + typeHex(type) + outputId(formatHash(txid), vout);
}

/** @throws {OceanError} if the text is no id of an activity */
function parseActivityId(text: string, script: Uint8Array): ActivityKey {
  const match = /^([0-9a-f]{8})(00|01)([0-9a-f]{72})$/.exec(text);
  if (!match) throw invalidNext();
  const [, height = '', type, output = ''] = match;
  return { ...outputKey(height, output, script), type: type === '00' ? 'vin' : 'vout' };
}

/** @param output txid and index, 72 hex digits */
function outputKey(height: string, output: string, script: Uint8Array): ScriptOutputKey {
  return {
    script,
    height: Number.parseInt(height, 16),
    txid: parseHash256(output.slice(0, 64)),
    vout: Number.parseInt(output.slice(64), 16),
  };
}

function unspents({ chain, rows }: OceanModules, request: OceanRequest): OceanAnswer {
  const asked = pageOf(request);
  const script = pathScript(request, chain.params);
  const id = scriptId(script);
  const behind = asked.next === undefined ? undefined : parseUnspentSort(asked.next, id);
  const found = rowsBehind(rows.view, scriptUnspents, { prefix: scriptPrefix(id), behind }, asked.size);
  const shared = { hid: toHex(id), script: shownScript(script, chain.params) };
  return page(
    found,
    asked,
    ([key]) => unspentSort(key),
    ([key, { value, tokenId }]) => {
      const txid = formatHash(key.txid);
      return {
        id: outputId(txid, key.vout),
        sort: unspentSort(key),
        ...shared,
        block: blockRefAt({ chain, rows }, key.height),
        vout: { txid, n: key.vout, value: formatAmount(value), tokenId: tokenId ?? 0 },
      };
    },
  );
}

function unspentSort({ height, txid, vout }: ScriptOutputKey): string {
  return hex8(height) + outputId(formatHash(txid), vout);
}

/** @throws {OceanError} if the text is no sort key of an unspent output */
function parseUnspentSort(text: string, script: Uint8Array): ScriptOutputKey {
  const match = /^([0-9a-f]{8})([0-9a-f]{72})$/.exec(text);
  if (!match) throw invalidNext();
  const [, height = '', output = ''] = match;
  return outputKey(height, output, script);
}
