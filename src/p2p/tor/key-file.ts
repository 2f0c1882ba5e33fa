import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../util/disk.js';

/** Key types of v2 and v3 services, in this order. */
export const KEY_TYPES = ['RSA1024', 'ED25519-V3'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

const FILES: Readonly<Record<KeyType, string>> = { RSA1024: 'onion_private_key', 'ED25519-V3': 'onion_v3_private_key' };
const KEY = /^(RSA1024|ED25519-V3):[A-Za-z0-9+/=]{1,8192}$/;

/** Returns true for a private key in the format of the control port: `type:base64`. */
export function isKey(text: string, type: KeyType): boolean {
  return KEY.exec(text)?.[1] === type;
}

/** Files with the private keys of this node's Tor services. Without a directory nothing is stored. */
export class KeyFiles {
  readonly #directory: string | undefined;

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /**
   * @returns undefined if there is no file
   * @throws {Error} if the file is unreadable or invalid; it is never overwritten
   */
  read(type: KeyType): string | undefined {
    const path = this.#pathOf(type);
    const text = path === undefined ? undefined : readIfExists(path)?.trim();
    if (text !== undefined && !isKey(text, type)) throw new Error(`${path} contains no ${type} key of a Tor service`);
    return text;
  }

  /** Writes a key file that only its owner can read, and syncs it to disk. */
  write(type: KeyType, key: string): void {
    const path = this.#pathOf(type);
    if (path !== undefined) replaceFile(path, key, 0o600);
  }

  #pathOf(type: KeyType): string | undefined {
    return this.#directory === undefined ? undefined : join(this.#directory, FILES[type]);
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
