import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { projectRoot } from './shared.js';

/** Folders of bundled programs, which are needed until this process exits. */
const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The program of a thread that verifies scripts. */
export function scriptWorkerProgram(): URL {
  return workerProgram('src/consensus/script-worker.ts');
}

/**
 * A program that is bundled for this run, because threads cannot load TypeScript, and processes start sooner.
 * @param source path in the project
 */
export function workerProgram(source: string): URL {
  const folder = mkdtempSync(join(projectRoot, 'node_modules', '.worker-'));
  folders.push(folder);
  const outfile = join(folder, 'worker.mjs');
  buildSync({
    entryPoints: [join(projectRoot, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  return pathToFileURL(outfile);
}
