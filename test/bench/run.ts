/** Runs the named benchmarks, or all. Each prints ratios against a floor that it measures in the same run. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { delayOptimisation } from '../../src/util/v8-flags.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && name !== 'run.ts')
  .map((name) => name.replace('.ts', ''));
// As the daemon does.
delayOptimisation();
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`## ${name}`);
  const { run } = (await import(`./${name}.js`)) as { run(): Promise<void> | void };
  await run();
}
