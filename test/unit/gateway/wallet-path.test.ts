import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restWallet, walletOfPath } from '../../../src/gateway/wallet-path.js';

const cases = [
  { path: '/', wallet: undefined },
  { path: '/wallet', wallet: undefined },
  { path: '/wallets/a', wallet: undefined },
  { path: '/wallet/', wallet: '' },
  { path: '/wallet/alice', wallet: 'alice' },
  { path: '/wallet/a%20b', wallet: 'a b' },
  { path: '/wallet/%C3%BC', wallet: 'ü' },
  { path: '/wallet/a+b', wallet: 'a+b' },
  { path: '/wallet/50%', wallet: '50%' },
  { path: '/wallet/%zz%41', wallet: '%zzA' },
  { path: '/wallet/dir/x', wallet: 'dir/x' },
  { path: '/wallet/%00', wallet: '' },
  { path: '/wallet/a%0Ab%00c%0Ad', wallet: 'a\nb' },
  { path: '/wallet/a?b=1', wallet: 'a?b=1' },
];
for (const c of cases) test(`walletOfPath: ${c.path}`, () => assert.equal(walletOfPath(c.path), c.wallet));

const restCases = [
  { segment: undefined, header: undefined, wallet: undefined },
  { segment: undefined, header: 'alice', wallet: 'alice' },
  { segment: undefined, header: '', wallet: '' },
  { segment: 'alice', header: undefined, wallet: 'alice' },
  { segment: 'alice', header: 'bob', wallet: 'alice' },
  { segment: '-', header: undefined, wallet: '' },
  { segment: '-', header: 'dir/x', wallet: 'dir/x' },
  { segment: '-', header: '-', wallet: '-' },
  { segment: '--', header: undefined, wallet: '--' },
];
for (const { segment, header, wallet } of restCases) {
  test(`restWallet: path ${segment}, header ${header}`, () => assert.equal(restWallet(segment, header), wallet));
}
