import { encodeTransactions } from '../../src/p2p/wire/blocktxn.js';
import { encodeFrame } from '../../src/p2p/wire/envelope.js';
import { InvType } from '../../src/p2p/wire/inventory.js';
import { type Payloads, wireCodecs } from '../../src/p2p/wire/messages.js';
import { networkParams } from '../../src/params/index.js';
import { type Codec, encode } from '../../src/primitives/codec.js';
import { partialMerkleTree } from '../../src/primitives/partial-merkle.js';
import { makeTransaction } from '../../src/primitives/transaction.js';

const { txFormat, genesis, p2pMagic } = networkParams({ network: 'regtest' });

/** `size` bytes filled with a value. */
export function bytes(size: number, value: number): Uint8Array {
  return new Uint8Array(size).fill(value);
}
export const hash = (value: number): Uint8Array => bytes(32, value);
export const hash20 = (value: number): Uint8Array => bytes(20, value);

/** One input with a witness, one output with a token. */
export const payment = makeTransaction(
  {
    version: 4,
    vin: [
      {
        prevout: { txid: hash(1), vout: 1 },
        scriptSig: Uint8Array.of(0x51),
        sequence: 0xfffffffe,
        witness: [Uint8Array.of(1, 2), bytes(3, 3)],
      },
    ],
    vout: [{ value: 100_000n, scriptPubKey: Uint8Array.of(0x6a, 1, 2), tokenId: 300 }],
    lockTime: 7,
  },
  txFormat,
);

const ip = Buffer.from('00000000000000000000ffff7b040506', 'hex');
const address = { services: 9n, ip, port: 18_555 };
const inventory = [
  { type: InvType.witnessTx, hash: hash(2) },
  { type: InvType.block, hash: hash(3) },
];
const locator = { version: 70_036, locator: [hash(4), hash(5)], stop: hash(6) };
const tree = { leafCount: 2, hashes: [hash(7), hash(8)], flags: Uint8Array.of(5) };
const { header } = genesis;

/** One of each message. */
const payloads: Payloads = {
  version: {
    version: 70_036,
    services: 0x409n,
    time: 1_600_000_000n,
    receiver: address,
    sender: address,
    nonce: 0x1122n,
    userAgent: '/DeFiChain:3.2.8/',
    startHeight: 5,
    relay: true,
  },
  verack: {},
  addr: [{ ...address, time: 1_600_000_000 }],
  getaddr: {},
  inv: inventory,
  getdata: inventory,
  notfound: inventory,
  getblocks: locator,
  getheaders: locator,
  headers: [header, header],
  tx: payment,
  block: { header, hash: genesis.hash, raw: encodedGenesis() },
  mempool: {},
  ping: { nonce: 1n },
  pong: { nonce: 2n },
  sendheaders: {},
  feefilter: { feeRate: 5_000n },
  sendcmpct: { announce: true, version: 2n },
  cmpctblock: { header, nonce: 3n, shortIds: [1n, 0xffff_ffff_ffffn], prefilled: [0, 3].map((index) => ({ index, tx: payment })) },
  getblocktxn: { blockHash: hash(9), indexes: [0, 3, 300] },
  blocktxn: { blockHash: hash(9), raw: encodeTransactions([payment, payment], txFormat) },
  filterload: { data: bytes(20, 0x55), hashFunctions: 5, tweak: 1, flags: 1 },
  filteradd: { data: hash(10) },
  filterclear: {},
  merkleblock: { header, tree },
  reject: { message: 'tx', code: 16, reason: 'bad-txns', data: hash(11) },
  getauths: { lowBlock: hash(12), highBlock: hash(13) },
  anchorauth: { previousAnchor: hash(14), height: 10, blockHash: hash(15), nextTeam: [hash20(1), hash20(2)], signature: bytes(65, 6) },
  anchorconf: {
    btcTxHash: hash(16),
    anchorHeight: 11,
    previousAnchorHeight: 12,
    rewardKeyId: hash20(3),
    rewardKeyType: 1,
    blockHash: hash(17),
    btcTxHeight: 13,
    signature: bytes(65, 6),
  },
};

function encodedGenesis(): Uint8Array {
  return encode(wireCodecs(txFormat).headers as Codec<unknown>, [header]).subarray(1);
}

const codecs = wireCodecs(txFormat);

const messages = Object.entries(payloads).map(([command, payload]) => ({
  command,
  bytes: encode(codecs[command as keyof Payloads] as Codec<unknown>, payload),
}));
const frames = messages.map(({ command, bytes: payload }) => encodeFrame(p2pMagic, command, payload));

/** One seed of each message; a stream of all of them, and one with an unknown message. */
export const wireSeeds: readonly (readonly [name: string, seed: Uint8Array])[] = [
  ...messages.map(({ command, bytes: payload }) => [`wire-${command}`, payload] as const),
  ...frames.filter((frame) => frame.length < 400).map((frame) => ['wire', frame] as const),
  ['wire', Buffer.concat([...frames.slice(0, 6), encodeFrame(p2pMagic, 'unknown', bytes(40, 1))])],
  ['merkleblock', encode(codecs.merkleblock, { header, tree })],
  ['merkleblock', Buffer.concat([encode(codecs.merkleblock, { header, tree }), encode(partialMerkleTree, tree)])],
];
