import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putNewMasternode } from '../../../src/dfi/masternodes/columns.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { parseHash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { fromHex } from '../../../src/util/bytes.js';
import { masternodeOf } from '../../masternode.js';
import { oceanNode } from './ask.js';
import { digits, loanChain } from './loan-scene.js';

const OWNER = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';

/** Masternodes by the repeated digits of their ids, and the heights of their creation. */
const CREATED: Readonly<Record<string, number>> = { '11': 0, '22': 0, '33': 300, '44': 15, '55': 299 };

function state(): Overlay {
  const view = new Overlay(new MemoryStore());
  for (const [pair, height] of Object.entries(CREATED)) create(view, pair, height);
  return view;
}

function create(view: Overlay, pair: string, creationHeight: number): void {
  const key = fromHex(digits(pair).slice(24));
  putNewMasternode(view, parseHash256(digits(pair)), masternodeOf({ ownerKey: key, operatorKey: key, creationHeight }));
}

/** Answer of `getmasternode`. @param more members before the state */
function described(id: string, height: number, more = '"resignHeight":-1', timelock = ''): string {
  return `{"${id}":{"ownerAuthAddress":"${OWNER}","operatorAuthAddress":"${OPERATOR}","rewardAddress":"","creationHeight":${height},${more},
    "resignTx":"${digits('ee')}","collateralTx":"${digits('00')}","state":"PRE_ENABLED","mintedBlocks":17,"ownerIsMine":false,
    "operatorIsMine":false,"localMasternode":false${timelock}}}`;
}

const node = (getmasternode: Parameters<typeof oceanNode>[0][string]) =>
  oceanNode({ getmasternode }, { chain: { ...loanChain, state: state() } });

function fromState(params: string): string {
  const [id] = JSON.parse(params) as [string];
  return described(id, CREATED[id.slice(0, 2)] ?? assert.fail());
}

test('A masternode that did not resign has eight members and no resignation', async () => {
  const { data } = (await node(described(digits('33'), 300))(`masternodes/${digits('33')}`)).body;
  assert.deepEqual(data, {
    id: digits('33'),
    sort: `0000012c${digits('33')}`,
    state: 'PRE_ENABLED',
    mintedBlocks: 17,
    owner: { address: OWNER },
    operator: { address: OPERATOR },
    creation: { height: 300 },
    timelock: 0,
  });
});

test('A masternode whose change is under way has a state that clients know', async () => {
  const id = digits('33');
  const ask = node(described(id, 300).replace('PRE_ENABLED', 'TRANSFERRING'));
  assert.equal(((await ask(`masternodes/${id}`)).body.data as { state: string }).state, 'ENABLED');
});

test('Upper-case digits name the same masternode', async () => {
  const id = 'ab'.repeat(32);
  const { data } = (await node(described(id, 300))(`masternodes/${id.toUpperCase()}`)).body;
  assert.equal((data as { id: string }).id, id);
});

test('A resignation has its transaction and its height, a timelock its weeks', async () => {
  const id = digits('33');
  for (const [name, weeks] of [
    ['5 years', 260],
    ['10 years', 520],
  ]) {
    const ask = node(described(id, 300, '"resignHeight":400', `,"timelock":"${name}"`));
    const { resign, timelock } = (await ask(`masternodes/${id}`)).body.data as { resign: unknown; timelock: number };
    assert.deepEqual([resign, timelock], [{ tx: digits('ee'), height: 400 }, weeks]);
  }
});

test('An unknown masternode is not found, nor an address, which the operation would accept', async () => {
  const ask = node((params) =>
    params === `["${digits('99')}"]` ? { code: -5, message: 'Masternode not found' } : described(digits('33'), 300),
  );
  for (const id of [digits('99'), OPERATOR, '999']) {
    const { status, body } = await ask(`masternodes/${id}`);
    assert.deepEqual([status, body.error?.message], [404, 'Unable to find masternode']);
  }
});

test('Masternodes are listed by height and id, the newest first, with those of the genesis block', async () => {
  const { data, page } = (await node(fromState)('masternodes')).body;
  assert.equal(page, undefined);
  assert.deepEqual(
    (data as { id: string }[]).map(({ id }) => id.slice(0, 2)),
    ['33', '55', '44', '22', '11'],
  );
});

test('A page of masternodes begins below its cursor', async () => {
  const ask = node(fromState);
  const idsOf = async (query: string) => {
    const { data, page } = (await ask(`masternodes${query}`)).body;
    return [(data as { id: string }[]).map(({ id }) => id.slice(0, 2)), page?.next];
  };
  assert.deepEqual(await idsOf('?size=2'), [['33', '55'], `0000012b${digits('55')}`]);
  assert.deepEqual(await idsOf(`?size=2&next=0000012b${digits('55')}`), [['44', '22'], `00000000${digits('22')}`]);
  assert.deepEqual(await idsOf(`?size=2&next=00000010${digits('00')}`), [['44', '22'], `00000000${digits('22')}`]);
  assert.deepEqual(await idsOf(`?size=2&next=00000000${digits('11')}`), [[], undefined]);
  assert.equal((await ask('masternodes?next=0000012b')).body.error?.message, 'Invalid next token');
});

test('A new masternode is listed from the block on that creates it', async () => {
  const view = state();
  let tip = new Uint8Array(32);
  const ask = oceanNode(
    { getmasternode: (params) => described(JSON.parse(params)[0] as string, 0) },
    { chain: { ...loanChain, state: view }, perTip: new TipCache(() => tip) },
  );
  const newest = async () => ((await ask('masternodes?size=1')).body.data as { id: string }[])[0]?.id;
  assert.equal(await newest(), digits('33'));
  create(view, '66', 301);
  tip = new Uint8Array(32);
  assert.equal(await newest(), digits('66'));
});
