import { open, readFile, rename } from 'node:fs/promises';

/** Pieces are joined up to this size before a write. */
const CHUNK_BYTES = 1024 * 1024;

/** A file that is replaced atomically: new content is written and synced to a temporary file, which is then renamed. */
export interface ReplacedFile {
  /** Undefined if there is no such file. */
  read(): Promise<Uint8Array | undefined>;
  replace(pieces: Iterable<Uint8Array>): Promise<void>;
}

/** The file at `path`; the temporary file is `<path>.new` in the same folder. */
export function replacedFile(path: string): ReplacedFile {
  const fresh = `${path}.new`;
  return {
    async read() {
      try {
        return await readFile(path);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async replace(pieces) {
      const file = await open(fresh, 'w');
      try {
        for (const chunk of chunksOf(pieces)) await file.writeFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(fresh, path);
    },
  };
}

function* chunksOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  yield Buffer.concat(waiting);
}
