import { WITNESS_NONCE, witnessCommitmentIndex, witnessCommitmentScript } from '../../../src/consensus/block.js';
import type { PrivateKey } from '../../../src/crypto/keys.js';
import { signBlock } from '../../../src/minting/forge.js';
import { withHeader } from '../../../src/minting/template.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import { merkleRoot } from '../../../src/primitives/merkle.js';
import { makeTransaction, type Transaction, type TransactionFields, type TxOut, transaction } from '../../../src/primitives/transaction.js';
import { EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { mutated, type Random } from '../mutate.js';
import { AMOUNTS } from './crafted.js';
import type { KeyAddresses } from './draw.js';
import { beneficiaryIn, hasReadableCommitment, withOtherCommitment, withOutput } from './hostile-commitment.js';
import { EVM_PARTS, HostileEvm } from './hostile-evm.js';
import { messageScript, type Payloads, payloadOf } from './payloads.js';

export interface HostileBlockParts {
  readonly params: NetworkParams;
  /** Key of the operator that mints. */
  readonly key: PrivateKey;
  readonly payloads: Payloads;
  /** Signs the inputs of a transaction. @param hex without signatures @returns signed as far as possible */
  readonly sign: (hex: string) => Promise<string>;
  /** Source of changes of the EVM; undefined without an EVM. */
  readonly evm?: HostileBlockEvm | undefined;
}

export interface HostileBlockEvm {
  /** Keys that both wallets have. */
  readonly keys: readonly KeyAddresses[];
  /**
   * Coinbase output that commits to the EVM block of other transactions; undefined if a rule refuses one of them.
   * @param beneficiary 20 bytes
   */
  readonly commitment: (header: BlockHeader, others: readonly Transaction[], beneficiary: Uint8Array) => TxOut | undefined;
}

/** A block that a hostile minter could make. */
export interface HostileBlock {
  /** Part that was changed. */
  readonly name: string;
  readonly hash: string;
  readonly hex: string;
}

/** Result: undefined if the block lacks the part. */
type BlockChange = (block: Block) => Block | Promise<Block | undefined>;
type NamedChange = readonly [name: string, change: BlockChange];

/** Changes valid blocks as a hostile minter could. The header is signed again, with commitments to the changed parts. */
export class HostileBlocks {
  /** With the name of the part that each changes; frequent ones are repeated. */
  readonly #changes: readonly NamedChange[];

  constructor(
    private readonly parts: HostileBlockParts,
    private readonly random: Random,
  ) {
    const message: BlockChange = (block) => this.#withMessage(block);
    this.#changes = [
      ['message', message],
      ['message', message],
      ['message', message],
      ['output', (block) => this.#withOutput(block)],
      ['signature', (block) => this.#withBadSignature(block)],
      ['order', (block) => this.#withOrder(block)],
      ['coinbase', (block) => this.#withCoinbase(block)],
      ['header', (block) => this.#withHeader(block)],
      ...(parts.evm ? this.#evmChanges(parts.evm) : []),
    ];
  }

  /** Changes of what a block contains of the EVM, as frequent as all others. */
  #evmChanges({ keys }: HostileBlockEvm): readonly NamedChange[] {
    const signed = (tx: Transaction, vout: readonly TxOut[]) => this.#signed(tx, vout);
    const evm = new HostileEvm({ params: this.parts.params, keys, signed }, this.random);
    const parts = EVM_PARTS.map((part): NamedChange => {
      const change: BlockChange = async (block) => {
        const [coinbase, ...others] = block.transactions as [Transaction, ...Transaction[]];
        const changed = await evm.changed(part, others);
        return changed && this.#with(block, [coinbase, ...changed]);
      };
      return [part, change];
    });
    const commitment: BlockChange = (block) => this.#withCommitment(block);
    return [...parts, ...Array.from({ length: 3 }, (): NamedChange => ['EVM commitment', commitment])];
  }

  /** Changes a block at random. @param hex a valid block */
  async variant(hex: string): Promise<HostileBlock> {
    const codec = blockCodec(this.parts.params.txFormat);
    const block = decode(codec, fromHex(hex));
    for (;;) {
      const [name, change] = this.random.pick(this.#changes);
      const changed = await change(block);
      const [coinbase] = changed?.transactions ?? [];
      if (changed && coinbase && hasReadableCommitment(coinbase.vout))
        return { name, hash: formatHash(changed.hash), hex: toHex(encode(codec, changed)) };
    }
  }

  /** The block with other transactions, and commitments to them. */
  #with(block: Block, transactions: readonly Transaction[], header: Partial<BlockHeader> = {}): Block {
    const [coinbase, ...others] = transactions as [Transaction, ...Transaction[]];
    const isStale = coinbase !== block.transactions[0] || this.random.below(4) === 0;
    const recommitted = isStale ? coinbase : this.#recommitted({ ...block.header, ...header }, coinbase, others);
    const all = [this.#committing(recommitted, others), ...others];
    const fields = { ...block.header, merkleRoot: merkleRoot(all.map(({ txid }) => txid)).root, ...header };
    return signBlock(withHeader(all, fields), this.parts.key);
  }

  /** The coinbase with a commitment to the EVM block of other transactions; as it is if it has none, or a rule refuses one of them. */
  #recommitted(header: BlockHeader, coinbase: Transaction, others: readonly Transaction[], beneficiary = beneficiaryIn(coinbase.vout)) {
    const out = beneficiary && this.parts.evm?.commitment(header, others, beneficiary);
    return out ? this.#make({ ...coinbase, vout: withOutput(coinbase.vout, out) }) : coinbase;
  }

  /** Another commitment to the EVM block; one of six is right, for another beneficiary. */
  #withCommitment(block: Block): Block {
    const { random } = this;
    const [coinbase, ...others] = block.transactions as [Transaction, ...Transaction[]];
    const beneficiary = random.pick([random.bytes(20), new Uint8Array(20)]);
    if (random.below(6) === 0) return this.#replaced(block, 0, this.#recommitted(block.header, coinbase, others, beneficiary));
    return this.#replaced(block, 0, this.#make({ ...coinbase, vout: withOtherCommitment(coinbase.vout, random) }));
  }

  #committing(coinbase: Transaction, others: readonly Transaction[]): Transaction {
    const at = witnessCommitmentIndex({ transactions: [coinbase] });
    if (at < 0) return coinbase;
    const scriptPubKey = witnessCommitmentScript([coinbase, ...others], WITNESS_NONCE);
    return this.#make({ ...coinbase, vout: coinbase.vout.map((out, i) => (i === at ? { ...out, scriptPubKey } : out)) });
  }

  #make({ version, vin, vout, lockTime }: TransactionFields): Transaction {
    return makeTransaction({ version, vin, vout, lockTime }, this.parts.params.txFormat);
  }

  /** A transaction with other outputs, signed again. */
  async #signed(tx: Transaction, vout: readonly TxOut[]): Promise<Transaction> {
    const vin = tx.vin.map((input) => ({ ...input, scriptSig: EMPTY_BYTES, witness: [] }));
    const signed = await this.parts.sign(toHex(this.#make({ ...tx, vin, vout }).raw));
    return decode(transaction(this.parts.params.txFormat), fromHex(signed));
  }

  /** Replaces a transaction of the block. The one at index 0 is the coinbase. */
  #replaced(block: Block, at: number, tx: Transaction): Block {
    return this.#with(
      block,
      block.transactions.map((each, i) => (i === at ? tx : each)),
    );
  }

  /** Changes the message of a transaction, or gives another transaction a message. */
  async #withMessage(block: Block): Promise<Block> {
    const { random } = this;
    const custom = block.transactions.flatMap((tx, i) => (i > 0 && payloadOf(tx) ? [i] : []));
    if (custom.length === 0) return this.#withCoinbase(block);
    const at = random.pick(custom);
    const tx = block.transactions[at] as Transaction;
    const scriptPubKey = messageScript(this.parts.payloads.changed(payloadOf(tx) ?? EMPTY_BYTES));
    const vout = tx.vout.map((out, i) => (i === 0 ? { ...out, scriptPubKey } : out));
    return this.#replaced(block, at, await this.#signed(tx, vout));
  }

  async #withOutput(block: Block): Promise<Block> {
    const { random } = this;
    if (block.transactions.length < 2) return this.#withCoinbase(block);
    const at = 1 + random.below(block.transactions.length - 1);
    const tx = block.transactions[at] as Transaction;
    return this.#replaced(block, at, await this.#signed(tx, this.#changedOutputs(tx.vout)));
  }

  #changedOutputs(vout: readonly TxOut[]): TxOut[] {
    const { random } = this;
    const at = random.below(vout.length);
    const out = vout[at] as TxOut;
    const kind = random.below(7);
    if (kind === 0) return vout.filter((_, i) => i !== at);
    if (kind === 1) return [...vout, out];
    const message = { value: 0n, scriptPubKey: messageScript(this.parts.payloads.any()), tokenId: 0 };
    if (kind === 2) return [...vout.slice(0, at), message, ...vout.slice(at)];
    const changed = random.pick<TxOut>([
      { ...out, value: random.pick(AMOUNTS) },
      { ...out, value: out.value + BigInt(random.below(3) - 1) },
      { ...out, tokenId: random.below(4) },
      { ...out, scriptPubKey: mutated(out.scriptPubKey, random, [out.scriptPubKey]) },
    ]);
    return vout.map((each, i) => (i === at ? changed : each));
  }

  #withBadSignature(block: Block): Block {
    const { random } = this;
    if (block.transactions.length < 2) return this.#withHeader(block);
    const at = 1 + random.below(block.transactions.length - 1);
    const tx = block.transactions[at] as Transaction;
    const input = random.below(tx.vin.length);
    const damaged = (bytes: Uint8Array) => (bytes.length === 0 ? bytes : mutated(bytes, random, [bytes]));
    const vin = tx.vin.map((each, i) =>
      i === input ? { ...each, scriptSig: damaged(each.scriptSig), witness: Array.from(each.witness, damaged) } : each,
    );
    return this.#replaced(block, at, this.#make({ ...tx, vin }));
  }

  #withOrder(block: Block): Block {
    const { random } = this;
    const [coinbase, ...others] = block.transactions as [Transaction, ...Transaction[]];
    if (others.length === 0) return this.#with(block, [coinbase, coinbase]);
    const at = random.below(others.length);
    const one = others[at] as Transaction;
    const without = others.filter((_, i) => i !== at);
    const kind = random.below(4);
    if (kind === 0) return this.#with(block, [coinbase, ...without]);
    if (kind === 1) return this.#with(block, [coinbase, ...others, one]);
    if (kind === 2) return this.#with(block, [coinbase, ...others].reverse());
    return this.#with(block, [coinbase, one, ...without]);
  }

  #withCoinbase(block: Block): Block {
    const { random } = this;
    const coinbase = block.transactions[0] as Transaction;
    const input = { ...(coinbase.vin[0] as Transaction['vin'][number]) };
    const change = random.below(8);
    if (change === 0) return this.#replaced(block, 0, this.#make({ ...coinbase, lockTime: 1 + random.below(2 ** 31) }));
    if (change === 1) return this.#replaced(block, 0, this.#make({ ...coinbase, version: random.below(6) }));
    if (change === 2) {
      const scriptSig = mutated(input.scriptSig, random, [input.scriptSig]);
      return this.#replaced(block, 0, this.#make({ ...coinbase, vin: [{ ...input, scriptSig }] }));
    }
    return this.#replaced(block, 0, this.#make({ ...coinbase, vout: this.#changedOutputs(coinbase.vout) }));
  }

  #withHeader(block: Block): Block {
    const { random } = this;
    const { header, transactions } = block;
    const fields: Partial<BlockHeader> = random.pick([
      { version: random.pick([0, 1, -1, 0x20000000, header.version ^ (1 << random.below(29))]) },
      { time: header.time + random.pick([-100_000, -60, -1, 1, 5, 30, 301, 7_300]) },
      { bits: random.pick([header.bits + 1, header.bits - 1, 0, 0x1d00ffff]) },
      { height: header.height + BigInt(random.pick([-1, 1, 1_000])) },
      { mintedBlocks: header.mintedBlocks + BigInt(random.pick([-1, 1, 7])) },
      { stakeModifier: random.bytes(32) },
      { merkleRoot: random.bytes(32) },
    ]);
    if (random.below(6) > 0) return this.#with(block, transactions, fields);
    return withHeader(transactions, { ...header, signature: mutated(header.signature, random, [header.signature]) });
  }
}
