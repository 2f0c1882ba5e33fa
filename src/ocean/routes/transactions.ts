import { spendsOutputs } from '../../consensus/transaction.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import { isCoinbase, type TxIn } from '../../primitives/transaction.js';
import { toHex } from '../../util/bytes.js';
import { sortInSlices } from '../../util/sliced-sort.js';
import { Slicer } from '../../util/slicer.js';
import { notFound } from '../api/errors.js';
import type { Json } from '../api/json.js';
import { page } from '../api/page.js';
import { pageOf, pathText, queryStart } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import { scriptActivities, scriptId } from '../index/script-columns.js';
import type { OceanModules } from '../modules.js';
import { shownScript } from '../shapes/script.js';
import { type ConfirmedTx, confirmedTx, outputId, shownTransaction, tokenOf } from '../shapes/transaction.js';

/** Confirmed transactions. @see docs/protocol/ocean.md 2.13 */
export const transactionRoutes: readonly Route[] = [
  get('transactions/{txid}', (modules, request) => {
    const found = confirmedTx(modules, pathText(request, 'txid'));
    if (!found) throw notFound('transaction not found');
    return { data: shownTransaction(found.tx, found.order, found.entry) };
  }),
  get('transactions/{txid}/vins', (modules, request) => inputs(modules, request)),
  get('transactions/{txid}/vouts', (modules, request) => outputs(modules, request)),
];

function outputs(modules: OceanModules, request: OceanRequest): OceanAnswer {
  const asked = pageOf(request);
  const tx = confirmedTx(modules, pathText(request, 'txid'))?.tx;
  const start = (queryStart(asked) ?? -1) + 1;
  const items = (tx?.vout ?? []).slice(start, start + asked.size).map((out, i) => {
    const n = start + i;
    const txid = tx ? formatHash(tx.txid) : '';
    return {
      id: outputId(txid, n),
      txid,
      n,
      value: formatAmount(out.value),
      tokenId: tx && tokenOf(tx, out),
      script: shownScript(out.scriptPubKey, modules.chain.params),
    };
  });
  return page(
    items,
    asked,
    ({ n }) => String(n),
    (item) => item,
  );
}

/** Input with its place. */
interface Input {
  readonly id: string;
  readonly index: number;
}

async function inputs(modules: OceanModules, request: OceanRequest): Promise<OceanAnswer> {
  const asked = pageOf(request);
  const found = confirmedTx(modules, pathText(request, 'txid'));
  const sorted = found ? await sortedInputs(found, asked.next) : [];
  const items = sorted.slice(0, asked.size);
  const show = found && inputForm(modules, found);
  return page(
    items,
    asked,
    ({ id }) => id,
    (item) => show?.(item) ?? null,
  );
}

/** Inputs after an id, in the order of ids. The null inputs of a transaction that carries an EVM transaction do not count. */
async function sortedInputs({ tx }: ConfirmedTx, behind = ''): Promise<readonly Input[]> {
  if (!isCoinbase(tx) && !spendsOutputs(tx)) return [];
  const txid = formatHash(tx.txid);
  const all: Input[] = [];
  const slicer = new Slicer();
  for (const [index, { prevout }] of tx.vin.entries()) {
    const id = txid + (isCoinbase(tx) ? '00' : outputId(formatHash(prevout.txid), prevout.vout));
    if (id > behind) all.push({ id, index });
    const paused = index % INPUTS_AT_ONCE === 0 ? slicer.pause() : undefined;
    if (paused) await paused;
  }
  return sortInSlices(all, (a, b) => a.id < b.id, slicer);
}

/** Ids made between two looks at the clock. */
const INPUTS_AT_ONCE = 256;

/** Shows inputs of a transaction. */
function inputForm(modules: OceanModules, { tx, order, entry }: ConfirmedTx): (item: Input) => Json {
  const txid = formatHash(tx.txid);
  const coins = spendsOutputs(tx) ? modules.chain.spentCoins(entry)?.[order] : undefined;
  return ({ id, index }) => {
    const input = tx.vin[index] as TxIn;
    const { sequence, scriptSig } = input;
    if (isCoinbase(tx)) return { id, txid, coinbase: toHex(scriptSig), sequence };
    const { prevout, witness } = input;
    const prevTxid = formatHash(prevout.txid);
    const coin = coins?.[index];
    return {
      id,
      txid,
      vout: coin && {
        id: outputId(prevTxid, prevout.vout),
        txid: prevTxid,
        n: prevout.vout,
        value: formatAmount(coin.out.value),
        tokenId: spentToken(modules, entry.height, input, coin.out),
        script: { hex: toHex(coin.out.scriptPubKey) },
      },
      script: { hex: toHex(scriptSig) },
      txInWitness: witness.length === 0 ? undefined : Array.from(witness, toHex),
      sequence,
    };
  };
}

/** Token of a spent output. The index knows if its transaction was of a version with token ids; coins do not. */
function spentToken(
  { rows }: OceanModules,
  height: number,
  { prevout }: TxIn,
  { scriptPubKey, tokenId }: { readonly scriptPubKey: Uint8Array; readonly tokenId: number },
): number | undefined {
  const activity = rows.view.get(scriptActivities, { script: scriptId(scriptPubKey), height, type: 'vin', ...prevout });
  return activity ? activity.tokenId : tokenId;
}
