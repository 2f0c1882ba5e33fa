import { isDiskFull } from '../util/disk.js';

/** The directory is opened by another process, or by another store of this process. */
export class StoreLocked extends Error {
  override name = 'StoreLocked';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} is in use by another process`, options);
  }
}

/** Stored data differs from what was written. It is a fault of this node and no verdict on a block or a peer. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged';
}

/** The data was written in a later format by a newer version of this program. */
export class NewerVersion extends Error {
  override name = 'NewerVersion';
  constructor(
    readonly found: number,
    readonly known: number,
  ) {
    super(`the data has format version ${found}, this program reads up to ${known}`);
  }
}

/** The disk is full. Nothing was written, and stored data is intact. */
export class DiskFull extends Error {
  override name = 'DiskFull';
  /** That of the system's own error. */
  readonly code = 'ENOSPC';

  constructor(readonly directory: string) {
    super(`Disk space is too low! Block processing is halted until there is room in ${directory}`);
  }
}

/** The store is closed, or being reopened. */
export class StoreClosed extends Error {
  override name = 'StoreClosed';
}

/** True for failures of the disk, the file system or the database engine, in contrast to faults of this program. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreClosed || error instanceof StoreDamaged || isDiskFull(error)) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined || code?.startsWith('LEVEL_') === true || isStorageFailure(error.cause);
}
