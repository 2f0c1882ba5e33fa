import { createWriteStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createGzip } from 'node:zlib';
import { MemoryBlocks } from '../../src/chain/block-store.js';
import { Chain } from '../../src/chain/chain.js';
import { publicKeyOf } from '../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../src/crypto/hash.js';
import { signBlock } from '../../src/minting/forge.js';
import { assembleBlock } from '../../src/minting/template.js';
import { block as blockCodec } from '../../src/primitives/block.js';
import { encode } from '../../src/primitives/codec.js';
import { formatHash } from '../../src/primitives/hash.js';
import { type OutPoint, outPoint } from '../../src/primitives/outpoint.js';
import { SEQUENCE_FINAL, type Transaction, type TxOut } from '../../src/primitives/transaction.js';
import { scriptOf } from '../../src/script/address.js';
import { KeyStore } from '../../src/script/key-source.js';
import { signInputs } from '../../src/script/sign-inputs.js';
import { SIGHASH_ALL } from '../../src/script/signature-encoding.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { EMPTY_BYTES, toHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import { paramsOfFlags } from '../chains/recorded-chain.js';
import { validScripts } from '../valid-scripts.js';

/**
 * Writes a chain of blocks full of signed transactions in the format of the recordings, with the same bytes at each run:
 * `node --import tsx test/bench/load-chain.ts FILE.jsonl.gz [transactions] [transactions of a block]`.
 */
const FLAGS = [
  '-txnotokens=0',
  '-amkheight=50',
  '-bayfrontheight=51',
  '-eunosheight=52',
  '-fortcanningheight=53',
  '-fortcanninghillheight=54',
  '-fortcanningroadheight=55',
  '-grandcentralheight=56',
  '-dummypos=1',
];
const MATURITY = 100;
const BLOCK_SEC = 30;
const KEYS = 16;
const FEE = 2_000n;
const PAYMENT = 1_000n;
const MINTER = { secret: sha256(Uint8Array.of(KEYS)), compressed: true };

interface Unspent {
  readonly point: OutPoint;
  readonly out: TxOut;
}

class LoadChain {
  readonly #clock: FixedClock;
  readonly #chain: Chain;
  readonly #keys = new KeyStore();
  readonly #scripts: readonly Uint8Array[];

  constructor(private readonly write: (line: object) => void) {
    const params = paramsOfFlags(FLAGS);
    this.#clock = new FixedClock(params.genesis.header.time);
    const deps = {
      store: new MemoryStore(),
      blocks: new MemoryBlocks(),
      clock: this.#clock,
      log: silentLogger,
      scripts: { threads: validScripts },
    };
    this.#chain = new Chain({ params }, deps);
    this.#scripts = Array.from({ length: KEYS }, (_, i) => {
      const secret = sha256(Uint8Array.of(i));
      this.#keys.addKey({ secret, compressed: true });
      return scriptOf({ type: 'wpkh', hash: hash160(publicKeyOf(secret)) });
    });
  }

  /** Adds a block. @returns its coinbase */
  mint(transactions: readonly Transaction[]): Transaction {
    const { params, tip } = this.#chain;
    this.#clock.set(tip.time + BLOCK_SEC);
    const { block: unsigned } = assembleBlock(
      { parent: tip, time: this.#clock.now() / 1000, scriptPubKey: this.#script(tip.height), transactions },
      params,
    );
    // `defid` cannot read an unsigned block from disk, even where the stake is not checked.
    const block = signBlock(unsigned, MINTER);
    const bytes = encode(blockCodec(params.txFormat), block);
    const result = this.#chain.submitBlock(bytes);
    if (result.status !== 'accepted') throw new Error(JSON.stringify(result));
    this.write({ block: tip.height + 1, hash: formatHash(block.hash), time: block.header.time, hex: toHex(bytes) });
    return block.transactions[0] as Transaction;
  }

  #script(index: number): Uint8Array {
    return this.#scripts[index % KEYS] as Uint8Array;
  }

  /** Splits an output into `count` equal ones. */
  split(from: Unspent, count: number): Transaction {
    const value = (from.out.value - FEE * BigInt(count)) / BigInt(count);
    return this.#spend(
      from,
      Array.from({ length: count }, (_, i) => ({ value, scriptPubKey: this.#script(i), tokenId: 0 })),
    );
  }

  /** A payment to an address that is not used again, with change. */
  pay(from: Unspent, index: number): Transaction {
    return this.#spend(from, [
      { value: from.out.value - PAYMENT - FEE, scriptPubKey: this.#script(index), tokenId: 0 },
      { value: PAYMENT, scriptPubKey: scriptOf({ type: 'pkh', hash: hash160(encode(outPoint, from.point)) }), tokenId: 0 },
    ]);
  }

  #spend({ point, out }: Unspent, vout: readonly TxOut[]): Transaction {
    const vin = [{ prevout: point, scriptSig: EMPTY_BYTES, sequence: SEQUENCE_FINAL, witness: [] }];
    const format = this.#chain.params.txFormat;
    const { tx } = signInputs(
      { version: 4, vin, vout, lockTime: 0 },
      { format, keys: this.#keys, output: () => out, hashType: SIGHASH_ALL },
    );
    return tx;
  }
}

function output(tx: Transaction, vout = 0): Unspent {
  return { point: { txid: tx.txid, vout }, out: tx.vout[vout] as TxOut };
}

/** @param size transactions of a block */
export function writeLoadChain(file: string, transactions: number, size: number): Promise<void> {
  const gzip = createGzip();
  const target = createWriteStream(file);
  gzip.pipe(target);
  const lines: string[] = [];
  const chain = new LoadChain((line) => lines.push(`${JSON.stringify(line)}\n`));
  const coinbase = chain.mint([]);
  for (let i = 0; i < MATURITY; i++) chain.mint([]);
  const split = chain.split(output(coinbase), size);
  chain.mint([split]);
  let unspent = split.vout.map((_, vout) => output(split, vout));
  for (let done = 0; done < transactions; done += size) {
    const paying = unspent.map((each, i) => chain.pay(each, i));
    chain.mint(paying);
    unspent = paying.map((tx) => output(tx));
  }
  const genesis = formatHash(paramsOfFlags(FLAGS).genesis.hash);
  gzip.write(`${JSON.stringify({ chain: 'regtest', name: 'load', flags: FLAGS, blocks: lines.length, genesis })}\n`);
  for (const line of lines) gzip.write(line);
  gzip.end();
  return new Promise((resolve, reject) => target.on('finish', () => resolve()).on('error', reject));
}

const [, program, file, transactions = '60000', size = '2000'] = process.argv;
if (file && program && import.meta.url === pathToFileURL(program).href) await writeLoadChain(file, Number(transactions), Number(size));
