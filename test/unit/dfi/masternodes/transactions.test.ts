import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TxInvalid } from '../../../../src/consensus/errors.js';
import { collateralRule, isCollateralReleased } from '../../../../src/dfi/masternodes/collateral.js';
import {
  masternodeByOperator,
  masternodeOperators,
  masternodeOwners,
  masternodeState,
  masternodes,
  masternodeTimelocks,
  newCollaterals,
  pendingUpdates,
} from '../../../../src/dfi/masternodes/columns.js';
import { createMasternode, resignMasternode } from '../../../../src/dfi/masternodes/transactions.js';
import { updateMasternode } from '../../../../src/dfi/masternodes/updates.js';
import { masternodeUpdates } from '../../../../src/dfi/masternodes/updates-event.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { formatHash, type Hash256 } from '../../../../src/primitives/hash.js';
import { toHex } from '../../../../src/util/bytes.js';
import { DfiFixture, dataScript, dfi, GRAND_CENTRAL, heights, legacyScript, type Sent, script } from '../fixture.js';

const COIN = 100_000_000n;
const owner = script(1);
const stranger = script(2);
const key = (n: number) => new Uint8Array(20).fill(n);
const operator = { operatorType: 1, operatorKey: key(50), timelock: 0 };
const paid: Sent = { value: COIN, outputs: [dfi(10n * COIN, owner)] };
const paidDakota: Sent = { ...paid, outputs: [dfi(2n * COIN, owner)] };

function onlyNode(fixture: DfiFixture): Hash256 {
  const [id] = [...fixture.view.entries(masternodes)].map(([each]) => each);
  assert.ok(id);
  return id;
}

describe('CreateMasternode', () => {
  test('needs the exact fee and a collateral that Dakota lowered', () => {
    const malformed = 'CreateMasternodeTx: malformed tx vouts (wrong creation fee or collateral amount)';
    const fixture = new DfiFixture(heights({ dakota: 100 }));
    assert.equal(fixture.failure(createMasternode, operator, { ...paid, height: 100 }), malformed);
    assert.equal(fixture.failure(createMasternode, operator, { ...paidDakota, height: 99 }), malformed);
    assert.equal(fixture.failure(createMasternode, operator, { ...paid, value: COIN - 1n, height: 99 }), malformed);
    assert.equal(fixture.failure(createMasternode, operator, { ...paid, height: 99 }), undefined);
    assert.equal(toHex(masternodeByOperator(fixture.view, key(50))?.node.ownerKey ?? key(0)), '01'.repeat(20));
  });

  test('needs the owner from Eunos on', () => {
    for (const [eunos, expected] of [
      [101, undefined],
      [100, 'CreateMasternodeTx: masternode creation needs owner auth'],
    ] as const) {
      assert.equal(new DfiFixture(heights({ eunos })).failure(createMasternode, operator, { ...paid, from: [stranger] }), expected);
    }
  });

  test('locks the collateral for five or ten years, from Eunos Paya on', () => {
    const locked = (weeks: number, eunosPaya: number) => {
      const fixture = new DfiFixture(heights({ eunosPaya }));
      const failure = fixture.failure(createMasternode, { ...operator, timelock: weeks }, paid);
      return failure ?? fixture.view.get(masternodeTimelocks, onlyNode(fixture)) ?? 0;
    };
    assert.equal(locked(260, 101), 'CreateMasternodeTx: collateral timelock cannot be set below EunosPaya');
    assert.equal(locked(100, 100), 'CreateMasternodeTx: Timelock must be set to either 0, 5 or 10 years');
    assert.deepEqual([locked(0, 100), locked(260, 100), locked(520, 100)], [0, 260, 520]);
  });

  const taken =
    'CreateMasternodeTx: bad owner and|or operator address (should be P2PKH or P2WPKH only) or node with those addresses exists';
  for (const [name, body, outputs] of [
    ['an operator that is there', operator, [dfi(10n * COIN, script(3))]],
    ['an owner that is there', { ...operator, operatorKey: key(51) }, [dfi(10n * COIN, owner)]],
    ['an operator who is an owner', { ...operator, operatorKey: key(1) }, [dfi(10n * COIN, script(3))]],
    ['an owner who is an operator', { ...operator, operatorKey: key(51) }, [dfi(10n * COIN, script(50))]],
    ['an operator of another kind', { ...operator, operatorKey: key(51), operatorType: 2 }, [dfi(10n * COIN, script(3))]],
    ['no operator', { ...operator, operatorKey: key(0) }, [dfi(10n * COIN, script(3))]],
    ['an owner without a key', { ...operator, operatorKey: key(51) }, [dfi(10n * COIN, Uint8Array.of(0x51))]],
  ] as const) {
    test(`rejects ${name}`, () => {
      const fixture = new DfiFixture(heights());
      fixture.send(createMasternode, operator, paid);
      assert.equal(fixture.failure(createMasternode, body, { ...paid, outputs }), taken);
    });
  }

  test('rejects an id that is there, as in the mempool, where later transactions may outlive the block of the creation', () => {
    const fixture = new DfiFixture(heights());
    const tx = fixture.made(createMasternode, operator, paid);
    fixture.apply(tx);
    fixture.view.delete(masternodeOwners, key(1));
    fixture.view.delete(masternodeOperators, key(50));
    const outcome = fixture.apply(tx);
    assert.equal(outcome.status === 'failed' && outcome.message, taken);
    fixture.view.delete(masternodes, tx.txid);
    assert.equal(fixture.apply(tx).status, 'applied');
  });

  test('accepts its owner as operator', () => {
    assert.equal(new DfiFixture(heights()).failure(createMasternode, { ...operator, operatorKey: key(1) }, paid), undefined);
  });
});

describe('ResignMasternode', () => {
  const created = (params: NetworkParams, sent = paid) => {
    const fixture = new DfiFixture(params);
    assert.equal(fixture.failure(createMasternode, operator, sent), undefined);
    return { fixture, nodeId: onlyNode(fixture) };
  };

  test('needs the owner and an existing masternode', () => {
    const { fixture, nodeId } = created(heights());
    const unknown = new Uint8Array(32).fill(7);
    const height = 120;
    assert.equal(
      fixture.failure(resignMasternode, { nodeId }, { from: [stranger], height }),
      'ResignMasternodeTx: tx must have at least one input from the owner',
    );
    assert.equal(
      fixture.failure(resignMasternode, { nodeId: unknown }, { height }),
      `ResignMasternodeTx: node ${'07'.repeat(32)} does not exists`,
    );
    assert.equal(fixture.failure(resignMasternode, { nodeId }, { height }), undefined);
    assert.equal(fixture.view.get(masternodes, nodeId)?.resignHeight, 120);
  });

  test('of a masternode that is not yet enabled is rejected from Eunos Paya on', () => {
    for (const [eunosPaya, expected] of [
      [106, undefined],
      [105, "state is not 'ENABLED'"],
    ] as const) {
      const { fixture, nodeId } = created(heights({ eunosPaya }));
      const failure = fixture.failure(resignMasternode, { nodeId }, { height: 105 });
      assert.equal(failure, expected && `ResignMasternodeTx: node ${formatHash(nodeId)} ${expected}`);
    }
  });

  test('releases the collateral ten blocks later', () => {
    const params = heights();
    const { fixture, nodeId } = created(params);
    fixture.send(resignMasternode, { nodeId }, { height: 120 });
    assert.equal(isCollateralReleased(fixture.view, nodeId, 129, params), false);
    assert.equal(isCollateralReleased(fixture.view, nodeId, 130, params), true);
  });

  test('is rejected before the end of the timelock', () => {
    const params = heights({ ...GRAND_CENTRAL });
    const fixture = new DfiFixture(params);
    fixture.send(createMasternode, { ...operator, timelock: 260 }, paidDakota);
    const text = 'ResignMasternodeTx: Trying to resign masternode before timelock expiration.';
    assert.equal(fixture.failure(resignMasternode, { nodeId: onlyNode(fixture) }, { height: 200 }), text);
  });
});

describe('UpdateMasternode', () => {
  const enabled = (feature = true, given = GRAND_CENTRAL) => {
    const params = heights(given);
    const fixture = new DfiFixture(params, 200);
    fixture.send(createMasternode, operator, { ...paidDakota, height: 100 });
    if (feature) fixture.allowMasternodeUpdates();
    return { fixture, params, nodeId: onlyNode(fixture) };
  };
  const TAKEN = 'UpdateMasternodeTx: Masternode with collateral address as operator or owner already exists';
  const reward = { updateType: 3, addressType: 1, address: key(60) };
  const remove = { updateType: 4, addressType: 0, address: new Uint8Array(0) };
  const newOperator = { updateType: 2, addressType: 4, address: key(61) };

  test('is disabled until an attribute enables it', () => {
    const { fixture, nodeId } = enabled(false);
    assert.equal(
      fixture.failure(updateMasternode, { nodeId, updates: [reward] }),
      'UpdateMasternodeTx: Updating masternode reward address not currently enabled in attributes.',
    );
  });

  const texts = [
    { name: 'no updates', updates: [], text: 'No update arguments provided' },
    { name: 'too many updates', updates: [reward, reward, reward, reward], text: 'Too many updates provided' },
    { name: 'two updates of a kind', updates: [newOperator, newOperator], text: 'Multiple operator updates provided' },
    { name: 'two reward addresses', updates: [reward, remove], text: 'Multiple reward address updates provided' },
    { name: 'an unknown kind', updates: [{ ...reward, updateType: 9 }], text: 'Unknown update type provided' },
    {
      name: 'an unknown type of reward address',
      updates: [{ ...reward, addressType: 2 }],
      text: 'Reward address must be P2PKH or P2WPKH type',
    },
    {
      name: 'a truncated reward key',
      updates: [{ ...reward, address: key(1).subarray(1) }],
      text: 'Updating masternode reward address is invalid',
    },
    {
      name: 'an operator that is used already',
      updates: [{ ...newOperator, address: key(50) }],
      text: 'Masternode with that operator address already exists',
    },
    {
      name: 'an owner without a collateral output',
      updates: [{ ...remove, updateType: 1 }],
      text: 'Missing previous collateral from transaction inputs',
    },
  ];
  for (const { name, updates, text } of texts) {
    test(`rejects ${name}`, () => {
      const { fixture, nodeId } = enabled();
      assert.equal(fixture.failure(updateMasternode, { nodeId, updates }), `UpdateMasternodeTx: ${text}`);
    });
  }

  test('takes effect forty blocks later', () => {
    const { fixture, params, nodeId } = enabled();
    assert.equal(fixture.failure(updateMasternode, { nodeId, updates: [reward, newOperator] }), undefined);
    const node = masternodeByOperator(fixture.view, key(61))?.node;
    assert.ok(node);
    assert.deepEqual([toHex(node.rewardKey), node.rewardType], ['3c'.repeat(20), 1]);
    assert.equal(masternodeByOperator(fixture.view, key(50)), undefined);
    assert.equal(fixture.view.get(pendingUpdates, node.ownerKey), 240);
    assert.equal(masternodeState(fixture.view, node, 239, params), 'TRANSFERRING');
    assert.equal(
      fixture.failure(updateMasternode, { nodeId, updates: [remove] }, { height: 239 })?.endsWith("is not in 'ENABLED' state"),
      true,
    );
    fixture.runEvent(masternodeUpdates, 240);
    assert.equal(masternodeState(fixture.view, node, 241, params), 'ENABLED');
  });

  test('needs the collateral amount for another owner, and from Metachain on reports the amount found', () => {
    const text = 'UpdateMasternodeTx: Incorrect collateral amount';
    for (const [metachain, expected] of [
      [201, text],
      [200, `${text}. Found: 1.00000000 Expected: 2.00000000`],
    ] as const) {
      const { fixture, nodeId } = enabled(true, { ...GRAND_CENTRAL, metachain });
      const sent: Sent = { spends: [{ txid: nodeId, vout: 1 }], outputs: [dfi(COIN, script(70))] };
      assert.equal(fixture.failure(updateMasternode, { nodeId, updates: [{ ...remove, updateType: 1 }] }, sent), expected);
    }
  });

  test('rejects an owner key of zeros from Metachain on', () => {
    const text = 'UpdateMasternodeTx: Owner address must be P2PKH or P2WPKH type';
    for (const [metachain, expected] of [
      [201, undefined],
      [200, text],
    ] as const) {
      const { fixture, nodeId } = enabled(true, { ...GRAND_CENTRAL, metachain });
      const sent: Sent = { spends: [{ txid: nodeId, vout: 1 }], outputs: [dfi(2n * COIN, script(0))] };
      assert.equal(fixture.failure(updateMasternode, { nodeId, updates: [{ ...remove, updateType: 1 }] }, sent), expected);
    }
  });

  test('may spend the collateral output that it replaces, from Grand Central on', () => {
    const given = { ...GRAND_CENTRAL, dakota: 300, grandCentral: 200, metachain: 400 };
    const fixture = new DfiFixture(heights(given), 200);
    fixture.send(createMasternode, operator, { ...paid, height: 100 });
    const nodeId = onlyNode(fixture);
    const tx = fixture.made(updateMasternode, { nodeId, updates: [{ ...remove, updateType: 1 }] });
    const isReleased = (height: number) => {
      const rule = collateralRule(fixture.view, tx, height, fixture.params);
      return typeof rule === 'function' && rule(nodeId);
    };
    assert.deepEqual([isReleased(199), isReleased(200)], [false, true]);
    const [first] = tx.vout;
    assert.ok(first);
    const excess = { ...tx, vout: [{ ...first, scriptPubKey: dataScript('m', new Uint8Array(40)) }] };
    const debug = 'UpdateMasternodeTx: deserialization failed: excess 7 bytes';
    for (const [height, reason] of [
      [200, 'bad-txns-customtx'],
      [400, 'bad-updatemasternode-message'],
    ] as const) {
      const failure = collateralRule(fixture.view, excess, height, fixture.params) as TxInvalid;
      assert.deepEqual([failure.reason, failure.debug], [reason, debug]);
    }
  });

  test('changes the owner', () => {
    const { fixture, params, nodeId } = enabled();
    const sent: Sent = { spends: [{ txid: nodeId, vout: 1 }], outputs: [dfi(2n * COIN, script(70))] };
    assert.equal(fixture.failure(updateMasternode, { nodeId, updates: [{ ...remove, updateType: 1 }] }, sent), undefined);
    const [[collateralTx, pending] = []] = [...fixture.view.entries(newCollaterals)];
    assert.ok(collateralTx);
    assert.equal(pending?.height, 240);
    assert.equal(isCollateralReleased(fixture.view, collateralTx, 200, params), false);
    const state = (height: number) => masternodeState(fixture.view, fixture.view.get(masternodes, nodeId) as never, height, params);
    assert.equal(state(239), 'TRANSFERRING');
    fixture.runEvent(masternodeUpdates, 239);
    assert.equal(fixture.view.get(masternodeOwners, key(70)), undefined);
    fixture.runEvent(masternodeUpdates, 240);
    assert.deepEqual(fixture.view.get(masternodeOwners, key(70)), nodeId);
    assert.equal(fixture.view.get(masternodeOwners, key(1)), undefined);
    assert.deepEqual([state(240), state(259), state(260)], ['PRE_ENABLED', 'PRE_ENABLED', 'ENABLED']);
  });

  test('stores the type of the new owner, which no other masternode may have', () => {
    for (const [to, newKey, type] of [
      [legacyScript(70), 70, 1],
      [script(70), 70, 4],
      [legacyScript(1), 1, 4],
    ] as const) {
      const { fixture, nodeId } = enabled();
      const sent: Sent = { spends: [{ txid: nodeId, vout: 1 }], outputs: [dfi(2n * COIN, to)] };
      const text = fixture.failure(updateMasternode, { nodeId, updates: [{ ...remove, updateType: 1 }] }, sent);
      assert.equal(text, newKey === 1 ? TAKEN : undefined);
      fixture.runEvent(masternodeUpdates, 240);
      const node = fixture.view.get(masternodes, nodeId);
      assert.deepEqual([toHex(node?.ownerKey ?? key(0)), node?.ownerType], [toHex(key(newKey)), type]);
      assert.equal(toHex(fixture.view.get(masternodeOwners, key(newKey)) as Hash256), toHex(nodeId));
    }
  });
});
