import { readdirSync } from 'node:fs';
import { StoreDamaged } from './errors.js';

/**
 * Checks that an existing database has its CURRENT file; without it the engine would create an empty database over the old one.
 * @throws {StoreDamaged} if the file is missing
 */
export function checkCurrentFile(directory: string): void {
  const files = readdirSync(directory);
  if (!files.includes('CURRENT') && files.some((name) => name.endsWith('.sst'))) throw damaged(directory, 'the file CURRENT is missing');
}

/** Error for a damaged database. @param what the damage, as part of a sentence for the operator */
export function damaged(directory: string, what: string, cause?: unknown): StoreDamaged {
  return new StoreDamaged(`the database in ${directory} is damaged (${what}); start with -reindex to build it again`, { cause });
}

/** Calls the engine. @throws {StoreDamaged} with advice if the engine reports corruption, otherwise its error */
export function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const { code, message } = causeOf(error);
    if (code === 'LEVEL_CORRUPTION') {
      throw new StoreDamaged(`the database is damaged (${message}); start with -reindex to build it again`, { cause: error });
    }
    throw error;
  }
}

/** Code and text of the engine's own error, which the library wraps if it occurs while opening. */
export function causeOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  if (error.cause instanceof Error) return causeOf(error.cause);
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}
