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
