import { COMPRESSED_KEY_SIZE, publicKeyOf, uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { formatKeyPath } from '../../crypto/key-path.js';
import { formatWif, type PrivateKey } from '../../crypto/keys.js';
import { formatHash } from '../../primitives/hash.js';
import { encodeDestination } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import { compareBytes, equalBytes, fromHex, isHex, reverseBytes, toHex } from '../../util/bytes.js';
import { sortInSlices } from '../../util/sliced-sort.js';
import type { Slicer, Steps } from '../../util/slicer.js';
import { destinationOfKey, destinationsOfKey } from '../keys/address-type.js';
import type { Metadata } from '../store/records.js';
import type { Wallet } from '../wallet.js';
import { estimateBirths } from './birth-times.js';
import { importRedeemScript } from './imports.js';

/**
 * Dumps the keys and scripts of an unlocked wallet, in the format of `dumpwallet` of `defid`. Keys that are added between the slices are
 * left out; their scripts may be in it.
 * @param product program name in the first line
 * @returns lines
 * @throws {UnlockNeeded} if the wallet is locked before the end
 * @see docs/protocol/wallet.md 3.0.5
 */
export async function dumpWallet(wallet: Wallet, product: string, slicer: Slicer): Promise<string[]> {
  const { chain, clock } = wallet.deps;
  const { tip } = chain;
  const master = wallet.keyChain.masterKey();
  const head = [
    `# Wallet dump created by ${product}`,
    `# * Created on ${isoTime(clock.seconds())}`,
    `# * Best block at time of backup was ${tip.height} (${formatHash(tip.hash)}),`,
    `#   mined on ${isoTime(tip.time)}`,
    '',
  ];
  const seed = master ? [`# extended private masterkey: ${master.privateText}`, ''] : [];
  master?.wipe();
  const keys = await keyLines(wallet, slicer);
  return [...head, ...seed, ...keys, '', ...(await scriptLines(wallet, slicer)), '', '# End of dump'];
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}

interface AgedKey {
  readonly publicKey: Uint8Array;
  readonly keyId: Uint8Array;
  /** Id that it is listed under. */
  readonly id: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
}

async function keyLines(wallet: Wallet, slicer: Slicer): Promise<string[]> {
  const lines: string[] = [];
  for (const { publicKey, keyId, time } of await agedKeys(wallet, slicer)) {
    // A locked wallet would lack the lines of all later keys.
    wallet.keys.requireUnlocked();
    const line = wallet.keys.usePrivateKey(keyId, (key) => keyLine(wallet, key, publicKey, keyId, time));
    if (line !== undefined) lines.push(line);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return lines;
}

/** Private keys of the wallet, the oldest first, once for each id. */
async function agedKeys(wallet: Wallet, slicer: Slicer): Promise<AgedKey[]> {
  const found: (Omit<AgedKey, 'id' | 'time'> & { readonly ids: readonly Uint8Array[]; readonly createdAt: number })[] = [];
  for (const publicKey of [...wallet.keys.publicKeys()]) {
    const keyId = hash160(publicKey);
    const ids = idsOf(wallet, publicKey, keyId);
    found.push({ publicKey, keyId, ids, createdAt: wallet.keys.metadata(keyId)?.createdAt ?? 0 });
    const paused = slicer.pause();
    if (paused) await paused;
  }
  const ageless = found.flatMap(({ keyId, createdAt }) => (createdAt === 0 ? toHex(keyId) : []));
  const births = await estimateBirths(wallet, ageless, slicer);
  const lines = found.flatMap(({ publicKey, keyId, ids, createdAt }) => {
    const time = createdAt || (births.get(toHex(keyId)) ?? 0);
    return ids.map((id) => ({ publicKey, keyId, id, time }));
  });
  return sortInSlices(lines, (a, b) => (a.time - b.time || compareBytes(a.id, b.id)) < 0, slicer);
}

/**
 * Ids that a key is listed under. From 4.0 on, `defid` knows a key by the ids of both its forms and by its EVM address, whose bytes it
 * has reversed, and dumps it for each of them; a seed once.
 */
function idsOf({ keys }: Wallet, publicKey: Uint8Array, keyId: Uint8Array): Uint8Array[] {
  const isSeed = isSeedKey(keys.metadata(keyId), keyId);
  const long = keys.metachain && !isSeed && publicKey.length === COMPRESSED_KEY_SIZE ? uncompressed(publicKey) : undefined;
  const evm = long && evmAddressOf(long);
  if (!evm) return [keyId];
  const longId = hash160(long);
  // The wallet has both forms of a key that was imported without compression.
  return [keyId, ...(keys.exactKey(longId) ? [] : [longId]), reverseBytes(evm)];
}

function isSeedKey(meta: Metadata | undefined, keyId: Uint8Array): boolean {
  return meta?.seedId !== undefined && equalBytes(meta.seedId, keyId);
}

function keyLine(wallet: Wallet, key: PrivateKey, publicKey: Uint8Array, keyId: Uint8Array, time: number): string {
  const { address } = wallet.deps.chain.params;
  const named = destinationsOfKey(publicKey, wallet.keys).filter((destination) => wallet.book.get(destination));
  const shown = named.length > 0 ? named : [destinationOfKey(publicKey, wallet.deps.settings.addressType)];
  const addresses = shown.map((destination) => encodeDestination(destination, address)).join(',');
  const path = wallet.keys.metadata(keyId)?.origin?.path;
  const hdPath = path === undefined ? '' : ` hdkeypath=m${formatKeyPath(path)}`;
  return `${formatWif(key, address)} ${isoTime(time)} ${kindOf(wallet, publicKey, keyId)} # addr=${addresses}${hdPath}`;
}

function kindOf(wallet: Wallet, publicKey: Uint8Array, keyId: Uint8Array): string {
  const labels = destinationsOfKey(publicKey, wallet.keys).flatMap((destination) => wallet.book.get(destination)?.label ?? []);
  const label = labels.at(-1);
  if (label !== undefined) return `label=${encodeLabel(label)}`;
  const { hdChain } = wallet.keys;
  if (hdChain && equalBytes(hdChain.seedId, keyId)) return 'hdseed=1';
  if (wallet.keyPool.has(publicKey)) return 'reserve=1';
  return isSeedKey(wallet.keys.metadata(keyId), keyId) ? 'inactivehdseed=1' : 'change=1';
}

async function scriptLines(wallet: Wallet, slicer: Slicer): Promise<string[]> {
  const { address } = wallet.deps.chain.params;
  const lines: string[] = [];
  const known: (readonly [string, Uint8Array])[] = [];
  for (const entry of wallet.keys.scripts()) {
    known.push(entry);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  for (const [id, script] of await sortInSlices(known, ([a], [b]) => a < b, slicer)) {
    const createdAt = wallet.keys.scriptMetadata(script)?.createdAt ?? 0;
    const text = encodeDestination({ type: 'sh', hash: fromHex(id) }, address);
    lines.push(`${toHex(script)} ${createdAt === 0 ? '0' : isoTime(createdAt)} script=1 # addr=${text}`);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return lines;
}

function encodeLabel(label: string): string {
  const bytes = [...Buffer.from(label)];
  return bytes
    .map((byte) => (byte <= 32 || byte >= 128 || byte === 0x25 ? `%${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte)))
    .join('');
}

function decodeLabel(text: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const hex = text[i] === '%' ? /^[0-9a-fA-F]{2}/.exec(text.slice(i + 1))?.[0] : undefined;
    bytes.push(hex === undefined ? text.charCodeAt(i) : Number.parseInt(hex, 16));
    if (hex !== undefined) i += 2;
  }
  return Buffer.from(bytes).toString();
}

/** Content of a dump. Times are seconds since 1970; 0 if unknown. */
export interface Dump {
  readonly keys: readonly { readonly key: PrivateKey; readonly time: number; readonly label: string | undefined }[];
  readonly scripts: readonly { readonly script: Uint8Array; readonly time: number }[];
}

/**
 * Parses a dump of this program or of `defid`; ignores other lines.
 * @param parseKey parses a private key; undefined for other text
 */
export function* parseDump(text: string, parseKey: (text: string) => PrivateKey | undefined): Steps<Dump> {
  const keys: Dump['keys'][number][] = [];
  const scripts: Dump['scripts'][number][] = [];
  for (const line of text.split('\n')) {
    yield;
    if (line === '' || line.startsWith('#')) continue;
    const [first = '', time, ...rest] = line.split(' ');
    if (time === undefined) continue;
    const key = parseKey(first);
    if (key) keys.push({ key, time: parseTime(time), label: labelOf(rest) });
    else if (isHex(first)) scripts.push({ script: fromHex(first), time: parseTime(time) });
  }
  return { keys, scripts };
}

function parseTime(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms / 1000;
}

/** Undefined for change and reserved keys; empty for a key without label. */
function labelOf(words: readonly string[]): string | undefined {
  let label: string | undefined = '';
  for (const word of words) {
    if (word.startsWith('#')) break;
    if (word === 'change=1' || word === 'reserve=1') label = undefined;
    if (word.startsWith('label=')) label = decodeLabel(word.slice('label='.length));
  }
  return label;
}

/** Result of an import. */
export interface ImportedDump {
  /** Earliest creation time, at most the time of the call, seconds since 1970. */
  readonly oldest: number;
  /** False if a script was too long to be added. */
  readonly isComplete: boolean;
}

/**
 * Imports keys and scripts of a dump. Labels and times of keys that the wallet has count too. The caller commits.
 * @param now seconds since 1970
 * @throws {UnlockNeeded} if the wallet is locked before the end
 */
export function* importDump(wallet: Wallet, { keys, scripts }: Dump, now: number): Steps<ImportedDump> {
  wallet.keys.requireUnlocked();
  let oldest = now;
  let isComplete = true;
  for (const { key, time, label } of keys) {
    const publicKey = publicKeyOf(key.secret, key.compressed);
    wallet.addPrivateKey(key, time);
    if (label !== undefined) wallet.book.set(destinationOfKey(publicKey, 'legacy'), label, label === 'spv' ? 'spv' : 'receive');
    oldest = Math.min(oldest, time);
    yield;
  }
  for (const { script, time } of scripts) {
    if (!importRedeemScript(wallet, script, time)) isComplete = false;
    else if (time > 0) oldest = Math.min(oldest, time);
    yield;
  }
  return { oldest, isComplete };
}
