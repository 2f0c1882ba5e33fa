import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { trialsOnTip } from '../../../src/minting/state-trial.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { encodeText } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import { type OutPoint, outPoint } from '../../../src/primitives/outpoint.js';
import type { Transaction, TxOut } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { fromHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import type { NodeClient } from '../calls/node-client.js';

/** Copy of the chain of a node in memory. It computes the commitments of blocks that no node would make. */
export class ShadowChain {
  readonly #clock = new FixedClock(0);
  readonly #chain: Chain;

  constructor(params: NetworkParams) {
    const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: this.#clock, log: silentLogger };
    this.#chain = new Chain({ params }, deps);
  }

  /** Disconnects the blocks that the node has no more, and connects those of the node. @throws {Error} if the tip is another one then */
  async follow(node: NodeClient): Promise<void> {
    const isOfNode = async ({ height, hash }: Chain['tip']) => (await node.result('getblockhash', [height])) === formatHash(hash);
    while (!(await isOfNode(this.#chain.tip))) this.#chain.invalidate(this.#chain.tip);
    const height = Number(await node.result('getblockcount'));
    while (this.#chain.tip.height < height) {
      const hash = await node.result('getblockhash', [this.#chain.tip.height + 1]);
      const { time } = (await node.result('getblock', [hash])) as { readonly time: number };
      this.#clock.set(time);
      this.#chain.submitBlock(fromHex(String(await node.result('getblock', [hash, 0]))));
      if (formatHash(this.#chain.tip.hash) !== hash) throw new Error(`the copy of the chain refuses the block ${hash}`);
    }
  }

  /**
   * Coinbase output that commits to the EVM block of transactions on the tip; undefined if a rule refuses one of them.
   * @param transactions without the coinbase
   * @param beneficiary 20 bytes
   */
  readonly commitment = ({ time, bits }: BlockHeader, transactions: readonly Transaction[], beneficiary: Uint8Array): TxOut | undefined => {
    const outputs = new Map(
      transactions.flatMap(({ txid, vout }) => vout.map((out, i) => [encodeText(outPoint, { txid, vout: i }), out] as const)),
    );
    const output = (point: OutPoint) => outputs.get(encodeText(outPoint, point));
    const trial = trialsOnTip(this.#chain, { output })({ height: this.#chain.tip.height + 1, time, bits, beneficiary });
    if (!transactions.every((tx) => trial.accepts([tx]))) return undefined;
    return trial.coinbaseOutputs?.(transactions)[0];
  };
}
