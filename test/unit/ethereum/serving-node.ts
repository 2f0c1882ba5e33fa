import { evmHeaders } from '../../../src/dfi/evm/block-columns.js';
import { Filters } from '../../../src/ethereum/filters.js';
import { ETHEREUM_METHODS } from '../../../src/ethereum/methods.js';
import type { EthereumModules } from '../../../src/ethereum/modules.js';
import { type Params, paramsOf } from '../../../src/ethereum/params.js';
import { EthereumRpc } from '../../../src/ethereum/service.js';
import { SyncStatus } from '../../../src/ethereum/sync-status.js';
import { EvmIndex } from '../../../src/mempool/evm-index.js';
import { Pool } from '../../../src/mempool/pool.js';
import { networkParams } from '../../../src/params/index.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { Emitter } from '../../../src/util/events.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';
import { recordedChains } from '../evm/recorded-blocks.js';
import { RecordedNode } from './recorded-node.js';

const call = { signal: new AbortController().signal };

/** A node with a recorded chain, a mempool, filters and connections. */
export class ServingNode {
  readonly #node: RecordedNode;
  readonly #blocks: (typeof recordedChains)['main']['blocks'];
  readonly pool = new Pool();
  readonly filters = new Filters();
  readonly rpc: EthereumRpc;
  readonly tip = { height: 0, time: 0 };
  readonly bestHeader = { height: 0 };
  readonly #events = new Emitter<Record<string, unknown>>();

  constructor(name: 'main' | 'edge', { blocks = Number.POSITIVE_INFINITY, isStrict = false, maxSubscriptions = 100 } = {}) {
    this.#node = new RecordedNode(name);
    this.#blocks = recordedChains[name].blocks;
    while (this.built.length < Math.min(blocks, this.#blocks.length)) this.connect();
    const log = silentLogger;
    const metrics = { finished() {} };
    const modules = this.#modules(isStrict);
    this.rpc = new EthereumRpc({ modules, methods: ETHEREUM_METHODS, maxResultBytes: 25_000_000, maxSubscriptions, metrics, log });
  }

  get built() {
    return this.#node.built;
  }

  /** Connects the next recorded block. */
  connect(): void {
    const number = this.built.length;
    this.#node.connect(number);
    const height = this.#blocks[number]?.dvmHeight ?? 0;
    Object.assign(this.tip, { height });
    this.#events.emit('connected', { entry: { height, hash: this.built[number]?.hash } });
  }

  /** Announces a block without EVM block. */
  connectDvm(): void {
    Object.assign(this.tip, { height: this.tip.height + 1 });
    this.#events.emit('connected', { entry: { height: this.tip.height, hash: new Uint8Array(32) } });
  }

  disconnect(): void {
    this.#node.disconnect();
    this.#events.emit('disconnected', {});
  }

  /** Disconnects blocks and connects others with the same contents and different hashes. */
  replace(count: number): void {
    for (let i = 0; i < count; i++) this.disconnect();
    for (let i = 0; i < count; i++) {
      this.connect();
      const number = this.built.length - 1;
      const overlay = new Overlay(this.#node.store);
      const header = overlay.get(evmHeaders, number);
      if (header) overlay.put(evmHeaders, number, { ...header, hash: new Uint8Array(32).fill(number) });
      this.#node.store.write(overlay.changes());
    }
  }

  /** Result of a method, or its error. */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    return shown(await this.rpc.call(method, given(params), call));
  }

  /** A connection; `received` are the notifications. */
  open() {
    const received: unknown[] = [];
    const session = this.rpc.open((text) => void received.push(JSON.parse(text)));
    const ask = async (method: string, ...params: unknown[]) => shown(await session.call(method, given(params), call));
    return { received, ask, close: () => session.close() };
  }

  #modules(isStrict: boolean): EthereumModules {
    const { pool, filters, tip, bestHeader } = this;
    const { store } = this.#node;
    const chain = {
      params: networkParams({ network: 'regtest' }),
      tip,
      bestHeader,
      entryAt: () => undefined,
      state: store,
      snapshot: () => store.snapshot(),
      on: (name: string, listener: (event: unknown) => void) => this.#events.on(name, listener),
    };
    const modules = {
      chain,
      mempool: { pool, evm: new EvmIndex(pool), accept: () => ({ status: 'missing-inputs' }) },
      relay: { announce() {} },
      version: '1.2.3',
      peers: { count: 3 },
      minting: { isMinting: () => false },
      filters,
      sync: new SyncStatus(chain),
      isStrict,
    };
    return modules as unknown as EthereumModules;
  }
}

function given(params: readonly unknown[]): Params {
  return paramsOf(parseJson(JSON.stringify(params)));
}

function shown(outcome: Awaited<ReturnType<EthereumRpc['call']>>): unknown {
  if ('result' in outcome) return JSON.parse(outcome.result) as unknown;
  const { code, message, data } = outcome.error;
  return { code, message, ...(data === undefined ? {} : { data }) };
}
