import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from '../../daemon.js';
import { askWallet } from './post.js';

/** A wallet that several callers encrypted concurrently, and the one passphrase that was acknowledged. */
interface Encrypted {
  readonly name: string;
  readonly passphrase: string;
  readonly addresses: readonly string[];
}

/** Name of the wallet that mints and pays; it exists from the start. */
const MAIN = '';
const UNLOCK_SECONDS = 60;

/** Results that the daemon acknowledged, and must still have after it was killed. */
export class Promises {
  readonly blocks: string[] = [];
  readonly addresses: string[] = [];
  readonly txids: string[] = [];
  readonly wallets: Encrypted[] = [];
  /** Calls of the operator that failed, by their text. */
  readonly failures = new Map<string, number>();
  /** Acknowledged results that were lost. */
  readonly broken: string[] = [];
  #wallets = 0;

  /** Creates addresses, sends coins and mints until it is over. */
  async work(daemon: Daemon, payout: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#try(isOver, async () => {
        const address = `${await askWallet(daemon, MAIN, 'getnewaddress')}`;
        this.addresses.push(address);
        this.txids.push(`${await askWallet(daemon, MAIN, 'sendtoaddress', address, '0.01')}`);
        if ((await askWallet(daemon, MAIN, 'generatetoaddress', 1, payout)) !== 1) return;
        this.blocks.push(`${await askWallet(daemon, MAIN, 'getbestblockhash')}`);
      });
      await sleep(100);
    }
  }

  /** Makes wallets, and encrypts each by three concurrent calls: one may succeed, and its passphrase must open every key. */
  async encrypt(daemon: Daemon, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#try(isOver, async () => {
        const name = `scratch-${++this.#wallets}`;
        await askWallet(daemon, MAIN, 'createwallet', name);
        const addresses: string[] = [];
        for (let i = 0; i < 5; i++) addresses.push(`${await askWallet(daemon, name, 'getnewaddress')}`);
        const passphrases = [`${name} one`, `${name} two`, `${name} three`];
        const outcomes = await Promise.allSettled(passphrases.map((phrase) => askWallet(daemon, name, 'encryptwallet', phrase)));
        const acknowledged = passphrases.filter((_, i) => outcomes[i]?.status === 'fulfilled');
        if (acknowledged.length > 1) this.broken.push(`${name}: ${acknowledged.length} encryptions were acknowledged`);
        const [passphrase] = acknowledged;
        if (passphrase === undefined) return;
        const wallet = { name, passphrase, addresses };
        this.wallets.push(wallet);
        await this.#checkWallet(daemon, wallet);
        // The memory of loaded wallets is not that of an attack.
        await askWallet(daemon, name, 'unloadwallet');
      });
      await sleep(3_000);
    }
  }

  async #try(isOver: () => boolean, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Calls that run when the daemon is killed fail.
      if (isOver()) return;
      const text = String(error);
      this.failures.set(text, (this.failures.get(text) ?? 0) + 1);
    }
  }

  /** Compares the daemon's data with what it acknowledged. */
  async check(daemon: Daemon): Promise<void> {
    for (const hash of this.blocks) {
      const { confirmations } = (await askWallet(daemon, MAIN, 'getblockheader', hash).catch(() => ({ confirmations: -1 }))) as Confirmed;
      if (confirmations < 1) this.broken.push(`block ${hash} is lost`);
    }
    for (const address of this.addresses) {
      const key = await askWallet(daemon, MAIN, 'dumpprivkey', address).catch(String);
      if (typeof key !== 'string' || key.includes(' ')) this.broken.push(`the key of ${address} is lost: ${key}`);
    }
    for (const txid of this.txids) {
      const { confirmations } = (await askWallet(daemon, MAIN, 'gettransaction', txid).catch(() => ({ confirmations: -1 }))) as Confirmed;
      if (confirmations < 0) this.broken.push(`transaction ${txid} is lost`);
    }
    for (const wallet of this.wallets) {
      const loaded = (await askWallet(daemon, MAIN, 'listwallets')) as string[];
      if (!loaded.includes(wallet.name)) await askWallet(daemon, MAIN, 'loadwallet', wallet.name);
      await this.#checkWallet(daemon, wallet);
    }
  }

  async #checkWallet(daemon: Daemon, { name, passphrase, addresses }: Encrypted): Promise<void> {
    try {
      await askWallet(daemon, name, 'walletpassphrase', passphrase, UNLOCK_SECONDS);
      for (const address of addresses) await askWallet(daemon, name, 'dumpprivkey', address);
    } catch (error) {
      this.broken.push(`keys of ${name} are lost: ${String(error)}`);
    }
  }
}

interface Confirmed {
  readonly confirmations: number;
}
