import { MemoryBlocks } from '../../src/chain/block-store.js';
import { Chain } from '../../src/chain/chain.js';
import { Warnings } from '../../src/chain/warnings.js';
import { publicKeyOf } from '../../src/crypto/ecdsa.js';
import { hash160 } from '../../src/crypto/hash.js';
import { type PrivateKey, parseWif } from '../../src/crypto/keys.js';
import { TransactionIndex } from '../../src/indexes/transactions.js';
import { type AssemblySettings, BlockAssembler, DEFAULT_ASSEMBLY } from '../../src/minting/assembler.js';
import { Forge } from '../../src/minting/forge.js';
import { Minter } from '../../src/minting/minter.js';
import { Staker } from '../../src/minting/staker.js';
import { trialsOnTip } from '../../src/minting/state-trial.js';
import { TemplateCache } from '../../src/minting/template-cache.js';
import type { NetworkParams } from '../../src/params/network.js';
import type { Catalogue } from '../../src/rpc/catalogue.js';
import { statusOf } from '../../src/rpc/errors.js';
import type { CallContext, ServiceHandlers } from '../../src/rpc/handler.js';
import { Invoker } from '../../src/rpc/invoke.js';
import { type MiningModules, miningHandlers } from '../../src/services/mining/index.js';
import { type NodeModules, nodeHandlers } from '../../src/services/node/index.js';
import { type RawtransactionsModules, rawtransactionsHandlers } from '../../src/services/rawtransactions/index.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { toHex } from '../../src/util/bytes.js';
import { SystemClock } from '../../src/util/clock.js';
import { NodeError } from '../../src/util/errors.js';
import { JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { LogCategories } from '../../src/util/log-categories.js';
import { silentLogger } from '../../src/util/logger.js';
import { openPool } from '../chains/memory-pool.js';
import { committedCatalogue } from './catalogue.js';
import { resultText } from './result-text.js';

const GENESIS_TIME = 1_579_045_065;

type Modules = Omit<MiningModules, 'peers'> & NodeModules & RawtransactionsModules;

export interface ServiceNode {
  readonly modules: Modules;
  readonly invoker: Invoker;
  readonly chain: Chain;
  readonly clock: SystemClock;
  readonly minter: Minter;
  readonly staker: Staker | undefined;
  /** Ends operations that wait until the node stops. */
  readonly stopping: AbortController;
  readonly stopRequests: () => number;
  /** JSON text of a result, or `<code> <message>` of an error; `-1 usage` for a help text. */
  ask(method: string, params: string, call?: Partial<CallContext>): Promise<string>;
}

export interface ServiceNodeOptions {
  /** Genesis masternodes that the node operates, counted from 0. */
  readonly operate?: readonly number[];
  readonly withTransactionIndex?: boolean;
  readonly showsWitness?: boolean;
  /** Connected peers; undefined for a node without P2P. */
  readonly peers?: { readonly count: number } | undefined;
  readonly assembly?: Partial<AssemblySettings>;
  /** True if the node mints by itself. */
  readonly staking?: boolean;
  /** As with `-rpcstrict`. */
  readonly strict?: boolean;
}

/** Private keys of the masternodes of a regtest genesis block, by operator key id in hex. */
export function genesisKeys({ masternode, address }: NetworkParams): Map<string, PrivateKey> {
  const keys = new Map<string, PrivateKey>();
  for (const { operatorKey = '' } of masternode.genesis) {
    const key = parseWif(operatorKey, address);
    if (key) keys.set(toHex(hash160(publicKeyOf(key.secret, key.compressed))), key);
  }
  return keys;
}

/** In-memory chain behind the handlers of the Rawtransactions, Mining and Node services. */
export function startServices(params: NetworkParams, options: ServiceNodeOptions = {}): ServiceNode {
  const { operate = [], withTransactionIndex = true, showsWitness = true, peers, assembly, staking = false, strict = false } = options;
  const catalogue = committedCatalogue(strict);
  const clock = new SystemClock();
  clock.setMockTime(GENESIS_TIME);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const txIndex = new TransactionIndex({ store: new MemoryStore(), chain, log: silentLogger });
  txIndex.start();
  const keys = genesisKeys(params);
  const operators = [...keys.keys()].filter((_, i) => operate.includes(i)).map((id) => Buffer.from(id, 'hex'));
  const { mempool } = openPool(chain, clock);
  const assembler = new BlockAssembler(
    { ...DEFAULT_ASSEMBLY, ...assembly },
    { chain, pool: mempool.pool, beginTrial: trialsOnTip(chain, mempool.pool) },
  );
  const forge = new Forge({ chain, clock, assembler, log: silentLogger });
  const minting = { chain, clock, keys: (id: Uint8Array) => keys.get(toHex(id)), log: silentLogger, assembler, forge };
  const minter = new Minter({ operators }, minting);
  const staker = staking ? new Staker({ operators, pauseMs: 1 }, { ...minting, peers }) : undefined;
  const invoker = new Invoker({ catalogue, log: silentLogger, observer: { finished() {} } });
  const stopping = new AbortController();
  let stopRequests = 0;
  const modules: Modules = {
    chain,
    clock,
    catalogue,
    calls: invoker,
    log: silentLogger,
    logCategories: new LogCategories({ setLevel() {} }),
    minter,
    txIndex: withTransactionIndex ? txIndex : undefined,
    showsWitness,
    mempool,
    templates: new TemplateCache({ chain, clock, assembler, minter, pool: mempool.pool }),
    staker,
    stopping: stopping.signal,
    ordersByFee: true,
    evmDumps: { enabled: false, maxBytes: 1_000_000 },
    warnings: new Warnings(silentLogger, () => {}),
    zmqNotifiers: [],
    process: {
      startedAt: GENESIS_TIME,
      logPath: '/somewhere/debug.log',
      stopping: stopping.signal,
      announceStop() {},
      requestStop: () => {
        stopRequests += 1;
      },
    },
  };
  bindAll(invoker, modules, peers);
  const ask = (method: string, text: string, call?: Partial<CallContext>) => askInvoker({ catalogue, invoker }, method, text, call);
  return { modules, invoker, chain, clock, minter, staker, stopping, stopRequests: () => stopRequests, ask };
}

interface Asked {
  readonly catalogue: Catalogue;
  readonly invoker: Invoker;
}

function bindAll(invoker: Invoker, modules: Modules, peers: MiningModules['peers']): void {
  const bind = (service: string, handlers: ServiceHandlers<Modules>) => invoker.bind(service, handlers, modules);
  bind('dfi.rawtransactions.v1.RawtransactionsService', rawtransactionsHandlers);
  invoker.bind('dfi.mining.v1.MiningService', miningHandlers, { ...modules, peers });
  bind('dfi.node.v1.NodeService', nodeHandlers);
}

async function askInvoker({ catalogue, invoker }: Asked, method: string, text: string, more: Partial<CallContext> = {}): Promise<string> {
  const op = catalogue.byName(method);
  if (!op) throw new Error(`no operation ${method}`);
  const call: CallContext = {
    dialect: 'json-rpc',
    requestId: 'test',
    user: undefined,
    wallet: undefined,
    signal: new AbortController().signal,
    ...more,
  };
  const given = parseJson(text);
  try {
    const run = invoker.open(op, call);
    const request = given instanceof JsonObject ? op.codec.bindNamed(given) : op.codec.bindPositional(given as readonly JsonValue[]);
    return resultText(op, await run(request));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return `${statusOf[error.kind].jsonRpc} ${error.kind === 'usage' ? 'usage' : error.message}`;
  }
}

/** Wire names of the operations of these services. */
export const answered: ReadonlySet<string> = new Set(
  committedCatalogue()
    .operations.filter((op) => [rawtransactionsHandlers, miningHandlers, nodeHandlers].some((handlers) => op.method in handlers))
    .map((op) => op.name),
);
