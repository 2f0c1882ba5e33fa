import { card, h, table, userText } from '../dom.js';
import { age, amount, size } from '../format.js';
import { listOf, recordOf, textOf } from '../json.js';
import type { View } from '../page.js';

const PEER_HEADINGS = ['Id#', 'Address', 'Direction', 'Client', 'Blocks#', 'Ping', 'Received#', 'Sent#', 'Connected'];

export const peers: View = {
  title: 'Peers',
  live: true,
  async render({ node, now }) {
    const found = listOf(await node.call('getpeerinfo')).map(recordOf);
    const rows = found.map((peer) => [
      textOf(peer.id),
      h('span', {}, textOf(peer.addr)),
      peer.inbound === true ? 'in' : 'out',
      userText(textOf(peer.subver)),
      amount(textOf(peer.synced_blocks)),
      peer.pingtime !== undefined && `${Math.round(Number(textOf(peer.pingtime)) * 1000)} ms`,
      size(Number(textOf(peer.bytesrecv))),
      size(Number(textOf(peer.bytessent))),
      age(textOf(peer.conntime), now()),
    ]);
    return card(table(PEER_HEADINGS, rows));
  },
};
