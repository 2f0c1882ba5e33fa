import type { RawChange } from '../../storage/view.js';

/** Content of a file that replaces a wallet's file, and its checks. */
export interface Replacement {
  /** The row for the new file; undefined omits it. Also called for rows that are written to the old file in the meantime. */
  map(row: RawChange): RawChange | undefined;
  /** Additional rows of the new file. */
  readonly added: readonly RawChange[];
  /** Receives all rows read back from the new file. @throws if one is wrong */
  check(rows: readonly RawChange[]): void;
  /** Called when all rows written so far were read back. Rejects if they are wrong. */
  checked(): Promise<void>;
  /** Writes pending changes to the old file; nothing else runs between this and `swapped`. */
  flush(): void;
  /** Called when all rows were checked. @throws if one is missing */
  complete(): void;
  /** Called when the new file was renamed to the wallet's file: updates memory. */
  swapped(): void;
}

/** Replacement with the same rows, without history. */
export const UNCHANGED: Replacement = {
  map: (row) => row,
  added: [],
  check: () => {},
  checked: () => Promise.resolve(),
  flush: () => {},
  complete: () => {},
  swapped: () => {},
};

/** The rows of a batch as the new file has them. */
export function mapped(batch: readonly RawChange[], replacement: Pick<Replacement, 'map'>): readonly RawChange[] {
  return batch.flatMap((row) => replacement.map(row) ?? []);
}
