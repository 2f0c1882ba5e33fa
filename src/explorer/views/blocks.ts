import { type Child, card, facts, h, link, section, table } from '../dom.js';
import { age, amount, size, time } from '../format.js';
import { type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { NodeClient } from '../node-client.js';
import type { Page, View } from '../page.js';
import { routeTo } from '../routes.js';
import { addressLink, blockLink, nextLink, PAGE_ROWS, tree, txLink } from './parts.js';

export const BLOCK_HEADINGS = ['Height', 'Hash', 'Age', 'Minter', 'Transactions#', 'Size#'];

/** Blocks from `height` downwards, without their transactions. */
export async function latestBlocks(node: NodeClient, height: number, count: number): Promise<JsonRecord[]> {
  const heights = Array.from({ length: Math.min(count, height + 1) }, (_, i) => height - i);
  const hashes = await node.callAll(heights.map((each) => ['getblockhash', each]));
  const known = hashes.filter((each) => each !== undefined);
  return (await node.callAll(known.map((each) => ['getblock', each, 1]))).filter((each) => each !== undefined).map(recordOf);
}

export function blockRows(blocks: readonly JsonRecord[], now: number): Child[][] {
  return blocks.map(({ height, hash, time: seconds, minter, tx, size: bytes }) => [
    link(routeTo('block', textOf(height)), amount(textOf(height))),
    blockLink(textOf(hash)),
    h('span', { title: time(textOf(seconds)) }, age(textOf(seconds), now)),
    addressLink(textOf(minter)),
    String(listOf(tx).length),
    size(Number(textOf(bytes))),
  ]);
}

export const blocks: View = {
  title: 'Blocks',
  async render({ node, now }, { query }) {
    const tip = Number(textOf(await node.call('getblockcount')));
    const from = Number(query.get('from') ?? tip);
    const top = from >= 0 ? Math.min(Math.floor(from), tip) : tip;
    const rows = blockRows(await latestBlocks(node, top, PAGE_ROWS), now());
    const older = top >= PAGE_ROWS && nextLink(routeTo('blocks', '', { from: String(top - PAGE_ROWS) }));
    return card(table(BLOCK_HEADINGS, rows), older);
  },
};

const TX_HEADINGS = ['Transaction', 'Type', 'Outputs#', 'Value#', 'Size#'];
/** Members of a block that are shown otherwise, or not at all. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'tx',
  'hash',
  'height',
  'time',
  'mediantime',
  'previousblockhash',
  'nextblockhash',
  'minter',
  'size',
]);

export const block: View = {
  title: 'Block',
  async render(page, { argument, query }) {
    const { node } = page;
    const hash = /^\d{1,10}$/.test(argument) ? textOf(await node.call('getblockhash', Number(argument))) : argument;
    const found = recordOf(await node.call('getblock', hash, 2));
    page.entitle('Block', amount(textOf(found.height)));
    const others = Object.entries(found).filter(([name]) => !ELSEWHERE.has(name));
    return [
      card(
        facts([
          ['Hash', h('code', {}, hash)],
          ['Time', `${time(textOf(found.time))} (${age(textOf(found.time), page.now())})`],
          ['Minter', addressLink(textOf(found.minter))],
          ['Size', size(Number(textOf(found.size)))],
          ['Previous', blockLink(textOf(found.previousblockhash))],
          ['Next', blockLink(textOf(found.nextblockhash))],
        ]),
        h('details', {}, h('summary', {}, 'More'), tree(Object.fromEntries(others))),
      ),
      await transactions(page, found, Math.max(0, Number(query.get('from')) || 0)),
    ];
  },
};

async function transactions({ node }: Page, found: JsonRecord, from: number): Promise<Child> {
  const hash = textOf(found.hash);
  const all = listOf(found.tx);
  const shown = all.slice(from, from + PAGE_ROWS).map(recordOf);
  const custom = await node.callAll(shown.map(({ txid }) => ['getcustomtx', txid, hash]));
  const rows = shown.map((tx, i) => [
    txLink(textOf(tx.txid), hash),
    from + i === 0 ? 'coinbase' : textOf(recordOf(custom[i]).type) || 'transfer',
    String(listOf(tx.vout).length),
    dfiPaid(tx),
    size(Number(textOf(tx.size))),
  ]);
  const next = from + PAGE_ROWS;
  const more = next < all.length && nextLink(routeTo('block', hash, { from: String(next) }));
  return section(all.length === 1 ? '1 transaction' : `${amount(String(all.length))} transactions`, table(TX_HEADINGS, rows), more);
}

const SATOSHIS = 100_000_000n;

/** Sum of the outputs in DFI. */
function dfiPaid(tx: JsonRecord): string {
  let sum = 0n;
  for (const output of listOf(tx.vout).map(recordOf)) {
    if (textOf(output.tokenId) !== '0' && output.tokenId !== undefined) continue;
    sum += BigInt(textOf(output.value).replace('.', ''));
  }
  return `${amount(`${sum / SATOSHIS}.${String(sum % SATOSHIS).padStart(8, '0')}`)} DFI`;
}
