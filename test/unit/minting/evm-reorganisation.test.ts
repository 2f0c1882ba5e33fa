import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evmHeader, evmReceipts, evmTip } from '../../../src/dfi/evm/blocks.js';
import { createAddress } from '../../../src/evm/instructions/calls.js';
import { wordBytes } from '../../../src/evm/words.js';
import type { Block } from '../../../src/primitives/block.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { fromHex } from '../../../src/util/bytes.js';
import { bytesOf } from '../../chains/block-builder.js';
import { randomNumbers } from '../../e2e/fixtures/reorg-chain.js';
import { evm } from '../mempool/evm-transactions.js';
import { addressOf, EvmNode } from './evm-node.js';

const ROUNDS = 10;
const KEYS = 4;
const DFI = 10n ** 18n;
/** Writes the block number to the slot that its input names and logs that input; input 7 destroys it. */
const RECORDER = fromHex('601a600c600039601a6000f3436000355560003560006000a1600760003514601757005b33ff');
const FAILING = fromHex('60006000fd');

/** Chain whose miner sends random EVM transactions. */
class RandomMiner {
  readonly #contracts: bigint[] = [];

  constructor(
    readonly node: EvmNode,
    private readonly random: (below: number) => number,
  ) {}

  mint(): Block {
    for (let i = this.random(6); i > 0; i--) this.node.accept(this.#transaction());
    return this.node.mint();
  }

  #transaction(): Transaction {
    const { random } = this;
    const key = 1 + random(KEYS);
    const nonce = Number(this.node.freeNonce(key));
    const contract = this.#contracts[random(this.#contracts.length + 1)];
    const kind = random(5);
    if (kind === 0) return evm(key, nonce, { to: addressOf(1 + random(KEYS)), value: DFI * BigInt(random(2_000)) });
    if (kind === 1) return evm(key, nonce, { to: undefined, data: FAILING, gasLimit: 100_000n });
    if (contract === undefined || kind === 2) {
      this.#contracts.push(createAddress(addressOf(key), BigInt(nonce)));
      return evm(key, nonce, { to: undefined, data: RECORDER, gasLimit: 200_000n });
    }
    const input = wordBytes(BigInt(random(9)));
    return evm(key, nonce, { to: contract, data: input, gasLimit: 100_000n, value: BigInt(random(2)) });
  }
}

/** Blocks above a height, ascending. */
function blocksAbove({ chain }: EvmNode, height: number): Block[] {
  return Array.from({ length: chain.tip.height - height }, (_, i) => {
    const entry = chain.entryAt(height + 1 + i);
    return (entry && chain.block(entry)) ?? assert.fail('no block');
  });
}

test('random reorganisations: state, receipts, logs and balances are those of a node that saw only the winning chain', () => {
  const random = randomNumbers(18);
  const [losing, winning] = [new EvmNode(), new EvmNode()];
  const miners = { losing: new RandomMiner(losing, random), winning: new RandomMiner(winning, random) };
  let receipts = 0;
  let disconnected = 0;
  losing.chain.on('disconnected', () => {
    disconnected += 1;
  });
  for (let round = 0; round < ROUNDS; round++) {
    const fork = losing.chain.tip.height;
    losing.clock.set(winning.clock.seconds());
    const [lost, won] = [random(5), random(5)];
    for (let i = 0; i < lost; i++) miners.losing.mint();
    for (let i = 0; i < lost + won + 1; i++) miners.winning.mint();
    for (const block of blocksAbove(winning, fork)) losing.chain.submitBlock(bytesOf(losing.chain, block));
    assert.deepEqual(losing.chain.tip.hash, winning.chain.tip.hash, `tip of round ${round}`);
    const [own, undisturbed] = [losing.chain.state, winning.chain.state];
    const number = evmTip(undisturbed)?.number ?? assert.fail('no EVM block');
    for (let at = Math.max(0, number - 12); at <= number; at++) {
      assert.deepEqual(evmHeader(own, at), evmHeader(undisturbed, at), `EVM block ${at} of round ${round}`);
      assert.deepEqual(evmReceipts(own, at), evmReceipts(undisturbed, at));
      receipts += evmReceipts(own, at)?.length ?? 0;
    }
    assert.deepEqual(losing.records(), winning.records(), `records of round ${round}`);
  }
  assert.ok(receipts > 40, `${receipts} receipts`);
  assert.ok(disconnected > ROUNDS, `${disconnected} blocks were disconnected`);
});
