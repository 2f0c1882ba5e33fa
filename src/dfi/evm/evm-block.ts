import { BlockInvalid } from '../../consensus/errors.js';
import { BlockBuilder, type BlockOptions } from '../../evm/block/block-builder.js';
import { EntryRefused } from '../../evm/block/entry-error.js';
import type { FindPrecompile } from '../../evm/interpreter.js';
import { addressWord } from '../../evm/words.js';
import { formatAmount } from '../../primitives/amount.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { HeightContext } from '../kernel/block-context.js';
import { toSatoshis } from '../kernel/evm-numbers.js';
import { tokensToDeploy } from '../tokens/contracts.js';
import type { EvmTip, StoredHeader } from './block-columns.js';
import { type BlockHost, evmHeader, evmTip, putEvmBlock } from './blocks.js';
import type { EvmCommitment } from './commitment.js';
import { evmFees, noteEvmFees } from './fees.js';
import { blockGasLimit, gasTargetFactor } from './limits.js';
import { transferStats } from './transfer-stats.js';
import { ViewState } from './view-state.js';

/** DVM block that contains an EVM block, as far as it is known before its transactions. */
export interface EvmBlockSite extends HeightContext {
  /** Header time, seconds since 1970. */
  readonly time: number;
  /** Compact target. */
  readonly bits: number;
  /** EVM address of the minter, 20 bytes. */
  readonly beneficiary: Uint8Array;
  /** Precompiled contracts. */
  readonly findPrecompile: FindPrecompile;
}

/**
 * Starts the EVM block of a DVM block, on the last EVM block whatever the DVM blocks in between.
 * @param view state before the block; `finish` writes the state of the EVM to it
 * @throws {BlockInvalid} if governance or a token make an EVM block impossible
 * @see docs/protocol/evm-engine.md 6.1
 */
export function startEvmBlock(view: WritableView, { height, params, time, bits, beneficiary, findPrecompile }: EvmBlockSite): BlockBuilder {
  const tip = evmTip(view);
  const number = tip ? tip.number + 1 : 0;
  const { df23, df24 } = params.upgrades;
  try {
    const block = new BlockBuilder({
      parent: tip && storedParent(view, tip),
      store: new ViewState(view, number),
      beneficiary: addressWord(beneficiary),
      bits,
      timestamp: time,
      gasLimit: blockGasLimit(view),
      gasTargetFactor: gasTargetFactor(view),
      dvmHeight: height,
      chainId: BigInt(params.evmChainId),
      upgrades: { df23, df24 },
      blockHash: (wanted) => (wanted < BigInt(number) ? evmHeader(view, Number(wanted))?.hash : undefined),
      findPrecompile,
    });
    block.startBlock(number === 0 ? tokensToDeploy(view) : []);
    return block;
  } catch (error) {
    if (error instanceof EntryRefused) throw new BlockInvalid('bad-evm-template', 'consensus', error.message);
    throw error;
  }
}

type Parent = NonNullable<BlockOptions['parent']>;

/** The block that was finished last. It is most often the parent of the next one, whose stored header need not be read and decoded then. */
let latest: Parent | undefined;

function storedParent(view: StateView, tip: EvmTip): Parent | undefined {
  if (latest && equalBytes(latest.hash, tip.hash)) return latest;
  const stored = evmHeader(view, tip.number);
  return stored && parentOf(stored);
}

function parentOf({ hash, header }: Pick<StoredHeader, 'hash' | 'header'>): Parent {
  const { number, gasLimit, gasUsed, baseFee } = header;
  return { hash, number, gasLimit, gasUsed, baseFee };
}

/**
 * Ends the EVM block, compares it with the commitment in the coinbase and stores it.
 * @throws {BlockInvalid} if they differ, or more was moved out of the EVM than into it
 * @see docs/protocol/evm-engine.md 6.3, 6.6
 */
export function finishEvmBlock(view: WritableView, block: BlockBuilder, host: BlockHost, claimed: EvmCommitment): void {
  const built = block.finish();
  const fees = { burnt: toSatoshis(built.burnt), priority: toSatoshis(built.priority) };
  if (claimed.blockHash !== toHex(built.hash)) throw wrong('Incorrect EVM block hash in coinbase output');
  if (claimed.burnt !== fees.burnt) throw wrong('Incorrect EVM burnt fee in coinbase output');
  if (claimed.priority !== fees.priority) throw wrong('Incorrect EVM priority fee in coinbase output');
  noteEvmFees(view, fees, host.dvmHash);
  checkTransfers(view);
  putEvmBlock(view, built, host);
  latest = parentOf(built);
}

/** Checks that no more was moved out of the EVM than into it, minus fees. @throws {BlockInvalid} @see docs/protocol/evm.md 3.3 */
function checkTransfers(view: StateView): void {
  const { burnt, priority } = evmFees(view);
  const fees = burnt.total + priority.total;
  for (const { tokenId, amount } of transferStats(view).dvmCurrent) {
    if (tokenId === 0 && amount + fees > 0n) {
      const amounts = `DVM Out: ${formatAmount(amount)} Fees: ${formatAmount(fees)} Total: ${formatAmount(amount + fees)}`;
      throw wrong(`More DFI moved from DVM to EVM than in. ${amounts}\n`);
    }
    if (tokenId !== 0 && amount > 0n) {
      throw wrong(`More ${tokenId} moved from DVM to EVM than in. DVM Out: ${formatAmount(amount)}\n`);
    }
  }
}

/** Rejection with an empty reason; `defid` only logs the text. */
function wrong(text: string): BlockInvalid {
  return new BlockInvalid('', 'consensus', text);
}
