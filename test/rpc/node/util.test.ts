import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { withChecksum } from '../../../src/script/descriptor-checksum.js';
import { NodeError } from '../../../src/util/errors.js';
import { heights } from '../../unit/dfi/fixture.js';
import { startServices } from '../service-node.js';

const { ask } = startServices(networkParams({ network: 'regtest' }));

async function answers(method: string, params: readonly unknown[], expected: string): Promise<void> {
  assert.equal(await ask(method, JSON.stringify(params)), expected, `${method} ${JSON.stringify(params)}`);
}

const TPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
const RANGED = `wpkh(${TPRV}/1/1/*)#kft60nuy`;
const FIRST = 'bcrt1qjqmxmkpmxt80xz4y3746zgt0q3u3ferr34acd5';
const SECOND = 'bcrt1qhku5rq7jz8ulufe2y6fkcpnlvpsta7rq4442dy';
const THIRD = 'bcrt1qpgptk2gvshyl0s9lqshsmx932l9ccsv265tvaq';

// Expected by the tests of `defid` for these keys.
test('deriveaddresses: addresses of published keys', async () => {
  await answers('deriveaddresses', [`wpkh(${TPRV}/1/1/0)#t6wfjs64`], `["${FIRST}"]`);
  await answers('deriveaddresses', [`wpkh(${TPUB}/1/1/0)#s9ga3alw`], `["${FIRST}"]`);
  await answers('deriveaddresses', [RANGED, [1, 2]], `["${SECOND}","${THIRD}"]`);
  await answers('deriveaddresses', [RANGED, 2], `["${FIRST}","${SECOND}","${THIRD}"]`);
  await answers('deriveaddresses', [RANGED, 0], `["${FIRST}"]`);
  const combo = ['mtfUoUax9L4tzXARpw1oTGxWyoogp52KhJ', 'mtfUoUax9L4tzXARpw1oTGxWyoogp52KhJ', FIRST, '2NDvEwGfpEqJWfybzpKPHF2XH3jwoQV3D7x'];
  await answers('deriveaddresses', [withChecksum(`combo(${TPRV}/1/1/0)`)], JSON.stringify(combo));
});

test('deriveaddresses: refusals', async () => {
  const single = `wpkh(${TPRV}/1/1/0)#t6wfjs64`;
  await answers('deriveaddresses', ['a'], '-5 Missing checksum');
  await answers('deriveaddresses', [single, [0, 2]], '-8 Range should not be specified for an un-ranged descriptor');
  await answers('deriveaddresses', [RANGED], '-8 Range must be specified for a ranged descriptor');
  await answers('deriveaddresses', [withChecksum(`wpkh(${TPUB}/1'/1/0)`)], '-5 Cannot derive script without private keys');
  await answers(
    'deriveaddresses',
    [withChecksum(`multi(1,${TPUB}/1/1/0,${TPUB}/1/1/1)`)],
    '-5 Descriptor does not have a corresponding address',
  );
  await answers('deriveaddresses', [], '-1 usage');
  await answers('deriveaddresses', [1], '-3 Expected type string, got number');
});

test('deriveaddresses: null counts as a range, that of the first index', async () => {
  await answers('deriveaddresses', [RANGED, null], `["${FIRST}"]`);
  await answers('deriveaddresses', [`wpkh(${TPRV}/1/1/0)#t6wfjs64`, null], '-8 Range should not be specified for an un-ranged descriptor');
});

const ranges: readonly { readonly range: unknown; readonly message: string }[] = [
  { range: 10_000_000_000, message: '-8 End of range is too high' },
  { range: 2 ** 31, message: '-8 End of range is too high' },
  { range: -1, message: '-8 End of range is too high' },
  { range: 1_000_000_000, message: '-8 Range is too large' },
  { range: [0, 1_000_000], message: '-8 Range is too large' },
  { range: [1, 1_000_001], message: '-8 Range is too large' },
  { range: [2, 0], message: '-8 Range specified as [begin,end] must not have begin after end' },
  { range: [-1, 0], message: '-8 Range should be greater or equal than 0' },
  { range: [-2, -3], message: '-8 Range specified as [begin,end] must not have begin after end' },
  { range: '2', message: '-8 Range must be specified as end or as [begin,end]' },
  { range: {}, message: '-8 Range must be specified as end or as [begin,end]' },
  { range: true, message: '-8 Range must be specified as end or as [begin,end]' },
  { range: [], message: '-8 Range must be specified as end or as [begin,end]' },
  { range: [1], message: '-8 Range must be specified as end or as [begin,end]' },
  { range: [1, 2, 3], message: '-8 Range must be specified as end or as [begin,end]' },
  { range: [1, '2'], message: '-8 Range must be specified as end or as [begin,end]' },
  { range: 1.5, message: '-1 JSON integer out of range' },
  { range: [0, 1.5], message: '-1 JSON integer out of range' },
];
for (const { range, message } of ranges) {
  test(`a range of ${JSON.stringify(range)}: ${message}`, async () => {
    await answers('deriveaddresses', [RANGED, range], message);
    // The range is read before the descriptor.
    await answers('deriveaddresses', ['a', range], message);
  });
}

test('the limits of ranges', async () => {
  const last = await ask('deriveaddresses', JSON.stringify([RANGED, [2 ** 31 - 1, 2 ** 31 - 1]]));
  assert.match(last, /^\["bcrt1q[a-z0-9]{38}"\]$/);
  await answers('deriveaddresses', [withChecksum(`wpkh(${TPUB}/1/1/2147483647)`)], last);
  // A range of 1,000,000 passes, so the missing checksum is reported.
  await answers('deriveaddresses', ['a', 999_999], '-5 Missing checksum');
  await answers('deriveaddresses', ['a', [1, 1_000_000]], '-5 Missing checksum');
});

test('deriveaddresses ends when its caller disconnects', async () => {
  const caller = new AbortController();
  const call = ask('deriveaddresses', JSON.stringify([RANGED, 999_999]), { signal: caller.signal });
  caller.abort(new NodeError('cancelled', 'gone'));
  assert.equal(await call, '-1 gone');
});

test('getdescriptorinfo: canonical form, checksum of the argument, and properties', async () => {
  const text = `wpkh([ffffffff/13h]${TPRV}/1/*h)`;
  await answers(
    'getdescriptorinfo',
    [text],
    `{"descriptor":"${withChecksum(`wpkh([ffffffff/13']${TPUB}/1/*')`)}","checksum":"${withChecksum(text).slice(-8)}","isrange":true,"issolvable":true,"hasprivatekeys":true}`,
  );
  await answers(
    'getdescriptorinfo',
    ['raw(deadbeef)#89f8spxm'],
    '{"descriptor":"raw(deadbeef)#89f8spxm","checksum":"89f8spxm","isrange":false,"issolvable":false,"hasprivatekeys":false}',
  );
  await answers(
    'getdescriptorinfo',
    ['raw(deadbeef)#89f8spxx'],
    "-5 Provided checksum '89f8spxx' does not match computed checksum '89f8spxm'",
  );
  await answers('getdescriptorinfo', [null], '-3 Expected type string, got null');
});

const A = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const B = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';

/** Address of the same script as a descriptor. */
async function derived(descriptor: string): Promise<string> {
  const [address] = JSON.parse(await ask('deriveaddresses', JSON.stringify([withChecksum(descriptor)]))) as [string];
  return address;
}

test('createmultisig: the address is that of the descriptor with these keys', async () => {
  const redeemScript = `5121${A}21${B}52ae`;
  const forms = { legacy: 'sh(multi', 'p2sh-segwit': 'sh(wsh(multi', bech32: 'wsh(multi' };
  for (const [type, open] of Object.entries(forms)) {
    const close = ')'.repeat(open.split('(').length);
    const address = await derived(`${open}(1,${A},${B}${close}`);
    await answers('createmultisig', [1, [A, B], type], `{"address":"${address}","redeemScript":"${redeemScript}"}`);
    if (type === 'legacy') await answers('createmultisig', [1, [A, B]], `{"address":"${address}","redeemScript":"${redeemScript}"}`);
  }
  const withLong = await derived(`sh(multi(2,${A},${LONG}))`);
  await answers('createmultisig', [2, [A, LONG], 'bech32'], `{"address":"${withLong}","redeemScript":"5221${A}41${LONG}52ae"}`);
});

test('createmultisig: refusals, in the order of the checks', async () => {
  await answers('createmultisig', ['1', [1], 1], '-1 JSON value is not an integer as expected');
  await answers('createmultisig', [0, {}, 'x'], '-1 JSON value is not an array as expected');
  await answers('createmultisig', [0, [1], 'x'], '-1 JSON value is not a string as expected');
  await answers('createmultisig', [0, ['zz'], 'x'], '-5 Invalid public key: zz\n.');
  await answers('createmultisig', [0, [A.slice(2)], 'x'], `-5 Invalid public key: ${A.slice(2)}\n.`);
  await answers('createmultisig', [0, [`05${A.slice(2)}`], 'x'], `-5 Invalid public key: 05${A.slice(2)}`);
  await answers(
    'createmultisig',
    [0, ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU']],
    '-5 Invalid public key: mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU\n.',
  );
  // Keys after the seventeenth are counted and not parsed.
  const many = new Array<string>(17).fill(A);
  const tooMany = '-8 Number of keys involved in the multisignature address creation > 16\nReduce the number';
  await answers('createmultisig', [1, [...many, 'zz']], tooMany);
  await answers('createmultisig', [1, [...many.slice(1), 'zz']], '-5 Invalid public key: zz\n.');
  await answers('createmultisig', [19, [...many, 'zz']], '-8 not enough keys supplied (got 18 keys, but need at least 19 to redeem)');
  await answers('createmultisig', [0, [A], 'x'], "-5 Unknown address type 'x'");
  await answers('createmultisig', [0, [A], 'erc55'], "-5 Unknown address type 'erc55'");
  await answers('createmultisig', [0, [A]], '-8 a multisignature address must require at least one key to redeem');
  await answers('createmultisig', [2, [A]], '-8 not enough keys supplied (got 1 keys, but need at least 2 to redeem)');
  await answers('createmultisig', [1], '-1 usage');
});

const PRIVATE_KEY = 'cUeKHd5orzT3mz8P9pxyREHfsWtVfgsfDjiZZBcjUBAaGk1BTj7N';
const ADDRESS = 'mpLQjfK79b7CCV4VMJWEWAj5Mpx8Up5zxB';
const MESSAGE = 'This is just a test message';

test('messages: signatures of one call verify in the other', async () => {
  const signature = JSON.parse(await ask('signmessagewithprivkey', JSON.stringify([PRIVATE_KEY, MESSAGE]))) as string;
  assert.equal(Buffer.from(signature, 'base64').length, 65);
  await answers('signmessagewithprivkey', [PRIVATE_KEY, MESSAGE], `"${signature}"`);
  await answers('verifymessage', [ADDRESS, signature, MESSAGE], 'true');
  await answers('verifymessage', [ADDRESS, signature, `${MESSAGE}.`], 'false');
  await answers('verifymessage', ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU', signature, MESSAGE], 'false');
});

test('messages: a signature of the same text for another network does not verify', async () => {
  const bitcoins = 'INbVnW4e6PeRmsv2Qgu8NuopvrVjkcxob+sX8OcZG0SALhWybUjzMLPdAsXI46YZGb0KQTRii+wWIQzRpG/U+S0=';
  await answers('verifymessage', [ADDRESS, bitcoins, MESSAGE], 'false');
});

test('messages: refusals', async () => {
  await answers('signmessagewithprivkey', ['invalid_key', MESSAGE], '-5 Invalid private key');
  await answers('verifymessage', ['invalid_addr', '', MESSAGE], '-3 Invalid address');
  await answers('verifymessage', [FIRST, '', MESSAGE], '-3 Address does not refer to key');
  await answers('verifymessage', ['2NDvEwGfpEqJWfybzpKPHF2XH3jwoQV3D7x', '', MESSAGE], '-3 Address does not refer to key');
  await answers('verifymessage', [ADDRESS, 'invalid_sig', MESSAGE], '-5 Malformed base64 encoding');
  await answers('verifymessage', [ADDRESS, '', MESSAGE], 'false');
  await answers('verifymessage', [ADDRESS, 'AAAA', MESSAGE], 'false');
});

describe('EVM addresses, on networks that have them', () => {
  const EVM = '0x58cA890947d786AA5DC583c8372802338eeD59e7';
  const PROGRAM = '6014e759ed8e33022837c883c55daa86d7470989ca58';
  const later = startServices(heights({ metachain: 1000 }));
  const answer = async (method: string, ...params: readonly unknown[]): Promise<string> => later.ask(method, JSON.stringify(params));

  test('verifymessage: they do not refer to a key', async () => {
    assert.equal(await answer('verifymessage', EVM, '', MESSAGE), '-3 Address does not refer to key');
    await answers('verifymessage', [EVM, '', MESSAGE], '-3 Invalid address');
  });

  test('descriptors: `addr` has them, and `raw` of their scripts', async () => {
    const descriptor = withChecksum(`addr(${EVM})`);
    assert.match(await answer('getdescriptorinfo', `addr(${EVM})`), /^\{"descriptor":"addr\(0x58cA/);
    assert.equal(await answer('deriveaddresses', descriptor), `["${EVM}"]`);
    assert.equal(await answer('deriveaddresses', withChecksum(`raw(${PROGRAM})`)), `["${EVM}"]`);
    await answers('getdescriptorinfo', [`addr(${EVM})`], '-5 Address is not valid');
    assert.match(await ask('deriveaddresses', JSON.stringify([withChecksum(`raw(${PROGRAM})`)])), /^\["bcrt1/);
  });
});
