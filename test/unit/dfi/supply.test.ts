import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountToAccount, accountToUtxos, anyAccountsToAccounts, utxosToAccount } from '../../../src/dfi/accounts/transactions.js';
import type { CustomTxOutcome } from '../../../src/dfi/execution/apply.js';
import { listTokens, TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { burnToken, createToken, mintToken } from '../../../src/dfi/tokens/transactions.js';
import { updateTokenAny } from '../../../src/dfi/tokens/updates.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, script } from './fixture.js';
import { checkSupply } from './supply.js';

const COIN = 100_000_000n;
const OWNERS = [1, 2, 3, 4].map(script);
const params = heights(GRAND_CENTRAL);
const gold = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: TokenFlag.mintable | TokenFlag.tradeable };

/** Parameters of a random step; many combinations are invalid. */
interface Step {
  readonly kind: 'create' | 'mint' | 'burn' | 'deposit' | 'payout' | 'send' | 'sendMany' | 'rename';
  readonly from: number;
  readonly to: number;
  readonly token: number;
  readonly amount: bigint;
  /** The transaction claims one satoshi more than it should. */
  readonly lies: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('create', 'mint', 'mint', 'burn', 'deposit', 'deposit', 'payout', 'send', 'send', 'sendMany', 'rename'),
  from: fc.nat(OWNERS.length - 1),
  to: fc.nat(OWNERS.length - 1),
  token: fc.constantFrom(0, 128, 129),
  amount: fc.oneof({ weight: 1, arbitrary: fc.bigInt(-2n, 0n) }, { weight: 9, arbitrary: fc.bigInt(1n, 300n) }),
  lies: fc.constantFrom(false, false, false, true),
});

/** DFI converted from outputs to balances, less DFI converted back. */
let deposited = 0n;

function take(fixture: DfiFixture, { kind, from, to, token, amount, lies }: Step): CustomTxOutcome {
  const [sender, receiver] = [OWNERS[from] as Uint8Array, OWNERS[to] as Uint8Array];
  const given = { owner: receiver, balances: [{ tokenId: token, amount }] };
  const off = lies ? 1n : 0n;
  switch (kind) {
    case 'create':
      return fixture.send(createToken, gold, { value: COIN, outputs: [dfi(10n * COIN, sender)] });
    case 'mint':
      return fixture.send(mintToken, { balances: [{ tokenId: token, amount }], to: lies ? receiver : EMPTY_BYTES });
    case 'burn':
      return fixture.send(
        burnToken,
        { amounts: [{ tokenId: token, amount }], from: sender, burnType: 0, context: undefined },
        { from: [sender] },
      );
    case 'deposit':
      return fixture.send(utxosToAccount, { to: [{ owner: receiver, balances: [{ tokenId: 0, amount }] }] }, { value: amount + off });
    case 'payout': {
      const body = { from: sender, balances: [{ tokenId: 0, amount }], mintingOutputsStart: 1 };
      return fixture.send(accountToUtxos, body, { from: [sender], outputs: [dfi(amount + off, receiver)] });
    }
    case 'send':
      return fixture.send(accountToAccount, { from: sender, to: [given] }, { from: [lies ? receiver : sender] });
    case 'sendMany': {
      const paid = { owner: sender, balances: [{ tokenId: token, amount: amount + off }] };
      return fixture.send(anyAccountsToAccounts, { from: [paid], to: [given] }, { from: [sender] });
    }
    case 'rename': {
      const first = [...listTokens(fixture.view, 1)][0];
      const tokenTx = first?.token.creationTx ?? new Uint8Array(32);
      return fixture.send(updateTokenAny, { tokenTx, token: { ...gold, symbol: `S${from}` }, newCollateral: false }, { from: [sender] });
    }
  }
}

function digest(fixture: DfiFixture): string {
  const rows = fixture.view.changes().map(({ column, key, value }) => `${column} ${toHex(key)} ${value ? toHex(value) : 'gone'}`);
  return rows.sort().join('\n');
}

test('balances equal minted and deposited amounts after any transactions, and an undo restores the state', () => {
  let applied = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 120 }), (steps) => {
      const fixture = new DfiFixture(params);
      deposited = 0n;
      const before = digest(fixture);
      const undo = fixture.branch();
      for (const each of steps) {
        const outcome = take(fixture, each);
        if (outcome.status !== 'applied') continue;
        applied += 1;
        if (each.kind === 'deposit') deposited += each.amount;
        if (each.kind === 'payout') deposited -= each.amount;
      }
      checkSupply(fixture.view, new Map([[0, deposited]]));
      fixture.history.write(fixture.view);
      undo();
      assert.equal(digest(fixture), before);
    }),
    { numRuns: 60 },
  );
  assert.ok(applied > 500, `${applied} transactions took effect`);
});
