import type { HistoryKey } from '../../dfi/accounts/history-columns.js';
import { accountHistory } from '../../dfi/accounts/history-queries.js';
import { categoryName } from '../../dfi/execution/registry.js';
import { knowsEvm } from '../../params/network.js';
import { type Hash256, parseHash256 } from '../../primitives/hash.js';
import { decodeDestination, scriptOf } from '../../script/address.js';
import { equalBytes } from '../../util/bytes.js';
import { firstOf } from '../../util/first-of.js';
import { Slicer } from '../../util/slicer.js';
import { badRequest, notFound, OceanError } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { invalidNext, pageOf, pathInteger, pathText } from '../api/request.js';
import { get, type OceanAnswer, type OceanRequest, type Route } from '../api/route.js';
import type { OceanModules } from '../modules.js';
import { ofAddress } from './of-address.js';

/** Changes of the account of an address. @see docs/protocol/ocean.md 2.1 */
export const addressHistoryRoutes: readonly Route[] = [
  get('address/{address}/history', (modules, request) => history(modules, request)),
  get('address/{address}/history/{height}/{txno}', async (modules, request) => {
    const [height, txno] = [pathInteger(request, 'height'), pathInteger(request, 'txno')];
    const found = await recordOf(modules, pathText(request, 'address'), { height, txn: txno });
    if (!found) throw notFound('Record not found');
    return { data: shownRecord(found) };
  }),
];

/** Words by which the operation selects several accounts at once. They are not for the public. */
const SEVERAL_ACCOUNTS = new Set(['mine', 'all']);
/** Highest index of a transaction in a block; numbers of block events are above. */
const LAST_TX = 0x7fffffff;
/** Records of a block that are searched for a transaction. */
const MAX_SEARCHED = 1_000;

/** Highest number of 32 bits. */
const LAST = 0xffffffff;
/** Place before the newest record. */
const NEWEST: Place = { height: LAST, txn: LAST };

type Place = Pick<HistoryKey, 'height' | 'txn'>;

/**
 * The records are found by key, and shown one by one as `getaccounthistory` does: `listaccounthistory` would add payments of the operator's
 * wallet.
 */
async function history(modules: OceanModules, request: OceanRequest): Promise<OceanAnswer> {
  const asked = pageOf(request);
  const address = pathText(request, 'address');
  if (SEVERAL_ACCOUNTS.has(address)) throw new OceanError('Forbidden', `${address} is not allowed`);
  // The operation returns an error for a text that is no account, and always without the index of histories.
  await recordOf(modules, address, { height: 0, txn: 0 });
  const owner = requireOwner(address, modules);
  const from = asked.next === undefined ? NEWEST : placeBehind(modules, owner, asked.next);
  const entries = from ? firstOf(accountHistory(modules.chain.state, owner, from), asked.size) : [];
  const slicer = new Slicer();
  const records: Reader[] = [];
  for (const { key } of entries) {
    const record = await recordOf(modules, address, key);
    if (record) records.push(record);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  // Blocks may have been disconnected meanwhile: a page that lacks their records is not the last one.
  const last = records.at(-1);
  const next = entries.length < asked.size ? undefined : last ? cursorOf(last) : asked.next;
  return { data: records.map(shownRecord), next };
}

function requireOwner(address: string, { chain: { params } }: OceanModules): Uint8Array {
  const destination = decodeDestination(address, params.address, { metachain: knowsEvm(params) });
  if (!destination) throw badRequest('InvalidDefiAddress');
  return scriptOf(destination);
}

/** The operation reads its arguments as signed numbers of 32 bits, and has them count as unsigned ones. */
async function recordOf({ operations }: OceanModules, address: string, { height, txn }: Place): Promise<Reader | undefined> {
  if (Math.min(height, txn) < 0 || Math.max(height, txn) > LAST) return undefined;
  const record = new Reader(await ofAddress(operations.call('getaccounthistory', address, height | 0, txn | 0)));
  return record.get('txid').isThere ? record : undefined;
}

/** The events of a block share its hash instead of a txid, so their number is added. */
function cursorOf(record: Reader): string {
  const txn = record.get('txn').number();
  const named = `${record.get('txid').text()}-${record.get('type').text()}-${record.get('blockHeight').digits()}`;
  return txn > LAST_TX ? `${named}-${txn}` : named;
}

function shownRecord(record: Reader) {
  const [hash, time] = [record.get('blockHash'), record.get('blockTime')];
  return {
    owner: record.get('owner').text(),
    txid: record.get('txid').text(),
    txn: record.get('txn').number(),
    type: record.get('type').text(),
    amounts: record
      .get('amounts')
      .list()
      .map((amount) => amount.text()),
    block: {
      height: record.get('blockHeight').number(),
      hash: hash.isThere ? hash.text() : undefined,
      time: time.isThere ? time.number() : undefined,
    },
  };
}

const CURSOR = /^([0-9a-f]{64})-(\w+)-(\d{1,10})(?:-(\d{1,10}))?$/;

/**
 * Place of the first record after the one that a cursor names; of the next lower block if that record no longer exists.
 * @returns undefined at the end @throws {OceanError} if the text is no cursor
 */
function placeBehind(modules: OceanModules, owner: Uint8Array, cursor: string): Place | undefined {
  const [, txid = '', type = '', heightText, event] = CURSOR.exec(cursor) ?? [];
  const [height, number] = [Number(heightText), Number(event ?? 0)];
  if (!(height <= LAST && number <= LAST)) throw invalidNext();
  const txn = event === undefined ? txnOf(modules, owner, height, { txid: parseHash256(txid), type }) : number;
  if (txn !== undefined && txn > 0) return { height, txn: txn - 1 };
  return height > 0 ? { height: height - 1, txn: LAST } : undefined;
}

interface Named {
  readonly txid: Hash256;
  readonly type: string;
}

/** Index in the block of a transaction that has a record of the owner. Without the index of transactions the records are searched. */
function txnOf({ chain, txIndex }: OceanModules, owner: Uint8Array, height: number, { txid, type }: Named): number | undefined {
  const position = txIndex?.find(txid)?.position;
  const records = accountHistory(chain.state, owner, { height, txn: position ?? LAST_TX });
  const found = firstOf(records, position === undefined ? MAX_SEARCHED : 1).find(
    ({ key, record }) => key.height === height && equalBytes(record.txid, txid) && categoryName(record.category) === type,
  );
  return found?.key.txn;
}
