import { type CarriedTransaction, carriedKind, carriedTransaction } from '../../../src/dfi/evm/carried.js';
import { evmCarrier } from '../../../src/dfi/evm/carrier.js';
import { Domain, type TransferDomain, type TransferItem, transferDomainBody } from '../../../src/dfi/evm/transfer-domain-body.js';
import { signEvmTransaction } from '../../../src/evm/codec/sign.js';
import { type EvmTransaction, encodeEvmTransaction, type SignedEvmTransaction } from '../../../src/evm/codec/transaction.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { NULL_OUTPOINT } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TransactionFields, type TxOut } from '../../../src/primitives/transaction.js';
import { customTxPayload, customTxScript } from '../../../src/script/custom-tx.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { mutated, type Random } from '../mutate.js';
import type { KeyAddresses } from './draw.js';

/** Order of the curve. A signature with `s` is also valid with this less `s`, and the other parity. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const MAX_WORD = 2n ** 256n - 1n;
const MAX_U64 = 2n ** 64n - 1n;
const GWEI = 10n ** 9n;
const DFI = 10n ** 18n;
/** Satoshis that a block may name at most. */
const MAX_MONEY = 1_200_000_000_00000000n;

export interface HostileEvmParts {
  readonly params: NetworkParams;
  readonly keys: readonly KeyAddresses[];
  /** A transaction with other outputs, signed again. */
  readonly signed: (tx: Transaction, vout: readonly TxOut[]) => Promise<Transaction>;
}

/** Parts of a block that are changed: the order of EVM transactions and transfers, and what they consist of. */
export const EVM_PARTS = ['EVM order', 'EVM carrier', 'EVM transaction', 'EVM transaction', 'EVM transfer'] as const;
type EvmPart = (typeof EVM_PARTS)[number];

function isPart(part: EvmPart, tx: Transaction): boolean {
  const kind = carriedKind(tx);
  return part === 'EVM order' ? kind !== undefined : kind === (part === 'EVM transfer' ? 'transfer' : 'transaction');
}

/** Changes the transactions of a block that carry EVM transactions, and transfers between DVM and EVM. */
export class HostileEvm {
  constructor(
    private readonly parts: HostileEvmParts,
    private readonly random: Random,
  ) {}

  /** @param others transactions of a block without its coinbase @returns undefined if none of them has this part */
  async changed(part: EvmPart, others: readonly Transaction[]): Promise<readonly Transaction[] | undefined> {
    const { random } = this;
    const carriers = others.flatMap((tx, i) => (isPart(part, tx) ? [i] : []));
    if (carriers.length === 0) return undefined;
    const at = random.pick(carriers);
    const tx = others[at] as Transaction;
    const replaced = (by: readonly Transaction[]) => [...others.slice(0, at), ...by, ...others.slice(at + 1)];
    if (part === 'EVM transfer') return replaced([await this.#transfer(tx)]);
    if (part === 'EVM carrier') return replaced([this.#carrier(tx)]);
    if (part === 'EVM transaction') {
      const made = this.#transaction(tx);
      return made && replaced(random.below(3) === 0 ? [tx, made] : [made]);
    }
    const kind = random.below(4);
    if (kind === 0) return replaced([]);
    if (kind === 1) return replaced([tx, tx]);
    return kind === 2 ? [...others, tx] : this.#reordered(others, carriers);
  }

  /** The carriers in another order, at the places that they have. */
  #reordered(others: readonly Transaction[], carriers: readonly number[]): readonly Transaction[] {
    const left = carriers.map((at) => others[at] as Transaction);
    const order = carriers.map(() => left.splice(this.random.below(left.length), 1)[0] as Transaction);
    return others.map((tx, i) => (carriers.includes(i) ? (order[carriers.indexOf(i)] as Transaction) : tx));
  }

  #make({ version, vin, vout, lockTime }: TransactionFields): Transaction {
    return makeTransaction({ version, vin, vout, lockTime }, this.parts.params.txFormat);
  }

  /** The carrier with another form. */
  #carrier(tx: Transaction): Transaction {
    const { random } = this;
    const [input] = tx.vin as [Transaction['vin'][number], ...Transaction['vin']];
    const [out] = tx.vout as [TxOut, ...TxOut[]];
    const body = customTxPayload(tx)?.body ?? out.scriptPubKey;
    const script = (bytes: Uint8Array) => [{ ...out, scriptPubKey: customTxScript({ type: '9', body: bytes }) }];
    const inputs = (other: Partial<typeof input>) => [input, { ...input, ...other }];
    return this.#make(
      random.pick<TransactionFields>([
        { ...tx, version: random.pick([1, 2, 3, 5]) },
        { ...tx, lockTime: random.pick([1, 2 ** 31]) },
        { ...tx, vin: inputs({ sequence: random.pick([0, 1, 10, 0x400001, 0x80000000]) }) },
        { ...tx, vin: inputs({ scriptSig: Uint8Array.of(random.below(256)) }) },
        { ...tx, vin: inputs({ scriptSig: random.bytes(random.below(3)) }) },
        { ...tx, vin: inputs({ witness: [random.bytes(3)] }) },
        { ...tx, vin: inputs({ prevout: { ...NULL_OUTPOINT, vout: 0 } }) },
        { ...tx, vin: [input] },
        { ...tx, vin: [input, input, input] },
        { ...tx, vout: [{ ...out, value: 1n }] },
        { ...tx, vout: [{ ...out, tokenId: 1 }] },
        { ...tx, vout: [out, out] },
        { ...tx, vout: script(concatBytes(body, random.bytes(1 + random.below(3)))) },
        { ...tx, vout: script(mutated(body, random, [body])) },
        { ...tx, vout: [{ ...out, scriptPubKey: concatBytes(out.scriptPubKey, random.bytes(1 + random.below(2))) }] },
      ]),
    );
  }

  #carried(tx: Transaction): CarriedTransaction | undefined {
    try {
      return carriedTransaction(tx);
    } catch {
      return undefined;
    }
  }

  #secretOf(sender: bigint): Uint8Array | undefined {
    return this.parts.keys.find(({ evm }) => BigInt(evm) === sender)?.secret;
  }

  /** Another transaction of the same sender; undefined if the wallets lack its key. */
  #transaction(carrier: Transaction): Transaction | undefined {
    const signed = this.#carried(carrier)?.signed;
    const secret = signed && this.#secretOf(signed.sender);
    if (!signed || !secret) return undefined;
    return evmCarrier(encodeEvmTransaction(this.#otherEvm(signed, secret)), this.parts.params.txFormat);
  }

  #otherEvm({ tx }: SignedEvmTransaction, secret: Uint8Array): EvmTransaction {
    const { random } = this;
    const { nonce, signature } = tx;
    const { r, s, parity } = signature;
    if (random.below(5) === 0) {
      return {
        ...tx,
        signature: random.pick([
          { r, s: CURVE_ORDER - s, parity: 1 - parity },
          { r, s, parity: 1 - parity },
          { r, s: s ^ 1n, parity },
          { r: r + 1n, s, parity },
          { r: 1n, s: 1n, parity },
          { r: 0n, s, parity },
          { r, s: 0n, parity },
          { r, s: CURVE_ORDER, parity },
        ]),
      };
    }
    const next = random.below(2) === 0 ? nonce + 1n : nonce;
    const gasLimit = random.pick([
      0n,
      1n,
      20_999n,
      21_000n,
      52_999n,
      53_000n,
      100_000n,
      30_000_000n,
      30_000_001n,
      MAX_U64,
      MAX_U64 + 1n,
      MAX_WORD,
    ]);
    const price = random.pick([0n, GWEI, 10n * GWEI - 1n, 10n * GWEI, 10n * GWEI + 1n, 40n * GWEI, DFI, 1_200_000_000n * DFI, MAX_WORD]);
    const changes: readonly Partial<EvmTransaction>[] = [
      { nonce: random.pick([nonce - 1n, nonce, nonce + 1n, nonce + 2n, MAX_U64, MAX_WORD]) & MAX_WORD },
      { nonce: next, gasLimit },
      { nonce: next, gasLimit },
      { nonce: next, value: random.pick([tx.value + 1n, 100_000n * DFI, 1_200_000_000n * DFI + 1n, MAX_WORD]) },
      { nonce: next, data: random.bytes(random.below(300)) },
      { nonce: next, to: random.pick([undefined, 0n, BigInt(1 + random.below(12)), 2n ** 160n - 1n]) },
      tx.type === 2
        ? { nonce: next, ...random.pick([{ maxFee: price }, { maxPriorityFee: price }, { maxFee: price, maxPriorityFee: price }]) }
        : { nonce: next, gasPrice: price },
      { nonce: next, chainId: random.pick([1n, 2n, 1130n, 2n ** 62n]) },
    ];
    return signEvmTransaction({ ...tx, ...random.pick(changes) } as EvmTransaction, secret);
  }

  /** A transfer with other fields, or with another EVM transaction inside. */
  async #transfer(tx: Transaction): Promise<Transaction> {
    const [out, ...rest] = tx.vout as [TxOut, ...TxOut[]];
    const body = decode(transferDomainBody, customTxPayload(tx)?.body ?? out.scriptPubKey);
    const scriptPubKey = customTxScript({ type: '8', body: encode(transferDomainBody, this.#otherTransfer(body, tx)) });
    return this.parts.signed(tx, [{ ...out, scriptPubKey }, ...rest]);
  }

  #otherTransfer({ transfers }: TransferDomain, carrier: Transaction): TransferDomain {
    const { random } = this;
    const [first] = transfers;
    if (!first) return { transfers };
    const { src, dst } = first;
    const only = (transfer: Partial<typeof first>): TransferDomain => ({ transfers: [{ ...first, ...transfer }] });
    const kind = random.below(9);
    if (kind === 0) return random.pick([{ transfers: [] }, { transfers: [first, first] }, only({ src: dst, dst: src })]);
    if (kind === 1) return only({ src: { ...src, domain: random.below(5) } });
    if (kind === 2) return only({ dst: { ...dst, domain: random.below(5) } });
    if (kind === 3) return only({ src: { ...src, address: dst.address } });
    const amount = random.pick([0n, 1n, -1n, src.amount.amount + 1n, src.amount.amount * 2n, MAX_MONEY + 1n, 2n ** 63n - 1n]);
    const both = (other: Partial<TransferItem['amount']>) =>
      only({ src: { ...src, amount: { ...src.amount, ...other } }, dst: { ...dst, amount: { ...dst.amount, ...other } } });
    if (kind === 4) return only({ dst: { ...dst, amount: { ...dst.amount, amount } } });
    if (kind === 5) return both({ amount });
    if (kind === 6) return both({ tokenId: random.below(6) });
    return this.#withOtherCall(first, carrier);
  }

  /** The transfer with another EVM transaction, signed by the same key or another one. */
  #withOtherCall(transfer: TransferDomain['transfers'][number], carrier: Transaction): TransferDomain {
    const { random } = this;
    const signed = this.#carried(carrier)?.signed;
    const side = transfer.src.domain === Domain.evm ? 'src' : 'dst';
    const inside = (data: Uint8Array) => ({ transfers: [{ ...transfer, [side]: { ...transfer[side], data } }] });
    const { data } = transfer[side];
    if (!signed || random.below(6) === 0) return inside(concatBytes(data, random.bytes(1)));
    const { tx } = signed;
    const secret = random.below(6) === 0 ? random.pick(this.parts.keys).secret : this.#secretOf(signed.sender);
    const position = 4 + random.below(tx.data.length - 4);
    const changes: readonly Partial<EvmTransaction>[] = [
      { nonce: random.pick([tx.nonce - 1n, tx.nonce + 1n, tx.nonce]) & MAX_WORD },
      { gasLimit: 21_000n },
      { value: 1n },
      { gasPrice: 10n * GWEI },
      { to: random.pick([undefined, 1n]) },
      { chainId: random.pick([1n, 2n]) },
      { data: concatBytes(tx.data, random.bytes(1 + random.below(64))) },
      // Shorter data than the selector would end `defid`.
      { data: tx.data.subarray(0, position) },
      { data: tx.data.map((byte, i) => (i === position ? random.below(256) : byte)) },
      { data: tx.data.map((byte, i) => (i === random.below(4) ? byte ^ 1 : byte)) },
      { data: tx.data.map((byte, i) => (i === 4 + 32 * random.below(5) ? byte ^ 1 : byte)) },
    ];
    return inside(secret ? encodeEvmTransaction(signEvmTransaction({ ...tx, ...random.pick(changes) } as EvmTransaction, secret)) : data);
  }
}
