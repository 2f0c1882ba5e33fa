/** Name suffixes of temporary files: a new wallet, a copy, a compacted one, one whose keys change. No file of a user ends like this. */
const CREATING = '.being-made';
const COPYING = '.being-copied';
const COMPACTING = '.being-compacted';
const REPLACING = '.being-replaced';
const ENDINGS = [CREATING, COPYING, COMPACTING, REPLACING];
/** Suffix, before a time, of a file that keeps the incomplete end removed from a wallet's file. */
export const CUT = '.cut-';

/** Temporary name of a new file. */
export function newFileOf(path: string): string {
  return `${path}${CREATING}`;
}

/** Temporary name of a copy that is written in slices. */
export function copyOf(path: string): string {
  return `${path}${COPYING}`;
}

/** Temporary name of a wallet's file while it is compacted. */
export function compactedFileOf(path: string): string {
  return `${path}${COMPACTING}`;
}

/** Temporary name of a file that replaces that of a wallet whose keys change. */
export function replacementOf(path: string): string {
  return `${path}${REPLACING}`;
}

/** All temporary names that the file of a wallet may have. */
export function temporaryFilesOf(path: string): string[] {
  return ENDINGS.map((ending) => `${path}${ending}`);
}

/** True for the name of a temporary file. */
export function isTemporary(name: string): boolean {
  return ENDINGS.some((ending) => name.endsWith(ending));
}
