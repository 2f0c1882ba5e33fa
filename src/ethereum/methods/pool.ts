import { evmStateAccounts } from '../../dfi/evm/state-columns.js';
import { hashOfEvmTransaction, priceCap, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { fromHex, isHex } from '../../util/bytes.js';
import type { JsonValue } from '../../util/json.js';
import { mapInSlices } from '../../util/slicer.js';
import { customError } from '../errors.js';
import { pendingForm, waitingForm } from '../forms/transaction.js';
import type { EthereumJson } from '../json.js';
import { type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { publish } from '../publish.js';
import { wrongType } from '../unreadable.js';
import { formatAddress, formatBytes, formatQuantity, parseAddress } from '../values.js';

/** Methods about transactions that wait for a block. @see docs/protocol/evm-engine.md 10.3 */
export const poolMethods: readonly EthereumMethod[] = [
  method('eth_sendRawTransaction', [required('tx', parseRaw)], (modules, [{ raw, text }]) => {
    publish(modules, raw, text);
    return formatBytes(hashOfEvmTransaction(raw));
  }),
  method('eth_pendingTransactions', [], ({ mempool, isStrict }, _, call) => {
    const pooled = mempool.evm.entries().flatMap(({ evm }) => evm ?? []);
    return mapInSlices(pooled, ({ signed }) => pendingForm(signed, isStrict), call);
  }),
  // `defid` does not offer the methods below.
  method('txpool_status', [], (modules) => {
    const { pending, queued } = sorted(modules);
    return { pending: formatQuantity(pending.length), queued: formatQuantity(queued.length) };
  }),
  method('txpool_content', [], (modules) => {
    const { pending, queued } = sorted(modules);
    return { pending: bySender(pending, waitingForm), queued: bySender(queued, waitingForm) };
  }),
  method('txpool_contentFrom', [required('address', parseAddress)], (modules, [address]) => {
    const { pending, queued } = sorted(modules, (sender) => sender === address);
    const of = (list: readonly SignedEvmTransaction[]) => bySender(list, waitingForm)[formatAddress(address)] ?? {};
    return { pending: of(pending), queued: of(queued) };
  }),
  method('txpool_inspect', [], (modules) => {
    const { pending, queued } = sorted(modules);
    return { pending: bySender(pending, summary), queued: bySender(queued, summary) };
  }),
];

/** Transaction of a caller: its bytes, and the text for errors. */
function parseRaw(value: JsonValue): { readonly raw: Uint8Array; readonly text: string } {
  if (typeof value !== 'string') throw wrongType(value, 'a borrowed string');
  const given = value.startsWith('0x') ? value.slice(2) : value;
  if (isHex(given)) return { raw: fromHex(given), text: value };
  // Bytes as characters, as `defid` looks at them.
  const digits = Buffer.from(given).toString('latin1');
  if (digits.length % 2 !== 0) throw customError('Odd number of digits');
  const wrong = digits.search(/[^0-9a-fA-F]/);
  if (wrong !== -1) throw customError(`Invalid character '${digits[wrong]}' at position ${wrong}`);
  return { raw: fromHex(digits), text: value };
}

/** Transactions without those of transfers between DVM and EVM, which have no price. */
function waiting({ mempool }: EthereumModules): SignedEvmTransaction[] {
  return mempool.evm.entries().flatMap(({ evm }) => (evm?.kind === 'transaction' ? [evm.signed] : []));
}

interface Sorted {
  /** Transactions whose nonces follow on that of their account. */
  readonly pending: readonly SignedEvmTransaction[];
  /** Transactions behind a gap of nonces. */
  readonly queued: readonly SignedEvmTransaction[];
}

function sorted(modules: EthereumModules, wanted: (sender: bigint) => boolean = () => true): Sorted {
  const { chain, mempool } = modules;
  const of = { pending: [] as SignedEvmTransaction[], queued: [] as SignedEvmTransaction[] };
  const free = new Map<bigint, bigint>();
  for (const signed of waiting(modules)) {
    const { sender, tx } = signed;
    if (!wanted(sender)) continue;
    const next = free.get(sender) ?? mempool.evm.freeNonce(sender, chain.state.get(evmStateAccounts, sender)?.nonce ?? 0n);
    free.set(sender, next);
    (tx.nonce < next ? of.pending : of.queued).push(signed);
  }
  return of;
}

/** Transactions by sender and decimal nonce. */
function bySender(list: readonly SignedEvmTransaction[], form: (signed: SignedEvmTransaction) => EthereumJson) {
  const senders: Record<string, Record<string, EthereumJson>> = {};
  for (const signed of [...list].sort((a, b) => (a.tx.nonce < b.tx.nonce ? -1 : 1))) {
    const sender = formatAddress(signed.sender);
    senders[sender] = { ...senders[sender], [String(signed.tx.nonce)]: form(signed) };
  }
  return senders;
}

function summary({ tx }: SignedEvmTransaction): string {
  const to = tx.to === undefined ? 'contract creation' : formatAddress(tx.to);
  return `${to}: ${tx.value} wei + ${tx.gasLimit} gas × ${priceCap(tx)} wei`;
}
