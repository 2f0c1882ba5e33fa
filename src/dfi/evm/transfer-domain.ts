import type { DomainTransfer } from '../../evm/block/transfer-domain.js';
import type { SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { TRANSFER_DOMAIN, tokenAddress } from '../../evm/contracts/addresses.js';
import type { StateBelow } from '../../evm/state/transaction-state.js';
import { addressWord } from '../../evm/words.js';
import { formatErc55 } from '../../script/erc55.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { toWei } from '../kernel/evm-numbers.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { migrateTransferred } from './migration.js';
import { rejectingEntries } from './rejecting-entries.js';
import type { TransferCall } from './transfer-call.js';
import { type TransferDomain, transferDomainBody } from './transfer-domain-body.js';
import { type AllowedTransfer, requireTransfer } from './transfer-domain-rules.js';
import { noteTransfer } from './transfer-stats.js';
import { checkNonce, readTransferTransaction } from './validate-transfer.js';
import { EvmState, isContract } from './view-state.js';

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
  const user = addressWord(account);
  const [from, to] = edge === 'dvm-evm' ? [TRANSFER_DOMAIN, user] : [user, TRANSFER_DOMAIN];
  return { contract: contractOf(tokenId), from, to, wei: toWei(amount), native };
}

/** Contract of a token; undefined for DFI. */
function contractOf(tokenId: number): bigint | undefined {
  return tokenId === 0 ? undefined : tokenAddress(tokenId);
}

function moveIn(context: TxContext, transfer: AllowedTransfer): void {
  const { view, accounts, evmBlock } = context;
  const { src, dst, account } = transfer;
  if (isContract(evmStateOf(context), addressWord(account))) throw new TxRejected('TransferDomain EVM destination is a smart contract');
  // On changi earlier blocks break this rule, so `defid` does not apply it there.
  if (context.params.name !== 'changi') materialiseRewards(view, src.address, context);
  accounts.sub(src.address, src.amount);
  const signed = readEmbedded(context, dst.data, transfer, 'transferdomain evm tx failed to pre-validate : ');
  if (!evmBlock) return;
  const prefix = dst.amount.tokenId === 0 ? 'Error bridging DFI: ' : 'Error bridging DST20: ';
  prefixed(prefix, () => evmBlock.addTransfer(entryOf(signed, 'in', dst.amount)));
  noteTransfer(view, 'dvm-evm', dst.amount);
}

function moveOut(context: TxContext, transfer: AllowedTransfer): void {
  const { view, accounts, evmBlock } = context;
  const { src, dst, account } = transfer;
  if (isContract(evmStateOf(context), addressWord(account))) throw new TxRejected('TransferDomain EVM source is a smart contract');
  const signed = readEmbedded(context, src.data, transfer, 'transferdomain evm tx failed to pre-validate ');
  if (!evmBlock) return;
  const add = () => evmBlock.addTransfer(entryOf(signed, 'out', src.amount));
  if (src.amount.tokenId === 0) rejectingEntries(() => `Not enough balance in ${formatErc55(account)} to cover "EVM" domain transfer`, add);
  else prefixed('Error bridging DST20: ', add);
  accounts.add(dst.address, migrateTransferred(context, dst.address, dst.amount));
  noteTransfer(view, 'evm-dvm', dst.amount);
}

/** State that a transfer is checked against: within a block that of its EVM block so far, otherwise that of the last EVM block. */
function evmStateOf({ view, evmBlock }: TxContext): StateBelow {
  return evmBlock?.state ?? new EvmState(view);
}

function readEmbedded(context: TxContext, raw: Uint8Array, transfer: AllowedTransfer, failed: string): SignedEvmTransaction {
  if (raw.length > MAX_DATA_SIZE) throw new TxRejected(`Excess data set, maximum allow is ${MAX_DATA_SIZE}`);
  const sender = addressWord(transfer.sender);
  return prefixed(failed, () => {
    const signed = readTransferTransaction(raw, { sender, call: transferCall({ ...transfer, amount: transfer.src.amount }) });
    checkNonce(signed.tx, evmStateOf(context).account(sender)?.nonce ?? 0n);
    return signed;
  });
}

function entryOf(signed: SignedEvmTransaction, direction: 'in' | 'out', { tokenId, amount }: TokenAmount): DomainTransfer {
  return { signed, direction, token: contractOf(tokenId), wei: toWei(amount) };
}

/** Puts a text in front of a rejection by the EVM. @throws {TxRejected} */
function prefixed<T>(text: string, step: () => T): T {
  return rejectingEntries((reason) => `${text}${reason}`, step);
}
