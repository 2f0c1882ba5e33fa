import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlreadyEncrypted, Encryption, type EncryptionParts } from '../../../../src/wallet/keys/encryption.js';

const NOW = 1_000_000;
/** Longest delay of a timer, ms: more would fire at once. */
const LONGEST = 2_147_483_647;

/** Encryption over a model of keys, whose passphrase is `right`; `steps` lists what it asked of them. */
function model({
  isEncrypted = true,
  hasSeed = true,
  topUp = async () => {},
}: Partial<Record<'isEncrypted' | 'hasSeed', boolean>> & { topUp?: () => Promise<void> } = {}) {
  const steps: string[] = [];
  const replaced: { masterKey: Uint8Array; copy: Uint8Array; text: string | undefined; fresh: unknown }[] = [];
  const old = new Uint8Array(32).fill(7);
  const keys = {
    isEncrypted,
    isLocked: isEncrypted,
    unlock: async (passphrase: string) => {
      if (passphrase === 'right') keys.isLocked = false;
      return passphrase === 'right';
    },
    lock: () => {
      steps.push('lock');
      keys.isLocked = true;
    },
    openMasterKey: async (passphrase: string) => (passphrase === 'right' ? old : undefined),
  };
  const parts = {
    keys,
    keyChain: { hasSeed, prepareSeed: async () => 'fresh', topUp },
    clock: { seconds: () => NOW },
    passphraseCost: { logN: 10, passes: 1 },
    keyChanges: {
      run: (change: (signal: AbortSignal) => unknown) => Promise.resolve(change(new AbortController().signal)),
      replace: async ({ masterKey, passphrase, fresh }: { masterKey: Uint8Array; passphrase: { text: string }; fresh: unknown }) => {
        replaced.push({ masterKey, copy: Uint8Array.from(masterKey), text: passphrase.text, fresh });
      },
    },
    onChange: () => steps.push('change'),
    renewLeftovers: () => steps.push('renew'),
  } as unknown as EncryptionParts;
  return { encryption: new Encryption(parts), keys, steps, replaced, old };
}

test('an unlocked wallet locks itself when its time is over, and the last unlock decides', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { encryption, keys, steps } = model();
  assert.equal(await encryption.unlock('wrong', 60), false);
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked, steps], [0, true, []]);
  assert.equal(await encryption.unlock('right', 60), true);
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked, steps], [NOW + 60, false, ['change']]);
  assert.equal(await encryption.unlock('wrong', 90), false);
  assert.equal(encryption.unlockedUntil, NOW + 60);
  assert.equal(await encryption.unlock('right', 100), true);
  t.mock.timers.tick(99_999);
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked], [NOW + 100, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked, steps], [0, true, ['change', 'change', 'lock', 'change']]);
});

test('a time that is longer than timers can be is waited for in parts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { encryption, keys } = model();
  const seconds = 3_000_000;
  await encryption.unlock('right', seconds);
  t.mock.timers.tick(LONGEST);
  assert.equal(keys.isLocked, false);
  t.mock.timers.tick(seconds * 1000 - LONGEST - 1);
  assert.equal(keys.isLocked, false);
  t.mock.timers.tick(1);
  assert.equal(keys.isLocked, true);
});

test('a lock ends the time at once, also one that an unlock in progress would begin', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { encryption, keys, steps } = model();
  await encryption.unlock('right', 60);
  await encryption.lock();
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked], [0, true]);
  const before = steps.length;
  t.mock.timers.tick(60_000);
  assert.equal(steps.length, before);
  const slow = model({ topUp: async () => slow.encryption.lockNow() });
  assert.equal(await slow.encryption.unlock('right', 60), true);
  assert.deepEqual([slow.encryption.unlockedUntil, slow.keys.isLocked, slow.steps], [0, true, ['lock', 'change']]);
});

test('a wallet whose key pool cannot be filled is locked again', async () => {
  const failing = async () => {
    throw new Error('the disk is full');
  };
  const { encryption, keys } = model({ topUp: failing });
  await assert.rejects(encryption.unlock('right', 60), /the disk is full/);
  assert.deepEqual([encryption.unlockedUntil, keys.isLocked], [0, true]);
});

test('encrypting sets a new seed if there was one, wipes the master key, and renews other files', async () => {
  for (const hasSeed of [true, false]) {
    const { encryption, replaced, steps } = model({ isEncrypted: false, hasSeed });
    await encryption.encrypt('secret');
    const [{ masterKey, copy, text, fresh }] = replaced as [(typeof replaced)[number]];
    assert.deepEqual([text, fresh], ['secret', hasSeed ? 'fresh' : undefined]);
    assert.ok(copy.some((byte) => byte !== 0) && masterKey.every((byte) => byte === 0));
    assert.deepEqual(steps, ['renew']);
  }
  const { encryption, replaced } = model();
  await assert.rejects(encryption.encrypt('secret'), AlreadyEncrypted);
  assert.equal(replaced.length, 0);
});

test('changing the passphrase needs the old one, keeps the master key, and wipes it from memory', async () => {
  const { encryption, replaced, old } = model();
  assert.equal(await encryption.changePassphrase('wrong', 'next'), false);
  assert.equal(replaced.length, 0);
  assert.equal(await encryption.changePassphrase('right', 'next'), true);
  const [{ copy, text, fresh }] = replaced as [(typeof replaced)[number]];
  assert.deepEqual([copy, text, fresh], [new Uint8Array(32).fill(7), 'next', undefined]);
  assert.ok(old.every((byte) => byte === 0));
});
