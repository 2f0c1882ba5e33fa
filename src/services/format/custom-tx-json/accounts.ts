import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { accountToAccount, accountToUtxos, anyAccountsToAccounts, utxosToAccount } from '../../../dfi/accounts/transactions.js';
import { transferDomain } from '../../../dfi/evm/transfer-domain.js';
import { Domain, type TransferItem } from '../../../dfi/evm/transfer-domain-body.js';
import { smartContract } from '../../../dfi/futures/smart-contract.js';
import { futureSwap } from '../../../dfi/futures/transactions.js';
import { type AccountAmounts, formatBalances } from '../../../dfi/kernel/amounts.js';
import { vmOwnerText } from '../../../script/address.js';
import { toHex } from '../../../util/bytes.js';
import { addressOf, formatOwner } from '../owner.js';
import { amountText, byteTextField, type CustomTxJson, object, objects, owner, type ShowContext, shows, text } from './define.js';

/** JSON of the custom transactions of accounts, in any order. */
export const accountJson: readonly CustomTxJson[] = [
  shows(utxosToAccount, ({ to }, shown) => accounts(to, shown)),
  shows(accountToUtxos, ({ from, mintingOutputsStart }, shown) => [
    owner('from', from, shown),
    object(
      'to',
      shown.tx.vout.slice(mintingOutputsStart).map(({ scriptPubKey, tokenId, value }) => {
        return text(formatOwner(scriptPubKey, shown.params), amountText({ tokenId, amount: value }));
      }),
    ),
  ]),
  shows(accountToAccount, ({ from, to }, shown) => [owner('from', from, shown), object('to', accounts(to, shown))]),
  shows(anyAccountsToAccounts, ({ from, to }, shown) => [object('from', accounts(from, shown)), object('to', accounts(to, shown))]),
  shows(smartContract, ({ name, accounts: paid }, shown) => [byteTextField('name', name), object('accounts', accounts(paid, shown))]),
  shows(futureSwap, ({ owner: script, source, destination }, { params }) => [
    text('owner', addressOf(script, params) ?? 'Invalid destination'),
    text('source', amountText(source)),
    text('destination', String(destination)),
  ]),
  shows(transferDomain, ({ transfers }, shown) => [
    objects(
      'transfers',
      transfers.map(({ src, dst }) => [object('src', side(src, shown)), object('dst', side(dst, shown))]),
    ),
  ]),
];

/** One field per owner: the address, with the balances as text. */
function accounts(given: AccountAmounts, { params }: Pick<ShowContext, 'params'>): CustomTxField[] {
  return given.map(({ owner: script, balances }) => text(formatOwner(script, params), formatBalances(balances)));
}

/** Custom transactions use only the last two. */
const DOMAINS: ReadonlyMap<number, string> = new Map([
  [0, 'NONE'],
  [1, 'UTXO'],
  [Domain.dvm, 'DVM'],
  [Domain.evm, 'EVM'],
]);

/** One side of a transfer between DVM and EVM. */
function side({ address, amount, domain, data }: TransferItem, { params }: Pick<ShowContext, 'params'>): CustomTxField[] {
  return [
    text('address', vmOwnerText(address, params.address)),
    text('amount', amountText(amount)),
    text('domain', DOMAINS.get(domain) ?? 'Unknown'),
    ...(data.length > 0 ? [text('data', toHex(data))] : []),
  ];
}
