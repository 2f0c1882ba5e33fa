import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryName, categoryOf, customTxOf, customTxs } from '../../../../src/dfi/execution/registry.js';

/** Letter, name and gate of every type (docs/protocol/accounts.md 1.3). */
const TABLE = `
C CreateMasternode genesis, R ResignMasternode genesis, m UpdateMasternode grandCentral, T CreateToken amk, M MintToken amk,
F BurnToken grandCentral, N UpdateToken amk, n UpdateTokenAny bayfront, p CreatePoolPair bayfront, u UpdatePoolPair bayfront,
s PoolSwap bayfront, i PoolSwap fortCanning, l AddPoolLiquidity bayfront, r RemovePoolLiquidity bayfront, U UtxosToAccount amk,
b AccountToUtxos amk, B AccountToAccount amk, a AnyAccountsToAccounts bayfrontGardens, K SmartContract fortCanningHill,
Q DFIP2203 fortCanningRoad, G SetGovVariable bayfront, j SetGovVariableHeight fortCanning, Z UnsetGovVariable grandCentral,
- UnsetGovHeightVariable df24, + ClearGovHeights df24, A AutoAuth genesis, o AppointOracle eunos, h RemoveOracleAppoint eunos,
t UpdateOracleAppoint eunos, y SetOracleData eunos, 1 ICXCreateOrder eunos, 2 ICXMakeOffer eunos, 3 ICXSubmitDFCHTLC eunos,
4 ICXSubmitEXTHTLC eunos, 5 ICXClaimDFCHTLC eunos, 6 ICXCloseOrder eunos, 7 ICXCloseOffer eunos,
c SetLoanCollateralToken fortCanning, g SetLoanToken fortCanning, x UpdateLoanToken fortCanning, L LoanScheme fortCanning,
d DefaultLoanScheme fortCanning, D DestroyLoanScheme fortCanning, V Vault fortCanning, e CloseVault fortCanning,
v UpdateVault fortCanning, S DepositToVault fortCanning, J WithdrawFromVault fortCanning,
W PaybackWithCollateral fortCanningEpilogue, X TakeLoan fortCanning, H PaybackLoan fortCanning, k PaybackLoan fortCanningRoad,
I AuctionBid fortCanning, q FutureSwapExecution genesis, w FutureSwapRefund genesis, P TokenSplit genesis, ? TokenLock metachain,
! TokenLockRelease df24, z CreateCfp grandCentral, O Vote grandCentral, E CreateVoc grandCentral,
Y ProposalFeeRedistribution genesis, 8 TransferDomain metachain, 9 Evm metachain`;

test('every type of the protocol document has its name and gate', () => {
  const expected = TABLE.trim()
    .split(/,\s+/)
    .map((line) => line.split(' '))
    .sort();
  const have = customTxs.map(({ type, name, since }) => [type, name, since]).sort();
  assert.deepEqual(have, expected);
});

test('no two types share a letter', () => {
  const letters = customTxs.map(({ type }) => type);
  assert.equal(new Set(letters).size, letters.length);
});

test('only the first form of UpdateToken has an end', () => {
  const ended = customTxs.filter(({ until }) => until !== undefined);
  assert.deepEqual(
    ended.map(({ type, until }) => [type, until]),
    [['N', 'bayfront']],
  );
});

test('a name of two types maps to the smaller letter', () => {
  assert.equal(categoryOf('PoolSwap'), 'i'.charCodeAt(0));
  assert.equal(categoryOf('PaybackLoan'), 'H'.charCodeAt(0));
  assert.equal(categoryOf('MintToken'), 'M'.charCodeAt(0));
  assert.equal(categoryOf('nothing'), undefined);
});

test('unused letters have no type', () => {
  for (const letter of ['\x00', '\x01', '@', '\xff']) assert.equal(customTxOf(letter), undefined);
  assert.equal(categoryName(0), 'None');
});
