import { formatErc55 } from '../../script/erc55.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { toWei } from '../kernel/evm-numbers.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { TRANSFER_DOMAIN, tokenContract } from './addresses.js';
import { EvmLedger, type EvmTransfer } from './ledger.js';
import { migrateTransferred } from './migration.js';
import { type SignedTransaction, transactionHash } from './transaction.js';
import type { TransferCall } from './transfer-call.js';
import { type TransferDomain, transferDomainBody } from './transfer-domain-body.js';
import { type AllowedTransfer, requireTransfer } from './transfer-domain-rules.js';
import { noteTransfer } from './transfer-stats.js';
import { checkNonce, readTransferTransaction } from './validate-transfer.js';

const MAX_DATA_SIZE = 1_024;

/** Moves DFI or a token between a DVM account and an EVM address. @see docs/protocol/evm.md 3 */
export const transferDomain = customTx<TransferDomain>({
  type: '8',
  name: 'TransferDomain',
  since: 'metachain',
  evm: 'transfer',
  codec: transferDomainBody,
  apply(context, body) {
    const transfer = requireTransfer(context, body);
    if (transfer.edge === 'dvm-evm') moveIn(context, transfer);
    else moveOut(context, transfer);
  },
});

/** Custom transactions between DVM and EVM. */
export const transferDomainTypes: readonly AnyCustomTx[] = [transferDomain];

/** Data that determine the call of the transfer contract. */
type CalledTransfer = Pick<AllowedTransfer, 'edge' | 'account' | 'native'> & { readonly amount: TokenAmount };

/** Arguments for the transfer contract. In the EVM the contract itself represents the DVM side. */
export function transferCall({ edge, amount: moved, account, native }: CalledTransfer): TransferCall {
  const { tokenId, amount } = moved;
  const [from, to] = edge === 'dvm-evm' ? [TRANSFER_DOMAIN, account] : [account, TRANSFER_DOMAIN];
  return { contract: tokenId === 0 ? undefined : tokenContract(tokenId), from, to, wei: toWei(amount), native };
}

function moveIn(context: TxContext, transfer: AllowedTransfer): void {
  const { view, accounts } = context;
  const { src, dst, account } = transfer;
  const evm = new EvmLedger(view);
  if (evm.isContract(account)) throw new TxRejected('TransferDomain EVM destination is a smart contract');
  materialiseRewards(view, src.address, context);
  accounts.sub(src.address, src.amount);
  const tx = readEmbedded(evm, dst.data, transfer, 'transferdomain evm tx failed to pre-validate : ');
  if (context.evmStage !== 'block') return;
  const { tokenId } = dst.amount;
  const moved = evmTransfer(dst.data, tx, transfer);
  if (tokenId === 0) bridge('Error bridging DFI: ', () => evm.transferIn(moved));
  else bridge('Error bridging DST20: ', () => evm.tokenIn(tokenId, moved));
  noteTransfer(view, 'dvm-evm', dst.amount);
}

function moveOut(context: TxContext, transfer: AllowedTransfer): void {
  const { view, accounts } = context;
  const { src, dst, account } = transfer;
  const evm = new EvmLedger(view);
  if (evm.isContract(account)) throw new TxRejected('TransferDomain EVM source is a smart contract');
  const tx = readEmbedded(evm, src.data, transfer, 'transferdomain evm tx failed to pre-validate ');
  if (context.evmStage !== 'block') return;
  const { tokenId } = src.amount;
  const moved = evmTransfer(src.data, tx, transfer);
  if (tokenId === 0) withBalance(account, () => evm.transferOut(moved));
  else bridge('Error bridging DST20: ', () => evm.tokenOut(tokenId, moved));
  accounts.add(dst.address, migrateTransferred(context, dst.address, dst.amount));
  noteTransfer(view, 'evm-dvm', dst.amount);
}

function readEmbedded(evm: EvmLedger, raw: Uint8Array, transfer: AllowedTransfer, failed: string): SignedTransaction {
  if (raw.length > MAX_DATA_SIZE) throw new TxRejected(`Excess data set, maximum allow is ${MAX_DATA_SIZE}`);
  return bridge(failed, () => {
    const tx = readTransferTransaction(raw, { sender: transfer.sender, call: transferCall({ ...transfer, amount: transfer.src.amount }) });
    checkNonce(tx, evm.nonce(transfer.sender));
    return tx;
  });
}

function evmTransfer(raw: Uint8Array, { nonce }: SignedTransaction, { sender, account, src }: AllowedTransfer): EvmTransfer {
  return { sender, nonce, hash: transactionHash(raw), account, wei: toWei(src.amount.amount) };
}

/** Puts a text in front of a rejection by the EVM. @throws {TxRejected} */
function bridge<T>(failed: string, step: () => T): T {
  return mapRejection(step, ({ message }) => new TxRejected(`${failed}${message}`));
}

/** Replaces any rejection of a DFI debit by the text for an insufficient balance, as `defid` does. */
function withBalance(account: Uint8Array, step: () => void): void {
  mapRejection(step, () => new TxRejected(`Not enough balance in ${formatErc55(account)} to cover "EVM" domain transfer`));
}
