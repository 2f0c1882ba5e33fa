import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import type { Event, EventFilter } from '../../gen/ts/dfi/events/v1/events.js';
import type { Chain } from '../../src/chain/chain.js';
import { poolHoldings } from '../../src/dfi/pools/columns.js';
import { EventJournal } from '../../src/events/journal.js';
import { PassingEvents } from '../../src/events/passing.js';
import { readFilter } from '../../src/services/events/filter.js';
import { EventLog } from '../../src/services/events/log.js';
import type { EventsModules } from '../../src/services/events/modules.js';
import { EventReader } from '../../src/services/events/reader.js';
import { COMPANIONS, OBSERVED_COLUMNS } from '../../src/services/events/sources.js';
import { StreamTable } from '../../src/services/events/stream-table.js';
import { fromHex } from '../../src/util/bytes.js';
import { NodeError } from '../../src/util/errors.js';
import { EVENT_KINDS } from '../../src/util/event-kinds.js';
import { balancesOf, numbers } from '../event-numbers.js';
import { readRecording, recordings } from '../shared.js';
import { emptyChain } from './recorded-chain.js';

const { signal } = new AbortController();

/** A client that keeps balances and pools by events alone, and forgets its reader now and then. */
class Client {
  readonly balances = new Map<string, bigint>();
  readonly pools = new Map<number, string>();
  readonly cursors = new Set<string>();
  tip: string | undefined;
  #cursor: string;

  constructor(
    private readonly modules: EventsModules,
    private readonly limit: number,
  ) {
    this.#cursor = this.#reader('').cursor;
  }

  #reader(cursor: string): EventReader {
    return new EventReader(
      this.modules,
      readFilter(undefined, this.modules.chain, () => true),
      cursor,
    );
  }

  /** Reads some batches, each by a new reader that knows the cursor only. */
  async read(batches: number): Promise<void> {
    for (let i = 0; i < batches; i++) {
      const events = await this.#reader(this.#cursor).read(this.limit, signal);
      for (const event of events) this.#apply(event);
      if (events.length === 0) return;
    }
  }

  #apply(event: Event): void {
    assert.ok(!this.cursors.has(event.cursor), 'an event came twice');
    this.cursors.add(event.cursor);
    this.#cursor = event.cursor;
    const { block, balance, pool } = event;
    if (block) this.tip = event.undone ? block.previousblockhash : event.blockhash;
    if (balance) {
      const key = `${balance.owner} ${balance.tokenId}`;
      assert.equal(this.balances.get(key) ?? 0n, balance.before, key);
      if (balance.after === 0n) this.balances.delete(key);
      else this.balances.set(key, balance.after);
    }
    if (pool) this.pools.set(pool.poolId, `${pool.after?.reserveA} ${pool.after?.reserveB}`);
  }
}

/** Members of an event that filters compare, of those that its message names. */
function named({ balance, swap, price, oracle, vault, pool, auction }: Event) {
  const [state, before] = [vault?.after, vault?.before];
  return {
    owners: [balance?.owner, swap?.from, swap?.to, state?.owner, before?.owner, auction?.bidder],
    tokens: [balance?.token, swap?.soldToken, swap?.boughtToken, price?.token, oracle?.token],
    pools: [pool?.poolId],
    vaults: [vault?.vaultId, auction?.vaultId],
  };
}

/** Compares what filters pass with the whole stream, for values that occur in it. */
async function checkFilters(modules: EventsModules, start: string): Promise<void> {
  const read = async (filter: Partial<EventFilter>): Promise<readonly Event[]> => {
    const test = readFilter({ ...NO_FILTER, ...filter }, modules.chain, () => true);
    return new EventReader(modules, test, start).read(1_000_000, signal);
  };
  const all = await read({});
  const cursors = (events: readonly Event[]): string[] => events.map(({ cursor }) => cursor);
  for (const kind of EVENT_KINDS) {
    const member = kind === 'evm_log' ? 'evmLog' : kind;
    assert.deepEqual(cursors(await read({ kinds: [kind] })), cursors(all.filter((event) => event[member] !== undefined)), kind);
  }
  for (const limit of ['owners', 'tokens', 'pools', 'vaults'] as const) {
    const values = new Set(all.flatMap((event) => named(event)[limit] as unknown[]).filter((value) => value !== undefined && value !== ''));
    for (const value of [...values].slice(0, 5)) {
      const passed = new Set(cursors(await read({ [limit]: [value] })));
      const naming = all.filter((event) => event.block || (named(event)[limit] as unknown[]).includes(value));
      for (const { cursor } of naming) assert.ok(passed.has(cursor), `${limit} ${value}`);
      // Collateral and loans concern the owner of the vault and their tokens, which is read from their amounts or not at all.
      const other = all.filter(({ cursor, vault, auction }) => passed.has(cursor) && !vault && !auction);
      assert.deepEqual(cursors(other), cursors(naming.filter(({ vault, auction }) => !vault && !auction)), `${limit} ${value}`);
    }
  }
}

function modulesOf(chain: Chain): EventsModules {
  const parts = { passing: new PassingEvents(), log: new EventLog(chain), streams: new StreamTable() };
  return { chain, ...parts, keepsEvents: true, mayCall: () => true };
}

const NO_FILTER: EventFilter = { kinds: [], owners: [], tokens: [], pools: [], vaults: [], wallets: [] };

const paths = [...recordings('finance'), ...recordings('state')];

for (const name of ['feature_poolpair_liquidity', 'feature_loan', 'feature_futures']) {
  const path = paths.find((each) => basename(each, '.jsonl.gz') === name);
  test(`${name}: clients that come and go know the balances and pools of the node, through reorganisations`, { skip: !path }, async () => {
    const recording = readRecording(path as string);
    const { chain, clock } = emptyChain(recording, new EventJournal(10_000, OBSERVED_COLUMNS, COMPANIONS));
    const modules = modulesOf(chain);
    const start = new EventReader(modules, () => true, '').cursor;
    const clients = [1, 7, 100].map((limit) => new Client(modules, limit));
    const random = numbers(7);
    let undone = 0;
    for (const step of recording.steps) {
      if (!('hex' in step) || step.block > 450) continue;
      clock.set(step.time);
      chain.submitBlock(fromHex(step.hex));
      if (random() < 0.05 && chain.tip.height > 3) {
        const depth = 1 + Math.floor(random() * 3);
        const from = chain.entryAt(chain.tip.height - depth + 1);
        if (from) chain.invalidate(from);
        undone += depth;
        if (random() < 0.5) await clients[1]?.read(20);
        if (from) chain.reconsider(from);
      }
      for (const client of clients) if (random() < 0.2) await client.read(Math.ceil(random() * 30));
    }
    assert.ok(undone > 5, 'no block was disconnected');
    const expected = balancesOf(chain);
    assert.ok(expected.size > 2);
    for (const client of clients) {
      await client.read(Number.POSITIVE_INFINITY);
      assert.deepEqual(client.balances, expected);
      assert.equal(client.tip, Buffer.from(chain.tip.hash).reverse().toString('hex'));
      for (const [id, { reserveA, reserveB }] of chain.state.entries(poolHoldings))
        assert.equal(client.pools.get(id), `${reserveA} ${reserveB}`);
    }
    assert.deepEqual(clients[0]?.cursors, clients[2]?.cursors, 'all readers give events the same places');
    await checkFilters(modules, start);
  });
}

test('a client that was away for longer than events are kept is refused', { skip: paths.length === 0 }, async () => {
  const recording = readRecording(paths[0] as string);
  const { chain, clock } = emptyChain(recording, new EventJournal(5, OBSERVED_COLUMNS));
  const modules = modulesOf(chain);
  const steps = recording.steps.filter((step) => 'hex' in step).slice(0, 20);
  let old = '';
  for (const [i, step] of steps.entries()) {
    if (!('hex' in step)) continue;
    clock.set(step.time);
    chain.submitBlock(fromHex(step.hex));
    if (i === 4) old = new EventReader(modules, () => true, '').cursor;
  }
  assert.throws(
    () => new EventReader(modules, () => true, old),
    (error) => error instanceof NodeError && error.kind === 'out-of-range',
  );
  assert.throws(
    () => new EventReader(modules, () => true, 'nonsense'),
    (error) => error instanceof NodeError && error.kind === 'invalid-parameter',
  );
});

test('events of wallets and peers need the rights of the operations that show them', { skip: paths.length === 0 }, async () => {
  const recording = readRecording(paths[0] as string);
  const { chain } = emptyChain(recording, new EventJournal(5, OBSERVED_COLUMNS));
  const modules = modulesOf(chain);
  const { passing } = modules;
  const start = new EventReader(modules, () => true, '').cursor;
  const txid = new Uint8Array(32);
  passing.add(0, { kind: 'wallet', wallet: 'a', txid, status: 'confirmed', block: { hash: txid, height: 7 } });
  passing.add(0, { kind: 'wallet', wallet: 'b', txid, status: 'abandoned', block: undefined });
  passing.add(0, { kind: 'node', state: 'peer_connected', peer: { id: 1, address: '127.0.0.1:1', inbound: true } });
  passing.add(0, { kind: 'node', state: 'warning', text: 'disk' });
  passing.add(0, { kind: 'node', state: 'progress', work: { work: 'rescanning blocks', wallet: 'b', percent: 5, isOver: false } });
  passing.add(0, { kind: 'node', state: 'progress', work: { work: 'pruning blocks', percent: 100, isOver: true } });
  const read = async (filter: Partial<EventFilter>, allowed: readonly string[]): Promise<unknown[]> => {
    const test = readFilter({ ...NO_FILTER, ...filter }, chain, (name) => allowed.includes(name));
    const events = await new EventReader(modules, test, start).read(10, signal);
    return events.map(({ wallet, node }) => wallet?.wallet ?? node?.work ?? node?.state);
  };
  const [rescan, pruning] = ['rescanning blocks', 'pruning blocks'];
  assert.deepEqual(await read({}, ['gettransaction', 'getpeerinfo']), ['a', 'b', 'peer_connected', 'warning', pruning]);
  assert.deepEqual(await read({}, ['getpeerinfo', 'getwalletinfo']), ['peer_connected', 'warning', rescan, pruning]);
  assert.deepEqual(await read({}, ['gettransaction']), ['a', 'b', 'warning', pruning]);
  assert.deepEqual(await read({ wallets: ['b'] }, ['gettransaction', 'getpeerinfo', 'getwalletinfo']), ['b', rescan]);
  assert.deepEqual(await read({ kinds: ['node'] }, ['gettransaction', 'getpeerinfo']), ['peer_connected', 'warning', pruning]);
});
