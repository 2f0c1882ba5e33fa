/** A server process for the benchmarks: the gateway with the Blockchain handlers over blocks of 250 transactions. */

import { readFileSync } from 'node:fs';
import { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { encodeDer } from '../../../src/crypto/der.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { defaultGatewayOptions } from '../../../src/gateway/options.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { outlineOf } from '../../../src/primitives/block-outline.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { AccessRules } from '../../../src/rpc/access.js';
import { observeCalls } from '../../../src/rpc/call-log.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';
import { Credentials } from '../../../src/rpc/credentials.js';
import { Invoker } from '../../../src/rpc/invoke.js';
import { buildScript } from '../../../src/script/script.js';
import { SIGHASH_ALL } from '../../../src/script/signature-encoding.js';
import { blockchainHandlers } from '../../../src/services/blockchain/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { NO_RESTRICTIONS } from '../../access-options.js';

const TRANSACTIONS = 250;
/** Enough blocks that their scripts exceed every cache. */
const STORED_BLOCKS = 64;

const params = networkParams({ network: 'regtest' });

/** Bytes that are unique to a seed and salt. */
function bytes(size: number, seed: number, salt: number): Uint8Array {
  const digests = Array.from({ length: Math.ceil(size / 32) }, (_, i) => sha256(Buffer.from(`${seed} ${salt} ${i}`)));
  return concatBytes(...digests).subarray(0, size);
}

/** DER of a signature, and its hash type. */
function signature(seed: number): Uint8Array {
  const compact = Uint8Array.from(bytes(64, seed, 1));
  compact[0] = compact[32] = 1;
  return concatBytes(encodeDer(compact), Uint8Array.of(SIGHASH_ALL));
}

/** One input with a signature and a key, two outputs to keys: the most common transaction. */
function payment(seed: number): Transaction {
  const scriptSig = buildScript(signature(seed), bytes(33, seed, 2));
  const vout = [3, 4].map((salt) => ({
    value: BigInt(seed + salt) * 1_000n,
    scriptPubKey: buildScript(0x76, 0xa9, bytes(20, seed, salt), 0x88, 0xac),
    tokenId: 0,
  }));
  const prevout = { txid: bytes(32, seed, 5), vout: 1 };
  return makeTransaction(
    { version: 4, vin: [{ prevout, scriptSig, sequence: 0xfffffffe, witness: [] }], vout, lockTime: seed },
    params.txFormat,
  );
}

const { genesis } = params;
function blockOf(first: number): Block {
  return { ...genesis, transactions: Array.from({ length: TRANSACTIONS }, (_, i) => payment(first + i)) };
}

const block = blockOf(0);
const entry = new BlockIndexEntry(block.hash, block.header, undefined, params);

/**
 * Sources of blocks. `warm`: always the same object, with its caches; `cold`: a new object each time without cached encodings, as if
 * just read; `fresh`: decoded from bytes, with scripts that have left all caches.
 */
const sources: Readonly<Record<string, () => () => Block>> = {
  warm: () => () => block,
  cold: () => () => ({ ...block }),
  fresh: () => {
    const codec = blockCodec(params.txFormat);
    const stored = Array.from({ length: STORED_BLOCKS }, (_, i) => encode(codec, blockOf(i * TRANSACTIONS)));
    let next = 0;
    return () => decode(codec, stored[next++ % STORED_BLOCKS] as Uint8Array);
  },
};
const nextBlock = sources[process.argv[2] ?? '']?.();
if (!nextBlock) throw new Error(`no source of blocks ${process.argv[2]}`);
const chain = {
  params,
  tip: entry,
  state: new MemoryStore(),
  entry: () => entry,
  header: () => block.header,
  *loadBlock() {
    yield;
    return nextBlock();
  },
  *outline() {
    yield;
    return outlineOf(nextBlock());
  },
  *loadRaw() {
    yield;
    return undefined;
  },
  next: () => undefined,
  confirmations: () => 1,
};

const catalogue = loadCatalogue(readFileSync(new URL('../../../gen/image.binpb', import.meta.url)));
const registry = createRegistry({ version: '0.0.0', nativeEcdsa: false });
const invoker: Invoker = new Invoker({
  catalogue,
  log: silentLogger,
  observer: observeCalls(
    rpcMetrics(registry, () => [...invoker.active].length),
    silentLogger,
  ),
});
const { getBlock } = blockchainHandlers;
invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlock }, { chain, showsWitness: true });
const credentials = new Credentials(
  { rpcUser: 'bench', rpcPassword: 'bench', rpcAuth: [], cookie: undefined },
  new AccessRules(NO_RESTRICTIONS),
);
const [endpoint] = await new Gateway(defaultGatewayOptions, { invoker, catalogue, credentials, log: silentLogger }).start();
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.(endpoint?.port ?? 0);
