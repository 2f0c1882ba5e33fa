import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WalletFlag } from '../keys/flags.js';
import { KeyChain, type KeyChainParts } from '../keys/key-chain.js';
import { KeyPool } from '../keys/key-pool.js';
import { Keys } from '../keys/keys.js';
import { readWallet, WalletFile } from '../store/file.js';
import * as records from '../store/records.js';
import { WalletStore } from '../store/store.js';

/** What a wallet's file says without a chain. */
export interface WalletSummary {
  readonly isEncrypted: boolean;
  readonly hasSeed: boolean;
  /** Keys made in advance, for addresses and for change. */
  readonly poolSize: number;
  readonly transactions: number;
  /** Destinations in the address book. */
  readonly names: number;
}

/** Only reads the file. @throws {WalletDamaged} or {@link WalletTooNew} */
export function summarise(path: string): WalletSummary {
  const { tables } = readWallet(readFileSync(path), path);
  const count = ({ name }: { readonly name: string }): number => [...tables.rows(name)].length;
  return {
    isEncrypted: count(records.masterKeys) > 0,
    hasSeed: count(records.hdChain) > 0,
    poolSize: count(records.pool),
    transactions: count(records.transactions),
    names: count(records.book),
  };
}

/** Makes a wallet with a seed and its first keys; it finds its place in the chain when a node loads it. @throws if the file exists */
export function createOffline(path: string, { prefixes, poolSize, now }: Pick<KeyChainParts, 'prefixes' | 'poolSize' | 'now'>): void {
  const file = WalletFile.create(path, randomBytes(16));
  try {
    const store = new WalletStore(file);
    const [keys, pool] = [new Keys(store), new KeyPool(store)];
    const keyChain = new KeyChain({ keys, pool, prefixes, now, poolSize, commit: () => store.commit(), onShort: () => {} });
    store.put(records.flags, records.ONLY, WalletFlag.keyOriginMetadata);
    keyChain.setSeed();
    keyChain.fill(poolSize);
    store.commit();
  } catch (error) {
    file.discard();
    throw error;
  }
  file.close();
}
