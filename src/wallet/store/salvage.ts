import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { COMPRESSED_KEY_SIZE, publicKeyOf } from '../../crypto/ecdsa.js';
import { decode } from '../../primitives/codec.js';
import type { RawChange } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { WalletFile } from './file.js';
import {
  COPY_ENDS,
  COPYING,
  FORMAT_VERSION,
  type Frame,
  findFrame,
  findRows,
  guessOldRows,
  readFrame,
  refuseForeignWallet,
  startOfFrames,
} from './file-format.js';
import * as records from './records.js';
import { RowTables } from './row-tables.js';

/** Bytes of a file from `from` to `to`, exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface Salvaged {
  /** Numbers of rows in the new file; `keys` are private keys. */
  readonly counts: { readonly keys: number; readonly transactions: number; readonly names: number; readonly others: number };
  /** Damaged parts of the file. Intact rows in them were recovered. */
  readonly lost: readonly ByteRange[];
  /** The file is an incomplete copy of a wallet: rows at its end are missing. */
  readonly lacksEnd: boolean;
  readonly isEncrypted: boolean;
  /** Private keys are encrypted and the master key was lost, so they cannot be decrypted. */
  readonly lacksMasterKey: boolean;
}

/** A file has no intact row, so no wallet was made. */
export class NothingSalvaged extends Error {
  override name = 'NothingSalvaged';
}

/**
 * Copies all provably intact rows of a damaged wallet file to a new file. The damaged one is only read.
 * @throws {ForeignWallet}, {@link NothingSalvaged} or {@link WalletNotWritten}; an error if the new file exists
 */
export function salvage(from: string, to: string): Salvaged {
  const bytes = readFileSync(from);
  refuseForeignWallet(bytes, from);
  const tables = new RowTables();
  const lost: ByteRange[] = [];
  const version = versionOf(bytes);
  for (const piece of piecesOf(bytes, version)) {
    if (piece.frame?.kind === 'whole') {
      tables.apply(piece.frame.batch);
      continue;
    }
    lost.push({ from: piece.from, to: piece.to });
    const rows = version === 1 ? provenKeys(guessOldRows(bytes, piece.from, piece.to)) : findRows(bytes, piece.from, piece.to);
    for (const row of rows) tables.apply([row]);
  }
  const lacksEnd = tables.has(COPYING);
  tables.apply(COPY_ENDS);
  if (existsSync(to)) throw new Error(`${to} exists`);
  if (tables.liveBytes === 0) throw new NothingSalvaged(`nothing could be recovered from ${from}, so no wallet was made`);
  mkdirSync(dirname(to), { recursive: true });
  const file = WalletFile.create(to, randomBytes(16));
  try {
    for (const batch of tables.batches()) file.write(lost.length > 0 || lacksEnd ? batch.filter(isIndependent) : batch, { sync: false });
    file.write([], { sync: true });
    file.close();
  } catch (error) {
    file.destroy();
    throw error;
  }
  return { ...summaryOf(tables), lost, lacksEnd };
}

/**
 * False for rows that must be dropped, since later rows that replaced them may be lost: a key of the pool could be used twice, and
 * scanned blocks have to be scanned again for lost transactions.
 */
function isIndependent({ column }: RawChange): boolean {
  return column !== records.pool.name && column !== records.syncedTo.name;
}

/** Format of the frames in the file, as the header may be damaged. */
function versionOf(bytes: Uint8Array): number {
  return findFrame(bytes, 0, FORMAT_VERSION) === undefined && findFrame(bytes, 0, 1) !== undefined ? 1 : FORMAT_VERSION;
}

interface Piece extends ByteRange {
  /** Undefined for bytes that are not a complete frame. */
  readonly frame: Frame | undefined;
}

function* piecesOf(bytes: Uint8Array, version: number): Generator<Piece> {
  let at = startOfFrames(version);
  while (at < bytes.length) {
    const start = findFrame(bytes, at, version) ?? bytes.length;
    if (start > at) yield { from: at, to: start, frame: undefined };
    at = start;
    if (start === bytes.length) return;
    const frame = readFrame(bytes, start, version, undefined);
    if (frame.kind !== 'whole') return;
    yield { from: start, to: frame.end, frame };
    at = frame.end;
  }
}

/** Private keys that match their public keys, among rows that may be wrong. */
function* provenKeys(rows: Iterable<RawChange>): Generator<RawChange> {
  for (const row of rows) if (isProven(row)) yield row;
}

function isProven(row: RawChange): boolean {
  if (!records.isPlainKey(row) || !row.value) return false;
  try {
    const { secret } = decode(records.keys.value, row.value);
    return equalBytes(publicKeyOf(secret, row.key.length === COMPRESSED_KEY_SIZE), row.key);
  } catch {
    return false;
  }
}

function summaryOf(tables: RowTables): Omit<Salvaged, 'lost' | 'lacksEnd'> {
  const count = ({ name }: { readonly name: string }): number => [...tables.rows(name)].length;
  const [keys, transactions, names] = [count(records.keys), count(records.transactions), count(records.book)];
  const all = records.walletColumns.reduce((sum, column) => sum + count(column), 0);
  const isEncrypted = [...tables.rows(records.keys.name)].some(
    ({ key, value }) => !records.isPlainKey({ column: records.keys.name, key, value }),
  );
  return {
    counts: { keys, transactions, names, others: all - keys - transactions - names },
    isEncrypted: isEncrypted || count(records.masterKeys) > 0,
    lacksMasterKey: isEncrypted && count(records.masterKeys) === 0,
  };
}
