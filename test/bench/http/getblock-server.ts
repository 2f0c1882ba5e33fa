/** A server process for the benchmarks: the gateway with the Blockchain handlers over one block of 250 transactions. */

import { readFileSync } from 'node:fs';
import { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { defaultGatewayOptions } from '../../../src/gateway/options.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { rpcMetrics } from '../../../src/metrics/rpc.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';
import { Credentials } from '../../../src/rpc/credentials.js';
import { Invoker } from '../../../src/rpc/invoke.js';
import { buildScript } from '../../../src/script/script.js';
import { blockchainHandlers } from '../../../src/services/blockchain/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { silentLogger } from '../../../src/util/logger.js';

const TRANSACTIONS = 250;

const params = networkParams({ network: 'regtest' });

/** One input with a signature and a key, two outputs to keys: what most transactions are. */
function payment(seed: number): Transaction {
  const bytes = (size: number, salt: number) => new Uint8Array(size).map((_, i) => (seed * 31 + salt * 17 + i * 7) & 0xff);
  const scriptSig = buildScript(bytes(71, 1), bytes(33, 2));
  const vout = [3, 4].map((salt) => ({
    value: BigInt(seed + salt) * 1_000n,
    scriptPubKey: buildScript(0x76, 0xa9, bytes(20, salt), 0x88, 0xac),
    tokenId: 0,
  }));
  const prevout = { txid: bytes(32, 5), vout: 1 };
  return makeTransaction(
    { version: 4, vin: [{ prevout, scriptSig, sequence: 0xfffffffe, witness: [] }], vout, lockTime: seed },
    params.txFormat,
  );
}

const { genesis } = params;
const block: Block = { ...genesis, transactions: Array.from({ length: TRANSACTIONS }, (_, seed) => payment(seed)) };
const entry = new BlockIndexEntry(block.hash, block.header, undefined, params);
/** `cold` hands out the block as if it had just been read, so that nothing made of it before is at hand. */
const isCold = process.argv[2] === 'cold';
const chain = {
  params,
  tip: entry,
  state: new MemoryStore(),
  entry: () => entry,
  header: () => block.header,
  block: () => (isCold ? { ...block } : block),
  rawBlock: () => undefined,
  next: () => undefined,
  confirmations: () => 1,
};

const catalogue = loadCatalogue(readFileSync(new URL('../../../gen/image.binpb', import.meta.url)));
const registry = createRegistry({ version: '0.0.0', nativeEcdsa: false });
const invoker: Invoker = new Invoker({ catalogue, log: silentLogger, metrics: rpcMetrics(registry, () => [...invoker.active].length) });
const { getBlock } = blockchainHandlers;
invoker.bind('dfi.blockchain.v1.BlockchainService', { getBlock }, { chain, showsWitness: true });
const credentials = new Credentials({ rpcUser: 'bench', rpcPassword: 'bench', rpcAuth: [], cookie: undefined });
const [endpoint] = await new Gateway(defaultGatewayOptions, { invoker, catalogue, credentials, log: silentLogger }).start();
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.(endpoint?.port ?? 0);
