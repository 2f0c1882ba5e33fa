import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessRules, requireAccess } from '../../src/rpc/access.js';
import { Credentials } from '../../src/rpc/credentials.js';
import { Role } from '../../src/rpc/options.js';
import { NO_RESTRICTIONS } from '../access-options.js';
import { committedCatalogue } from './catalogue.js';

const COOKIE = `__cookie__:${'ab'.repeat(32)}`;
const VECTOR = 'rt:93648e835a54c573682c2eb19f882535$7681e9c5b74bdd85e78166031d2058e1069b3ed7ed967c93fc63abba06f31144';
const VECTOR_PASSWORD = 'cA773lm788buwYe4g4WT+05pKyNruVKjQ25x3n0DQcM=';
const none = { rpcUser: '', rpcPassword: '', rpcAuth: [], cookie: undefined };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

const cases = [
  { name: 'cookie', options: { ...none, cookie: COOKIE }, given: basic(COOKIE), user: '__cookie__' },
  { name: 'cookie with white space', options: { ...none, cookie: COOKIE }, given: `Basic  ${basic(COOKIE).slice(6)} `, user: '__cookie__' },
  { name: 'wrong cookie', options: { ...none, cookie: COOKIE }, given: basic(`${COOKIE}0`), user: undefined },
  { name: 'scheme in lower case', options: { ...none, cookie: COOKIE }, given: basic(COOKIE).replace('Basic', 'basic'), user: undefined },
  { name: 'another scheme', options: { ...none, cookie: COOKIE }, given: 'Bearer abc', user: undefined },
  { name: 'no colon', options: { ...none, cookie: COOKIE }, given: basic('abc'), user: undefined },
  { name: 'user without a password configured', options: { ...none, rpcUser: 'u' }, given: basic('u:'), user: undefined },
  { name: 'user and password', options: { ...none, rpcUser: 'ü', rpcPassword: 'p:q' }, given: basic('ü:p:q'), user: 'ü' },
  {
    name: 'the cookie is ignored if there is a password',
    options: { ...none, rpcPassword: 'p', cookie: COOKIE },
    given: basic(COOKIE),
    user: undefined,
  },
  { name: 'empty user', options: { ...none, rpcPassword: 'p' }, given: basic(':p'), user: '' },
  { name: 'published rpcauth vector', options: { ...none, rpcAuth: ['x:y', VECTOR] }, given: basic(`rt:${VECTOR_PASSWORD}`), user: 'rt' },
  { name: 'rpcauth next to the cookie', options: { ...none, rpcAuth: [VECTOR], cookie: COOKIE }, given: basic(COOKIE), user: '__cookie__' },
  { name: 'rpcauth of another user', options: { ...none, rpcAuth: [VECTOR] }, given: basic(`rx:${VECTOR_PASSWORD}`), user: undefined },
  { name: 'rpcauth of four parts', options: { ...none, rpcAuth: [`${VECTOR}$x`] }, given: basic(`rt:${VECTOR_PASSWORD}`), user: undefined },
];
for (const { name, options, given, user } of cases) {
  test(`credentials: ${name}`, () => {
    const caller = new Credentials(options, new AccessRules(NO_RESTRICTIONS)).check(given);
    assert.equal(caller?.user, user);
    if (caller) assert.equal(caller.role, Role.ADMIN);
  });
}

test('credentials: an operation requires its role', () => {
  const operation = (name: string) => {
    const found = committedCatalogue().byName(name);
    assert.ok(found);
    return found;
  };
  const ask = (name: string, role: Role) => () => requireAccess(name, operation(name), { user: 'u', role });
  assert.doesNotThrow(ask('getblock', Role.READ));
  assert.throws(ask('stop', Role.SPEND), { kind: 'permission-denied' });
  assert.doesNotThrow(ask('stop', Role.ADMIN));
});
