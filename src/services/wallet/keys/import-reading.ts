import type { ImportRequest } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import { isPublicKey, publicKeyOf } from '../../../crypto/ecdsa.js';
import { hash160 } from '../../../crypto/hash.js';
import type { PrivateKey } from '../../../crypto/keys.js';
import { knowsEvm, type NetworkParams } from '../../../params/network.js';
import { rawJson } from '../../../rpc/bind.js';
import { asString } from '../../../rpc/scalars.js';
import { destinationOf, scriptOf } from '../../../script/address.js';
import type { Descriptor, ScriptExpression } from '../../../script/descriptor.js';
import { parseDescriptor } from '../../../script/descriptor-parser.js';
import { erc55Of, evmAddressOf } from '../../../script/erc55.js';
import { equalBytes, fromHex, isHex, reverseBytes, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonObject } from '../../../util/json.js';
import type { Steps } from '../../../util/slicer.js';
import {
  ALL_KEYS,
  type ImportData,
  type ImportedKey,
  IRRELEVANT_KEY,
  MISSING_KEYS,
  type Solution,
  walkScript,
} from '../../../wallet/import-export/import-multi.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { NO_RANGE, readRange } from '../../format/descriptor-range.js';
import { type AddressChain, parseDestination } from '../../format/destination.js';
import { strictFlag } from '../../format/options-object.js';
import { parsePrivateKey } from '../../format/private-key.js';
import { textsOf } from '../../format/texts.js';

/** Data of one request, with warnings about it. */
export interface ImportReading {
  readonly data: ImportData;
  readonly warnings: readonly string[];
}

/**
 * Reads what a request of `importmulti` asks to import, by a descriptor or by a script or address.
 * @param internal true for addresses for change
 * @throws {NodeError} with the text of `defid`
 */
export function* readImport(wallet: Wallet, request: ImportRequest, internal: boolean): Steps<ImportReading> {
  const hasScript = isGiven(request, 'scriptpubkey');
  const hasDescriptor = isGiven(request, 'desc');
  if (hasScript && hasDescriptor) throw invalidParameter('Both a descriptor and a scriptPubKey should not be provided.');
  if (hasScript) return yield* readLegacy(wallet, request, internal);
  if (!hasDescriptor) throw invalidParameter('Either a descriptor or scriptPubKey must be provided.');
  refuseNull(request, 'desc');
  return yield* readDescriptor(wallet, request, request.desc ?? '');
}

function badKey(message: string): NodeError {
  return new NodeError('invalid-address', message);
}

/** True if the caller gave a member of a request. */
export function isGiven(request: ImportRequest, name: 'label' | 'scriptpubkey' | 'desc' | 'range'): boolean {
  return rawJson(request) === undefined ? request[name] !== undefined : rawJson(request, name) !== undefined;
}

/** Refuses members that are null: `defid` reads each that is present. @throws {NodeError} `json-type` */
export function refuseNull(request: ImportRequest, ...names: readonly (keyof ImportRequest & string)[]): void {
  for (const name of names) if (rawJson(request, name) === null) asString(null);
}

function* readDescriptor(wallet: Wallet, request: ImportRequest, text: string): Steps<ImportReading> {
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

function* readLegacy(wallet: Wallet, request: ImportRequest, internal: boolean): Steps<ImportReading> {
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
