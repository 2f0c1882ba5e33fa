import { evmStateAccounts } from '../../dfi/evm/state-columns.js';
import { priceCap, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { WordMap } from '../../evm/word-map.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import { fromHex } from '../../util/bytes.js';
import type { JsonValue } from '../../util/json.js';
import { fromLongHex } from '../../util/long-hex.js';
import { eachInSlices, mapInSlices, type Steps } from '../../util/slicer.js';
import { customError } from '../errors.js';
import { pendingForm, waitingForm } from '../forms/transaction.js';
import type { EthereumJson, EthereumObject } from '../json.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { publish } from '../publish.js';
import { wrongType } from '../unreadable.js';
import { formatAddress, formatQuantity, parseAddress } from '../values.js';

/** Methods about transactions that wait for a block. @see docs/protocol/evm-engine.md 10.3 */
export const poolMethods: readonly EthereumMethod[] = [
  method('eth_sendRawTransaction', [required('tx', { steps: readRaw })], (modules, [{ raw, text }], call) =>
    publish(modules, raw, text, call),
  ),
  method('eth_pendingTransactions', [], ({ mempool, isStrict }, _, call) => {
    const pooled = mempool.evm.entries().flatMap(({ evm }) => evm ?? []);
    return mapInSlices(pooled, ({ signed }) => pendingForm(signed, isStrict), call);
  }),
  // `defid` does not offer the methods below.
  method('txpool_status', [], async (modules, _, call) => {
    const { pending, queued } = await sorted(modules, waiting(modules), call);
    return { pending: formatQuantity(pending.length), queued: formatQuantity(queued.length) };
  }),
  method('txpool_content', [], (modules, _, call) => contentOf(modules, waitingForm, call)),
  method('txpool_contentFrom', [required('address', parseAddress)], async (modules, [address], call) => {
    const ofSender = modules.mempool.evm.ofSender(address).flatMap(ownTransactions);
    const { pending, queued } = await sorted(modules, ofSender, call);
    const of = async (list: readonly SignedEvmTransaction[]) => (await bySender(list, waitingForm, call))[formatAddress(address)] ?? {};
    return { pending: await of(pending), queued: await of(queued) };
  }),
  method('txpool_inspect', [], (modules, _, call) => contentOf(modules, summary, call)),
];

/** Transaction of a caller: its bytes, and the text for errors. */
function* readRaw(value: JsonValue): Steps<{ readonly raw: Uint8Array; readonly text: string }> {
  if (typeof value !== 'string') throw wrongType(value, 'a borrowed string');
  const given = value.startsWith('0x') ? value.slice(2) : value;
  const raw = yield* fromLongHex(given);
  if (raw) return { raw, text: value };
  // Bytes as characters, in which form `defid` checks them.
  const digits = Buffer.from(given).toString('latin1');
  if (digits.length % 2 !== 0) throw customError('Odd number of digits');
  const wrong = digits.search(/[^0-9a-fA-F]/);
  if (wrong !== -1) throw customError(`Invalid character '${digits[wrong]}' at position ${wrong}`);
  return { raw: fromHex(digits), text: value };
}

/** Transactions, except those of transfers between DVM and EVM, which have no price. */
function waiting({ mempool }: EthereumModules): readonly SignedEvmTransaction[] {
  return mempool.evm.entries().flatMap(ownTransactions);
}

function ownTransactions({ evm }: MempoolEntry): readonly SignedEvmTransaction[] {
  return evm?.kind === 'transaction' ? [evm.signed] : [];
}

interface Sorted {
  /** Transactions whose nonces follow on that of their account. */
  readonly pending: readonly SignedEvmTransaction[];
  /** Transactions behind a gap of nonces. */
  readonly queued: readonly SignedEvmTransaction[];
}

async function sorted(
  { chain, mempool }: EthereumModules,
  transactions: readonly SignedEvmTransaction[],
  call: EthereumCall,
): Promise<Sorted> {
  const of = { pending: [] as SignedEvmTransaction[], queued: [] as SignedEvmTransaction[] };
  const free = new WordMap<bigint>();
  const sort = (signed: SignedEvmTransaction): void => {
    const { sender, tx } = signed;
    const next = free.get(sender) ?? mempool.evm.freeNonce(sender, chain.state.get(evmStateAccounts, sender)?.nonce ?? 0n);
    free.set(sender, next);
    (tx.nonce < next ? of.pending : of.queued).push(signed);
  };
  await eachInSlices(transactions, sort, call);
  return of;
}

/** All transactions in a form, made in slices: a full mempool has more than a hundred thousand. */
async function contentOf(modules: EthereumModules, form: Form, call: EthereumCall): Promise<EthereumObject> {
  const { pending, queued } = await sorted(modules, waiting(modules), call);
  return { pending: await bySender(pending, form, call), queued: await bySender(queued, form, call) };
}

type Form = (signed: SignedEvmTransaction) => EthereumJson;

/** Transactions by sender and decimal nonce. */
async function bySender(list: readonly SignedEvmTransaction[], form: Form, call: EthereumCall): Promise<Record<string, EthereumObject>> {
  const senders = new WordMap<[nonce: bigint, form: EthereumJson][]>();
  const add = (signed: SignedEvmTransaction): void => {
    const ofSender = senders.get(signed.sender) ?? [];
    senders.set(signed.sender, ofSender);
    ofSender.push([signed.tx.nonce, form(signed)]);
  };
  await eachInSlices(list, add, call);
  const byNonce = ([sender, ofSender]: readonly [bigint, [bigint, EthereumJson][]]) => {
    ofSender.sort(([a], [b]) => (a < b ? -1 : 1));
    return [formatAddress(sender), Object.fromEntries(ofSender.map(([nonce, made]) => [String(nonce), made]))] as const;
  };
  const forms = await mapInSlices(senders, byNonce, call);
  return Object.fromEntries(forms);
}

function summary({ tx }: SignedEvmTransaction): string {
  const to = tx.to === undefined ? 'contract creation' : formatAddress(tx.to);
  return `${to}: ${tx.value} wei + ${tx.gasLimit} gas × ${priceCap(tx)} wei`;
}
