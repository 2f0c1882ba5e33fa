import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './support.js';

const RELAY = '0.00001000 DFI/kB';
const MAX_FEE_REASON = `(must be at least the minrelay fee of ${RELAY} to prevent stuck transactions)`;

// Texts of `defid` 3.2.8.
const REFUSED: readonly (readonly [string, string])[] = [
  ['-mintxfee=0', "Invalid amount for -mintxfee=<amount>: '0'"],
  ['-mintxfee=abc', "Invalid amount for -mintxfee=<amount>: 'abc'"],
  ['-fallbackfee=abc', "Invalid amount for -fallbackfee=<amount>: 'abc'"],
  ['-paytxfee=0', `Invalid amount for -paytxfee=<amount>: '0' (must be at least ${RELAY})`],
  ['-nopaytxfee', `Invalid amount for -paytxfee=<amount>: '0' (must be at least ${RELAY})`],
  ['-paytxfee=0.00000999', `Invalid amount for -paytxfee=<amount>: '0.00000999' (must be at least ${RELAY})`],
  ['-paytxfee=0.00001 -minrelaytxfee=1', "Invalid amount for -paytxfee=<amount>: '0.00001' (must be at least 1.00000000 DFI/kB)"],
  [
    '-paytxfee=0.00001 -incrementalrelayfee=0.00002',
    "Invalid amount for -paytxfee=<amount>: '0.00001' (must be at least 0.00002000 DFI/kB)",
  ],
  ['-maxtxfee=0.00000999', `Invalid amount for -maxtxfee=<amount>: '0.00000999' ${MAX_FEE_REASON}`],
  ['-paytxfee=q -maxtxfee=q', "Invalid amount for -paytxfee=<amount>: 'q'"],
];

for (const [flags, message] of REFUSED) {
  test(`fees of the wallet: ${flags} is refused`, () => {
    assert.throws(() => load('', flags.split(' ')), { name: 'ConfigError', message });
  });
}

test('fees of the wallet: the least that is relayed is accepted, and a rate of 0 for change and for missing estimates', () => {
  const { config, warnings } = load('', [
    '-paytxfee=0.00001',
    '-maxtxfee=0.00001',
    '-mintxfee=0.00000001',
    '-discardfee=0',
    '-fallbackfee=0',
  ]);
  const { payFeeRate, maxFee, minFeeRate, discardFeeRate, fallbackFeeRate } = config.wallet;
  assert.deepEqual([payFeeRate, maxFee, minFeeRate, discardFeeRate, fallbackFeeRate], [1_000n, 1_000n, 1n, 0n, 0n]);
  assert.deepEqual(warnings, []);
});

test('fees of the wallet: the default of -paytxfee, which may not be given, is 0', () => {
  assert.equal(load('').config.wallet.payFeeRate, 0n);
});

test('fees of the wallet are not checked without wallets', () => {
  assert.equal(load('', ['-disablewallet', '-mintxfee=0', '-paytxfee=0', '-maxtxfee=0']).config.wallet.enabled, false);
});

test('fees of the wallet: each high one is a warning', () => {
  const rates = ['mintxfee', 'paytxfee', 'fallbackfee', 'discardfee', 'minrelaytxfee'];
  const warningsOf = (rate: string, fee: string) => load('', [`-maxtxfee=${fee}`, ...rates.map((key) => `-${key}=${rate}`)]).warnings;
  assert.deepEqual(warningsOf('0.01', '1'), []);
  assert.deepEqual(warningsOf('0.01000001', '1.00000001'), [
    'Warning: -mintxfee is set very high! This is the minimum transaction fee you pay on every transaction.',
    'Warning: -fallbackfee is set very high! This is the transaction fee you may pay when fee estimates are not available.',
    'Warning: -discardfee is set very high! This is the transaction fee you may discard if change is smaller than dust at this level',
    'Warning: -paytxfee is set very high! This is the transaction fee you will pay if you send a transaction.',
    'Warning: -maxtxfee is set very high! Fees this large could be paid on a single transaction.',
    'Warning: -minrelaytxfee is set very high! The wallet will avoid paying less than the minimum relay fee.',
  ]);
});
