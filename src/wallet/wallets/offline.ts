import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WalletFlag } from '../keys/flags.js';
import { KeyChain, type KeyChainParts } from '../keys/key-chain.js';
import { KeyPool } from '../keys/key-pool.js';
import { Keys } from '../keys/keys.js';
import { WalletFile } from '../store/file.js';
import { readWallet } from '../store/read-file.js';
import * as records from '../store/records.js';
import { WalletStore } from '../store/store.js';

/** Summary of a wallet's file, for `dfi-wallet info`. */
export interface WalletSummary {
  readonly isEncrypted: boolean;
  readonly hasSeed: boolean;
  /** Keys in both key pools. */
  readonly poolSize: number;
  readonly transactions: number;
  /** Destinations in the address book. */
  readonly names: number;
}

/** Summarises a wallet's file, without changing it. @throws {WalletDamaged} or {@link WalletTooNew} */
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

/** Creates a wallet with a seed and a full key pool. Its position in the chain is set when a node loads it. @throws if the file exists */
export function createOffline(path: string, { prefixes, poolSize, now }: Pick<KeyChainParts, 'prefixes' | 'poolSize' | 'now'>): void {
  const file = WalletFile.create(path, randomBytes(16));
  try {
    const store = new WalletStore(file);
    const [keys, pool] = [new Keys(store), new KeyPool(store)];
    const keyChain = new KeyChain({ keys, pool, prefixes, now, poolSize, commit: () => store.commit(), onShort: () => {} });
    store.put(records.flags, records.ONLY, WalletFlag.keyOriginMetadata);
    keyChain.setSeed();
    keyChain.fill();
    store.commit();
  } catch (error) {
    file.discard();
    throw error;
  }
  file.close();
}
