import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BlockIndexEntry } from '../../../../src/chain/block-index.js';
import { publicKeyOf } from '../../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../../src/crypto/hash.js';
import { movedCollaterals } from '../../../../src/dfi/tokens/columns.js';
import type { OutPoint } from '../../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { scriptOf } from '../../../../src/script/address.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { concatBytes, EMPTY_BYTES, toHex } from '../../../../src/util/bytes.js';
import { balancesOf, creditOf } from '../../../../src/wallet/coins/balances.js';
import { availableCoins, type CoinQuery } from '../../../../src/wallet/coins/coins.js';
import { isFinalNow, isImmature, isLockedCollateral, isTrusted } from '../../../../src/wallet/coins/trust.js';
import { Ownership } from '../../../../src/wallet/keys/ownership.js';
import type { WalletTx } from '../../../../src/wallet/txs/wallet-tx.js';
import { Wallet } from '../../../../src/wallet/wallet.js';
import { fc } from '../../../property.js';
import { ModelChain, ModelMempool, modelDeps } from '../model-node.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-unspent-'));
after(() => rmSync(directory, { recursive: true }));

const LATE_KEYS = 3;
const lateSecrets = Array.from({ length: LATE_KEYS }, (_, n) => sha256(Uint8Array.of(n, 77)));
const lateScripts = lateSecrets.map((secret) => scriptOf({ type: 'wpkh', hash: hash160(publicKeyOf(secret)) }));

/** Expected results of the index, computed from all transactions of the wallet. */
class FullWalk {
  constructor(private readonly wallet: Wallet) {}

  balances(minDepth: number, avoidReuse: boolean): string[] {
    const { wallet } = this;
    const { chain } = wallet.deps;
    const sums = new Map<string, bigint>();
    const add = (name: string, amount: bigint): void => void sums.set(name, (sums.get(name) ?? 0n) + amount);
    for (const wtx of wallet.txs.all()) {
      const depth = wtx.depth(chain);
      if (depth < 0) continue;
      if (isImmature(wallet, wtx)) {
        if (depth > 0)
          add(
            'immature',
            creditOf(wallet, wtx, (own) => own === Ownership.Spendable),
          );
        continue;
      }
      if (depth === 0 && !wallet.isInMempool(wtx)) continue;
      const trusted = isTrusted(wallet, wtx);
      if (trusted ? depth < minDepth : depth !== 0) continue;
      for (const [vout, out] of wtx.tx.vout.entries()) {
        const own = wallet.ownershipOf(out.scriptPubKey);
        if (own === Ownership.None || wtx.isSpent(vout, chain) || isLockedCollateral(wallet, wtx, vout)) continue;
        if (avoidReuse && wallet.isUsedAddress(out)) continue;
        add(`${own === Ownership.Spendable ? 'mine' : 'watched'} ${trusted ? 'trusted' : 'pending'} ${out.tokenId}`, out.value);
      }
    }
    return shown(sums);
  }

  /** The filters of the tracker let everything of the wallet pass. */
  checkFilters(at: string): void {
    const { txs } = this.wallet;
    for (const { tx, isCoinbase } of txs.all()) {
      for (const txid of [tx.txid, ...(isCoinbase ? [] : tx.vin.map(({ prevout }) => prevout.txid))])
        assert.ok(txs.mayInvolve(txid), `txid ${at}`);
      for (const { scriptPubKey } of tx.vout) {
        const owned = this.wallet.ownershipOf(scriptPubKey) !== Ownership.None;
        assert.ok(this.wallet.mayOwn(scriptPubKey) || !owned, `script ${at}`);
      }
    }
  }

  coins({ minDepth = 0, onlySafe = false, includeUsed = true, script }: CoinQuery): string[] {
    const { wallet } = this;
    const { chain } = wallet.deps;
    const found: string[] = [];
    for (const wtx of wallet.txs.all()) {
      const depth = wtx.depth(chain);
      if (depth < minDepth || depth < 0 || !isFinalNow(wallet, wtx) || isImmature(wallet, wtx)) continue;
      if (depth === 0 && !wallet.isInMempool(wtx)) continue;
      const safe = isTrusted(wallet, wtx);
      if (onlySafe && !safe) continue;
      for (const [vout, out] of wtx.tx.vout.entries()) {
        const own = wallet.ownershipOf(out.scriptPubKey);
        if (own === Ownership.None || wtx.isSpent(vout, chain) || isLockedCollateral(wallet, wtx, vout)) continue;
        if (!includeUsed && wallet.isUsedAddress(out)) continue;
        if (script && toHex(script) !== toHex(out.scriptPubKey)) continue;
        found.push(`${wtx.key} ${vout} ${depth} ${own === Ownership.Spendable} ${safe}`);
      }
    }
    return found;
  }
}

function shown(sums: ReadonlyMap<string, bigint>): string[] {
  return [...sums].flatMap(([name, amount]) => (amount === 0n ? [] : `${name}: ${amount}`)).sort();
}

function indexed(wallet: Wallet, minDepth: number, avoidReuse: boolean): string[] {
  const { mine, watched } = balancesOf(wallet, { minDepth, avoidReuse });
  const sums = new Map<string, bigint>([['immature', mine.immature]]);
  for (const [name, { trusted, pending }] of Object.entries({ mine, watched })) {
    for (const [token, amount] of trusted) sums.set(`${name} trusted ${token}`, amount);
    for (const [token, amount] of pending) sums.set(`${name} pending ${token}`, amount);
  }
  return shown(sums);
}

function coinsOf(wallet: Wallet, query: CoinQuery): string[] {
  return availableCoins(wallet, query).map(({ wtx, vout, depth, spendable, safe }) => `${wtx.key} ${vout} ${depth} ${spendable} ${safe}`);
}

/** A wallet on a chain, with random steps that are chosen by numbers. */
class Story {
  readonly chain = new ModelChain();
  readonly mempool = new ModelMempool();
  readonly scripts: Uint8Array[] = [];
  readonly left: BlockIndexEntry[] = [];
  readonly unconfirmed: Transaction[] = [];
  wallet!: Wallet;
  made = 0;
  lateKeys = 0;

  async begin(path: string): Promise<void> {
    const kind = { disablePrivateKeys: false, blank: false, avoidReuse: true, passphrase: undefined };
    this.wallet = await Wallet.create('', path, kind, modelDeps(this.chain, this.mempool, { keypoolSize: 1 }));
    await this.wallet.start();
    for (const type of ['bech32', 'legacy', 'p2sh-segwit'] as const) this.scripts.push(scriptOf(this.wallet.newAddress('', type)));
    const watched = buildScript(Op.ZERO, sha256(Uint8Array.of(1)).subarray(0, 20));
    this.wallet.addWatched(watched, 1);
    this.scripts.push(watched);
  }

  #tx(vin: readonly OutPoint[], pick: number, kind: 'plain' | 'coinbase' | 'collateral' | 'timed'): Transaction {
    this.made += 1;
    const scripts = [...this.scripts, ...lateScripts, buildScript(Op.ZERO, sha256(Uint8Array.of(2)).subarray(0, 20))];
    const vout = Array.from({ length: 1 + (pick % 3) }, (_, n) => ({
      value: BigInt(1_000 + this.made * 10 + n),
      scriptPubKey: scripts[(pick + n * 3) % scripts.length] as Uint8Array,
      tokenId: (pick + n) % 5 === 4 ? 2 : 0,
    }));
    if (kind === 'collateral') vout.unshift({ value: 0n, scriptPubKey: buildScript(Op.RETURN, Buffer.from('DfTxT')), tokenId: 0 });
    const prevout = kind === 'coinbase' ? { txid: new Uint8Array(32), vout: 0xffffffff } : undefined;
    const inputs = prevout ? [prevout] : vin.length > 0 ? vin : [{ txid: sha256(Uint8Array.of(this.made, this.made >> 8)), vout: 0 }];
    const marked = concatBytes(Uint8Array.of(2), Uint8Array.of(this.made & 255, this.made >> 8));
    return makeTransaction(
      {
        version: 4,
        vin: inputs.map((point) => ({ prevout: point, scriptSig: prevout ? marked : EMPTY_BYTES, sequence: 0, witness: [] })),
        vout,
        lockTime: kind === 'timed' ? this.chain.tip.time - 400 + (pick % 800) : 0,
      },
      this.chain.params.txFormat,
    );
  }

  #ownPoint(pick: number): OutPoint[] {
    const all = [...this.wallet.txs.all()];
    const wtx = all[pick % Math.max(all.length, 1)];
    return wtx ? [{ txid: wtx.tx.txid, vout: pick % wtx.tx.vout.length }] : [];
  }

  #any(pick: number): WalletTx | undefined {
    return this.wallet.txs.inOrder()[pick % Math.max(this.wallet.txs.size, 1)];
  }

  #mine(transactions: readonly Transaction[]): void {
    for (const tx of transactions) {
      this.mempool.remove(tx);
      if (this.unconfirmed.includes(tx)) this.unconfirmed.splice(this.unconfirmed.indexOf(tx), 1);
    }
    this.chain.connect(transactions);
  }

  #hear(tx: Transaction): void {
    this.unconfirmed.push(tx);
    this.mempool.accept(tx);
  }

  step(what: number, pick: number): void {
    const { chain, wallet } = this;
    const kind = (['plain', 'plain', 'plain', 'collateral', 'timed'] as const)[pick % 5] ?? 'plain';
    switch (what) {
      case 0:
        this.#hear(this.#tx([], pick, kind));
        break;
      case 1:
        this.#hear(this.#tx(this.#ownPoint(pick), pick, kind));
        break;
      case 2:
        this.#mine([this.#tx([], pick, 'coinbase'), ...this.unconfirmed.slice(0, 1 + (pick % 4))]);
        break;
      case 3:
        this.#mine([this.#tx(this.#ownPoint(pick), pick, kind), this.#tx([], pick + 1, kind)]);
        break;
      case 4:
        for (let n = 0; n <= pick % 3 && chain.tip !== chain.genesis; n++) this.left.push(chain.disconnect());
        break;
      case 5: {
        const again = this.left.pop();
        if (again && again.parent === chain.tip) chain.connect([], again);
        else this.#mine([]);
        break;
      }
      case 6:
        for (let n = 0; n < 97 + (pick % 8); n++) chain.connect([]);
        break;
      case 7: {
        const [gone] = this.unconfirmed.splice(pick % Math.max(this.unconfirmed.length, 1), 1);
        if (gone) this.mempool.remove(gone);
        break;
      }
      case 8: {
        const wtx = this.#any(pick);
        if (wtx) wallet.tracker.abandon(wtx, (each) => wallet.isInMempool(each));
        break;
      }
      case 9: {
        const secret = lateSecrets[this.lateKeys % LATE_KEYS] as Uint8Array;
        // First watch-only, then with private key.
        if (this.lateKeys < LATE_KEYS) wallet.addWatched(lateScripts[this.lateKeys] as Uint8Array, 1);
        else wallet.addPrivateKey({ secret, compressed: true }, 1);
        this.lateKeys += 1;
        break;
      }
      case 10: {
        const wtx = this.#any(pick);
        if (wtx && pick % 4 === 0) wallet.txs.remove(wtx);
        break;
      }
      default: {
        const wtx = this.#any(pick);
        if (!wtx || wtx.isCoinbase) break;
        if (pick % 2 === 0) chain.state.put(movedCollaterals, wtx.tx.txid, 1);
        else chain.state.delete(movedCollaterals, wtx.tx.txid);
      }
    }
  }

  check(at: string): void {
    const walk = new FullWalk(this.wallet);
    for (const minDepth of [0, 1, 2, 50]) {
      for (const avoidReuse of [true, false]) {
        assert.deepEqual(indexed(this.wallet, minDepth, avoidReuse), walk.balances(minDepth, avoidReuse), `balances ${at}`);
      }
    }
    const queries: CoinQuery[] = [{}, { minDepth: 1 }, { onlySafe: true, includeUsed: false }];
    for (const script of [...this.scripts, ...lateScripts]) queries.push({ script });
    for (const query of queries) assert.deepEqual(coinsOf(this.wallet, query), walk.coins(query), `coins ${at}`);
    assert.deepEqual(coinsOf(this.wallet, { anyOrder: true }).sort(), walk.coins({}), `coins in any order ${at}`);
    const inOrder = [...this.wallet.unspent.confirmed()];
    const drawn = [...this.wallet.unspent.confirmedAtRandom((below) => (7_919 * inOrder.length) % below)];
    assert.deepEqual(new Set(drawn), new Set(inOrder), `drawn at random ${at}`);
    assert.equal(drawn.length, inOrder.length);
    walk.checkFilters(at);
  }
}

let stories = 0;

test('property: the index of unspent outputs agrees with an iteration over all transactions', async () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 10_000 })), { minLength: 20, maxLength: 50, size: 'max' });
  let held = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const story = new Story();
      await story.begin(join(directory, `${++stories}.dat`));
      for (const [n, [what, pick]] of all.entries()) {
        story.step(what, pick);
        story.check(`after step ${n} (${what})`);
      }
      held += story.wallet.txs.size;
      await story.wallet.stop();
    }),
    { numRuns: 15 },
  );
  assert.ok(held > 100, `the wallets held ${held} transactions only`);
});
