import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { replaceFile } from '../../util/disk.js';
import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import { mapInSlices } from '../../util/slicer.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { AddressEntry } from '../addresses/address-entry.js';
import type { Bans } from '../addresses/bans.js';
import { formatIp, parseIp } from '../addresses/ip.js';

const ADDRESSES = 'peers.json';
const BANS = 'banlist.json';
const KEY_SIZE = 32;
const FORMAT = 1;
const PRIVATE_MODE = 0o600;

/** A stored address: ip, port, services in hex, source, time, last try, last success, attempts, tried. */
type Row = readonly [string, number, string, string, number, number, number, number, boolean];

interface AddressFile {
  readonly format: number;
  readonly key: string;
  readonly addresses: readonly unknown[];
}

/** Files with addresses and bans in a directory. An unreadable file is reported, then treated as missing: the next save replaces it. */
export class StateFiles {
  readonly #directory: string;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(directory: string, log: Pick<Logger, 'warn'>) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Key and rows of the address book; a new key and no rows if there is no valid file. */
  readAddresses(): { key: Uint8Array; addresses: readonly unknown[] } {
    const file = this.#read(ADDRESSES) as Partial<AddressFile> | null | undefined;
    const { key, addresses } = file?.format === FORMAT ? file : {};
    if (typeof key !== 'string' || !isHex(key) || key.length !== KEY_SIZE * 2 || !Array.isArray(addresses)) {
      if (file !== undefined) this.#report(ADDRESSES, 'it has another form');
      return { key: randomBytes(KEY_SIZE), addresses: [] };
    }
    return { key: fromHex(key), addresses };
  }

  writeAddresses(book: AddressBook): void {
    this.#write(ADDRESSES, textOf(book, [...book.entries()].map(rowText)));
  }

  /** The same in slices: a full book has tens of thousands of addresses. @throws the reason of the signal if it ends the work */
  async writeAddressesInSlices(book: AddressBook, signal: AbortSignal): Promise<void> {
    const rows = await mapInSlices([...book.entries()], rowText, signal);
    signal.throwIfAborted();
    this.#write(ADDRESSES, textOf(book, rows));
  }

  readBans(bans: Bans): void {
    const stored = this.#read(BANS);
    if (Array.isArray(stored)) bans.restore(stored);
    else if (stored !== undefined) this.#report(BANS, 'it has another form');
  }

  /** Writes and syncs the bans, which the operator cannot find out from peers again. They count as changed until that succeeds. */
  writeBans(bans: Bans): void {
    replaceFile(join(this.#directory, BANS), JSON.stringify(bans.stored()), PRIVATE_MODE);
    bans.noteStored();
  }

  /** Value of a file; undefined if there is none or it cannot be read. */
  #read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.#directory, name), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#report(name, errorText(error));
      return undefined;
    }
  }

  #report(name: string, error: string): void {
    this.#log.warn(`${name} is invalid; it is recreated`, { error });
  }

  /** Replaces a file atomically. */
  #write(name: string, text: string): void {
    const path = join(this.#directory, name);
    writeFileSync(`${path}.new`, text, { mode: PRIVATE_MODE });
    renameSync(`${path}.new`, path);
  }
}

/** JSON of an `AddressFile`. @param rows each the JSON of a `Row` */
function textOf({ key }: AddressBook, rows: readonly string[]): string {
  return `{"format":${FORMAT},"key":"${toHex(key)}","addresses":[${rows.join()}]}`;
}

function rowText(entry: AddressEntry): string {
  const { ip, port, services, source, time, lastTry, lastSuccess, attempts, tried } = entry;
  const row: Row = [formatIp(ip), port, services.toString(16), formatIp(source), time, lastTry, lastSuccess, attempts, tried];
  return JSON.stringify(row);
}

/** Restores stored rows into an address book; malformed rows are skipped. */
export function restoreAddresses(book: AddressBook, rows: readonly unknown[]): void {
  for (const row of rows) {
    const entry = parseRow(row);
    if (entry) book.restore(entry);
  }
}

function parseRow(row: unknown): Omit<AddressEntry, 'places' | 'lastCounted'> | undefined {
  if (!Array.isArray(row)) return undefined;
  const [ipText, port, services, sourceText, time, lastTry, lastSuccess, attempts, tried] = row as readonly unknown[];
  const ip = typeof ipText === 'string' ? parseIp(ipText) : undefined;
  const source = typeof sourceText === 'string' ? parseIp(sourceText) : undefined;
  if (!ip || !source || typeof services !== 'string' || !/^[0-9a-f]{1,16}$/.test(services)) return undefined;
  if (!isCount(port) || !isCount(time) || !isCount(lastTry) || !isCount(lastSuccess) || !isCount(attempts)) return undefined;
  return { ip, port, services: BigInt(`0x${services}`), source, time, lastTry, lastSuccess, attempts, tried: tried === true };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
