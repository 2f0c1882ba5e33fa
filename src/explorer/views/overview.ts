import { type Child, facts, h, link, section, table } from '../dom.js';
import { age, amount, percent, size, span } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { Page, View } from '../page.js';
import { BLOCK_HEADINGS, blockRows, latestBlocks } from './blocks.js';
import { eventList } from './events.js';

const BLOCKS = 8;
const EVENTS = 12;

export const overview: View = {
  title: 'Overview',
  live: true,
  async render(page) {
    // Alone, so that a node that is not ready says so.
    const chain = await page.node.call('getblockchaininfo');
    const [network, mempool, uptime, prices] = await page.node.callAll([
      ['getnetworkinfo'],
      ['getmempoolinfo'],
      ['uptime'],
      ['listprices', { limit: EVENTS }],
    ]);
    const state = recordOf(chain);
    const blocks = await latestBlocks(page.node, Number(textOf(state.blocks)), BLOCKS);
    return [
      syncBar(state),
      tiles(page, state, recordOf(network), recordOf(mempool), textOf(uptime), blocks),
      section('Latest blocks', table(BLOCK_HEADINGS, blockRows(blocks, page.now())), h('p', {}, link('/blocks', 'All blocks'))),
      priceSection(listOf(prices)),
      eventSection(page),
    ];
  },
};

function syncBar(chain: JsonRecord): Child {
  const progress = Number(textOf(chain.verificationprogress));
  if (chain.initialblockdownload !== true) return undefined;
  return h(
    'p',
    { class: 'notice' },
    `Synchronising: ${amount(textOf(chain.blocks))} of ${amount(textOf(chain.headers))} blocks, ${percent(progress)} `,
    h('progress', { max: '1', value: String(progress), 'aria-label': 'Synchronisation' }),
  );
}

function tiles(
  page: Page,
  chain: JsonRecord,
  network: JsonRecord,
  mempool: JsonRecord,
  uptime: string,
  blocks: readonly JsonRecord[],
): Child {
  const tip = blocks[0];
  const shown: readonly (readonly [string, Child, Child])[] = [
    ['Height', amount(textOf(chain.blocks)), tip && age(textOf(tip.time), page.now())],
    ['Network', textOf(chain.chain), textOf(network.subversion)],
    ['Peers', link('/peers', textOf(network.connections)), network.networkactive === false && 'network off'],
    ['Mempool', link('/mempool', amount(textOf(mempool.size))), size(Number(textOf(mempool.bytes)))],
    ['On disk', size(Number(textOf(chain.size_on_disk))), chain.pruned === true && 'pruned'],
    ['Running for', span(Number(uptime)), undefined],
  ];
  return h(
    'div',
    { class: 'tiles' },
    shown.map(([name, value, note]) => h('div', { class: 'tile' }, h('span', {}, name), h('strong', {}, value), h('small', {}, note))),
  );
}

function priceSection(prices: readonly Json[]): Child {
  if (prices.length === 0) return undefined;
  const shown = prices.slice(0, EVENTS).map(recordOf);
  const pairs = shown.map(({ token, currency, price }) => [`${textOf(token)} in ${textOf(currency)}`, amount(textOf(price))] as const);
  return section('Prices', facts(pairs), h('p', {}, link('/prices', 'All prices')));
}

function eventSection(page: Page): Child {
  return section('Events', eventList(page, EVENTS), h('p', {}, link('/events', 'All events')));
}
