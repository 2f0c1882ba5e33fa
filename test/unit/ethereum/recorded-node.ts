import { putEvmBlock } from '../../../src/dfi/evm/blocks.js';
import { ViewState } from '../../../src/dfi/evm/view-state.js';
import type { ExecutionOptions } from '../../../src/ethereum/calls/execution.js';
import type { EthereumCall } from '../../../src/ethereum/method.js';
import { MethodTable, type Outcome } from '../../../src/ethereum/method-table.js';
import { ETHEREUM_METHODS } from '../../../src/ethereum/methods.js';
import type { EthereumModules } from '../../../src/ethereum/modules.js';
import { paramsOf } from '../../../src/ethereum/params.js';
import type { BuiltBlock } from '../../../src/evm/block/block-builder.js';
import { EntryRefused } from '../../../src/evm/block/entry-error.js';
import { regtest } from '../../../src/params/regtest.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { UndoLog } from '../../../src/storage/view.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';
import { addItem, recordedChains, startBlock } from '../evm/recorded-blocks.js';

/** A node with a recorded chain, as far as methods about the EVM need one. */
export class RecordedNode {
  readonly store: MemoryStore = new MemoryStore();
  readonly undo: UndoLog[] = [];
  readonly built: BuiltBlock[] = [];
  readonly modules: EthereumModules;
  readonly #table: MethodTable;
  readonly #chain;
  readonly #listeners = new Set<() => void>();

  constructor(name: 'main' | 'edge', execution: Partial<ExecutionOptions> = {}) {
    this.#chain = recordedChains[name];
    this.modules = {
      chain: {
        state: this.store,
        params: regtest(),
        snapshot: () => this.store.snapshot(),
        on: (_: string, listener: () => void) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      execution: { offload: undefined, estimateErrorRatio: 15, priorityFeePercentile: 60, ...execution },
    } as unknown as EthereumModules;
    this.#table = new MethodTable({
      modules: this.modules,
      methods: ETHEREUM_METHODS,
      maxResultBytes: 25 * 2 ** 20,
      metrics: { finished: () => {} },
      log: silentLogger,
    });
  }

  /** Connects blocks up to a number. */
  connect(last: number = this.#chain.blocks.length - 1): this {
    for (const recorded of this.#chain.blocks.slice(this.built.length, last + 1)) {
      const overlay = new Overlay(this.store);
      const block = startBlock(this.#chain, recorded, new ViewState(overlay, recorded.number), this.built);
      for (const item of recorded.items) {
        try {
          addItem(block, item);
        } catch (error) {
          if (!(error instanceof EntryRefused)) throw error;
        }
      }
      const built = block.finish();
      this.built.push(built);
      putEvmBlock(overlay, built, { dvmHeight: recorded.dvmHeight, dvmHash: built.hash, txids: new Map() });
      this.undo.push(overlay.undo());
      this.store.write(overlay.changes());
    }
    return this;
  }

  /** Calls the listeners of the chain. */
  announceTip(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Disconnects the last block. */
  disconnect(): void {
    this.built.pop();
    this.store.write(this.undo.pop() as UndoLog);
  }

  /** Calls a method. @returns the parsed result, or the error */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    const outcome = await this.call(method, params);
    return 'result' in outcome ? JSON.parse(outcome.result) : outcome;
  }

  call(
    method: string,
    params: readonly unknown[],
    call: EthereumCall = { signal: new AbortController().signal },
  ): Outcome | Promise<Outcome> {
    return this.#table.call(method, paramsOf(parseJson(JSON.stringify(params))), call);
  }
}
