import { isActive } from '../../params/network.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { struct } from '../../primitives/codec.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import { hasAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { type AccountAmounts, accountAmounts } from '../kernel/amounts.js';
import { CONTRACT } from '../kernel/contract-addresses.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { requirePrice } from '../oracles/fixed-prices.js';
import { materialiseRecordedRewards } from '../rewards/owner-rewards.js';
import { getToken, hasFlag } from '../tokens/columns.js';
import { futureSwap } from './transactions.js';

export interface SmartContractCall {
  readonly name: string;
  readonly accounts: AccountAmounts;
}

/** Calls a built-in contract by name. @see docs/protocol/oracles-governance.md 6.8 */
export const smartContract = customTx<SmartContractCall>({
  type: 'K',
  name: 'SmartContract',
  since: 'fortCanningHill',
  codec: struct<SmartContractCall>({ name: byteString, accounts: accountAmounts }),
  apply(context, { name, accounts }) {
    if (accounts.length === 0) throw new TxRejected('Contract account parameters missing');
    if (name !== 'DFIP2201') throw new TxRejected('Specified smart contract not found');
    swapBitcoin(context, accounts);
  },
});

const ACTIVE = attributeAt('v0/params/dfip2201/active');
const PREMIUM = attributeAt('v0/params/dfip2201/premium');
const MIN_SWAP = attributeAt('v0/params/dfip2201/minswap');
/** 2.5 %, scaled by COIN. */
const DEFAULT_PREMIUM = 2_500_000n;

/** Exchanges BTC for DFI of the contract at a premium. The BTC is debited and not credited to any account. */
function swapBitcoin(context: TxContext, given: AccountAmounts): void {
  const { view, accounts, height, params } = context;
  const source = storedAttributes(view);
  if (!(valueAs(source, ACTIVE, 'bool') ?? false)) throw new TxRejected('DFIP2201 smart contract is not enabled');
  const [entry] = given;
  if (!entry || given.length !== 1) throw new TxRejected('Only one address entry expected for DFIP2201');
  const [bitcoin] = entry.balances;
  if (!bitcoin || entry.balances.length !== 1) throw new TxRejected('Only one amount entry expected for DFIP2201');
  const { owner } = entry;
  if (!hasAuth(context, owner)) throw new TxRejected('Must have at least one input from supplied address');
  if (bitcoin.amount <= 0n) throw new TxRejected('Amount out of range');
  const least = valueAs(source, MIN_SWAP, 'amount') ?? 0n;
  if (bitcoin.amount < least) throw new TxRejected(`Below minimum swapable amount, must be at least ${formatAmount(least)} BTC`);
  requireBitcoin(context, bitcoin.tokenId);
  if (isActive(params, 'metachain', height)) materialiseRecordedRewards(accounts, owner, context);
  accounts.sub(owner, bitcoin);
  const bitcoinPrice = requirePrice(view, { token: 'BTC', currency: 'USD' });
  const paid = multiplyAmounts(bitcoinPrice, (valueAs(source, PREMIUM, 'amount') ?? DEFAULT_PREMIUM) + COIN);
  const coinPrice = requirePrice(view, { token: 'DFI', currency: 'USD' });
  const out = { tokenId: 0, amount: multiplyAmounts(divideAmounts(paid, coinPrice), bitcoin.amount) };
  accounts.sub(CONTRACT.dfip2201, out);
  accounts.add(owner, out);
}

function requireBitcoin({ view }: TxContext, tokenId: number): void {
  const token = getToken(view, tokenId);
  if (!token) throw new TxRejected('Specified token not found');
  if (token.symbol !== 'BTC' || token.name !== 'Bitcoin' || !hasFlag(token, 'dat')) {
    throw new TxRejected('Only Bitcoin can be swapped in DFIP2201');
  }
}

/** Custom transactions of smart contracts: swaps of BTC (DFIP2201) and future swaps (DFIP2203, DFIP2206F). */
export const contractTypes: readonly AnyCustomTx[] = [smartContract, futureSwap];
