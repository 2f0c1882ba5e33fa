import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { formatWif } from '../../../src/crypto/keys.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { startWalletNode, type WalletNode } from './wallet-node.js';

const params = heights({ ...GRAND_CENTRAL, metachain: 0 });
const wifOf = (byte: number, compressed = true) => formatWif({ secret: new Uint8Array(32).fill(byte), compressed }, params.address);

interface Info {
  readonly scriptPubKey: string;
  readonly pubkey?: string;
  readonly ismine: boolean;
  readonly solvable: boolean;
  readonly iswatchonly: boolean;
  readonly desc?: string;
  readonly script?: string;
  readonly hex?: string;
  readonly embedded?: { readonly address: string };
}

interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number;
  readonly address: string;
  readonly spendable: boolean;
  readonly solvable: boolean;
  readonly desc: string;
}

/** A transaction that was signed, as far as possible. */
interface Signed {
  readonly hex: string;
  readonly complete: boolean;
}

describe('outputs to EVM addresses', () => {
  let node: WalletNode;
  /** EVM address of a key of the wallet, its script, and the P2SH address around that. */
  let own: string;
  let script: string;
  let around: string;
  let native: string;
  let coin: Coin;

  const call = async <T = unknown>(method: string, ...args: readonly unknown[]) => (await node.call(method, args, '')) as T;
  const infoOf = (address: string) => call<Info>('getaddressinfo', address);
  const coinsOf = (...addresses: readonly string[]) => call<Coin[]>('listunspent', 0, 9_999_999, addresses);
  /** Amount in DFI, less a fee. */
  const lessFee = (amount: number) => Number((amount - 0.01).toFixed(8));
  const spending = ({ txid, vout, amount }: Coin) => call<string>('createrawtransaction', [{ txid, vout }], { [native]: lessFee(amount) });
  const accepts = async (hex: string) => (await call<{ allowed: boolean }[]>('testmempoolaccept', [hex]))[0]?.allowed;

  before(async () => {
    node = await startWalletNode({}, [''], params);
    own = await call<string>('getnewaddress', 'evm', 'erc55');
    native = await call<string>('getnewaddress', '', 'legacy');
    script = (await infoOf(own)).scriptPubKey;
    around = (await call<{ p2sh: string }>('decodescript', script)).p2sh;
    await node.mint(3, own);
    await node.mint(100, native);
    coin = (await coinsOf(own))[0] as Coin;
  });
  after(() => node.end());

  test('of a key of the wallet are its own', async () => {
    const coins = await coinsOf(own);
    assert.equal(coins.length, 3);
    for (const { address, spendable, solvable, desc } of coins) {
      assert.deepEqual([address, spendable, solvable], [own, true, true]);
      assert.match(desc, new RegExp(`^addr\\(${own}\\)#`));
    }
    const entries = await call<{ address: string; category: string }[]>('listtransactions', '*', 200);
    assert.equal(entries.filter(({ address, category }) => address === own && category === 'generate').length, 3);
  });

  test('are signed by the wallet and by a given key, with the uncompressed form of it', async () => {
    const raw = await spending(coin);
    const byWallet = await call<Signed>('signrawtransactionwithwallet', raw);
    const secret = await call<string>('dumpprivkey', own);
    assert.deepEqual(await call<Signed>('signrawtransactionwithkey', raw, [secret]), byWallet);
    assert.equal(byWallet.complete, true);
    const { vin } = await call<{ vin: { txinwitness: string[] }[] }>('decoderawtransaction', byWallet.hex);
    assert.equal(vin[0]?.txinwitness[1], (await infoOf(own)).pubkey);
    assert.equal(await accepts(byWallet.hex), true);
    const { errors } = await call<{ errors: { error: string }[] }>('signrawtransactionwithkey', raw, [wifOf(77)]);
    assert.equal(errors[0]?.error, 'Witness program hash mismatch');
  });

  test('are spent by the wallet', async () => {
    const [, second] = (await coinsOf(own)) as [Coin, Coin];
    const funded = await call<{ hex: string }>('fundrawtransaction', await spending(second), { changeAddress: native });
    const { hex } = await call<Signed>('signrawtransactionwithwallet', funded.hex);
    const txid = await call<string>('sendrawtransaction', hex, 0);
    await node.mint(1, native);
    assert.equal((await call<{ confirmations: number }>('gettransaction', txid)).confirmations, 1);
    assert.equal((await coinsOf(own)).length, 2);
  });

  test('signatures of several transactions are combined', async () => {
    const other = (await coinsOf(native))[0] as Coin;
    const inputs = [coin, other].map(({ txid, vout }) => ({ txid, vout }));
    const raw = await call<string>('createrawtransaction', inputs, { [native]: lessFee(coin.amount + other.amount) });
    const parts: string[] = [];
    for (const address of [own, native]) {
      const part = await call<Signed>('signrawtransactionwithkey', raw, [await call('dumpprivkey', address)]);
      assert.equal(part.complete, false);
      parts.push(part.hex);
    }
    const combined = await call<string>('combinerawtransaction', parts);
    assert.equal(combined, (await call<Signed>('signrawtransactionwithwallet', raw)).hex);
    assert.equal(await accepts(combined), true);
  });

  test('PSBTs of them are filled, signed, analysed and finalised', async () => {
    const { txid, vout, amount } = coin;
    const empty = await call<string>('createpsbt', [{ txid, vout }], { [native]: lessFee(amount) });
    assert.equal(await call('utxoupdatepsbt', empty), empty, 'as in `defid`, which adds outputs of other witness programs only');
    const { psbt: updated } = await call<{ psbt: string }>('walletprocesspsbt', empty, false);
    const { inputs } = await call<{ inputs: { witness_utxo?: { scriptPubKey: { address: string } } }[] }>('decodepsbt', updated);
    assert.equal(inputs[0]?.witness_utxo?.scriptPubKey.address, own);
    const analysed = async (psbt: string) => (await call<{ inputs: object[] }>('analyzepsbt', psbt)).inputs[0];
    const missing = { pubkeys: [script.slice(4)] };
    assert.deepEqual(await analysed(updated), { has_utxo: true, is_final: false, next: 'updater', missing });
    const { psbt, complete } = await call<{ psbt: string; complete: boolean }>('walletprocesspsbt', empty);
    assert.equal(complete, true);
    assert.deepEqual(await analysed(psbt), { has_utxo: true, is_final: true, next: 'updater' });
    const final = await call<Signed>('finalizepsbt', psbt);
    assert.equal(await accepts(final.hex), true);
  });

  test('in P2SH the script is known with its key, but not the output an own one', async () => {
    const { ismine, solvable, script: type, hex, embedded, desc } = await infoOf(around);
    assert.deepEqual([ismine, solvable, type, hex, embedded?.address], [false, true, 'witness_v16_ethhash', script, own]);
    assert.match(String(desc), new RegExp(`^sh\\(addr\\(${own}\\)\\)#`));
    const { scriptPubKey } = await infoOf(around);
    const previous = { txid: '11'.repeat(32), vout: 0, scriptPubKey, redeemScript: script, amount: 1 };
    const raw = await call<string>('createrawtransaction', [previous], { [native]: 0.5 });
    const byWallet = await call<Signed>('signrawtransactionwithwallet', raw, [previous]);
    assert.equal(byWallet.complete, true);
    assert.deepEqual(await call('signrawtransactionwithkey', raw, [await call('dumpprivkey', own)], [previous]), byWallet);
  });

  test('the address stands for the uncompressed key in a multisig script, which has no EVM address', async () => {
    const { pubkey } = await infoOf(own);
    const added = await call<{ address: string; redeemScript: string }>('addmultisigaddress', 1, [own], '', 'legacy');
    assert.equal(added.redeemScript, `5141${pubkey}51ae`);
    for (const type of ['erc55', 'eth', 'bech32']) assert.deepEqual(await call('addmultisigaddress', 1, [own], '', type), added);
    const stranger = `0x${'12'.repeat(20)}`;
    assert.equal(await call('addmultisigaddress', 1, [stranger]), `-5 no full public key for address ${stranger}`);
    assert.equal((await call<{ address: string }>('createmultisig', 1, [pubkey], 'erc55')).address, added.address);
    const short = (await infoOf(native)).pubkey;
    assert.equal(await call('createmultisig', 1, [short], 'eth'), "-5 Unknown address type 'eth'");
  });

  test('change may be one, of a given or of a new address', async () => {
    const raw = await call<string>('createrawtransaction', [], { [native]: 1 });
    const changeOf = async (options: object) => {
      const { hex, changepos } = await call<{ hex: string; changepos: number }>('fundrawtransaction', raw, options);
      const { vout } = await call<{ vout: { scriptPubKey: { type: string; addresses: string[] } }[] }>('decoderawtransaction', hex);
      return vout[changepos]?.scriptPubKey;
    };
    const given = await changeOf({ changeAddress: own });
    assert.deepEqual([given?.type, given?.addresses], ['witness_v16_ethhash', [own]]);
    assert.equal((await changeOf({ change_type: 'erc55' }))?.type, 'witness_v16_ethhash');
    assert.equal(await call('fundrawtransaction', raw, { change_type: 'ERC55' }), "-5 Unknown change type 'ERC55'");
  });

  test('sendmany refuses the script in hex; sendutxosfrom pays from them, but not to them', async () => {
    assert.equal(await call('sendmany', '', { [script]: 1 }), `-5 recipient script (${script}) does not solvable/non-standard`);
    const refused = '-5 ERC55 addresses not supported';
    assert.equal(await call('sendutxosfrom', native, own, 1), refused);
    assert.equal(await call('sendutxosfrom', own, native, 1), refused, 'change to the address of the sender');
    const before = await coinsOf(own);
    assert.match(await call<string>('sendutxosfrom', own, native, 1, native), /^[0-9a-f]{64}$/);
    assert.equal((await coinsOf(own)).length, before.length - 1);
  });

  test('of a key that is imported later count from then on', async () => {
    const address = '0x4a62316623ad457F02cDC5D997deD67a383EC569';
    assert.equal(await call('importaddress', address, 'watched', false), null);
    await node.mint(1, address);
    const immature = async () => {
      const { mine, watchonly } = await call<Record<'mine' | 'watchonly', { immature: number } | undefined>>('getbalances');
      return [mine?.immature ?? 0, watchonly?.immature ?? 0] as const;
    };
    const [mine, watched] = await immature();
    assert.ok(watched > 0);
    assert.equal(await call('importprivkey', wifOf(7), 'own', false), null);
    assert.deepEqual(await immature(), [Number((mine + watched).toFixed(8)), 0]);
  });

  test('of a public key without private key are watched, but not solvable', async () => {
    const publicKey =
      '0450863ad64a87ae8a2fe83c1af1a8403cb53f53e486d8511dad8a04887e5b23522cd470243453a299fa9e77237716103abc11a1df38855ed6f2ee187e9c582ba6';
    const address = '0x3E9003153d9A39D3f57B126b0c38513D5e289c3E';
    assert.equal(await call('importpubkey', publicKey, 'public', false), null);
    const { iswatchonly, solvable, desc, pubkey } = await infoOf(address);
    assert.deepEqual([iswatchonly, solvable, desc, pubkey], [true, false, undefined, undefined]);
    assert.equal(await call('addressmap', address, 2), `-5 no full public key for address ${address}`);
    const nested = await infoOf('2N3X9L7fwsWhjCrWiEwFZAvYNgox2gdssG5');
    assert.deepEqual([nested.script, nested.hex], ['witness_v0_keyhash', '0014f54a5851e9372b87810a8e60cdd2e7cfd80b6e31']);
  });

  test('a dump has a line for each id of a key, with its EVM address, and the script of that', async () => {
    const { filename } = await call<{ filename: string }>('dumpwallet', join(node.wallets.directory, 'dump.txt'));
    const lines = readFileSync(filename, 'utf8').split('\n');
    const ofKey = lines.filter((line) => line.includes(own));
    assert.equal(ofKey.length, 3);
    assert.equal(new Set(ofKey).size, 1);
    assert.match(String(ofKey[0]), / label=evm # addr=bcrt1[0-9a-z]+,0x[0-9a-fA-F]{40},[mn][0-9a-zA-Z]+ hdkeypath=m/);
    assert.ok(lines.includes(`${script} 0 script=1 # addr=${around}`));
    assert.equal(lines.filter((line) => line.includes(' hdseed=1 ')).length, 1);
    const imported = await call<Record<string, unknown>>('importwallet', filename);
    assert.equal(imported, null);
  });
});
