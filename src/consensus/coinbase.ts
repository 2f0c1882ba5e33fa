import { isActive, type NetworkParams } from '../params/network.js';
import type { Transaction } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { BlockInvalid } from './errors.js';
import { blockSubsidy, communityAccountShares, foundationShare } from './subsidy.js';

/**
 * Checks the outputs of a coinbase: DFI only, the foundation's output where required, and a sum of at most the subsidy less the shares of
 * the community accounts, plus fees.
 * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.8
 */
export function checkCoinbase(coinbase: Transaction, height: number, fees: bigint, params: NetworkParams): void {
  const reward = blockSubsidy(height, params);
  if (coinbase.vout.some((out) => out.tokenId !== 0))
    throw new BlockInvalid('bad-cb-wrong-tokens', 'consensus', 'coinbase should pay only Defi coins');
  if (isActive(params, 'amk', height)) checkFoundation(coinbase, foundationShare(reward, height, params), params);
  const paid = coinbase.vout.reduce((sum, out) => sum + out.value, 0n);
  const limit = reward - communityAccountShares(reward, height, params) + fees;
  if (paid > limit) throw new BlockInvalid('bad-cb-amount', 'consensus', `coinbase pays too much (actual=${paid} vs limit=${limit})`);
}

function checkFoundation(coinbase: Transaction, share: bigint, { scripts }: NetworkParams): void {
  if (share === 0n) return;
  const output = coinbase.vout.find((out) => equalBytes(out.scriptPubKey, scripts.foundationShare));
  if (!output || output.value < share)
    throw new BlockInvalid('bad-cb-foundation-reward', 'consensus', "coinbase doesn't pay proper foundation reward");
}
