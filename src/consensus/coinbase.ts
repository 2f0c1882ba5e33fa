import { isActive, type NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { BlockInvalid } from './errors.js';
import { blockSubsidy, foundationShare, withheldReward } from './subsidy.js';

/**
 * What a coinbase pays, against what it may: DFI only, the foundation's output where there is one, and no more than the
 * subsidy that is left after the shares of the community accounts, plus fees.
 * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.8
 */
export function checkCoinbase(coinbase: Transaction, height: number, fees: bigint, params: NetworkParams): void {
  const reward = blockSubsidy(height, params);
  if (coinbase.vout.some((out) => out.tokenId !== 0))
    throw new BlockInvalid('bad-cb-wrong-tokens', 'consensus', 'coinbase should pay only Defi coins');
  if (isActive(params, 'amk', height)) checkFoundation(coinbase, foundationShare(reward, height, params), params);
  const paid = coinbase.vout.reduce((sum, out) => sum + out.value, 0n);
  const limit = reward - withheldReward(reward, height, params) + fees;
  if (paid > limit) throw new BlockInvalid('bad-cb-amount', 'consensus', `coinbase pays too much (actual=${paid} vs limit=${limit})`);
}

function checkFoundation(coinbase: Transaction, share: bigint, { scripts }: NetworkParams): void {
  if (share === 0n) return;
  const output = coinbase.vout.find((out) => equalBytes(out.scriptPubKey, scripts.foundationShare));
  if (!output || output.value < share)
    throw new BlockInvalid('bad-cb-foundation-reward', 'consensus', "coinbase doesn't pay proper foundation reward");
}
