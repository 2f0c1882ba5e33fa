import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './shared.js';
import { anchorsOf, linksIn, neighboursIn, pathsIn, type Reference, referencesIn, sectionsOf, unlistedParts } from './tools/documents.js';

const IGNORED = new Set(['node_modules', 'gen', 'dist', '.git']);
/** Samples of broken references. */
const SAMPLES = 'test/unit/tools/documents.test.ts';

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(projectRoot, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (IGNORED.has(name)) return [];
    if (statSync(join(projectRoot, path)).isDirectory()) return filesBelow(path);
    return path === SAMPLES ? [] : [path];
  });
}

const files = filesBelow('.');
const documents = files.filter((path) => path.endsWith('.md'));
const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

/** Missing parts of a reference, in words. */
function missing({ path, sections }: Reference): readonly string[] {
  if (!existsSync(join(projectRoot, path))) return [`no file ${path}`];
  const known = sectionsOf(textOf(path));
  return sections.filter((section) => !known.has(section)).map((section) => `no section ${section} in ${path}`);
}

test('every link in a document leads to a file and a heading', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const document of documents) {
    for (const link of linksIn(textOf(document))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? document : join(dirname(document), file);
      checked += 1;
      if (!existsSync(join(projectRoot, target))) wrong.push(`${document}: ${link}`);
      else if (anchor !== undefined && !anchorsOf(textOf(target)).has(anchor)) wrong.push(`${document}: no heading ${link}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked > 40, `only ${checked} links were found`);
});

test('every path of the repository in a page of docs/ or of the root exists', () => {
  const pages = documents.filter((path) => path.startsWith('docs/') || !path.includes('/'));
  const wrong = pages.flatMap((page) =>
    pathsIn(textOf(page))
      .filter((path) => !existsSync(join(projectRoot, path)))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(wrong, []);
});

test('every reference to a document names a file and sections that exist', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const path of files.filter((each) => /\.(ts|mjs|proto|md|yml|yaml|json)$/.test(each))) {
    for (const reference of referencesIn(textOf(path))) {
      checked += 1;
      wrong.push(...missing(reference).map((problem) => `${path}: ${problem}`));
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked > 500, `only ${checked} references were found`);
});

test('examples with credentials in Base64 remove its line breaks, which a header cannot contain', () => {
  const lines = documents.flatMap((path) => [...textOf(path).matchAll(/.*\| *base64\b(.*)/g)]);
  assert.ok(lines.length > 0);
  for (const [line, rest = ''] of lines) assert.match(rest, /^ (-w *0|\| tr -d '\\n')/, line);
});

test('every section that a protocol page names in another one exists', () => {
  const wrong = documents
    .filter((path) => relative('docs/protocol', path) === path.split('/').at(-1))
    .flatMap((path) =>
      neighboursIn(textOf(path))
        .map((reference) => ({ ...reference, path: join('docs/protocol', reference.path) }))
        .flatMap(missing)
        .map((problem) => `${path}: ${problem}`),
    );
  assert.deepEqual(wrong, []);
});

test('a README of src/ with a table of files or folders lists all of them', () => {
  const wrong = documents
    .filter((path) => path.startsWith('src/') && path.endsWith('/README.md'))
    .flatMap((path) => {
      const parts = readdirSync(join(projectRoot, dirname(path))).filter((name) => name !== 'README.md');
      return unlistedParts(textOf(path), parts).map((part) => `${path}: ${part}`);
    });
  assert.deepEqual(wrong, []);
});

test('the page of the protocol pages lists all of them', () => {
  const linked = new Set(linksIn(textOf('docs/protocol/README.md')));
  const pages = readdirSync(join(projectRoot, 'docs/protocol')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  assert.deepEqual(
    pages.filter((name) => !linked.has(name)),
    [],
  );
});
