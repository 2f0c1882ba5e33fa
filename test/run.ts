/** Runs the tests below the given paths, or all of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests, type TestProgram } from './bundle.js';
import { BUILT, buildPrograms } from './daemon.js';
import { filesBelow } from './shared.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);

/** Number of small test files that share a process: most of their time is the start of a process. */
const SHARING = 12;
const SMALL = ['unit', 'rpc'];
/** Text of a file that needs a process of its own: hooks outside of a suite, mocks, signals, the environment. */
const PROCESS_WIDE = /^(before|after)(Each)?\(|\bmock\.|\bprocess\.|\bglobalThis\b|globalAgent|worker_threads|child_process/m;
/** Ends a file that hangs, and names it. */
const TIMEOUT_MS = 1_200_000;

function testsBelow(path: string): string[] {
  return statSync(path).isFile() ? [path] : filesBelow(path, '.test.ts');
}

/** The processes of the tests: those that need one of their own, then groups of the others. */
function programsOf(files: readonly string[]): TestProgram[] {
  const canShare = (file: string) =>
    SMALL.some((folder) => file.startsWith(join(root, 'test', folder))) && !PROCESS_WIDE.test(readFileSync(file, 'utf8'));
  const small = files.filter(canShare);
  const alone = files.filter((file) => !canShare(file));
  const groups = Array.from({ length: Math.ceil(small.length / SHARING) }, (_, group) => ({
    name: `small-${group + 1}.test`,
    files: small.slice(group * SHARING, (group + 1) * SHARING),
  }));
  return [...alone.map((file) => ({ name: relative(root, file).slice(0, -'.ts'.length), files: [file] })), ...groups];
}

const directory = mkdtempSync(join(tmpdir(), 'dfi-tests-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const files = (wanted.length > 0 ? wanted : [join(root, 'test')]).flatMap((path) => testsBelow(resolve(path)));
const env = { ...process.env };
if (files.some((file) => file.startsWith(join(root, 'test', 'e2e')))) {
  buildPrograms();
  env[BUILT] = '1';
}
const bundles = await bundleTests(programsOf(files), directory);
// Of the long output some readers keep only the end: there the failed tests are named again.
const report = join(directory, 'report.txt');
const options = ['--enable-source-maps', '--test', '--test-concurrency=2', `--test-timeout=${TIMEOUT_MS}`];
const reporters = [
  ['tap', 'stdout'],
  ['spec', report],
].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
const { status } = spawnSync(process.execPath, [...options, ...reporters, ...bundles], {
  stdio: 'inherit',
  cwd: root,
  env,
});
if (status !== 0 && existsSync(report)) {
  const lines = readFileSync(report, 'utf8').split('\n');
  const failed = lines.findIndex((line) => line.includes('failing tests:'));
  if (failed >= 0) console.log(lines.slice(failed).join('\n'));
}
process.exit(status ?? 1);
