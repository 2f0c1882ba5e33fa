import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeAccount } from '../../../src/evm/state/commit.js';
import { EMPTY_ROOT, Trie, TrieCache, type TrieNodes } from '../../../src/evm/state/trie.js';
import { wordBytes } from '../../../src/evm/words.js';
import { toHex } from '../../../src/util/bytes.js';
import { MemoryNodes } from './memory-state.js';

const account = encodeAccount({ nonce: 1n, balance: 10n ** 18n, storageRoot: EMPTY_ROOT, codeHash: new Uint8Array(32) });

function rootOf(entries: Iterable<readonly [string, Uint8Array]>, nodes = new MemoryNodes()): string {
  const trie = new Trie(nodes);
  for (const [key, value] of entries) trie.set(key, value);
  return toHex(trie.commit());
}

function slots(...values: readonly (readonly [number, number])[]): [string, Uint8Array][] {
  return values.map(([slot, value]) => [toHex(wordBytes(BigInt(slot))), wordBytes(BigInt(value))]);
}

describe('roots of docs/protocol/evm-engine.md 4.5', () => {
  const cases: { readonly name: string; readonly entries: [string, Uint8Array][]; readonly root: string }[] = [
    { name: 'empty', entries: [], root: 'bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a' },
    { name: 'slot 0 = 1', entries: slots([0, 1]), root: '512ba1b15ad3411d0410ddec0845c93a4ea8298cdb8276638cc03452361ffcbe' },
    { name: 'a stored zero', entries: slots([0, 0]), root: '7907aee8e45412dc4e5185ad5268a663d90dd87bffade8b98329d7aaf27cf7aa' },
    {
      name: 'slots 0, 1, 2',
      entries: slots([0, 1], [1, 2], [2, 3]),
      root: '1f00aad1d8c671d5372ca17b18d26bb4d28d844ddb4e46b1d6e34b432da340a0',
    },
    {
      name: 'slots 0 to 31',
      entries: slots(...Array.from({ length: 32 }, (_, i) => [i, i] as const)),
      root: '907eca5ea8ae536645939e3a8453c0728b4c7dc17c732efb5655bb3a19da9461',
    },
    {
      name: 'one account',
      entries: [['11'.repeat(20), account]],
      root: '01b18adca9de4231743951f2eee59df6edad3e27991b52a1de8e881edeb47673',
    },
    {
      name: 'two accounts that share 39 nibbles',
      entries: [
        ['11'.repeat(20), account],
        [`${'11'.repeat(19)}12`, account],
      ],
      root: 'ff6cac82a7cbd8e6042e52a07c1c76c356b744f9e17909e71c0ed25943f55d3d',
    },
  ];
  for (const { name, entries, root } of cases) test(name, () => assert.equal(rootOf(entries), root));
});

describe('changes in several commits', () => {
  // Keys of few different nibbles, so that they share prefixes.
  const key = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 }).map((digits) => digits.join(''));
  const change = fc.tuple(key, fc.option(fc.uint8Array({ minLength: 32, maxLength: 80 })));
  const commits = fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 8 });

  test('the root and the stored nodes are those of a trie that was built at once', () => {
    fc.assert(
      fc.property(commits, (rounds) => {
        const nodes = new MemoryNodes();
        const expected = new Map<string, Uint8Array>();
        for (const round of rounds) {
          const trie = new Trie(nodes);
          for (const [at, value] of round) {
            if (value === null) {
              trie.delete(at);
              expected.delete(at);
            } else {
              trie.set(at, value);
              expected.set(at, value);
            }
          }
          const fresh = new MemoryNodes();
          assert.equal(toHex(trie.commit()), rootOf(expected, fresh));
          assert.deepEqual(new Map([...nodes.nodes].sort()), new Map([...fresh.nodes].sort()));
        }
      }),
    );
  });

  type Round = {
    readonly kind: 'kept' | 'dropped' | 'undone';
    readonly changes: readonly (readonly [string, Uint8Array | null])[];
    /** Changes of the round before, as of a block that is tried and then connected, or other values of its keys. */
    readonly repeats: 'nothing' | 'changes' | 'keys';
  };
  const round = fc.record<Round>({
    kind: fc.constantFrom('kept', 'kept', 'dropped', 'undone'),
    changes: fc.array(change, { maxLength: 12 }),
    repeats: fc.constantFrom('nothing', 'changes', 'keys'),
  });

  /** Nodes of a trie with its cache. */
  const cachedNodes = (map: Map<string, Uint8Array>, cache: TrieCache): TrieNodes => ({
    cache,
    get: (position) => map.get(position),
    put: (position, node) => map.set(position, node),
    delete: (position) => map.delete(position),
  });

  test('a cache changes no root and no node: blocks are kept, only tried, tried again, or disconnected', () => {
    fc.assert(
      fc.property(fc.array(round, { maxLength: 16 }), (rounds) => {
        const cache = new TrieCache();
        const history = [new Map<string, Uint8Array>()];
        let changes: Round['changes'] = [];
        for (const { kind, repeats, ...round } of rounds) {
          if (repeats === 'nothing') changes = round.changes;
          if (repeats === 'keys') changes = changes.map(([at, value]) => [at, value?.map((byte) => byte ^ 1) ?? null]);
          if (kind === 'undone' && history.length > 1) history.pop();
          const plain = new Map(history.at(-1));
          const nodes = new Map(plain);
          const [trie, expected] = [new Trie(cachedNodes(nodes, cache)), new Trie(cachedNodes(plain, new TrieCache()))];
          for (const [at, value] of changes) {
            for (const each of [trie, expected]) value === null ? each.delete(at) : each.set(at, value);
          }
          assert.equal(toHex(trie.commit()), toHex(expected.commit()));
          assert.deepEqual([...nodes].sort(), [...plain].sort());
          if (kind === 'kept') history.push(nodes);
        }
      }),
    );
  });

  const long = fc.uint8Array({ minLength: 33, maxLength: 80 });
  const rounds = fc.array(fc.tuple(fc.array(fc.tuple(key, fc.option(long)), { maxLength: 8 }), long, long), { maxLength: 8 });

  test('the root with another value of a key is that of a trie with it, and nothing is stored', () => {
    fc.assert(
      fc.property(key, long, rounds, fc.boolean(), (own, first, rounds, isCached) => {
        const nodes = new Map<string, Uint8Array>();
        const cache = new TrieCache();
        const expected = new Map([[own, first]]);
        for (const [changes, ...values] of [[[[own, first]], first, first] as (typeof rounds)[number], ...rounds]) {
          const trie = new Trie(cachedNodes(nodes, isCached ? cache : new TrieCache()));
          for (const [at, value] of changes) {
            if (value === null && at === own) continue;
            if (value === null) {
              trie.delete(at);
              expected.delete(at);
            } else {
              trie.set(at, value);
              expected.set(at, value);
            }
          }
          trie.commit();
          const stored = new Map(nodes);
          for (const value of values) assert.equal(toHex(trie.rootWith(own, value)), rootOf([...expected, [own, value]]));
          assert.deepEqual(nodes, stored);
        }
      }),
    );
  });

  test('a key that is not in the trie has no other value', () => {
    const nodes = new MemoryNodes();
    rootOf(
      [
        ['001100', account],
        ['001122', account],
      ],
      nodes,
    );
    for (const absent of ['001101', '001110', '101100']) assert.throws(() => new Trie(nodes).rootWith(absent, account), /no value at/);
    assert.throws(() => new Trie(new MemoryNodes()).rootWith('001100', account), /no value at/);
  });
});
