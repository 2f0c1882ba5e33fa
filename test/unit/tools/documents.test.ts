import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorsOf, linksIn, neighboursIn, pathsIn, referencesIn, sectionsOf, unlistedParts } from '../../tools/documents.js';

const PAGE = `# Page
## 1. First part
0.1 A paragraph with a number.
### 1.2 \`code\`, and more
#### 3.1.2–3.1.4 Three at once
\`\`\`
# 9 no heading
[no](link.md)
\`\`\`
1. An item of a list.
See [there](other.md#a-b), [here](#page), \`[not](this.md)\` and [elsewhere](https://example.org).
Code is in \`src/app/node.ts\` and \`src/chain/\`, not in \`node.ts\` or src/main.ts.
`;

test('sections are the numbers of headings and paragraphs', () => {
  assert.deepEqual([...sectionsOf(PAGE)], ['1', '0.1', '1.2', '3.1.2', '3.1.3', '3.1.4']);
});

test('anchors of headings', () =>
  assert.deepEqual([...anchorsOf(PAGE)], ['page', '1-first-part', '12-code-and-more', '312314-three-at-once']));

test('links outside of code and inside the repository', () => assert.deepEqual(linksIn(PAGE), ['other.md#a-b', '#page']));

test('paths in code spans', () => assert.deepEqual(pathsIn(PAGE), ['src/app/node.ts', 'src/chain/']));

test('parts of a folder that its README does not list', () => {
  const rows = '|---|---|\n| `a.ts`, `b-*.ts` | one |\n| `inner/` | two |\n';
  const parts = ['a.ts', 'b-c.ts', 'd.ts', 'inner', 'outer'];
  assert.deepEqual(unlistedParts(`# x\n\n| file | contents |\n${rows}`, parts), ['d.ts', 'outer']);
  assert.deepEqual(unlistedParts(`| folder, file | holds |\n${rows}\nText of \`d.ts\`.`, parts), ['d.ts', 'outer']);
  assert.deepEqual(unlistedParts(`| folder | holds |\n${rows}`, parts), ['outer']);
  assert.deepEqual(unlistedParts(`| option | meaning |\n${rows}`, parts), [], 'no table of files');
});

const REFERENCES: readonly { readonly text: string; readonly sections: readonly string[] }[] = [
  { text: '@see docs/protocol/chain.md 4.5 */', sections: ['4.5'] },
  { text: '(docs/protocol/chain.md 7.1).', sections: ['7.1'] },
  { text: 'in the order of docs/protocol/chain.md 4.1, rows 5 to 11', sections: ['4.1'] },
  { text: 'docs/protocol/chain.md 2.1, 2.2', sections: ['2.1', '2.2'] },
  { text: 'docs/protocol/chain.md 4.11 and 5.5', sections: ['4.11', '5.5'] },
  { text: 'docs/protocol/chain.md 1 to 5.', sections: ['1', '5'] },
  { text: "docs/protocol/chain.md 6, m/0'/0'", sections: ['6'] },
  { text: 'docs/protocol/chain.md', sections: [] },
];
for (const { text, sections } of REFERENCES) {
  test(`reference: ${text}`, () => assert.deepEqual(referencesIn(text), [{ path: 'docs/protocol/chain.md', sections }]));
}

test('two documents in one reference', () => {
  assert.deepEqual(referencesIn('@see docs/protocol/wallet.md 3.4, docs/protocol/evm.md 2.4'), [
    { path: 'docs/protocol/wallet.md', sections: ['3.4'] },
    { path: 'docs/protocol/evm.md', sections: ['2.4'] },
  ]);
});

test('sections of neighbours', () => {
  assert.deepEqual(neighboursIn('As `evm.md` 3.2, [chain.md](chain.md) section 7 and docs/protocol/chain.md 9.'), [
    { path: 'evm.md', sections: ['3.2'] },
    { path: 'chain.md', sections: ['7'] },
  ]);
});
