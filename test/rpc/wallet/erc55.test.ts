import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatWif } from '../../../src/crypto/keys.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';
import { startWalletNode } from './wallet-node.js';

const METACHAIN = 150;
const SEED = 'cMceqPhHedrhbcR9eXgzmfWy7kRqLyAxMYwFT6ABDWsiwUp9Nsq9';
/** Addresses of the seed's first key. */
const SEGWIT = 'bcrt1qp2uhzhhucfqpma9uqudvdr6wqx5cs89ncd0yec';
const LONG = 'n1KskD3b7ZmRKsY5Mspvn5bN1qFXnhDQJK';
const EVM = '0x58cA890947d786AA5DC583c8372802338eeD59e7';
const PROGRAM = 'e759ed8e33022837c883c55daa86d7470989ca58';
const STRANGER = '0x1111111111111111111111111111111111111111';
const UNKNOWN = 'ab'.repeat(32);

test('EVM addresses are invalid on a chain without Metachain', async () => {
  const node = await startFounderNode();
  const call = (method: string, ...args: readonly unknown[]) => node.call(method, args);
  try {
    for (const type of ['erc55', 'eth']) assert.equal(await call('getnewaddress', '', type), `-5 Unknown address type '${type}'`);
    assert.deepEqual(await call('validateaddress', EVM), { isvalid: false });
    for (const text of [EVM, `0014${PROGRAM}`]) assert.equal(await call('getaddressinfo', text), '-5 Invalid address');
    assert.equal(await call('dumpprivkey', EVM), '-5 Invalid Defi address');
    assert.equal(await call('importprivkey', '02'.repeat(32)), '-5 Invalid private key encoding');
    assert.equal(await call('signmessagewithprivkey', '02'.repeat(32), 'text'), '-5 Invalid private key');
    const [imported] = (await call('importmulti', [
      { scriptPubKey: { address: LONG }, timestamp: 'now', keys: ['02'.repeat(32)] },
    ])) as object[];
    assert.deepEqual(imported, { success: false, error: { code: -5, message: 'Invalid private key encoding' } });
    assert.equal(await call('importaddress', EVM), '-5 Invalid Defi address or script');
    assert.equal(await call('listreceivedbyaddress', 0, true, true, EVM), '-4 address_filter parameter was invalid');
    assert.equal(await call('signmessage', EVM, 'text'), '-3 Invalid address');
    assert.equal(await call('sendtoaddress', EVM, 1), '-5 Invalid address');
    assert.equal(await call('createrawtransaction', [], { [EVM]: 1 }), `-5 Invalid Defi address: ${EVM}`);
    assert.equal(await call('createvault', EVM), `-5 recipient (${EVM}) does not refer to any valid address`);
    await call('getnewaddress', 'early', 'legacy');
    assert.equal(Object.keys((await call('getaddressesbylabel', 'early')) as object).length, 1);
  } finally {
    await node.end();
  }
});

describe('EVM addresses', () => {
  let node: FounderNode;
  const call = (method: string, ...args: readonly unknown[]) => node.call(method, args);
  const labelled = async (label: string) => Object.keys((await call('getaddressesbylabel', label)) as object);

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
  });
  after(() => node.end());

  test('are known before Metachain', async () => {
    assert.deepEqual(((await call('validateaddress', EVM)) as { isvalid: boolean }).isvalid, true);
    await call('getnewaddress', 'early', 'legacy');
    assert.equal((await labelled('early')).length, 4);
    assert.ok(node.chain.tip.height < METACHAIN - 1);
    await node.mint(METACHAIN - 1 - node.chain.tip.height, node.founder);
  });

  test('getnewaddress creates them, and adds the other addresses of the key to the address book', async () => {
    await call('sethdseed', true, SEED);
    assert.equal(await call('getnewaddress', 'first', 'erc55'), EVM);
    assert.deepEqual(await labelled('first'), [LONG, SEGWIT, EVM], 'in the order of destinations');
    assert.match(String(await call('getnewaddress', '', 'eth')), /^0x[0-9a-fA-F]{40}$/);
    assert.match(String(await call('getrawchangeaddress', 'erc55')), /^0x[0-9a-fA-F]{40}$/);
    assert.equal(await call('getnewaddress', '', 'ERC55'), "-5 Unknown address type 'ERC55'");
    await call('getnewaddress', 'legacy', 'legacy');
    assert.equal((await labelled('legacy')).length, 4);
    const received = (await call('listreceivedbyaddress', 0, true)) as readonly { address: string }[];
    assert.ok(received.some(({ address }) => address === SEGWIT));
    assert.ok(!received.some(({ address }) => address.startsWith('0x')));
  });

  test('validateaddress and getaddressinfo describe them; letters may be of any case', async () => {
    const described = { isscript: false, iswitness: true, witness_version: 16, witness_program: PROGRAM };
    const scriptPubKey = `6014${PROGRAM}`;
    for (const text of [EVM, EVM.toLowerCase(), `0x${EVM.slice(2).toUpperCase()}`]) {
      assert.deepEqual(await call('validateaddress', text), { isvalid: true, address: EVM, scriptPubKey, ...described });
    }
    assert.deepEqual(await call('validateaddress', `${EVM}0`), { isvalid: false });
    assert.deepEqual(await call('validateaddress', EVM.replace('0x', '0X')), { isvalid: false });
    const { desc, pubkey, timestamp, hdseedid, ...own } = (await call('getaddressinfo', EVM)) as Record<string, unknown>;
    assert.match(String(desc), new RegExp(`^addr\\(${EVM}\\)#[0-9a-z]{8}$`));
    assert.match(String(pubkey), /^049a70f83cc1232954fa3fa74f73f0c24f1cda51237af78ddd420817bf22e9dfd3[0-9a-f]{64}$/);
    assert.equal(typeof timestamp, 'number');
    assert.equal(hdseedid, '8359238bb526d24c1a5014a994b226768800b079');
    assert.deepEqual(own, {
      ...{ address: EVM, scriptPubKey, ismine: true, solvable: true, iswatchonly: false, ...described },
      ...{ label: 'first', ischange: false, hdkeypath: "m/0'/0'/0'", hdmasterfingerprint: '4ba43603' },
      labels: [{ name: 'first', purpose: 'receive' }],
    });
    const other = (await call('getaddressinfo', STRANGER)) as Record<string, unknown>;
    assert.deepEqual([other.ismine, other.solvable, other.ischange, other.desc, other.pubkey], [false, false, false, undefined, undefined]);
  });

  test('getaddressinfo reads output scripts in hex as their addresses', async () => {
    const infoOf = (text: string) => call('getaddressinfo', text);
    assert.deepEqual(await infoOf(`6014${PROGRAM}`), await infoOf(EVM));
    const { scriptPubKey, pubkey } = (await infoOf(SEGWIT)) as { readonly scriptPubKey: string; readonly pubkey: string };
    assert.deepEqual(await infoOf(scriptPubKey.toUpperCase()), await infoOf(SEGWIT));
    const { address } = (await infoOf(`21${pubkey}ac`)) as { readonly address: string };
    assert.deepEqual(await infoOf(`21${pubkey}ac`), await infoOf(address));
    for (const other of ['6a', '51', `5121${pubkey}51ae`, '11'.repeat(20), ''])
      assert.equal(await infoOf(other), '-5 Invalid address', other);
  });

  test('dumpprivkey shows the key in the form of EVM programs; setlabel knows the owner of an address', async () => {
    const key = String(await call('dumpprivkey', EVM));
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.notEqual(await call('dumpprivkey', SEGWIT), key);
    const secret = '02'.repeat(32);
    for (const wrong of [secret.slice(2), '00'.repeat(32), 'ff'.repeat(32)]) {
      assert.equal(await call('importprivkey', wrong), '-5 Invalid private key encoding');
    }
    assert.equal(await call('importprivkey', secret, 'taken in', false), null);
    const taken = await labelled('taken in');
    assert.equal(taken.length, 5, 'legacy in both forms, P2SH, bech32 and EVM');
    const { format } = (await call('addressmap', taken.at(-2), 1)) as { format: { erc55: string } };
    assert.equal(format.erc55, taken.at(-1));
    assert.equal(await call('dumpprivkey', format.erc55), secret);
    const { format: of } = (await call('addressmap', format.erc55, 2)) as { format: { legacy: string } };
    assert.deepEqual(((await call('addressmap', of.legacy, 1)) as { format: object }).format, { erc55: format.erc55 });
    const uncompressed = formatWif({ secret: new Uint8Array(32).fill(3), compressed: false }, { secretKey: 0xef });
    assert.equal(await call('importprivkey', uncompressed, 'uncompressed', false), null);
    const known = await Promise.all((await labelled('uncompressed')).map((address) => call('getaddressinfo', address)));
    assert.equal(known.length, 5);
    for (const { ismine, solvable } of known as { ismine: boolean; solvable: boolean }[]) assert.ok(ismine && solvable);
    assert.equal(await call('dumpprivkey', STRANGER), `-4 Private key for address ${STRANGER} is not known`);
    for (const address of [EVM, STRANGER]) assert.equal(await call('setlabel', address, 'named'), null);
    assert.deepEqual(await call('getaddressesbylabel', 'named'), { [STRANGER]: { purpose: 'send' }, [EVM]: { purpose: 'receive' } });
  });

  test('importmulti imports the key of an EVM address, in hex or not', async () => {
    const importOne = async (scriptPubKey: unknown, keys: readonly string[]) => {
      const requests = [{ scriptPubKey, timestamp: 'now', keys, label: 'imported' }];
      return ((await call('importmulti', requests, { rescan: false })) as object[])[0];
    };
    const secret = '05'.repeat(32);
    const address = '0xd09Ad14080d4b257a819a4f579b8485Be88f086c';
    const script = '60146c088fe85b48b879f5a419a857b2d48040d19ad0';
    const missing = {
      success: true,
      warnings: [
        'Some private keys are missing, outputs will be considered watchonly. If this is intentional, specify the watchonly flag.',
        "Importing as non-solvable: some required keys are missing. If this is intentional, don't provide any keys, pubkeys, witnessscript, or redeemscript.",
      ],
    };
    const ownership = async (text: string) => {
      const { ismine, iswatchonly } = (await call('getaddressinfo', text)) as { ismine: boolean; iswatchonly: boolean };
      return { ismine, iswatchonly };
    };
    assert.deepEqual(await importOne({ address }, ['06'.repeat(32)]), missing, 'the key of another address');
    assert.deepEqual(await ownership(address), { ismine: false, iswatchonly: true });
    assert.deepEqual(await importOne({ address }, [secret]), { success: true });
    assert.deepEqual(await ownership(address), { ismine: true, iswatchonly: false });
    assert.equal(await call('dumpprivkey', address), secret);
    assert.ok((await labelled('imported')).includes(address));
    const message = `The wallet already contains the private key for this address or script ("${script}")`;
    assert.deepEqual(await importOne(script, [secret]), { success: false, error: { code: -4, message } });
    const wif = { secret: new Uint8Array(32).fill(7), compressed: true };
    assert.deepEqual(await importOne({ address: '0x4a62316623ad457F02cDC5D997deD67a383EC569' }, [formatWif(wif, { secretKey: 0xef })]), {
      success: true,
    });
  });

  test('importmulti makes an uncompressed key of a secret in hex', async () => {
    const p2pkh = (keyId: string) => `76a914${keyId}88ac`;
    const importOne = async (scriptPubKey: string, key: string) => {
      const requests = [{ scriptPubKey, timestamp: 'now', keys: [key] }];
      return ((await call('importmulti', requests, { rescan: false })) as readonly { success: boolean; warnings?: object }[])[0];
    };
    const secret = '08'.repeat(32);
    const compressed = await importOne(p2pkh('1cfef3571aad5bf16174e9d39928ad1a57167693'), secret);
    assert.ok(compressed?.success && compressed.warnings, 'watch-only');
    assert.deepEqual(await importOne(p2pkh('148eb86cf163fdf8c0c5d618517c85c74f267787'), secret), { success: true });
    for (const wrong of [secret.slice(2), '00'.repeat(32)]) {
      const refusal = { success: false, error: { code: -5, message: 'Invalid private key encoding' } };
      assert.deepEqual(await importOne(p2pkh('148eb86cf163fdf8c0c5d618517c85c74f267788'), wrong), refusal);
    }
  });

  test('a secret in hex is an uncompressed key of signmessagewithprivkey, signrawtransactionwithkey and sethdseed too', async () => {
    const secret = '09'.repeat(32);
    const wif = formatWif({ secret: new Uint8Array(32).fill(9), compressed: false }, { secretKey: 0xef });
    const signature = await call('signmessagewithprivkey', secret, 'text');
    assert.equal(signature, await call('signmessagewithprivkey', wif, 'text'));
    assert.equal(await call('signmessagewithprivkey', secret.slice(2), 'text'), '-5 Invalid private key');
    const EMPTY = '04000000000000000000';
    assert.deepEqual(await call('signrawtransactionwithkey', EMPTY, [secret]), { hex: EMPTY, complete: true });
    assert.equal(await call('signrawtransactionwithkey', EMPTY, [secret.slice(2)]), '-5 Invalid private key');
    assert.equal(await call('sethdseed', false, '00'.repeat(32)), '-5 Invalid private key');
  });

  test('importpubkey watches the addresses of both forms of the key', async () => {
    const publicKey = '037f9563f30c609b19fd435a19b8bde7d6db703012ba1aba72e9f42a87366d1941';
    assert.equal(await call('importpubkey', publicKey, 'public', false), null);
    const addresses = await labelled('public');
    const kinds = addresses.map((address) => /^(0x|bcrt1|2|m|n)/.exec(address)?.[0]?.replace('n', 'm'));
    assert.deepEqual(kinds.sort(), ['0x', '2', 'bcrt1', 'm', 'm']);
    for (const address of addresses) {
      assert.equal(((await call('getaddressinfo', address)) as { readonly iswatchonly: boolean }).iswatchonly, true, address);
    }
  });

  test('importaddress watches one; as filter and as signer it is an address, of which nothing is known', async () => {
    const watched = '0x2222222222222222222222222222222222222222';
    assert.equal(await call('importaddress', watched, 'watched', false), null);
    const { iswatchonly, label } = (await call('getaddressinfo', watched)) as Record<string, unknown>;
    assert.deepEqual([iswatchonly, label], [true, 'watched']);
    assert.equal(
      await call('importaddress', watched, '', false, true),
      '-5 Cannot use the p2sh flag with an address - use a script instead',
    );
    assert.deepEqual(await call('listreceivedbyaddress', 0, true, true, watched), []);
    assert.equal(await call('signmessage', EVM, 'text'), '-3 Address does not refer to key');
  });

  const refused = '-5 ERC55 addresses not supported';
  const rows: readonly (readonly [method: string, args: readonly unknown[]])[] = [
    ['sendtoaddress', [EVM, 1]],
    ['sendmany', ['', { [EVM]: 1 }]],
    ['createrawtransaction', [[], { [EVM]: 1 }]],
    ['utxostoaccount', [{ [EVM]: '1@DFI' }]],
    ['accounttoaccount', [EVM, { [SEGWIT]: '1@DFI' }]],
    ['accounttoutxos', [EVM, { [SEGWIT]: '1@DFI' }]],
    ['sendtokenstoaddress', [{ [SEGWIT]: '1@DFI' }, { [EVM]: '1@DFI' }]],
    ['sendutxosfrom', [SEGWIT, EVM, 1]],
    ['accounttoutxos', [EVM, { nobody: '1@DFI' }]],
    ['futureswap', [EVM, '1@DFI', 'NONE']],
    ['withdrawfutureswap', [EVM, '1@DFI']],
    ['createvault', [EVM]],
    ['deposittovault', [UNKNOWN, EVM, '1@DFI']],
    ['withdrawfromvault', [UNKNOWN, EVM, '1@DFI']],
    ['placeauctionbid', [UNKNOWN, 0, EVM, '1@DFI']],
    ['takeloan', [{ vaultId: UNKNOWN, to: EVM, amounts: '1@DFI' }]],
    ['paybackloan', [{ vaultId: UNKNOWN, from: EVM, amounts: '1@DFI' }]],
    ['addpoolliquidity', [{ [SEGWIT]: ['1@DFI'] }, EVM]],
    ['addpoolliquidity', [{ [EVM]: ['1@DFI'] }, SEGWIT]],
    ['removepoolliquidity', [EVM, '1@DFI']],
    ['createpoolpair', [{ tokenA: 'DFI', tokenB: 'DFI', commission: 1, status: true, ownerAddress: EVM }]],
    ['poolswap', [{ from: SEGWIT, tokenFrom: 'DFI', amountFrom: 1, to: EVM, tokenTo: 'DFI' }]],
    ['compositeswap', [{ from: EVM, tokenFrom: 'DFI', amountFrom: 1, to: SEGWIT, tokenTo: 'DFI' }]],
    ['creategovcfp', [{ title: 'a', context: 'b', amount: 1, cycles: 1, payoutAddress: EVM }]],
  ];
  test('some operations check other arguments first', async () => {
    assert.equal(await call('withdrawfutureswap', EVM, '1@DFI', 'NONE'), '-5 Destination token not found');
    const pool = { tokenA: 'DFI', tokenB: 'DFI', ownerAddress: EVM };
    assert.equal(await call('createpoolpair', { ...pool, customRewards: ['x@DFI'] }), '-3 : Invalid amount');
    assert.equal(await call('createpoolpair', { ...pool, tokenA: 'NONE' }), refused);
  });

  test('operations that need a key or a masternode see an address of another kind', async () => {
    assert.equal(await call('createmasternode', STRANGER, SEGWIT), `-8 Address (${STRANGER}) is not owned by the wallet`);
    assert.equal(
      await call('createtoken', { symbol: 'GOLD', name: 'gold', collateralAddress: STRANGER }),
      '-26 eth-scriptpubkey (code 64)',
    );
    await node.confirm('setgov', [{ ATTRIBUTES: { 'v0/params/feature/gov': 'true' } }]);
    const proposal = await node.confirm('creategovvoc', [{ title: 'a', context: 'b' }]);
    assert.equal(await call('votegov', proposal, STRANGER, 'yes'), `-8 ${STRANGER} does not refer to a P2PKH or P2WPKH address`);
  });

  for (const [method, args] of rows) {
    test(`${method} ${JSON.stringify(args)} is refused`, async () => assert.equal(await call(method, ...args), refused));
  }

  test('DFI for an EVM address of others is refused with the same error', async () => {
    const answer = `-5 The address (${STRANGER}) is not your own address`;
    assert.equal(await call('utxostoaccount', { [STRANGER]: '1@DFI' }), answer);
  });

  test('reading their balances is allowed; the hex of their scripts is not an owner', async () => {
    assert.deepEqual(await call('getaccount', EVM), []);
    assert.deepEqual(await call('getaccount', `6014${PROGRAM}`), []);
    assert.deepEqual(await call('getlockedtokens', EVM), []);
    assert.deepEqual(await call('listaccounthistory', EVM), []);
    assert.equal(await call('getreceivedbyaddress', EVM), 0);
    assert.equal(await call('getreceivedbyaddress', STRANGER), '-4 Address not found in wallet');
    const hex = `6014${PROGRAM}`;
    assert.equal(await call('createvault', hex), `-5 recipient script (${hex}) does not solvable/non-standard`);
  });
});

test('-addresstype=erc55 makes EVM addresses, with change to addresses that outputs can pay', async () => {
  const node = await startWalletNode({ addressType: 'erc55' }, [''], heights({ ...GRAND_CENTRAL, metachain: 0 }));
  try {
    const own = String(await node.call('getnewaddress', [''], ''));
    assert.match(own, /^0x[0-9a-fA-F]{40}$/);
    assert.match(String(await node.call('getrawchangeaddress', [], '')), /^0x[0-9a-fA-F]{40}$/);
    const legacy = await node.call('getnewaddress', ['', 'legacy'], '');
    assert.equal(await node.call('addmultisigaddress', [1, [legacy]], ''), "-5 Unknown address type 'erc55'");
    await node.mint(102, legacy);
    const txid = await node.call('sendtoaddress', [legacy, 1], '');
    const { hex } = (await node.call('gettransaction', [txid], '')) as { hex: string };
    const { vout } = (await node.call('decoderawtransaction', [hex], '')) as { vout: { scriptPubKey: { type: string } }[] };
    assert.deepEqual(vout.map(({ scriptPubKey }) => scriptPubKey.type).sort(), ['pubkeyhash', 'witness_v0_keyhash']);
  } finally {
    await node.end();
  }
});
