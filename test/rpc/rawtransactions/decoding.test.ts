import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { heights } from '../../unit/dfi/fixture.js';
import { startServices } from '../service-node.js';

const { ask } = startServices(networkParams({ network: 'regtest' }));

const TXID = '11'.repeat(32);
const INPUT = `${TXID}00000000 00 ffffffff`.replaceAll(' ', '');
const OUTPUT = '00e1f505000000000151'; // 1 DFI to OP_1, in a transaction of version 2: no token id
const PLAIN = `02000000 01${INPUT} 01${OUTPUT} 00000000`.replaceAll(' ', '');
const WITNESS = `02000000 0001 01${INPUT} 01${OUTPUT} 0101aa 00000000`.replaceAll(' ', '');
const TOKEN = `04000000 01${INPUT} 01${OUTPUT}05 00000000`.replaceAll(' ', '');
/** Decoded with a witness it has an input, decoded without it has no input and one output. */
const INPUTLESS = `02000000 00 01${OUTPUT} 00000000`.replaceAll(' ', '');

async function decoded(hex: string, iswitness?: boolean): Promise<Record<string, unknown> | string> {
  const text = await ask('decoderawtransaction', JSON.stringify(iswitness === undefined ? [hex] : [hex, iswitness]));
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : text;
}

function field(value: Record<string, unknown> | string, name: string): unknown {
  assert.ok(typeof value !== 'string', String(value));
  return value[name];
}

const REFUSED = '-22 TX decode failed';

test('decoderawtransaction: a transaction without witness decodes in every mode', async () => {
  for (const mode of [undefined, true, false]) assert.equal(field(await decoded(PLAIN, mode), 'size'), 61);
});

test('decoderawtransaction: one with a witness does not decode without', async () => {
  const [shown] = (field(await decoded(WITNESS), 'vin') as { txinwitness: string[] }[]) ?? [];
  assert.deepEqual(shown?.txinwitness, ['aa']);
  assert.equal(field(await decoded(WITNESS, true), 'vsize'), 63);
  assert.equal(await decoded(WITNESS, false), REFUSED);
});

test('decoderawtransaction: one without inputs decodes only without witness', async () => {
  assert.deepEqual(field(await decoded(INPUTLESS), 'vin'), []);
  assert.deepEqual(field(await decoded(INPUTLESS, false), 'vin'), []);
  assert.equal(await decoded(INPUTLESS, true), REFUSED);
});

test('decoderawtransaction: from version 4 on outputs have a token id', async () => {
  const [out] = field(await decoded(TOKEN), 'vout') as { tokenId: number; value: number }[];
  assert.deepEqual([out?.tokenId, out?.value], [5, 1]);
  const [old] = field(await decoded(PLAIN), 'vout') as object[];
  assert.ok(old && !('tokenId' in old));
});

const undecodable = ['', 'zz', PLAIN.slice(1), PLAIN.slice(2), `${PLAIN}00`, 'ff'.repeat(20)];
for (const hex of undecodable) {
  test(`decoderawtransaction: refuses '${hex.slice(0, 20)}…' of ${hex.length} digits`, async () =>
    assert.equal(await decoded(hex), REFUSED));
}

/** Without inputs; the output script has an undefined opcode, a truncated push, or a push that is too long. */
const senseless = ['01ba', '024c', `fd0c02${'4d0902'}${'00'.repeat(521)}`];
for (const script of senseless) {
  test(`decoderawtransaction: script ${script.slice(0, 12)} is implausible, so decoding without witness must be requested`, async () => {
    const hex = `02000000 00 01 00e1f50500000000 ${script}${script === '024c' ? 'ff' : ''} 00000000`.replaceAll(' ', '');
    assert.equal(await decoded(hex), REFUSED);
    assert.deepEqual(field(await decoded(hex, false), 'vin'), []);
  });
}

test('decodescript: a multisig with an uncompressed key has no witness form', async () => {
  const key = `04${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'}`;
  const shown = JSON.parse(await ask('decodescript', JSON.stringify([`5141${key}51ae`]))) as Record<string, unknown>;
  assert.equal(shown.type, 'multisig');
  assert.ok('p2sh' in shown && !('segwit' in shown));
});

test('decodescript: a script hash is not wrapped again', async () => {
  const shown = JSON.parse(await ask('decodescript', `["a914${'00'.repeat(20)}87"]`)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(shown), ['asm', 'reqSigs', 'type', 'addresses']);
});

describe('scripts of the EVM', () => {
  const PROGRAM = 'e759ed8e33022837c883c55daa86d7470989ca58';
  const EVM = '0x58cA890947d786AA5DC583c8372802338eeD59e7';
  const KECCAK = `76c014${PROGRAM}88ac`;
  const later = startServices(heights({ metachain: 1000 }));
  const shown = async (node: typeof later, hexstring: string) => {
    const { asm, type, addresses } = JSON.parse(await node.ask('decodescript', JSON.stringify([hexstring]))) as Record<string, unknown>;
    return { asm, type, addresses };
  };

  test('decodescript: an EVM address', async () => {
    assert.deepEqual(await shown(later, `6014${PROGRAM}`), { asm: `16 ${PROGRAM}`, type: 'witness_v16_ethhash', addresses: [EVM] });
    const early = await shown({ ask } as typeof later, `6014${PROGRAM}`);
    assert.deepEqual({ ...early, addresses: 0 }, { asm: `16 ${PROGRAM}`, type: 'witness_unknown', addresses: 0 });
  });

  test('decodescript: OP_KECCAK', async () => {
    const asm = (name: string) => `OP_DUP ${name} ${PROGRAM} OP_EQUALVERIFY OP_CHECKSIG`;
    const { addresses, ...rest } = await shown(later, KECCAK);
    assert.deepEqual(rest, { asm: asm('OP_KECCAK'), type: 'pubkeyhash' });
    assert.deepEqual(addresses, (await shown(later, `76a914${PROGRAM}88ac`)).addresses);
    assert.deepEqual(await shown({ ask } as typeof later, KECCAK), { asm: asm('OP_UNKNOWN'), type: 'nonstandard', addresses: undefined });
  });

  test('decoderawtransaction, converttopsbt and decodepsbt: inputs and outputs', async () => {
    const input = `${TXID}0000000001c0ffffffff`;
    const tx = `0200000001${input}0200e1f5050000000016 6014${PROGRAM}00e1f5050000000019${KECCAK}00000000`.replaceAll(' ', '');
    const { vin, vout } = JSON.parse(await later.ask('decoderawtransaction', JSON.stringify([tx])));
    assert.equal(vin[0].scriptSig.asm, 'OP_KECCAK');
    assert.deepEqual(
      vout.map((out: { scriptPubKey: { type: string } }) => out.scriptPubKey.type),
      ['witness_v16_ethhash', 'pubkeyhash'],
    );
    const psbt = JSON.parse(await later.ask('converttopsbt', JSON.stringify([tx, true]))) as string;
    const decodedPsbt = JSON.parse(await later.ask('decodepsbt', JSON.stringify([psbt])));
    assert.deepEqual(decodedPsbt.tx.vout, vout);
  });
});
