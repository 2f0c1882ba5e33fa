import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { alarmColumns, alarmProgress } from '../../../../src/dfi/auctions/alarm-columns.js';
import { alarmedVaults } from '../../../../src/dfi/auctions/alarms.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { DefiExecution } from '../../../../src/dfi/execution/block.js';
import { ignoreRejection, isRejection } from '../../../../src/dfi/kernel/rejected.js';
import { addLoan, loansOf, subLoan } from '../../../../src/dfi/loans/columns.js';
import { decreaseInterest, increaseInterest } from '../../../../src/dfi/loans/interest.js';
import { loanSchemes } from '../../../../src/dfi/loans/scheme-columns.js';
import { fixedPrices } from '../../../../src/dfi/oracles/fixed-prices.js';
import {
  addCollateral,
  collateralOf,
  deleteVault,
  getVault,
  putVault,
  subCollateral,
  vaultCollaterals,
} from '../../../../src/dfi/vaults/columns.js';
import { encodeText } from '../../../../src/primitives/codec.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { RawChange, UndoLog } from '../../../../src/storage/view.js';
import { toHex } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { GRAND_CENTRAL, heights, script } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, TSLA } from '../loan-fixture.js';

const params = heights(GRAND_CENTRAL);
const FIRST_HEIGHT = 1_000;
const SYMBOLS = ['DFI', 'DUSD', 'TSLA'] as const;
const SCHEMES = ['LOAN150', 'LOAN200'] as const;
const VAULTS = 8;

function vaultIdOf(n: number): Uint8Array {
  return Buffer.alloc(32, (n * 37) % 251);
}

/** Change of a block, drawn at random. */
type Change =
  | { readonly kind: 'price'; readonly token: number; readonly thousandths: number; readonly live: boolean }
  | { readonly kind: 'factor'; readonly percent: number }
  | { readonly kind: 'scheme'; readonly scheme: number; readonly ratio: number }
  | { readonly kind: 'open'; readonly vault: number; readonly scheme: number; readonly assets: number }
  | { readonly kind: 'close'; readonly vault: number }
  | { readonly kind: 'deposit' | 'withdraw' | 'borrow' | 'repay'; readonly vault: number; readonly token: number; readonly amount: number }
  | { readonly kind: 'interest'; readonly token: number; readonly percent: number };

const vault = fc.nat({ max: VAULTS - 1 });
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      token: fc.nat({ max: 2 }),
      thousandths: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 700, max: 1_400 }) }, fc.constantFrom(1, 100, 10_000, 100_000_000)),
      live: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  },
  fc.record({ kind: fc.constant('factor' as const), percent: fc.constantFrom(0, 50, 100, 120, 20_000) }),
  fc.record({ kind: fc.constant('scheme' as const), scheme: fc.nat({ max: 1 }), ratio: fc.integer({ min: 100, max: 400 }) }),
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      vault,
      scheme: fc.nat({ max: 1 }),
      assets: fc.integer({ min: 3, max: 90 }),
    }),
  },
  fc.record({ kind: fc.constant('close' as const), vault }),
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom('deposit' as const, 'deposit' as const, 'withdraw' as const, 'borrow' as const, 'repay' as const),
      vault,
      token: fc.nat({ max: 2 }),
      amount: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 1_000_000_000 })),
    }),
  },
  fc.record({
    kind: fc.constant('interest' as const),
    token: fc.integer({ min: 1, max: 2 }),
    percent: fc.constantFrom(-20, 0, 5, 100_000_000),
  }),
);

/** Blocks of changes; a number disconnects as many blocks. */
const blocks = fc.array(fc.oneof({ weight: 8, arbitrary: fc.array(change, { maxLength: 6 }) }, fc.integer({ min: 1, max: 3 })), {
  minLength: 10,
  maxLength: 40,
});

function start(): MemoryStore {
  const store = new MemoryStore();
  const fixture = new LoanFixture(params);
  fixture.collateralToken(TSLA, COIN);
  store.write(fixture.view.changes());
  return store;
}

function apply(view: Overlay, height: number, change: Change): void {
  const context = { view, height, params };
  switch (change.kind) {
    case 'price': {
      const pair = { token: SYMBOLS[change.token] as string, currency: 'USD' };
      const before = view.get(fixedPrices, pair)?.active ?? COIN;
      const active = (before * BigInt(change.thousandths)) / 1_000n || 1n;
      const limited = active > COIN * 1_000_000n ? COIN : active;
      view.put(fixedPrices, pair, { timestamp: 0n, active: limited, next: change.live ? limited : limited * 2n });
      return;
    }
    case 'factor':
      view.put(attributes, attributeAt(`v0/token/${DFI}/loan_collateral_factor`), {
        kind: 'amount',
        value: (BigInt(change.percent) * COIN) / 100n,
      });
      return;
    case 'scheme':
      view.put(loanSchemes, SCHEMES[change.scheme] as string, { ratio: change.ratio, rate: COIN });
      return;
    case 'interest':
      view.put(attributes, attributeAt(`v0/token/${change.token}/loan_minting_interest`), {
        kind: 'amount',
        value: BigInt(change.percent) * COIN,
      });
      return;
    case 'open': {
      const vaultId = vaultIdOf(change.vault);
      if (getVault(view, vaultId)) return;
      putVault(view, vaultId, { owner: script(1), scheme: SCHEMES[change.scheme] as string, isUnderLiquidation: false });
      addCollateral(context, vaultId, { tokenId: DFI, amount: 100n * COIN });
      if (change.assets % 2) addCollateral(context, vaultId, { tokenId: DUSD, amount: 50n * COIN });
      for (const tokenId of change.assets % 3 ? [TSLA] : [DUSD, TSLA]) {
        move(context, { kind: 'borrow', vault: change.vault, token: tokenId, amount: change.assets * 33_000_000 });
      }
      return;
    }
    case 'close':
      if (!loansOf(view, vaultIdOf(change.vault)) && !getVault(view, vaultIdOf(change.vault))?.isUnderLiquidation) {
        deleteVault(view, vaultIdOf(change.vault));
      }
      return;
    default:
      ignoreRejection(() => move(context, change), isRejection);
  }
}

function move(
  context: { readonly view: Overlay; readonly height: number; readonly params: typeof params },
  { kind, vault: n, token: tokenId, amount: given }: Extract<Change, { readonly amount: number }>,
): void {
  const { view } = context;
  const vaultId = vaultIdOf(n);
  const stored = getVault(view, vaultId);
  const amount = { tokenId, amount: BigInt(given) };
  if (!stored || stored.isUnderLiquidation) return;
  const { scheme } = stored;
  if (kind === 'deposit') addCollateral(context, vaultId, { ...amount, amount: amount.amount * 3n });
  if (kind === 'withdraw') subCollateral(context, vaultId, amount);
  if (kind === 'borrow' && collateralOf(view, vaultId)) {
    addLoan(view, vaultId, amount);
    increaseInterest(context, { vaultId, tokenId }, { scheme, added: amount.amount });
  }
  if (kind === 'repay') {
    subLoan(context, vaultId, amount);
    decreaseInterest(context, { vaultId, tokenId }, { scheme, loan: amount.amount, interest: 0n });
  }
}

const isAlarm = new Set(alarmColumns.map(({ name }) => name));

function withoutAlarms(changes: readonly RawChange[]): string[] {
  return changes
    .filter(({ column }) => !isAlarm.has(column))
    .map(({ column, key, value }) => `${column} ${toHex(key)} ${value ? toHex(value) : '-'}`)
    .sort();
}

/** The end of a block: liquidations and auctions among the events. */
function finish(view: Overlay, height: number): void {
  const time = 1_700_000_000 + height;
  const block = { ...params.genesis, hash: Buffer.alloc(32, height), transactions: [] };
  new DefiExecution(block, { view, height, time, params, coin: () => undefined, blockTime: () => 0 }, { keepsHistory: true }).finish();
}

/** All rows of the state as text. */
function digest(store: MemoryStore): string {
  return dfiColumns
    .flatMap((column) =>
      [...store.entries(column)].map(([key, value]) => column.name + encodeText(column.key, key) + encodeText(column.value, value)),
    )
    .join('\n');
}

test('vaults found by alarms are liquidated like those found by checking all', () => {
  let spared = 0;
  let liquidated = 0;
  const run = (steps: readonly (readonly Change[] | number)[]) => {
    const store = start();
    const undo: { readonly log: UndoLog; readonly before: string }[] = [];
    for (const step of steps) {
      if (typeof step === 'number') {
        for (let left = Math.min(step, undo.length); left > 0; left--) {
          const { log, before } = undo.pop() as (typeof undo)[number];
          store.write(log);
          assert.equal(digest(store), before);
        }
        continue;
      }
      const height = FIRST_HEIGHT + undo.length;
      const [watched, walked] = [new Overlay(store), new Overlay(store)];
      for (const each of step) for (const view of [watched, walked]) apply(view, height, each);
      const alarmed = alarmedVaults({ view: watched, height, params });
      if (alarmed) spared += [...watched.entries(vaultCollaterals)].length - alarmed.length;
      walked.delete(alarmProgress, 0);
      finish(watched, height);
      finish(walked, height);
      assert.deepEqual(withoutAlarms(watched.changes()), withoutAlarms(walked.changes()));
      liquidated += withoutAlarms(watched.changes()).filter((text) => text.startsWith('dfi/auction ')).length;
      undo.push({ log: watched.undo(), before: digest(store) });
      store.write(watched.changes());
    }
  };
  fc.assert(fc.property(blocks, run), { numRuns: 120 });
  assert.ok(spared > 100 && liquidated > 100, `${spared} vaults were not checked, ${liquidated} liquidated`);
});

test('alarms are set for a thousand vaults in each block, and again after blocks without them', () => {
  const store = start();
  const first = new Overlay(store);
  for (let n = 0; n < 1_500; n++) {
    const vaultId = Buffer.alloc(32);
    vaultId.writeUInt32BE(n);
    first.put(vaultCollaterals, vaultId, [{ tokenId: DFI, amount: COIN }]);
  }
  store.write(first.changes());
  const complete = (height: number): boolean => alarmedVaults({ view: new Overlay(store), height, params }) !== undefined;
  const connect = (height: number): void => {
    const view = new Overlay(store);
    finish(view, height);
    store.write(view.changes());
  };
  assert.equal(complete(FIRST_HEIGHT), false);
  connect(FIRST_HEIGHT);
  assert.equal(complete(FIRST_HEIGHT + 1), false);
  connect(FIRST_HEIGHT + 1);
  assert.equal(complete(FIRST_HEIGHT + 2), true);
  assert.equal(complete(FIRST_HEIGHT + 3), false, 'an older program connected a block');
  connect(FIRST_HEIGHT + 3);
  assert.equal(complete(FIRST_HEIGHT + 4), false);
  connect(FIRST_HEIGHT + 4);
  assert.equal(complete(FIRST_HEIGHT + 5), true);
});
