import { type Child, h, link, section, table } from '../dom.js';
import { amount } from '../format.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';
import { routeTo } from '../routes.js';
import { addressLink, blockLink, code, listPage, txLink } from './parts.js';

const ANCHOR_HEADINGS = ['Height#', 'Block', 'Bitcoin height#', 'Bitcoin transaction', 'Reward to', 'Paid by'];

export const anchors: View = {
  title: 'Anchors',
  live: true,
  async render({ node }, route) {
    const [{ rows, next }, [teams]] = await Promise.all([listPage(node, route, { path: 'anchors' }), node.callAll([['getanchorteams']])]);
    const { auth, confirm } = recordOf(teams);
    return [
      section('Anchors with a paid reward', table(ANCHOR_HEADINGS, rows.map(anchorRow)), next),
      section('Operators who sign anchors', operators(auth)),
      section('Operators who sign rewards', operators(confirm)),
    ];
  },
};

/** The transaction of Bitcoin is no place of this page. */
function anchorRow({ anchorHeight, anchorHash, btcAnchorHeight, btcAnchorHash, rewardAddress, dfiRewardHash }: JsonRecord): Child[] {
  return [
    link(routeTo('block', textOf(anchorHeight)), amount(textOf(anchorHeight))),
    blockLink(textOf(anchorHash)),
    amount(textOf(btcAnchorHeight)),
    code(textOf(btcAnchorHash)),
    addressLink(textOf(rewardAddress)),
    txLink(textOf(dfiRewardHash)),
  ];
}

function operators(team: Json | undefined): Child {
  const addresses = listOf(team).map(textOf);
  if (addresses.length === 0) return table([], []);
  return h(
    'ul',
    {},
    addresses.map((each) => h('li', {}, addressLink(each))),
  );
}
