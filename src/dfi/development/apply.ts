import { BlockInvalid } from '../../consensus/errors.js';
import type { BlockBuilder } from '../../evm/block/block-builder.js';
import { Code } from '../../evm/code.js';
import { addressWord, readWord } from '../../evm/words.js';
import type { WritableView } from '../../storage/view.js';
import { Accounts } from '../accounts/columns.js';
import { noteTransfer } from '../evm/transfer-stats.js';
import type { BlockContext } from '../kernel/block-context.js';
import { toSatoshis } from '../kernel/evm-numbers.js';
import { comparePairs, isSamePair, oracles } from '../oracles/columns.js';
import { fixedPrices } from '../oracles/fixed-prices.js';
import { hasPool } from '../pools/columns.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken, putToken } from '../tokens/columns.js';
import type { BalanceChange, DevelopmentChange, PriceChange } from './changes.js';

/** Block to which changes apply: before its transactions. */
export interface ChangedBlock extends Pick<BlockContext, 'view' | 'height' | 'params' | 'time'> {
  /** EVM block; undefined while the EVM is off. */
  readonly evmBlock: BlockBuilder | undefined;
}

/**
 * Applies the changes of a development network that a block carries.
 * @throws {BlockInvalid} if one is impossible
 */
export function applyChanges(block: ChangedBlock, changes: readonly DevelopmentChange[]): void {
  for (const change of changes) {
    if (change.kind === 'balance') setBalance(block, change);
    else if (change.kind === 'price') setPrice(block, change);
    else setEvmAccount(block, change);
  }
}

/** The supply of the token changes with the balance. DFI has none that is counted. */
function setBalance({ view, height, params }: ChangedBlock, { owner, tokenId, amount }: BalanceChange): void {
  const token = getToken(view, tokenId);
  if (!token) throw impossible(`there is no token ${tokenId}`);
  if (hasPool(view, tokenId)) throw impossible('shares of a pool belong to its liquidity');
  if (amount < 0n) throw impossible('the balance is negative');
  materialiseRewards(view, owner, { height, params });
  const accounts = new Accounts(view);
  const before = accounts.balance(owner, tokenId);
  accounts.sub(owner, { tokenId, amount: before });
  accounts.add(owner, { tokenId, amount });
  if (tokenId !== 0) putToken(view, tokenId, { ...token, minted: token.minted + amount - before });
}

/** Sets the reports of all oracles with the pair, and the prices of the current and the next interval if loans use it. */
function setPrice({ view, time }: ChangedBlock, { token, currency, price }: PriceChange): void {
  if (price <= 0n) throw impossible('the price is not positive');
  const pair = { token, currency };
  const reporting = [...view.entries(oracles)].filter(([, { pairs }]) => pairs.some((own) => isSamePair(own, pair)));
  if (reporting.length === 0) throw impossible(`no oracle reports ${token}/${currency}`);
  const timestamp = BigInt(time);
  for (const [id, oracle] of reporting) {
    const others = oracle.prices.filter((own) => !isSamePair(own, pair));
    view.put(oracles, id, { ...oracle, prices: [...others, { ...pair, price, timestamp }].sort(comparePairs) });
  }
  if (view.has(fixedPrices, pair)) view.put(fixedPrices, pair, { timestamp, active: price, next: price });
}

type EvmChange = Exclude<DevelopmentChange, BalanceChange | PriceChange>;

function setEvmAccount({ view, evmBlock }: ChangedBlock, change: EvmChange): void {
  if (!evmBlock) throw impossible('the EVM is off');
  const { state } = evmBlock;
  const address = addressWord(change.address);
  const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
  if (change.kind === 'evm-code') state.write(address, { code: new Code(change.code) });
  else if (change.kind === 'evm-slot') state.write(address, { storage: [[readWord(change.slot, 0), readWord(change.value, 0)]] });
  else if (change.kind === 'evm-nonce') state.write(address, { basic: { nonce: change.nonce, balance } });
  else {
    const after = readWord(change.balance, 0);
    if (after > balance) noteNewCoins(view, after - balance);
    state.write(address, { basic: { nonce, balance: after } });
  }
}

/** New coins count as moved into the EVM; otherwise a block that moves them out would be invalid. */
function noteNewCoins(view: WritableView, wei: bigint): void {
  noteTransfer(view, 'dvm-evm', { tokenId: 0, amount: toSatoshis(wei) + 1n });
}

function impossible(reason: string): BlockInvalid {
  return new BlockInvalid('bad-dev-changes', 'consensus', reason);
}
