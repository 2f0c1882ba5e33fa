import type { ImportRequest, ImportResult } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type { ImportMultiRequest, ImportMultiResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { TIMESTAMP_WINDOW_SEC } from '../../../consensus/limits.js';
import { isPublicKey, publicKeyOf } from '../../../crypto/ecdsa.js';
import { hash160 } from '../../../crypto/hash.js';
import type { PrivateKey } from '../../../crypto/keys.js';
import { knowsEvm, type NetworkParams } from '../../../params/network.js';
import { rawJson } from '../../../rpc/bind.js';
import { statusOf, toNodeError } from '../../../rpc/errors.js';
import type { Handler } from '../../../rpc/handler.js';
import { asInteger, asString, INT64 } from '../../../rpc/scalars.js';
import { destinationOf, scriptOf } from '../../../script/address.js';
import type { Descriptor, ScriptExpression } from '../../../script/descriptor.js';
import { parseDescriptor } from '../../../script/descriptor-parser.js';
import { erc55Of, evmAddressOf } from '../../../script/erc55.js';
import { equalBytes, fromHex, isHex, reverseBytes, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonNumber, JsonObject, kindOf } from '../../../util/json.js';
import { Slicer, type Steps } from '../../../util/slicer.js';
import {
  ALL_KEYS,
  type ImportData,
  type ImportedKey,
  IRRELEVANT_KEY,
  MISSING_KEYS,
  type Solution,
  storeImport,
  walkScript,
} from '../../../wallet/import-export/import-multi.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { NO_RANGE, readRange } from '../../format/descriptor-range.js';
import { type AddressChain, parseDestination } from '../../format/destination.js';
import { strictFlag } from '../../format/options-object.js';
import { parsePrivateKey } from '../../format/private-key.js';
import { textsOf } from '../../format/texts.js';
import { type WalletModules, walletOf } from '../modules.js';

const NO_TIME = new NodeError('type', 'Missing required timestamp field for key');
/** Smallest creation time of keys: 0 means unknown. */
const LEAST_TIME = 1;

/** Data of one request, with warnings about it. */
interface Reading {
  readonly data: ImportData;
  readonly warnings: readonly string[];
}

/** @see docs/protocol/wallet.md 3.23 */
export const importMulti: Handler<WalletModules, ImportMultiRequest, ImportMultiResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { chain } = modules;
  const { requests } = request;
  const release = (strictFlag(request, 'rescan') ?? true) ? wallet.rescan.reserve() : undefined;
  try {
    const { times, results } = await wallet.keyChanges.run(async (unloaded) => {
      // A client that disconnects does not end the import: without the scan after it, the coins of the keys would stay unknown.
      const slicer = new Slicer(unloaded);
      wallet.keys.requireUnlocked();
      const now = chain.tip.medianTimePast();
      const times = await slicer.run(readTimes(requests, now));
      try {
        return { times, results: await slicer.run(importAll(wallet, requests, times)) };
      } finally {
        wallet.commit();
      }
    });
    if (release && results.some(({ success }) => success)) {
      await rescan(wallet, earliest(times, chain.tip.time), results, times);
      wallet.resubmit();
    }
    return { results };
  } finally {
    release?.();
  }
};

function* readTimes(requests: readonly ImportRequest[], now: number): Steps<number[]> {
  const times: number[] = [];
  for (const request of requests) {
    times.push(Math.max(readTime(request, now), LEAST_TIME));
    yield;
  }
  return times;
}

function* importAll(wallet: Wallet, requests: readonly ImportRequest[], times: readonly number[]): Steps<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const [i, request] of requests.entries()) {
    results.push(yield* importOne(wallet, request, times[i] ?? LEAST_TIME));
    yield;
  }
  return results;
}

function earliest(times: readonly number[], tip: number): number {
  return times.reduce((least, time) => Math.min(least, time), tip);
}

/** Creation time of a request, in seconds since 1970. @throws {NodeError} if it is missing; then nothing is imported */
function readTime(request: ImportRequest, now: number): number {
  const whole = rawJson(request);
  if (whole !== undefined && !(whole instanceof JsonObject)) throw NO_TIME;
  const json = rawJson(request, 'timestamp');
  if (json instanceof JsonNumber) return Number(asInteger(json, INT64.least, INT64.most));
  if (json === 'now') return now;
  if (json !== undefined) {
    throw new NodeError('type', `Expected number or "now" timestamp value for key. got type ${kindOf(json)}`);
  }
  const form = request.timestamp?.form;
  if (!form) throw NO_TIME;
  if (form.$case === 'time') return Number(form.value);
  if (form.value !== 'now') throw new NodeError('type', 'Expected number or "now" timestamp value for key. got type string');
  return now;
}

function* importOne(wallet: Wallet, request: ImportRequest, createdAt: number): Steps<ImportResult> {
  let warnings: readonly string[] = [];
  try {
    const internal = strictFlag(request, 'internal') ?? false;
    if (internal && isGiven(request, 'label')) throw invalidParameter('Internal addresses should not have a label');
    refuseNull(request, 'label');
    const label = request.label ?? '';
    const keypool = strictFlag(request, 'keypool') ?? false;
    if (keypool && !wallet.privateKeysDisabled) {
      throw invalidParameter('Keys can only be imported to the keypool when private keys are disabled');
    }
    const reading = yield* read(wallet, request, internal);
    warnings = reading.warnings;
    yield* storeImport(wallet, reading.data, { createdAt, internal, label, keypool });
    return { success: true, error: undefined, warnings: listOf(warnings) };
  } catch (thrown) {
    return { success: false, error: formatError(thrown), warnings: listOf(warnings) };
  }
}

function listOf(warnings: readonly string[]): ImportResult['warnings'] {
  return warnings.length > 0 ? { texts: [...warnings] } : undefined;
}

/** Error of a request. Members of a wrong type count as missing. */
function formatError(thrown: unknown): { readonly code: number; readonly message: string } {
  const error = toNodeError(thrown);
  if (error.kind === 'json-type' || error.kind === 'unexpected') return { code: -1, message: 'Missing required fields' };
  return { code: statusOf[error.kind].jsonRpc, message: error.message };
}

function badKey(message: string): NodeError {
  return new NodeError('invalid-address', message);
}

function isGiven(request: ImportRequest, name: 'label' | 'scriptpubkey' | 'desc' | 'range'): boolean {
  return rawJson(request) === undefined ? request[name] !== undefined : rawJson(request, name) !== undefined;
}

/** Refuses members that are null: `defid` reads each that is present. @throws {NodeError} `json-type` */
function refuseNull(request: ImportRequest, ...names: readonly (keyof ImportRequest & string)[]): void {
  for (const name of names) if (rawJson(request, name) === null) asString(null);
}

function* read(wallet: Wallet, request: ImportRequest, internal: boolean): Steps<Reading> {
  const hasScript = isGiven(request, 'scriptpubkey');
  const hasDescriptor = isGiven(request, 'desc');
  if (hasScript && hasDescriptor) throw invalidParameter('Both a descriptor and a scriptPubKey should not be provided.');
  if (hasScript) return yield* readLegacy(wallet, request, internal);
  if (!hasDescriptor) throw invalidParameter('Either a descriptor or scriptPubKey must be provided.');
  refuseNull(request, 'desc');
  return yield* readDescriptor(wallet, request, request.desc ?? '');
}

function* readDescriptor(wallet: Wallet, request: ImportRequest, text: string): Steps<Reading> {
  const { params } = wallet.deps.chain;
  const descriptor = parseDescriptor(text, params.address, { requireChecksum: true });
  const watchonly = strictFlag(request, 'watchonly') ?? false;
  const isRanged = isGiven(request, 'range');
  if (!descriptor.isRange && isRanged) throw invalidParameter('Range should not be specified for an un-ranged descriptor');
  if (descriptor.isRange && !isRanged) throw invalidParameter('Descriptor is ranged, please specify the range');
  if (rawJson(request, 'range') === null) throw invalidParameter(NO_RANGE);
  const range = (isRanged ? readRange(request) : undefined) ?? { first: 0, last: 0 };
  refuseNull(request, 'keys');
  const keys = textsOf(request, 'keys');
  const { targets, scripts, publicKeys, privateKeys, origins } = yield* expand(descriptor, range);
  const warnings: string[] = [];
  for (const key of yield* readPrivateKeys(keys, params)) {
    const id = idOf(key);
    if (publicKeys.has(id)) privateKeys.set(id, key);
    else warnings.push(IRRELEVANT_KEY);
  }
  const spendable = [...origins.keys()].every((id) => privateKeys.has(id));
  warnings.push(...watchWarnings(watchonly, spendable));
  const hasSolvingData = descriptor.isSolvable;
  return { data: { targets: [...targets.values()], scripts, publicKeys, privateKeys, origins, hasSolvingData }, warnings };
}

/** Scripts and keys of a descriptor, by hex of the script or of the key id. */
class ExpandedRange {
  readonly targets = new Map<string, Uint8Array>();
  readonly scripts = new Map<string, Uint8Array>();
  readonly publicKeys = new Map<string, ImportedKey>();
  readonly privateKeys = new Map<string, PrivateKey>();
  readonly origins = new Map<string, ImportData['origins'] extends ReadonlyMap<string, infer V> ? V : never>();
}

/** Expands a descriptor at the indexes of a range, both ends included. */
function* expand(descriptor: Descriptor, { first, last }: { readonly first: number; readonly last: number }): Steps<ExpandedRange> {
  const found = new ExpandedRange();
  const namesKeys = KEY_FORMS.has(innermost(descriptor.expression).form);
  yield* descriptor.prepare();
  for (let index = first; index <= last; index++) {
    yield;
    const derived = descriptor.keysAt(index);
    for (const key of derived) if (key?.privateKey) found.privateKeys.set(toHex(hash160(key.publicKey)), key.privateKey);
    const expansion = descriptor.expandKeys(derived);
    // As in `defid` an index without scripts, for lack of a private key, is no error.
    if (!expansion) continue;
    for (const script of expansion.scripts) found.targets.set(toHex(script), script);
    for (const script of expansion.subscripts) found.scripts.set(toHex(script), script);
    for (const { publicKey, origin } of expansion.keys) {
      const keyId = hash160(publicKey);
      if (namesKeys) found.publicKeys.set(toHex(keyId), { keyId, publicKey });
      if (!found.origins.has(toHex(keyId))) found.origins.set(toHex(keyId), { publicKey, origin });
    }
  }
  return found;
}

/** Forms that contain only the hash of a key, so that spending also needs the public key; other forms contain the key. */
const KEY_FORMS: ReadonlySet<string> = new Set(['pkh', 'wpkh', 'combo']);

function innermost(expression: ScriptExpression): ScriptExpression {
  return 'inner' in expression ? innermost(expression.inner) : expression;
}

function watchWarnings(watchonly: boolean, spendable: boolean): string[] {
  if (!watchonly && !spendable) return [MISSING_KEYS];
  return watchonly && spendable ? [ALL_KEYS] : [];
}

function idOf(key: PrivateKey): string {
  return toHex(hash160(publicKeyOf(key.secret, key.compressed)));
}

function* readPrivateKeys(texts: Iterable<string>, params: NetworkParams): Steps<PrivateKey[]> {
  const keys: PrivateKey[] = [];
  for (const text of texts) {
    const key = parsePrivateKey(text, params);
    if (!key) throw badKey('Invalid private key encoding');
    keys.push(key);
    yield;
  }
  return keys;
}

function* readLegacy(wallet: Wallet, request: ImportRequest, internal: boolean): Steps<Reading> {
  const { params } = wallet.deps.chain;
  const targetText = readTargetText(request);
  // As in `defid`, whose error is about a member of a wrong type before it is about the value of another.
  refuseNull(request, 'redeemscript', 'witnessscript', 'pubkeys', 'keys', 'watchonly');
  const { redeemscript, witnessscript } = request;
  const [pubkeys, keys] = [textsOf(request, 'pubkeys'), textsOf(request, 'keys')];
  const watchonly = strictFlag(request, 'watchonly') ?? false;
  if (isGiven(request, 'range')) throw invalidParameter('Range should not be specified for a non-descriptor import');
  const target = targetOf(targetText, wallet.deps.chain, internal);
  const redeemScript = readScript(redeemscript, 'redeem');
  const witnessScript = readScript(witnessscript, 'witness');
  const publicKeys = yield* readPublicKeys(pubkeys);
  const privateKeys = new Map<string, PrivateKey>();
  const evmAddress = knowsEvm(params) ? erc55Of(target) : undefined;
  for (const key of yield* readPrivateKeys(keys, params)) {
    yield;
    publicKeys.delete(idOf(key));
    if (evmAddress && hasEvmAddress(key, evmAddress)) privateKeys.set(toHex(reverseBytes(evmAddress)), { ...key, compressed: true });
    else privateKeys.set(idOf(key), key);
  }
  const nothing = { targets: [target], scripts: new Map(), publicKeys: new Map(), privateKeys: new Map(), origins: new Map() };
  const unsolved = { ...nothing, hasSolvingData: false };
  if (!redeemScript && !witnessScript && publicKeys.size === 0 && privateKeys.size === 0) return { data: unsolved, warnings: [] };
  const given = { redeemScript, witnessScript, metachain: knowsEvm(params) };
  const found: Solution = { keys: new Map(), scripts: new Map() };
  const fault = walkScript(target, given, found) ?? missingKey(found, publicKeys, privateKeys);
  const spendable = [...found.keys.keys()].every((id) => privateKeys.has(id));
  const warnings = watchWarnings(watchonly, spendable);
  if (fault !== undefined) {
    const hint = "If this is intentional, don't provide any keys, pubkeys, witnessscript, or redeemscript.";
    return { data: unsolved, warnings: [...warnings, `Importing as non-solvable: ${fault}. ${hint}`] };
  }
  if (given.redeemScript) warnings.push('Ignoring redeemscript as this is not a P2SH script.');
  if (given.witnessScript) warnings.push('Ignoring witnessscript as this is not a (P2SH-)P2WSH script.');
  dropUnused(found, publicKeys, privateKeys, warnings);
  return { data: { ...nothing, scripts: found.scripts, publicKeys, privateKeys, hasSolvingData: true }, warnings };
}

function hasEvmAddress({ secret }: PrivateKey, address: Uint8Array): boolean {
  const own = evmAddressOf(publicKeyOf(secret, true));
  return own !== undefined && equalBytes(own, address);
}

function missingKey({ keys }: Solution, publicKeys: ReadonlyMap<string, unknown>, privateKeys: ReadonlyMap<string, unknown>) {
  const missing = [...keys].some(([id, required]) => required && !publicKeys.has(id) && !privateKeys.has(id));
  return missing ? 'some required keys are missing' : undefined;
}

function dropUnused(
  { keys }: Solution,
  publicKeys: Map<string, ImportedKey>,
  privateKeys: Map<string, PrivateKey>,
  warnings: string[],
): void {
  for (const id of [...privateKeys.keys()]) {
    if (keys.has(id)) continue;
    privateKeys.delete(id);
    warnings.push(IRRELEVANT_KEY);
  }
  for (const id of [...publicKeys.keys()].sort()) {
    if (keys.get(id)) continue;
    publicKeys.delete(id);
    warnings.push(`Ignoring public key "${id}" as it doesn't appear inside P2PKH or P2WPKH.`);
  }
}

function targetOf({ text, isScript }: TargetText, chain: AddressChain, internal: boolean): Uint8Array {
  if (!isScript) {
    const destination = parseDestination(text, chain);
    if (!destination) throw badKey(`Invalid address "${text}"`);
    return scriptOf(destination);
  }
  if (!isHex(text)) throw badKey(`Invalid scriptPubKey "${text}"`);
  const script = fromHex(text);
  if (!destinationOf(script) && !internal) throw invalidParameter('Internal must be set to true for nonstandard scriptPubKey imports.');
  return script;
}

interface TargetText {
  /** An address, or a script in hex. */
  readonly text: string;
  readonly isScript: boolean;
}

function readTargetText(request: ImportRequest): TargetText {
  const json = rawJson(request, 'scriptpubkey');
  const isAddress = json instanceof JsonObject && json.has('address');
  if (json !== undefined && typeof json !== 'string' && !isAddress) {
    throw invalidParameter('scriptPubKey must be string with script or JSON with address string');
  }
  if (isAddress && json.get('address') === null) asString(null);
  const form = request.scriptpubkey?.form;
  if (form?.$case === 'address') return { text: form.value.address ?? '', isScript: false };
  return { text: form?.value ?? '', isScript: true };
}

function readScript(text: string | undefined, kind: 'redeem' | 'witness'): Uint8Array | undefined {
  if (text === undefined || text === '') return undefined;
  if (!isHex(text)) throw badKey(`Invalid ${kind} script "${text}": must be hex string`);
  return fromHex(text);
}

function* readPublicKeys(texts: Iterable<string>): Steps<Map<string, ImportedKey>> {
  const keys = new Map<string, ImportedKey>();
  for (const text of texts) {
    yield;
    if (!isHex(text)) throw badKey(`Pubkey "${text}" must be a hex string`);
    const publicKey = fromHex(text);
    if (!isPublicKey(publicKey)) throw badKey(`Pubkey "${text}" is not a valid public key`);
    const keyId = hash160(publicKey);
    keys.set(toHex(keyId), { keyId, publicKey });
  }
  return keys;
}

/** Rescans for the imports, and reports the imports that an unreadable block may affect. */
async function rescan(wallet: Wallet, time: number, results: ImportResult[], times: readonly number[]): Promise<void> {
  const start = wallet.rescan.startFor(time);
  if (!start) return;
  const { status, failedAt } = await wallet.rescan.run(start);
  wallet.commit();
  if (status === 'aborted') throw new NodeError('misc', 'Rescan aborted by user.');
  if (status !== 'failure' || !failedAt) return;
  const unread = failedAt.time + TIMESTAMP_WINDOW_SEC + 1;
  results.forEach((result, i) => {
    const createdAt = times[i] ?? LEAST_TIME;
    if (!result.success || createdAt >= unread) return;
    const message =
      `Rescan failed for key with creation timestamp ${createdAt}. There was an error reading a block from time ` +
      `${unread - TIMESTAMP_WINDOW_SEC - 1}, which is after or within ${TIMESTAMP_WINDOW_SEC} seconds of key creation, and could ` +
      'contain transactions pertaining to the key. As a result, transactions and coins using this key may not appear in the wallet. ' +
      'This error could be caused by pruning or data corruption (see defid log for details) and could be dealt with by downloading ' +
      'and rescanning the relevant blocks (see -reindex and -rescan options).';
    results[i] = { ...result, success: false, error: { code: -1, message } };
  });
}
