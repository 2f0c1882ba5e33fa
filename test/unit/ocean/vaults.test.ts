import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bids } from '../../../src/ocean/index/bids.js';
import { parseHash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fromHex } from '../../../src/util/bytes.js';
import { type FakeOperations, oceanNode } from './ask.js';
import { digits, loanChain, loanWorld } from './loan-scene.js';

const OWNER = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const ACTIVE = digits('a1');
const LIQUIDATED = digits('b2');
const BIDDER = fromHex('0014331818ac54e1d657cdce90a1dfdfbad0ac5cecb4');
const BIDDER_ADDRESS = 'bcrt1qxvvp3tz5u8t90nwwjzsalha66zk9em95tgn3fk';

function activeVault(vaultId = ACTIVE, state = 'active'): string {
  return `{"vaultId":"${vaultId}","loanSchemeId":"MIN150","ownerAddress":"${OWNER}","state":"${state}",
    "collateralAmounts":["10000.00000000@DFI"],"loanAmounts":["30.00009133@TSLA"],"interestAmounts":["0.00009133@TSLA"],
    "collateralValue":10000.00000000,"loanValue":60.00018266,"interestValue":0.00018266,"informativeRatio":16666.61592793,"collateralRatio":16667}`;
}

/** @param height at which the auction ends @param bid best bid for batch 0, as JSON */
function liquidated(vaultId = LIQUIDATED, height = 680, bid = ''): string {
  return `{"vaultId":"${vaultId}","loanSchemeId":"C200","ownerAddress":"${OWNER}","state":"inLiquidation","liquidationHeight":${height},
    "batchCount":2,"liquidationPenalty":5.00000000,"batches":[
      {"index":0,"collaterals":["5.00000000@DFI","1.50000000@BTC"],"loan":"5.00002095@TSLA"${bid}},
      {"index":1,"collaterals":["2.00000000@DFI"],"loan":"2.00000000@TSLA"}]}`;
}

const BEST = `,"highestBid":{"owner":"${BIDDER_ADDRESS}","amount":"6.00000000@TSLA"}`;

const amount = (text: string, id: string, symbol: string, name: string, displaySymbol = `d${symbol}`) => ({
  amount: text,
  id,
  symbol,
  displaySymbol,
  symbolKey: symbol,
  name,
});

/** Bids: height, txid and amount in whole tokens, for batch 0 of the liquidated vault. */
function withBids(answers: FakeOperations, ...given: readonly (readonly [number, string, bigint])[]) {
  const view = new Overlay(new MemoryStore());
  for (const [height, txid, tokens] of given) {
    const key = { vaultId: parseHash256(LIQUIDATED), index: 0, height, txid: parseHash256(digits(txid)) };
    view.put(bids, key, { owner: BIDDER, amount: { tokenId: 4, amount: tokens * 100_000_000n } });
  }
  return oceanNode({ ...loanWorld, ...answers }, { chain: loanChain, rows: { view, position: undefined } });
}

test('A vault shows its scheme, values without trailing zeros, and amounts with their tokens', async () => {
  const ask = withBids({ getvault: activeVault() });
  assert.deepEqual((await ask(`loans/vaults/${ACTIVE}`)).body.data, {
    vaultId: ACTIVE,
    loanScheme: { id: 'MIN150', minColRatio: '150', interestRate: '5' },
    ownerAddress: OWNER,
    state: 'ACTIVE',
    informativeRatio: '16666.61592793',
    collateralRatio: '16667',
    collateralValue: '10000',
    loanValue: '60.00018266',
    interestValue: '0.00018266',
    collateralAmounts: [amount('10000.00000000', '0', 'DFI', 'Default Defi token', 'DFI')],
    loanAmounts: [amount('30.00009133', '4', 'TSLA', 'Tesla')],
    interestAmounts: [amount('0.00009133', '4', 'TSLA', 'Tesla')],
  });
});

test('Each state of operations has a name of its own', async () => {
  for (const [state, shown] of [
    ['frozen', 'FROZEN'],
    ['mayLiquidate', 'MAY_LIQUIDATE'],
    ['unknown', 'UNKNOWN'],
  ]) {
    const { body } = await withBids({ getvault: activeVault(ACTIVE, state) })(`loans/vaults/${ACTIVE}`);
    assert.equal((body.data as { state: string }).state, shown);
  }
});

test('A vault in liquidation shows its batches with the bidders of this auction alone, newest first', async () => {
  // The auction lasts 36 blocks: the bids in 644 and in 681 are of others.
  const ask = withBids({ getvault: liquidated(LIQUIDATED, 680, BEST) }, [644, '11', 1n], [645, '22', 2n], [680, '33', 6n], [681, '44', 9n]);
  assert.deepEqual((await ask(`loans/vaults/${LIQUIDATED}`)).body.data, {
    vaultId: LIQUIDATED,
    loanScheme: { id: 'C200', minColRatio: '200', interestRate: '0.5' },
    ownerAddress: OWNER,
    state: 'IN_LIQUIDATION',
    liquidationHeight: 680,
    liquidationPenalty: 5,
    batchCount: 2,
    batches: [
      {
        index: 0,
        collaterals: [amount('5.00000000', '0', 'DFI', 'Default Defi token', 'DFI'), amount('1.50000000', '2', 'BTC', 'Bitcoin')],
        loan: amount('5.00002095', '4', 'TSLA', 'Tesla'),
        highestBid: { owner: BIDDER_ADDRESS, amount: amount('6.00000000', '4', 'TSLA', 'Tesla') },
        froms: [BIDDER_ADDRESS, BIDDER_ADDRESS],
      },
      {
        index: 1,
        collaterals: [amount('2.00000000', '0', 'DFI', 'Default Defi token', 'DFI')],
        loan: amount('2.00000000', '4', 'TSLA', 'Tesla'),
        froms: [],
      },
    ],
  });
});

test('An unknown vault is not found, and a text that is no id is refused as by the operation', async () => {
  const unknown = withBids({ getvault: { code: -20, message: `Vault <${ACTIVE}> not found` } });
  for (const id of [ACTIVE, '999', 'abc']) {
    const { status, body } = await unknown(`loans/vaults/${id}`);
    assert.equal(status, 404);
    assert.equal(body.error?.message, 'Unable to find vault');
  }
  const malformed = withBids({ getvault: { code: -8, message: "vaultId must be of length 64 (not 3, for '$*@')" } });
  const { status, body } = await malformed('loans/vaults/$*@');
  assert.equal(status, 400);
  assert.equal(body.error?.message, "RpcApiError: 'vaultId must be of length 64 (not 3, for '$*@')', code: -8, method: getvault");
});

test('A page of vaults has at most 30, and the next one begins behind its last even if that is gone', async () => {
  const asked: string[] = [];
  const vaults = [activeVault(digits('b1')), liquidated(digits('b2'))];
  const ask = withBids({
    listvaults: (params) => {
      asked.push(params);
      return `[${vaults.join(',')}]`;
    },
  });
  const idsOf = async (path: string) => {
    const { data, page } = (await ask(path)).body;
    return [(data as { vaultId: string }[]).map(({ vaultId }) => vaultId.slice(0, 2)), page?.next.slice(0, 2)];
  };
  assert.deepEqual(await idsOf('loans/vaults?size=2'), [['b1', 'b2'], 'b2']);
  assert.deepEqual(await idsOf(`loans/vaults?size=1&next=${digits('b1')}`), [['b2'], 'b2']);
  assert.deepEqual(await idsOf(`loans/vaults?size=1&next=${digits('b0')}`), [['b1'], 'b1']);
  assert.deepEqual(await idsOf('loans/vaults?size=200'), [['b1', 'b2'], undefined]);
  const after = (start: string) => `[{"verbose":true},{"start":"${start}","including_start":true,"limit":2}]`;
  assert.deepEqual(asked, ['[{"verbose":true},{"limit":2}]', after(digits('b1')), after(digits('b0')), '[{"verbose":true},{"limit":30}]']);
  assert.equal((await ask('loans/vaults?next=b1')).body.error?.message, 'Invalid next token');
});

test('A page of auctions ends with the vault and the height of its last', async () => {
  const asked: string[] = [];
  const ask = withBids({
    listauctions: (params) => {
      asked.push(params);
      return `[${liquidated(digits('b2'), 680)},${liquidated(digits('b1'), 692)}]`;
    },
  });
  const first = (await ask('loans/auctions?size=2')).body;
  assert.equal(first.page?.next, `${digits('b1')}692`);
  const second = (await ask(`loans/auctions?size=2&next=${digits('b2')}680`)).body;
  assert.deepEqual(
    (second.data as { vaultId: string; state: string }[]).map(({ vaultId, state }) => [vaultId, state]),
    [[digits('b1'), 'IN_LIQUIDATION']],
  );
  assert.equal(second.page, undefined);
  assert.deepEqual(asked, ['[{"limit":2}]', `[{"start":{"vaultId":"${digits('b2')}","height":680},"including_start":true,"limit":3}]`]);
  for (const next of ['680', digits('b2'), `${digits('b2')}-1`, `${digits('zz')}680`]) {
    assert.equal((await ask(`loans/auctions?next=${next}`)).body.error?.message, 'Invalid next token');
  }
});

const HISTORY = `loans/vaults/${LIQUIDATED}/auctions/680/batches/0/history`;

test('The history of an auction has all bids for the batch, newest first', async () => {
  const ask = withBids({}, [643, '11', 1n], [644, '22', 2n], [680, '33', 6n], [680, '34', 7n], [681, '44', 9n]);
  const { data, page } = (await ask(HISTORY)).body;
  assert.equal(page, undefined);
  const [first, ...others] = data as { sort: string }[];
  assert.deepEqual(first, {
    id: `${LIQUIDATED}-0-${digits('34')}`,
    key: `${LIQUIDATED}-0`,
    sort: `000002a8-${digits('34')}`,
    vaultId: LIQUIDATED,
    index: 0,
    from: '0014331818ac54e1d657cdce90a1dfdfbad0ac5cecb4',
    address: BIDDER_ADDRESS,
    amount: '7',
    tokenId: 4,
    block: { hash: (680).toString(16).padStart(64, '0'), height: 680, time: 1_000_680, medianTime: 999_680 },
  });
  assert.deepEqual(
    others.map(({ sort }) => sort),
    [`000002a8-${digits('33')}`, `00000284-${digits('22')}`],
  );
});

test('A page of the history begins behind the bid that its cursor names', async () => {
  const ask = withBids({}, [644, '22', 2n], [680, '33', 6n], [680, '34', 7n]);
  const first = (await ask(`${HISTORY}?size=2`)).body;
  assert.equal((first.data as unknown[]).length, 2);
  assert.equal(first.page?.next, `000002a8-${digits('33')}`);
  const second = (await ask(`${HISTORY}?size=2&next=${first.page?.next}`)).body;
  assert.deepEqual(
    (second.data as { amount: string }[]).map(({ amount: shown }) => shown),
    ['2'],
  );
  assert.equal(second.page, undefined);
  for (const next of ['1', `000002a8-${digits('zz')}`, `2a8-${digits('33')}`]) {
    assert.equal((await ask(`${HISTORY}?next=${next}`)).body.error?.message, 'Invalid next token');
  }
});

test('A batch or an auction that cannot be has no history', async () => {
  const ask = withBids({}, [644, '22', 2n]);
  for (const path of [HISTORY.replace(LIQUIDATED, '999'), HISTORY.replace('680', '-1'), HISTORY.replace('680', '4294967295')]) {
    assert.deepEqual((await ask(path)).body, { data: [] });
  }
  for (const index of ['-1', '1', '4294967295', '4294967296']) {
    assert.deepEqual((await ask(HISTORY.replace('batches/0', `batches/${index}`))).body, { data: [] });
  }
  assert.equal((await ask(HISTORY.replace('680', 'x'))).body.error?.message, 'Validation failed (numeric string is expected)');
});
