#!/usr/bin/env node
// Bundles the programs into dist/. Packages are not bundled: native ones cannot be, and the others load faster from node's compile cache.
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');

/** The programs, and the scripts of worker threads: `*-worker.ts` anywhere in src. */
const programs = ['main', 'cli', 'wallet-tool'];
const workers = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('-worker.ts'));

const { metafile, warnings } = await build({
  absWorkingDir: root,
  entryPoints: [
    ...programs.map((name) => ({ in: `src/${name}.ts`, out: name })),
    // in the folder of the programs, where `new URL('./<name>.js', import.meta.url)` finds them
    ...workers.map((file) => ({ in: `src/${file}`, out: basename(file, '.ts') })),
  ],
  outdir: 'dist',
  bundle: true,
  splitting: true, // keeps dynamic imports in chunks that are loaded on demand
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
});

const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
for (const file of readdirSync(dist)) if (!made.has(file)) rmSync(join(dist, file), { recursive: true });
for (const name of programs) if (existsSync(join(dist, `${name}.js`))) chmodSync(join(dist, `${name}.js`), 0o755);
if (warnings.length > 0) process.exitCode = 1;
