import type { StoredHeader } from '../../dfi/evm/block-columns.js';
import { evmHeader, evmTip } from '../../dfi/evm/blocks.js';
import { blockGasLimit, DEFAULT_BLOCK_GAS_LIMIT } from '../../dfi/evm/limits.js';
import { StateAt } from '../../dfi/evm/state-at.js';
import { TokenSplits } from '../../dfi/evm/token-split.js';
import { type Executed, executeInSteps, hasTooMuchInitCode, type Message } from '../../evm/execute.js';
import type { ExecutionSteps, FindPrecompile, Offload, WorkResult } from '../../evm/interpreter.js';
import type { Environment } from '../../evm/machine.js';
import { STANDARD_PRECOMPILES } from '../../evm/precompiles/standard.js';
import type { Account } from '../../evm/state/account.js';
import { OverriddenState } from '../../evm/state/overridden.js';
import type { StateBelow } from '../../evm/state/transaction-state.js';
import type { Tracer } from '../../evm/tracing/tracer.js';
import { addressWord, readWord } from '../../evm/words.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { type MaybePromise, pause } from '../../util/slicer.js';
import { type BlockTag, requireNumber } from '../block-tag.js';
import { customError, headerNotFound } from '../errors.js';
import type { EthereumCall } from '../method.js';
import type { EthereumModules } from '../modules.js';
import type { TraceLimits } from '../traces/trace.js';
import { NO_OVERRIDES, type StateOverrides } from './call-request.js';

/** Modules that executions need. */
export type ExecutionModules = Pick<EthereumModules, 'chain' | 'execution'>;

const SPLIT_ADDRESS = 10n;
const NO_HASH = new Uint8Array(32);

/** An EVM block on whose state calls are executed. */
export class CallSite {
  readonly block: StoredHeader;
  readonly state: StateBelow;
  readonly #stored: StateAt;

  /** @throws {EthereumError} `header not found` */
  constructor(
    private readonly modules: ExecutionModules,
    tag: BlockTag,
    overrides: StateOverrides = NO_OVERRIDES,
  ) {
    const number = requireNumber(modules.chain.state, tag);
    this.block = evmHeader(modules.chain.state, number) as StoredHeader;
    this.#stored = new StateAt(modules.chain, number);
    this.state = overrides.size > 0 ? new OverriddenState(this.#stored, overrides) : this.#stored;
  }

  /** Account without overrides. */
  storedAccount(address: bigint): Account | undefined {
    return this.#stored.account(address);
  }

  get baseFee(): bigint {
    return this.block.header.baseFee;
  }

  /**
   * Executes a call, in slices if it is long. Its gas is limited, whatever the caller names: memory and time of the node must be paid for.
   * @throws {EthereumError} for init code that is too long
   */
  run(message: Message, gasPrice: bigint, call: EthereumCall, tracer?: Tracer): MaybePromise<Executed> {
    // `defid` aborts here.
    if (hasTooMuchInitCode(message)) throw customError('exit error CreateContractLimit');
    const { chain, execution } = this.modules;
    const ofBlock = blockGasLimit(chain.state);
    const limit = ofBlock > DEFAULT_BLOCK_GAS_LIMIT ? ofBlock : DEFAULT_BLOCK_GAS_LIMIT;
    const gasLimit = message.gasLimit < limit ? message.gasLimit : limit;
    const environment = environmentOf(chain, this.block, message.from, gasPrice);
    const options = { below: this.state, environment, findPrecompile: callPrecompiles(chain), offload: execution.offload, tracer };
    return runInSlices(executeInSteps({ ...message, gasLimit }, options), call, () => this.requireActive());
  }

  /** @throws {EthereumError} if the block was disconnected while the call was executed */
  requireActive(): void {
    const { hash, header } = this.block;
    const present = evmHeader(this.modules.chain.state, Number(header.number));
    if (!present || !equalBytes(present.hash, hash)) throw headerNotFound();
  }
}

/** Block as contracts see it in a call at that block. */
function environmentOf(chain: ExecutionModules['chain'], { header }: StoredHeader, origin: bigint, gasPrice: bigint): Environment {
  const { number, timestamp, gasLimit, baseFee, difficulty, beneficiary } = header;
  return {
    number,
    timestamp,
    coinbase: addressWord(beneficiary),
    gasLimit,
    baseFee,
    difficulty,
    chainId: BigInt(chain.params.evmChainId),
    gasPrice,
    origin,
    blockHash: (wanted) => readWord(blockHashOf(chain.state, wanted), 0),
  };
}

/** Hash of any block of the active chain, later ones included. */
export function blockHashOf(view: StateView, wanted: bigint): Uint8Array {
  const tip = evmTip(view);
  return (tip && wanted <= BigInt(tip.number) && evmHeader(view, Number(wanted))?.hash) || NO_HASH;
}

/** Precompiled contracts of calls. Token splits change a copy of the state at the tip, which is discarded. */
export function callPrecompiles(chain: { readonly state: StateView }): FindPrecompile {
  return (address, context) => {
    if (address !== SPLIT_ADDRESS) return STANDARD_PRECOMPILES.get(address);
    return new TokenSplits(chain.state, new Overlay(chain.state)).findPrecompile(address, context);
  };
}

/**
 * Runs an execution; synchronously if it is short.
 * @param resumed called whenever it continues in a later turn, where the chain may have another tip
 */
export function runInSlices<T>(steps: ExecutionSteps<T>, call: EthereumCall, resumed: () => void): MaybePromise<T> {
  const go = (input?: WorkResult): MaybePromise<T> => {
    for (let next = input ? steps.next(input) : steps.next(); ; next = steps.next()) {
      if (next.done) return next.value;
      if (next.value)
        return next.value.then((result) => {
          resumed();
          return go(result);
        });
      const paused = pause(call);
      if (paused)
        return paused.then(() => {
          resumed();
          return go();
        });
    }
  };
  return go();
}

/** Options and helpers of executions. */
export interface ExecutionOptions extends TraceLimits {
  readonly offload: Offload | undefined;
  /** -evmestimategaserrorratio: maximum excess of an estimate over the least gas, percent of the estimate. */
  readonly estimateErrorRatio: number;
  /** -evmtxpriorityfeepercentile: percentile of recent priority fees that is suggested. */
  readonly priorityFeePercentile: number;
  /** -ethdebug: all methods for developers. */
  readonly isDebug: boolean;
  /** -ethdebugtrace: traces. */
  readonly isTracing: boolean;
}
