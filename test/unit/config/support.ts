import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.js';

/** Creates a data directory with `files`, which is removed after the tests of the file. */
export function dataDir(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'dfi-config-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** Loads the configuration of the daemon from a new data directory with this `defi.conf`. */
export function load(conf: string, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}): LoadedConfig {
  return loadIn(dataDir({ 'defi.conf': conf }), argv, env);
}

export function loadIn(dir: string, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}): LoadedConfig {
  const loaded = loadConfig({ argv: [`-datadir=${dir}`, ...argv], env });
  if (loaded.action !== 'run') throw new Error(`unexpected action ${loaded.action}`);
  return loaded;
}
