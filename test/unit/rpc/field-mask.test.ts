import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceDefinitions } from '../../../src/grpc/definitions.js';
import type { Operation } from '../../../src/rpc/catalogue.js';
import type { DescField } from '../../../src/rpc/descriptor-fields.js';
import type { DescMessage } from '../../../src/rpc/descriptors.js';
import { FieldMask, fieldMask } from '../../../src/rpc/field-mask.js';
import { zeroOf } from '../../../src/rpc/lazy.js';
import { propertyName, wireName } from '../../../src/rpc/names.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const call = { signal: new AbortController().signal };

function require(name: string): Operation {
  const op = catalogue.byName(name);
  assert.ok(op);
  return op;
}

async function jsonOf(name: string, answer: unknown, fields?: string): Promise<string> {
  const op = require(name);
  const mask = fieldMask(op, fields);
  return String(await op.codec.write(mask ? await mask.apply(answer, false, call) : answer, undefined, 'document'));
}

const bans = { bans: [1n, 2n].map((n) => ({ address: `a${n}`, bannedUntil: n, banCreated: 0n, banReason: '' })) };

test('an answer has the fields that are asked for, also those that are zero, and no others', async () => {
  assert.equal(await jsonOf('listbanned', bans, 'address'), '[{"address":"a1"},{"address":"a2"}]');
  assert.equal(await jsonOf('listbanned', bans, 'bans.address'), '[{"address":"a1"},{"address":"a2"}]');
  assert.equal(
    await jsonOf('listbanned', bans, 'ban_created, address'),
    '[{"address":"a1","ban_created":0},{"address":"a2","ban_created":0}]',
  );
  assert.equal(await jsonOf('listbanned', bans, 'bans'), await jsonOf('listbanned', bans));
  assert.equal(await jsonOf('listbanned', bans, ''), await jsonOf('listbanned', bans));
});

test('a page keeps its cursor', async () => {
  assert.equal(await jsonOf('listbanned', { ...bans, next: 'AX' }, 'address'), '{"items":[{"address":"a1"},{"address":"a2"}],"next":"AX"}');
});

test('paths continue in the members of a union, in elements and in entries', async () => {
  const vaults = [
    { form: { $case: 'summary', value: { vaultid: 'v1', owneraddress: 'o', loanschemeid: 's', state: 'active' } } },
    { form: { $case: 'summary', value: { vaultid: 'v2', owneraddress: 'o', loanschemeid: 's', state: 'active' } } },
  ];
  assert.match(await jsonOf('listvaults', { vaults }, 'vaultid'), /^\[\{"vaultId":"v1"\},\{"vaultId":"v2"\}\]$/i);
  const entries = { t1: { fee: 1n, depends: [] }, t2: { fee: 2n, depends: ['t1'] } };
  const [oneof] = require('getrawmempool').output.oneofs;
  assert.ok(oneof);
  const answer = { [propertyName(oneof)]: { $case: 'entries', value: { entries } } };
  assert.equal(await jsonOf('getrawmempool', answer, 'depends'), '{"t1":{"depends":[]},"t2":{"depends":["t1"]}}');
});

test('an id in place of an object stays', async () => {
  const [oneof] = require('getblock').output.oneofs;
  assert.ok(oneof);
  assert.equal(await jsonOf('getblock', { [propertyName(oneof)]: { $case: 'hex', value: '00' } }, 'height'), '"00"');
});

test('a path that the answer does not have is refused', () => {
  for (const path of ['nothing', 'address.x', 'bans.address.x', '.', 'address,', 'a'.repeat(10_000), '__proto__', 'constructor']) {
    assert.throws(
      () => new FieldMask(require('listbanned'), path),
      /^InvalidField: fields: the answer has no field|fields: the answer/,
      path,
    );
  }
});

/** All paths to fields of an answer, in JSON names. */
function pathsOf(desc: DescMessage, depth: number): string[] {
  return desc.fields.flatMap((field: DescField) => {
    const inner = field.message && depth > 0 && !field.message.typeName.startsWith('google.') ? pathsOf(field.message, depth - 1) : [];
    return [wireName(field), ...inner.map((path) => `${wireName(field)}.${path}`)];
  });
}

test('whatever is selected, a reduced answer of any operation can be encoded and written', async () => {
  const methods = new Map(serviceDefinitions.flatMap((service) => Object.values(service).map((each) => [each.path, each])));
  const operations = catalogue.operations.filter(({ streams }) => !streams);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations), fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), async (op, picks) => {
      const paths = pathsOf(op.output, 2);
      const answer = Object.fromEntries(
        op.output.fields.filter((field) => !field.oneof).map((field) => [propertyName(field), zeroOf(field)]),
      );
      const text = picks
        .map((pick) => paths[pick % paths.length])
        .filter((path) => path !== undefined)
        .join();
      let mask: FieldMask | undefined;
      try {
        mask = fieldMask(op, text);
      } catch (error) {
        assert.match(String(error), /the answer has no field/);
      }
      if (!mask) return;
      const method = methods.get(op.path);
      assert.ok(method);
      const bytes = method.responseSerialize(await mask.apply(answer, true, call));
      assert.ok(bytes.length <= method.responseSerialize(answer).length);
      await op.codec.write(await mask.apply(answer, false, call), undefined, 'document');
    }),
  );
});
