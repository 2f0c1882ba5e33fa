import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { encodeDer } from '../../src/crypto/der.js';
import { ExtendedKey } from '../../src/crypto/hd.js';
import { formatWif } from '../../src/crypto/keys.js';
import { networkParams } from '../../src/params/index.js';
import { encode } from '../../src/primitives/codec.js';
import { encodeDestination } from '../../src/script/address.js';
import { Op } from '../../src/script/opcodes.js';
import { buildScript } from '../../src/script/script.js';
import { WalletFile } from '../../src/wallet/store/file.js';
import { book, keys, put } from '../../src/wallet/store/records.js';
import { scriptRun } from './script-decoders.js';
import { bytes, hash } from './wire-seeds.js';

const { address, p2pMagic } = networkParams({ network: 'regtest' });

/** Contents of files that our programs write. */
function writtenFiles(): { readonly wallet: Uint8Array; readonly blocks: Uint8Array } {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-fuzz-seeds-'));
  try {
    const path = join(directory, 'wallet');
    const wallet = WalletFile.create(path, bytes(16, 1));
    wallet.write([put(keys, bytes(33, 2), { secret: hash(1), isSealed: false })], { sync: false });
    wallet.write([put(book, bytes(22, 3), { label: 'label', purpose: 'receive' })], { sync: false });
    wallet.close();
    const blocks = new BlockFiles(join(directory, 'blocks'), { magic: p2pMagic });
    for (const size of [100, 80]) blocks.append(bytes(size, size));
    blocks.close();
    return { wallet: readFileSync(path), blocks: readFileSync(join(directory, 'blocks', 'blk00000.dat')) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const key = { secret: hash(1), compressed: true };
const master = ExtendedKey.fromSeed(bytes(32, 1), address);
const payee = encodeDestination({ type: 'pkh', hash: bytes(20, 1) }, address);

const texts: Readonly<Record<string, readonly string[]>> = {
  'wallet-dump': [
    `# dump\n${formatWif(key, address)} 2020-01-01T00:00:00Z label=a%20b # addr=${payee} hdkeypath=m/0'/0'/1'\n51ae 0 script=1 # addr=x\n`,
    `${formatWif(key, address)} 1970-01-01T00:00:01Z change=1 # addr=\n# End of dump\n`,
  ],
  'conf-text': ['regtest=1\n[regtest]\nrpcport=18554 # port\nmain.rpcuser=a\nnolisten=1\n'],
  'conf-file': ['regtest=1\nrpcuser=a\nrpcpassword=b\n[regtest]\nrpcport=18554\nbind=127.0.0.1:18555\nwhitelist=10.0.0.0/8\nprune=550\n'],
  arguments: ['-regtest\n-rpcport=18554\n-nolisten\n--datadir=/tmp\n-debug=net\ncommand'],
  'peers-file': [
    `{"format":1,"key":"${'01'.repeat(32)}","addresses":[["1.2.3.4",8555,"9","5.6.7.8",1599999000,0,0,0,false],["::1",1,"f","::2",1,2,3,4,true]]}`,
  ],
  'ban-file': ['[{"address":"1.2.3.0/24","created":1500000000,"until":1700000000,"reason":"manually added"}]'],
  address: [
    payee,
    encodeDestination({ type: 'wpkh', hash: bytes(20, 1) }, address),
    encodeDestination({ type: 'wsh', hash: hash(1) }, address),
  ],
  wif: [formatWif(key, address), formatWif({ ...key, compressed: false }, address)],
  'extended-key': [master.publicText, master.privateText ?? ''],
  descriptor: [
    `wpkh([01020304/1'/2]${master.publicText}/0/*)`,
    `sh(multi(1,${master.publicText}/1h,${formatWif(key, address)}))`,
    `combo(${master.privateText}/0'/*')`,
  ],
  endpoint: ['1.2.3.4:8555', '[2001:db8::1]:8555', '::ffff:1.2.3.4'],
  subnet: ['10.0.0.0/8', '10.0.0.0/255.255.0.0', '2001:db8::/32', '1.2.3.4'],
};

const runs: readonly Parameters<typeof encode<Parameters<typeof scriptRun.write>[1]>>[1][] = [
  { flags: 1, scriptSig: buildScript(Op.ONE), scriptPubKey: buildScript(0x76, 0x87), witness: [] },
  { flags: 0x1fffff, scriptSig: new Uint8Array(0), scriptPubKey: buildScript(0, bytes(20, 1)), witness: [bytes(71, 0x30), bytes(33, 2)] },
  { flags: 0, scriptSig: buildScript(Op.ONE, Op.ONE, bytes(33, 2)), scriptPubKey: buildScript(0x63, 0xac, 0x67, 0xae, 0x68), witness: [] },
];

const { wallet, blocks } = writtenFiles();

/** Files, and texts written by hand. */
export const fileSeeds: readonly (readonly [name: string, seed: Uint8Array])[] = [
  ['wallet-file', wallet],
  ['block-file', blocks],
  ['der', encodeDer(bytes(64, 0x55))],
  ...runs.map((run) => ['script-run', encode(scriptRun, run)] as const),
  ...Object.entries(texts).flatMap(([name, all]) => all.map((text) => [name, Buffer.from(text)] as const)),
];
