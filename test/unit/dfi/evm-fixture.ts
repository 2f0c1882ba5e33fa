import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import { evmTip, putEvmBlock } from '../../../src/dfi/evm/blocks.js';
import { ViewState } from '../../../src/dfi/evm/view-state.js';
import { tokensToDeploy } from '../../../src/dfi/tokens/contracts.js';
import { BlockBuilder, type BuiltBlock } from '../../../src/evm/block/block-builder.js';
import type { FindPrecompile } from '../../../src/evm/interpreter.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import type { NetworkParams } from '../../../src/params/network.js';
import type { WritableView } from '../../../src/storage/view.js';

const GAS_LIMIT = 30_000_000n;
const CHAIN_ID = 1133n;

/** EVM blocks of a state, built one after the other. */
export class EvmFixture {
  #parent: BuiltBlock | undefined;

  constructor(
    private readonly params: NetworkParams,
    readonly findPrecompile: FindPrecompile = (address) => STANDARD_PRECOMPILES.get(address),
  ) {}

  /** Starts the next block. */
  start(view: WritableView, dvmHeight: number): BlockBuilder {
    view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
    const { df23, df24 } = this.params.upgrades;
    const parent = this.#parent && { ...this.#parent.header, hash: this.#parent.hash };
    const block = new BlockBuilder({
      parent,
      store: new ViewState(view, (evmTip(view)?.number ?? -1) + 1),
      beneficiary: 0n,
      bits: 0x207fffff,
      timestamp: 1_600_000_000,
      gasLimit: GAS_LIMIT,
      gasTargetFactor: 2n,
      dvmHeight,
      chainId: CHAIN_ID,
      upgrades: { df23, df24 },
      blockHash: () => undefined,
      findPrecompile: this.findPrecompile,
    });
    block.startBlock(parent ? [] : tokensToDeploy(view));
    return block;
  }

  /** Finishes a block and stores it. */
  finish(view: WritableView, block: BlockBuilder, dvmHeight: number): BuiltBlock {
    this.#parent = block.finish();
    putEvmBlock(view, this.#parent, { dvmHeight, dvmHash: Buffer.alloc(32, dvmHeight), txids: new Map() });
    return this.#parent;
  }
}
