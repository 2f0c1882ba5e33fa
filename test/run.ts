/** Runs the tests below the given paths, or all of them. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);

function testsBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => {
      const inside = join(path, name);
      if (statSync(inside).isDirectory()) return testsBelow(inside);
      return name.endsWith('.test.ts') ? [inside] : [];
    });
}

const files = (wanted.length > 0 ? wanted : [join(root, 'test')]).flatMap(testsBelow);
const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--test', '--test-concurrency=2', ...files], {
  stdio: 'inherit',
  cwd: root,
});
process.exit(status ?? 1);
