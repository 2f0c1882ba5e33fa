import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../src/chain/block-files.js';
import { parseArguments } from '../../src/config/arguments.js';
import { parseConf } from '../../src/config/conf-file.js';
import { ConfigError } from '../../src/config/errors.js';
import { loadConfig } from '../../src/config/load.js';
import { OPTIONS } from '../../src/config/options.js';
import { parseWif } from '../../src/crypto/keys.js';
import { type Dump, decodeDump, encodeDump } from '../../src/mempool/dump.js';
import { AddressBook } from '../../src/p2p/addresses/address-book.js';
import { Bans } from '../../src/p2p/addresses/bans.js';
import { restoreAddresses, StateFiles } from '../../src/p2p/net/state-files.js';
import { networkParams } from '../../src/params/index.js';
import { DecodeError } from '../../src/primitives/codec.js';
import { StoreDamaged } from '../../src/storage/errors.js';
import { silentLogger } from '../../src/util/logger.js';
import { finish } from '../../src/util/slicer.js';
import { parseDump } from '../../src/wallet/import-export/dump.js';
import { WalletFile } from '../../src/wallet/store/file.js';
import { WalletDamaged, WalletTooNew } from '../../src/wallet/store/file-format.js';
import { walletColumns } from '../../src/wallet/store/records.js';
import { bytesDecoder, codecDecoder, type Decoder, textDecoder } from './decoder.js';

const { txFormat, p2pMagic, address } = networkParams({ network: 'regtest' });

/** In memory if the system has a memory file system: files are made thousands of times. */
const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dfi-fuzz-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const knownOptions = new Set(OPTIONS.map(({ key }) => key));
const isConfigError = (error: unknown): boolean => error instanceof ConfigError;
const never = (): boolean => false;

/** Reads a wallet file with all its rows. A file that was truncated loses only its incomplete end. */
function readWallet(bytes: Uint8Array): unknown {
  const path = join(directory, 'wallet');
  writeFileSync(path, bytes);
  const file = WalletFile.open(path);
  try {
    return walletColumns.map(({ name }) => [...file.rows(name)].length);
  } finally {
    file.close();
  }
}

function readBlockFile(bytes: Uint8Array): unknown {
  const blocks = join(directory, 'blocks');
  rmSync(blocks, { recursive: true, force: true });
  const files = new BlockFiles(blocks, { magic: p2pMagic });
  files.close();
  writeFileSync(join(blocks, 'blk00000.dat'), bytes);
  const read = new BlockFiles(blocks, { magic: p2pMagic });
  try {
    return [...read.records()].map((position) => read.read(position).length);
  } finally {
    read.close();
  }
}

function readConfig(text: string): unknown {
  const path = join(directory, 'defi.conf');
  writeFileSync(path, text);
  return loadConfig({ argv: [`-datadir=${directory}`, `-conf=${path}`], env: {} });
}

function readAddresses(text: string): unknown {
  writeFileSync(join(directory, 'peers.json'), text);
  const { key, addresses } = new StateFiles(directory, silentLogger).readAddresses();
  const book = new AddressBook({ key, now: () => 1_600_000_000, random: () => 0.5 });
  restoreAddresses(book, addresses);
  return book.size;
}

function readBans(text: string): unknown {
  writeFileSync(join(directory, 'banlist.json'), text);
  const bans = new Bans(60, () => 1_600_000_000);
  new StateFiles(directory, silentLogger).readBans(bans);
  return bans.stored();
}

/** Decoders of files, which anyone may have edited or an unclean shutdown may have truncated. */
export const fileDecoders: readonly Decoder[] = [
  ...walletColumns.flatMap(({ name, key, value }) => [
    codecDecoder(`wallet-${name}-key`, key),
    codecDecoder(`wallet-${name}-value`, value),
  ]),
  bytesDecoder('wallet-file', readWallet, (error) => error instanceof WalletDamaged || error instanceof WalletTooNew),
  bytesDecoder('block-file', readBlockFile, (error) => error instanceof StoreDamaged),
  {
    name: 'mempool-dump',
    isExact: true,
    decode: (bytes) => decodeDump(bytes, txFormat),
    encode: (dump) => Buffer.concat([...encodeDump(dump as Dump)]),
    isOwnError: (error) => error instanceof DecodeError,
  },
  textDecoder('wallet-dump', (text) => finish(parseDump(text, (key) => parseWif(key, address))), never),
  textDecoder('conf-text', parseConf, isConfigError),
  textDecoder('conf-file', readConfig, isConfigError),
  textDecoder('arguments', (text) => parseArguments(text.split('\n'), knownOptions), isConfigError),
  textDecoder('peers-file', readAddresses, never),
  textDecoder('ban-file', readBans, never),
];
