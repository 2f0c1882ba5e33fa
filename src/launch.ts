#!/usr/bin/env node
// The program `dfid`: runs the bundle of src/main.ts (build.mjs) with code that was compiled when the bundle was made.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { delayOptimisation } from './util/v8-flags.js';

/** File name of the bundle, in the folder of this program; it contains a hash of the bundle. */
declare const DAEMON: string;

/** Modules of Node.js that the daemon uses. They are compiled in advance for the default flags only, so they are loaded before flags are set. */
const MODULES = ['child_process', 'dns/promises', 'http', 'perf_hooks', 'stream/promises', 'worker_threads', 'zlib'];
// An import would also read every export of the module, which for some loads more of them.
for (const name of MODULES) process.getBuiltinModule(`node:${name}`);

const file = fileURLToPath(new URL(DAEMON, import.meta.url));
// The bundle is ASCII. A text of one byte per character takes half the memory.
const source = readFileSync(file, 'latin1');
const script = new Script(source, { filename: file, cachedData: compiledCode(`${file}.code`) });
// Set by build.mjs, which starts the node once, so that the functions of a start are compiled too.
const target = process.env.DFI_WRITE_CODE;
if (target) process.on('exit', () => writeFileSync(target, script.createCachedData()));
else setFlags();
script.runInThisContext()(createRequire(file), file, dirname(file));

/** V8 rejects code that was compiled with other flags, so these are set after the code is loaded, and not while it is written. */
function setFlags(): void {
  delayOptimisation();
  // By default V8 lets garbage grow to several times what is alive: the memory of a node under load is 200 MiB more.
  setFlagsFromString('--heap-growing-percent=40');
  // Several threads that move young objects spend more on waiting for each other than they save, most of all if processors are few.
  setFlagsFromString('--no-parallel-scavenge');
  // Young objects get 1 MiB instead of 16 until the start is complete (app/node.ts): the memory would not be returned.
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Compiled code; undefined if there is none. V8 ignores that of another version of itself. */
function compiledCode(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
