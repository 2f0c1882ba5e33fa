/**
 * Reads events of a node from a cursor on, and prints them as lines of cursor, height and kind, until there are enough blocks.
 *   node --import tsx test/clients/events.ts ADDRESS USER:PASSWORD CURSOR BLOCKS
 */
import { credentials, Metadata } from '@grpc/grpc-js';
import { EventsServiceClient, type SubscribeEventsResponse } from '../../gen/ts/dfi/events/v1/events.js';

const [address = '', login = '', cursor = '', count = '1'] = process.argv.slice(2);
const metadata = new Metadata();
metadata.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
const client = new EventsServiceClient(address, credentials.createInsecure());
const request = { cursor, filter: { kinds: ['block'], owners: [], tokens: [], pools: [], vaults: [], wallets: [] } };
let blocks = Number(count);
for await (const { event } of client.subscribeEvents(request, metadata) as AsyncIterable<SubscribeEventsResponse>) {
  console.log(event?.cursor, event?.block ? event.height : '-', event?.block ? 'block' : '-');
  if (event?.block) blocks -= 1;
  if (blocks === 0) break;
}
client.close();
