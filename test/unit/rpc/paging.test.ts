import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCursor, parseCursor } from '../../../src/rpc/page-cursor.js';
import { compareParts } from '../../../src/rpc/page-list.js';
import { Paging } from '../../../src/rpc/paging.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const call = { dialect: 'document', wallet: undefined, signal: new AbortController().signal } as never;

type Answer = Readonly<Record<string, unknown>>;
/** Fields of a request that an operation reads. */
interface Request {
  readonly limit?: bigint;
  readonly start?: string;
  readonly includingStart?: boolean;
  readonly maxblockheight?: bigint;
}

/** A list as an operation returns it: all elements that are there now, or a range of them. */
interface List<T> {
  readonly name: string;
  readonly request: Answer;
  /** Identity of an element. */
  readonly idOf: (element: T) => string;
  readonly answer: (elements: readonly T[], request: Request) => object;
  readonly elementsOf: (answer: Answer) => readonly T[];
  readonly element: fc.Arbitrary<T>;
}

const limited = <T>(elements: readonly T[], { limit }: Request): readonly T[] => elements.slice(0, Number(limit ?? 100) || undefined);

/** An element for each place, read from a place on. */
const accounts: List<{ key: string }> = {
  name: 'listaccounts',
  request: {},
  idOf: ({ key }) => key,
  element: fc.nat(40).map((n) => ({ key: `${String(n).padStart(2, '0')}@0` })),
  answer: (elements, request) => {
    const sorted = [...elements].sort((a, b) => (a.key < b.key ? -1 : 1));
    const from = sorted.filter(
      ({ key }) => request.start === undefined || (request.includingStart ? key >= request.start : key > request.start),
    );
    return { balances: limited(from, request) };
  },
  elementsOf: ({ balances }) => balances as { key: string }[],
};

interface Line {
  readonly blockheight: number;
  readonly owner: string;
  readonly txn: number;
}

/** Several elements for a place, in an order of their own, from the newest on. */
const history: List<Line> = {
  name: 'listaccounthistory',
  request: { owner: { form: { $case: 'owner', value: 'x' } }, noRewards: true },
  idOf: ({ blockheight, owner, txn }) => `${blockheight} ${owner} ${txn}`,
  element: fc.record({ blockheight: fc.nat(4), owner: fc.constantFrom('a', 'b', 'c'), txn: fc.nat(12) }),
  answer: (elements, request) => {
    const ranks = new Map(elements.map((each) => [each, (each.txn * 7 + each.owner.charCodeAt(0)) % 11]));
    const sorted = [...elements].sort((a, b) => b.blockheight - a.blockheight || (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
    return {
      records: limited(
        sorted.filter(({ blockheight }) => blockheight <= Number(request.maxblockheight ?? 1e9)),
        request,
      ),
    };
  },
  elementsOf: ({ records }) => records as Line[],
};

/** No order, and no range. */
const outputs: List<{ txid: string; vout: number }> = {
  name: 'listlockunspent',
  request: {},
  idOf: ({ txid, vout }) => `${txid} ${vout}`,
  element: fc.record({ txid: fc.constantFrom('aa', '0b', '11', '2'), vout: fc.nat(12) }),
  answer: (elements) => ({ outputs: elements }),
  elementsOf: ({ outputs: found }) => found as { txid: string; vout: number }[],
};

/** Entries of a map behind a oneof. */
const mempool: List<[string, object]> = {
  name: 'getrawmempool',
  request: { verbose: true },
  idOf: ([txid]) => txid,
  element: fc.nat(60).map((n) => [`t${n}`, { fee: n }]),
  answer: (elements) => ({ transactions: { $case: 'entries', value: { entries: Object.fromEntries(elements) } } }),
  elementsOf: ({ transactions }) => Object.entries((transactions as { value: { entries: object } }).value.entries),
};

function pagingOf(name: string): Paging {
  const op = catalogue.byName(name);
  assert.ok(op);
  return new Paging(op);
}

interface Step {
  readonly limit: number;
  readonly add: readonly unknown[];
  readonly remove: readonly number[];
}

const steps = (element: fc.Arbitrary<unknown>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 9 }),
      add: fc.array(element, { maxLength: 3 }),
      remove: fc.array(fc.nat(), { maxLength: 3 }),
    }),
  );

function testPages<T>(list: List<T>): void {
  test(`${list.name}: pages have each element that stays exactly once, whatever comes and goes between them`, async () => {
    const paging = pagingOf(list.name);
    const distinct = fc.uniqueArray(list.element, { selector: list.idOf, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(distinct, steps(list.element), async (before, changes) => {
        let present: readonly T[] = before;
        const stayed = new Map(before.map((each) => [list.idOf(each), each]));
        const seen: string[] = [];
        let page = '';
        for (let i = 0; i === 0 || page !== ''; i++) {
          assert.ok(i < 200, 'the pages end');
          const { limit, add, remove } = changes[i] ?? { limit: 4, add: [], remove: [] };
          const answer = (await paging.answer({ ...list.request, limit, page }, call, (request: Request) =>
            list.answer(present, request),
          )) as Answer;
          const found = list.elementsOf(answer).map(list.idOf);
          assert.ok(found.length <= limit);
          seen.push(...found);
          page = String(answer.next);
          const gone = new Set(
            remove
              .map((at) => present[at % present.length])
              .filter((each) => each !== undefined)
              .map(list.idOf),
          );
          for (const id of gone) stayed.delete(id);
          const known = new Set(present.map(list.idOf));
          const added = (add as T[]).filter((each) => !known.has(list.idOf(each)) && known.add(list.idOf(each)));
          present = [...present.filter((each) => !gone.has(list.idOf(each))), ...added];
        }
        for (const id of stayed.keys()) assert.equal(seen.filter((each) => each === id).length, 1, id);
        if (changes.length === 0) assert.equal(seen.length, before.length);
      }),
    );
  });
}

testPages(accounts);
testPages(history);
testPages(outputs);
testPages(mempool);

test('elements without an identity of their own are counted', async () => {
  const values = Array.from({ length: 7 }, (_, i) => ({ owner: i < 5 ? 'same' : 'z', amount: 1n }));
  const seen: unknown[] = [];
  for (let page = '', i = 0; i === 0 || page !== ''; i++) {
    const answer = (await pagingOf('listpendingdusdswaps').answer({ page, limit: 2 }, call, () => ({ swaps: values }))) as Answer;
    seen.push(...(answer.swaps as unknown[]));
    page = String(answer.next);
  }
  assert.deepEqual(seen, values);
});

test('a history of all owners with rewards is read whole, because they are repeated where the owner changes', async () => {
  const limits: unknown[] = [];
  for (const [value, noRewards, more] of [
    ['x', true],
    ['x', false],
    ['x', false, { maxblockheight: 5n }],
    ['all', true],
    ['all', false],
    ['all', undefined],
  ] as const) {
    const owner = { form: { $case: 'owner', value } };
    const read = ({ limit }: Request): object => {
      limits.push(limit);
      return { records: [] };
    };
    await pagingOf('listaccounthistory').answer({ owner, noRewards, ...more, page: '', limit: 5n }, call, (request) =>
      read(request as Request),
    );
  }
  const whole = 0x7fff_ffffn;
  assert.deepEqual(limits, [6n, 6n, whole, 6n, whole, whole]);
});

test('a page ends before 3 MiB, but has at least one element', async () => {
  const contracts = [0, 1, 2, 3].map((i) => ({ name: `c${i}`, call: 'x'.repeat(i === 3 ? 4_000_000 : 1_200_000) }));
  const sizes: number[] = [];
  for (let page = '', i = 0; i === 0 || page !== ''; i++) {
    const answer = (await pagingOf('listsmartcontracts').answer({ page }, call, () => ({ contracts }))) as Answer;
    sizes.push((answer.contracts as unknown[]).length);
    page = String(answer.next);
  }
  assert.deepEqual(sizes, [2, 1, 1]);
});

test('a cursor is refused unless a node made it for the same call', async () => {
  const cursor = formatCursor('listtokens  []', { key: ['12'], count: 1 });
  assert.deepEqual(parseCursor('listtokens  []', cursor), { key: ['12'], count: 1 });
  assert.throws(() => parseCursor('listtokens  [true]', cursor), /page: is a cursor of another call/);
  for (const text of ['x', `${cursor}A`, cursor.slice(1), cursor.toUpperCase(), ' ', 'é'.repeat(9_000), 'A'.repeat(40)]) {
    assert.throws(() => parseCursor('listtokens  []', text), /page: is not a cursor/);
  }
  fc.assert(
    fc.property(fc.nat(), fc.nat(255), (at, byte) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes[at % bytes.length] === byte) return;
      bytes[at % bytes.length] = byte;
      assert.throws(() => parseCursor('listtokens  []', bytes.toString('base64url')), /page: /);
    }),
  );
});

test('parts of keys have one order', () => {
  const part = fc.oneof(fc.nat().map(String), fc.string({ maxLength: 3 }), fc.constantFrom('007', '', '1a'));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const sorted = [...parts].sort(compareParts);
      for (const [i, a] of sorted.entries()) for (const b of sorted.slice(i + 1)) assert.ok(compareParts(a, b) <= 0);
    }),
  );
  assert.ok(compareParts('9', '10') < 0);
});

/** Operations whose answer is a list that no chain, wallet or network makes long. */
const SHORT = new Set(
  'verifytxoutproof scantxoutset getgov listgovs getzmqnotifications logging deriveaddresses getnodeaddresses gettoken getmasternode getpoolpair votegovbatch testmempoolaccept importmulti estimateloan estimatecollateral echo echojson spv_getpeers'.split(
    ' ',
  ),
);

test('every operation that answers with a list has pages, and declares fields that exist', () => {
  for (const op of catalogue.operations) {
    const [field] = op.output.fields;
    const isList =
      op.options.isInline(op.output) && op.output.oneofs.length === 0 && (field?.fieldKind === 'list' || field?.fieldKind === 'map');
    // A command answers with what it did.
    if (isList && op.descriptor.isFreeOfEffects) assert.equal(op.pages, !SHORT.has(op.name), op.name);
    if (!op.pages) continue;
    assert.doesNotThrow(() => new Paging(op));
    const { page } = Object.fromEntries(op.params.map((param) => [param.name, param]));
    assert.ok(page, op.name);
    assert.ok(
      op.output.fields.some(({ name }) => name === 'next'),
      op.name,
    );
  }
});
