import { type AnchorAuth, anchorauth } from '../../anchors/auth-message.js';
import { type AnchorConfirm, anchorconf } from '../../anchors/confirm-message.js';
import type { BlockHeader } from '../../primitives/header.js';
import { type MerkleBlock, merkleBlock as merkleblock } from '../../primitives/partial-merkle.js';
import type { Transaction, TxFormat } from '../../primitives/transaction.js';
import { type BlockBytes, block } from './block.js';
import { type BlockTransactions, blocktxn } from './blocktxn.js';
import { type CompactBlock, cmpctblock } from './cmpctblock.js';
import type { WireCodec } from './codec.js';
import { type Empty, filterclear, getaddr, mempool, sendheaders, verack } from './empty.js';
import { type FeeFilter, feefilter } from './feefilter.js';
import { type FilterAdd, filteradd } from './filteradd.js';
import { type FilterLoad, filterload } from './filterload.js';
import { type AuthsRequest, getauths } from './getauths.js';
import { type BlockTransactionsRequest, getblocktxn } from './getblocktxn.js';
import { headers } from './headers.js';
import { getdata, type InventoryItem, inv, notfound } from './inventory.js';
import { getblocks, getheaders, type LocatorRequest } from './locator.js';
import { addr, type TimedAddress } from './net-address.js';
import { type Ping, ping } from './ping.js';
import { type Pong, pong } from './pong.js';
import { type Reject, reject } from './reject.js';
import { type SendCompact, sendcmpct } from './sendcmpct.js';
import { tx } from './tx.js';
import { type Version, version } from './version.js';

/** Payload of each message, by its name on the wire. */
export interface Payloads {
  readonly version: Version;
  readonly verack: Empty;
  readonly addr: readonly TimedAddress[];
  readonly getaddr: Empty;
  readonly inv: readonly InventoryItem[];
  readonly getdata: readonly InventoryItem[];
  readonly notfound: readonly InventoryItem[];
  readonly getblocks: LocatorRequest;
  readonly getheaders: LocatorRequest;
  readonly headers: readonly BlockHeader[];
  readonly tx: Transaction;
  readonly block: BlockBytes;
  readonly mempool: Empty;
  readonly ping: Ping;
  readonly pong: Pong;
  readonly sendheaders: Empty;
  readonly feefilter: FeeFilter;
  readonly sendcmpct: SendCompact;
  readonly cmpctblock: CompactBlock;
  readonly getblocktxn: BlockTransactionsRequest;
  readonly blocktxn: BlockTransactions;
  readonly filterload: FilterLoad;
  readonly filteradd: FilterAdd;
  readonly filterclear: Empty;
  readonly merkleblock: MerkleBlock;
  readonly reject: Reject;
  readonly getauths: AuthsRequest;
  readonly anchorauth: AnchorAuth;
  readonly anchorconf: AnchorConfirm;
}

export type Command = keyof Payloads;

/** One message; `command` determines the type of the payload. */
export type WireMessage<C extends Command = Command> = {
  [Name in C]: { readonly command: Name; readonly payload: Payloads[Name] };
}[C];

/** Codec of each payload, by its name on the wire. */
export type WireCodecs = { readonly [C in Command]: WireCodec<Payloads[C]> };

export function wireCodecs(format: TxFormat): WireCodecs {
  return {
    version,
    verack,
    addr,
    getaddr,
    inv,
    getdata,
    notfound,
    getblocks,
    getheaders,
    headers,
    tx: tx(format),
    block,
    mempool,
    ping,
    pong,
    sendheaders,
    feefilter,
    sendcmpct,
    cmpctblock: cmpctblock(format),
    getblocktxn,
    blocktxn,
    filterload,
    filteradd,
    filterclear,
    merkleblock,
    reject,
    getauths,
    anchorauth,
    anchorconf,
  };
}
