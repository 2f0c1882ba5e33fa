import assert from 'node:assert/strict';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { VerifiedScripts } from '../../../src/consensus/script-cache.js';
import { SignatureCache } from '../../../src/consensus/signature-cache.js';
import { blockSubsidy } from '../../../src/consensus/subsidy.js';
import { hash160 } from '../../../src/crypto/hash.js';
import type { CustomTxGate } from '../../../src/mempool/custom-tx-gate.js';
import type { MempoolEntry } from '../../../src/mempool/entry.js';
import { Mempool, type MempoolOptions, type Rejection, type TestVerdict, type Verdict } from '../../../src/mempool/mempool.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TransactionFields, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { buildScript } from '../../../src/script/script.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../chains/block-builder.js';

export const NOW = 1_600_000_000;
export const DFI = 100_000_000n;

/** An output that does not exist. */
export const NO_TX = { txid: new Uint8Array(32).fill(7), vout: 0 };

const REDEEM_SCRIPT = Uint8Array.of(0x51);
/** Pays to a script that anyone satisfies, in a standard form. */
export const ANYONE = scriptOf({ type: 'sh', hash: hash160(REDEEM_SCRIPT) });
export const ANYONE_SCRIPT_SIG = buildScript(REDEEM_SCRIPT);

export const defaults: MempoolOptions = {
  maxBytes: 300_000_000,
  expirySec: 336 * 3600,
  evmExpirySec: 3 * 3600,
  policy: {
    requireStandard: true,
    dustRelayFeeRate: 3000n,
    minRelayFeeRate: 1000n,
    incrementalRelayFeeRate: 1000n,
    permitBareMultisig: true,
    dataCarrierBytes: { beforeMetachain: 4_000, sinceMetachain: 65_536 },
    bytesPerSigOp: 20,
  },
  limits: { ancestorCount: 25, ancestorBytes: 101_000, descendantCount: 25, descendantBytes: 101_000 },
};

export type Settings = Partial<Omit<MempoolOptions, 'policy' | 'limits'>> & {
  readonly policy?: Partial<MempoolOptions['policy']>;
  readonly limits?: Partial<MempoolOptions['limits']>;
  readonly gate?: (chain: Chain) => CustomTxGate;
  /** Spendable outputs at the start; 100 more blocks are on top of them. */
  readonly coins?: number;
  /** Metachain height, from which replay follows the current rules; never by default. */
  readonly metachain?: number;
};

/** A pool on a chain in memory whose first coinbases are mature and pay to anyone. */
export class PoolNode {
  readonly clock = new FixedClock(NOW);
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly memory = { signatures: new SignatureCache(1_000_000, new Uint8Array(16)), scripts: new VerifiedScripts(1_000_000) };
  readonly coinbases: OutPoint[] = [];

  constructor({ policy, limits, gate, coins = 10, metachain, ...rest }: Settings = {}) {
    const regtest = networkParams({ network: 'regtest', dummyPos: true });
    const params = metachain === undefined ? regtest : { ...regtest, upgrades: { ...regtest.upgrades, metachain } };
    const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: this.clock, log: silentLogger };
    this.chain = new Chain({ params }, { ...deps, scripts: { cache: this.memory.scripts } });
    const options = { ...defaults, ...rest, policy: { ...defaults.policy, ...policy }, limits: { ...defaults.limits, ...limits } };
    const opened = gate && { gate: gate(this.chain) };
    this.mempool = new Mempool(options, { chain: this.chain, clock: this.clock, log: silentLogger, memory: this.memory, ...opened });
    this.mempool.start();
    for (let i = 0; i < coins + 99; i++) this.coinbases.push({ txid: coinbaseOf(this.mine()).txid, vout: 0 });
  }

  get pool() {
    return this.mempool.pool;
  }

  /** Outputs of the coinbase at a height. */
  subsidy(height: number): bigint {
    return blockSubsidy(height, this.chain.params);
  }

  /** A mature coinbase output; the first is that of block 1. */
  coin(index: number): OutPoint {
    return this.coinbases[index] as OutPoint;
  }

  /** A block with these transactions on the tip, or on another block. */
  mine(transactions: readonly Transaction[] = [], { on = this.chain.tip, tag = 0 }: { on?: BlockIndexEntry; tag?: number } = {}): Block {
    const vout = [{ value: this.subsidy(on.height + 1), scriptPubKey: ANYONE, tokenId: 0 }];
    const block = blockOn(this.chain, on, { transactions, coinbase: { vout }, tag });
    const result = this.chain.submitBlock(bytesOf(this.chain, block));
    assert.notEqual(result.status, 'rejected', JSON.stringify(result));
    return block;
  }

  /** A transaction that spends outputs that anyone can spend and pays to anyone. */
  pay(inputs: readonly OutPoint[], values: readonly bigint[], more: Partial<TransactionFields> & { sequence?: number } = {}): Transaction {
    const { sequence = 0xffffffff, ...fields } = more;
    return makeTransaction(
      {
        version: 2,
        vin: inputs.map((prevout) => ({ prevout, scriptSig: ANYONE_SCRIPT_SIG, sequence, witness: [] })),
        vout: values.map((value) => ({ value, scriptPubKey: ANYONE, tokenId: 0 })),
        lockTime: 0,
        ...fields,
      },
      this.chain.params.txFormat,
    );
  }

  /** Adds a transaction to the pool; fails if it is rejected. */
  add(tx: Transaction, options?: Parameters<Mempool['accept']>[1]): MempoolEntry {
    const verdict = this.mempool.accept(tx, options);
    assert.equal(verdict.status, 'accepted', describe(verdict));
    return (verdict as Extract<Verdict, { status: 'accepted' }>).entry;
  }

  /** `reason, debug (code N)` of a rejected transaction, `allowed`, or `missing-inputs`. */
  tell(tx: Transaction, options?: Parameters<Mempool['accept']>[1]): string {
    return describe(this.mempool.test(tx, options));
  }

  has(tx: Transaction): boolean {
    return this.pool.get(tx.txid) !== undefined;
  }
}

export function describe(verdict: Verdict | TestVerdict): string {
  if (verdict.status !== 'rejected') return verdict.status;
  const { reason, debug, code }: Rejection = verdict;
  return `${reason}${debug && `, ${debug}`} (code ${code})`;
}

export function coinbaseOf(block: Block): Transaction {
  return block.transactions[0] as Transaction;
}

export function output(tx: Transaction, vout = 0): OutPoint {
  return { txid: tx.txid, vout };
}

/** A custom transaction's first output. */
export function carrying(text: string): TxOut {
  return { value: 0n, scriptPubKey: buildScript(0x6a, Buffer.from(text, 'latin1')), tokenId: 0 };
}
