import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { filesBelow, projectRoot } from './shared.js';

/** Programs and worker scripts: files that no import names. */
const ENTRIES = new Set([
  'src/launch.ts',
  'src/main.ts',
  'src/cli.ts',
  'src/wallet-tool.ts',
  'src/consensus/script-worker.ts',
  'src/evm/long-work-worker.ts',
  'src/devnet/dfi-devnet.ts',
  'src/explorer/main.ts',
  'test/run.ts',
]);
/** Files started by name: benchmarks, tools, soaks, fuzzers and the programs of tests; declarations of types. */
const STARTED = /^test\/(bench|clients|tools|soak|fuzz|e2e\/fixtures)\/|\.d\.ts$/;

const files = ['src', 'test'].flatMap((folder) => filesBelow(join(projectRoot, folder), '.ts'));
const texts = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));
/** Names imported or re-exported from each file; `*` for an import of the whole module. */
const imported = new Map<string, Set<string>>();

for (const [path, text] of texts) {
  for (const [, names = '*', specifier = '', dynamic] of text.matchAll(
    /(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^'";{]*?)\s*from\s*'(\.[^']+)'|import\(\s*'(\.[^']+)'/g,
  )) {
    const target = resolve(dirname(path), dynamic ?? specifier).replace(/\.js$/, '.ts');
    const known = imported.get(target) ?? new Set<string>();
    imported.set(target, known);
    for (const name of dynamic === undefined ? names.split(',') : ['*'])
      known.add(
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
      );
  }
}

test('every file is imported or started', () => {
  const unused = files
    .map((path) => relative(projectRoot, path))
    .filter((name) => !ENTRIES.has(name) && !STARTED.test(name) && !name.endsWith('.test.ts'))
    .filter((name) => !imported.has(join(projectRoot, name)));
  assert.deepEqual(unused, []);
});

/** True for a function or a constant. Classes are types too: those of errors belong to the functions that throw them. */
const isValue = (declaration: string): boolean => /^export (?:async )?(?:const|let|function)/.test(declaration);

test('every exported value is used by another file, every exported type by another file or its own', () => {
  const unused: string[] = [];
  let checked = 0;
  for (const [path, text] of texts) {
    const used = imported.get(path);
    if (used?.has('*') || STARTED.test(relative(projectRoot, path))) continue;
    for (const [found, name = ''] of text.matchAll(
      /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
    )) {
      checked += 1;
      if (used?.has(name)) continue;
      if (isValue(found) || [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length < 2)
        unused.push(`${relative(projectRoot, path)}: ${name}`);
    }
    for (const [, names = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)) {
      for (const each of names.split(',')) {
        const name = each
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)
          .at(-1);
        if (name && !used?.has(name)) unused.push(`${relative(projectRoot, path)}: ${name}`);
      }
    }
  }
  assert.deepEqual(unused, []);
  assert.ok(checked > 1000, `only ${checked} exports were found`);
});
