import { type Child, card, facts, h, section, table } from '../dom.js';
import { age, amount, size, time } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { NodeClient } from '../node-client.js';
import type { Page, View } from '../page.js';
import { addressLink, blockLink, code, tree, txLink } from './parts.js';

/** Inputs of which the spent output is looked up. */
const MAX_LOOKED_UP = 50;

export const transaction: View = {
  title: 'Transaction',
  async render(page, { argument: txid, query }) {
    const { node } = page;
    const block = query.get('block');
    const found = recordOf(await node.call('getrawtransaction', txid, true, ...(block ? [block] : [])));
    const [custom, evm] = await node.callAll([
      ['getcustomtx', txid, ...(found.blockhash === undefined ? [] : [found.blockhash])],
      ['vmmap', txid, 0],
    ]);
    return [
      card(summary(page, txid, found)),
      customSection(recordOf(custom)),
      evm !== undefined && section('In the EVM', tree(evm)),
      section('Inputs', table(['Output', 'Address', 'Value#'], await inputs(node, listOf(found.vin).map(recordOf)))),
      section('Outputs', table(['Index#', 'Address', 'Value#'], listOf(found.vout).map(recordOf).map(outputRow))),
      h('details', {}, h('summary', {}, 'Hex'), h('pre', {}, textOf(found.hex))),
    ];
  },
};

function summary(page: Page, txid: string, found: JsonRecord): Child {
  const seconds = textOf(found.blocktime);
  return facts([
    ['Txid', h('code', {}, txid)],
    ['Block', blockLink(textOf(found.blockhash))],
    ['Time', seconds === '' ? '' : `${time(seconds)} (${age(seconds, page.now())})`],
    ['Confirmations', amount(textOf(found.confirmations)) || 'in the mempool'],
    ['Size', `${size(Number(textOf(found.size)))}, virtual ${size(Number(textOf(found.vsize)))}`],
    ['Version', textOf(found.version)],
    ['Lock time', textOf(found.locktime)],
  ]);
}

function customSection({ type, valid, results }: JsonRecord): Child {
  if (type === undefined) return undefined;
  return section(textOf(type), valid === false && h('p', { class: 'notice' }, 'It has failed.'), tree(results));
}

async function inputs(node: NodeClient, vin: readonly JsonRecord[]): Promise<Child[][]> {
  const looked = vin.slice(0, MAX_LOOKED_UP).filter(({ txid }) => txid !== undefined);
  const sources = await node.callAll(looked.map(({ txid }) => ['getrawtransaction', txid, true]));
  const outputs = new Map(looked.map((input, i) => [input, spentOutput(input, sources[i])]));
  return vin.map((input) => {
    if (input.coinbase !== undefined) return ['coinbase', '', ''];
    const spent = outputs.get(input);
    return [[txLink(textOf(input.txid)), ` : ${textOf(input.vout)}`], spent && addressOf(spent), spent && outputValue(spent)];
  });
}

function spentOutput({ vout }: JsonRecord, source: Json | undefined): JsonRecord | undefined {
  const output = listOf(recordOf(source).vout)[Number(textOf(vout))];
  return output === undefined ? undefined : recordOf(output);
}

function outputRow(output: JsonRecord): Child[] {
  return [textOf(output.n), addressOf(output), outputValue(output)];
}

function addressOf({ scriptPubKey }: JsonRecord): Child {
  const { addresses, type, asm } = recordOf(scriptPubKey);
  const known = listOf(addresses).map((each) => h('div', {}, addressLink(textOf(each))));
  return known.length > 0 ? known : [textOf(type), ' ', code(textOf(asm))];
}

function outputValue({ value, tokenId }: JsonRecord): string {
  const id = textOf(tokenId);
  return `${amount(textOf(value))} ${id === '' || id === '0' ? 'DFI' : `#${id}`}`;
}
