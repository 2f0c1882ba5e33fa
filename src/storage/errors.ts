/** Another process, or another store of this one, has the directory open. */
export class StoreLocked extends Error {
  override name = 'StoreLocked';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} is in use by another process`, options);
  }
}

/** What is on disk is not what was written: our own trouble, which blames no block and no peer. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged';
}

/** The data was written by a version of this program that knows a later format. */
export class NewerVersion extends Error {
  override name = 'NewerVersion';
  constructor(
    readonly found: number,
    readonly known: number,
  ) {
    super(`the data has format version ${found}, this program reads up to ${known}`);
  }
}

/** There is no room for more. Nothing was written, and what is there stays whole. */
export class DiskFull extends Error {
  override name = 'DiskFull';

  constructor(readonly directory: string) {
    super(`Disk space is too low! No more blocks are taken until there is room in ${directory}`);
  }
}

/** The store is not open, or not open yet again. */
export class StoreClosed extends Error {
  override name = 'StoreClosed';
}

const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Whether a write failed for want of room, whichever library noticed. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DiskFull || ('code' in error && FULL_CODES.has(error.code))) return true;
  return /no space left on device|disk quota exceeded/i.test(error.message) || isDiskFull(error.cause);
}

/** True for failures of the disk, the file system or the database engine, which say nothing about the program. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreClosed || error instanceof StoreDamaged || isDiskFull(error)) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined || code?.startsWith('LEVEL_') === true || isStorageFailure(error.cause);
}
