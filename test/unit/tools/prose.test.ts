import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentsOf, findingsIn, titlesOf } from '../../tools/prose.js';

const SOURCE = `/** One line. */
const a = '/** no comment */';
/**
 * Two
 * lines.
 * @returns the rest
 * @throws {RangeError} if negative
 */
function f() {
  // A remark
  // of two lines.
  const url = 'https://example.org'; // Trailing.
  // biome-ignore lint/style/x: a directive is no prose
}
`;

test('comments of a source, with their lines', () => {
  assert.deepEqual(commentsOf(SOURCE), [
    { line: 1, text: 'One line.' },
    { line: 3, text: 'Two lines.\n@returns the rest\n@throws {RangeError} if negative' },
    { line: 10, text: 'A remark of two lines.' },
    { line: 12, text: 'Trailing.' },
  ]);
});

test('titles of tests, with their lines and without inserted values', () => {
  const source = [
    "test('one', () => {});",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program.
    'for (const n of list) test(`two ${n}`, run);',
    "  await t.test('three', run);",
    "test(\n  'four',\n  run);",
  ];
  assert.deepEqual(titlesOf(source.join('\n')), [
    { line: 1, text: 'one' },
    { line: 2, text: 'two ' },
    { line: 3, text: 'three' },
    { line: 4, text: 'four' },
  ]);
});

const found = (text: string) => findingsIn({ line: 1, text }).map((finding) => `${finding.kind} ${finding.found}`);

const OPENINGS: readonly (readonly [text: string, opening: string])[] = [
  ['What a rule may know of the block.', 'What'],
  ['Who signs.', 'Who'],
  ['Whose output it is.', 'Whose'],
  ['Whether the peer is known.', 'Whether'],
  ['Where the file is stored.', 'Where'],
  ['How the node is started.', 'How'],
  ['Which blocks are stored.', 'Which'],
  ['Why it was refused.', 'Why'],
  ['So many are sorted in a slice.', 'So many'],
  ['Names.\n@returns what is left', 'what'],
  ['Adds.\n@param fee what is paid', 'what'],
  ['Names.\n@throws {RangeError} where there is none', 'where'],
];
for (const [text, opening] of OPENINGS) test(`comment opens with ${opening}`, () => assert.deepEqual(found(text), [`opening ${opening}`]));

test('a relative clause behind a noun is no finding', () => {
  assert.deepEqual(found('Peers who announced the block, whose address is known, where it came from, and what they sent.'), []);
  assert.deepEqual(found('However long it takes.'), []);
  assert.deepEqual(found('Logs.\n@param what the step'), []);
});

test('a word in another sense is no finding', () => {
  assert.deepEqual(found('A sign that tells two forms apart; they can be told apart.'), []);
  assert.deepEqual(found('The character stands for itself, and all calls run at once.'), []);
});

const WORDS: readonly (readonly [text: string, word: string])[] = [
  ['The file is written anew.', 'anew'],
  ['Data left by a kill.', 'a kill'],
  ['A bad name is gone past.', 'gone past'],
  ['The caller is told.', 'told'],
  ['It tells whether the block is known.', 'tells'],
  ['A peer hears of it.', 'hears'],
  ['The copy beside the file.', 'beside'],
  ['Work goes on.', 'goes on'],
  ['The chain stands still.', 'stands'],
  ['Somebody asked.', 'Somebody'],
  ['Bytes as they lie on disk.', 'lie'],
  ['It is refused at once.', 'refused at once'],
  ['A disk in trouble.', 'trouble'],
  ['Coins set aside.', 'aside'],
  ['Whoever sent it, pays.', 'Whoever'],
  ['The owner shows itself.', 'shows itself'],
  ['Settles the rewards.', 'Settles'],
  ['As the reference does.', 'the reference'],
];
for (const [text, word] of WORDS)
  test(`word to replace: ${word}`, () => assert.ok(found(text).includes(`word ${word}`), found(text).join()));

test('code and quotations are no prose', () => assert.deepEqual(found('Calls `settle` with "anew".'), []));
