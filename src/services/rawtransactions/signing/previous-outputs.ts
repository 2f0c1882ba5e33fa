import type { SignRawTransactionWithKeyRequest } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { PreviousOutput } from '../../../../gen/ts/dfi/types/v1/building.js';
import { rawJson } from '../../../rpc/bind.js';
import { requireKind } from '../../../rpc/kinds.js';
import { parseHash, parseHex } from '../../../rpc/shapes.js';
import { scriptAsm } from '../../../script/asm.js';
import type { KeyStore } from '../../../script/key-source.js';
import { classify } from '../../../script/standard.js';
import { equalBytes } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { type JsonKind, JsonObject } from '../../../util/json.js';
import type { Steps } from '../../../util/slicer.js';
import { missingMember } from '../../format/options-object.js';
import { type SpentOutputs, UNKNOWN_AMOUNT } from './sign-inputs.js';

/** Required members, in the order of their checks. */
const REQUIRED = [
  { property: 'scriptpubkey', name: 'scriptPubKey', kind: 'string' },
  { property: 'txid', name: 'txid', kind: 'string' },
  { property: 'vout', name: 'vout', kind: 'number' },
] as const;
const SCRIPTS = [
  { property: 'redeemscript', name: 'redeemScript', kind: 'string' },
  { property: 'witnessscript', name: 'witnessScript', kind: 'string' },
] as const;

interface Member {
  readonly property: keyof PreviousOutput;
  readonly name: string;
  readonly kind: JsonKind;
}

/**
 * Adds the spent outputs, and their scripts, that a request contains.
 * @param keys receives the scripts; undefined for a wallet, which has its own, and then they are ignored
 * @throws {NodeError} @see docs/protocol/rpc-chain.md 3.3.8, rules 4 to 6
 */
export function* readPreviousOutputs(
  request: Pick<SignRawTransactionWithKeyRequest, 'prevtxs'>,
  outputs: SpentOutputs,
  keys?: KeyStore,
): Steps<void> {
  for (const previous of request.prevtxs) {
    yield;
    const json = rawJson(previous);
    if (json !== undefined && !(json instanceof JsonObject)) {
      throw new NodeError('deserialization', 'expected object with {"txid\'","vout","scriptPubKey"}');
    }
    const scriptPubKey = readOutput(previous, outputs);
    const { type } = classify(scriptPubKey);
    if (keys && (type === 'scripthash' || type === 'witness_v0_scripthash')) readScripts(previous, keys);
  }
}

/** Reads and adds an output. @returns its script */
function readOutput(previous: PreviousOutput, outputs: SpentOutputs): Uint8Array {
  for (const member of REQUIRED) if (!checkKind(previous, member)) throw missingMember(member.name);
  const txid = parseHash(previous.txid ?? '', 'txid');
  const { vout = 0 } = previous;
  if (vout < 0) throw new NodeError('deserialization', 'vout must be positive');
  const scriptPubKey = parseHex(previous.scriptpubkey ?? '', 'scriptPubKey');
  const known = outputs.get({ txid, vout })?.scriptPubKey;
  if (known && !equalBytes(known, scriptPubKey)) {
    const texts = `${scriptAsm(known)}\nvs:\n${scriptAsm(scriptPubKey)}`;
    throw new NodeError('deserialization', `Previous output scriptPubKey mismatch:\n${texts}`);
  }
  outputs.set({ txid, vout }, { value: readAmount(previous), scriptPubKey, tokenId: 0 });
  return scriptPubKey;
}

/** Null is an error here; elsewhere it means a missing member. */
function readAmount(previous: PreviousOutput): bigint {
  if (rawJson(previous, 'amount') === null) throw new NodeError('type', 'Amount is not a number or string');
  return previous.amount ?? UNKNOWN_AMOUNT;
}

function readScripts(previous: PreviousOutput, keys: KeyStore): void {
  const given = SCRIPTS.filter((member) => checkKind(previous, member));
  for (const { property, name } of given) keys.addScript(parseHex(previous[property] ?? '', name));
  if (given.length === 0) throw invalidParameter('Missing redeemScript/witnessScript');
}

/**
 * @returns true if the member is present
 * @throws {NodeError} `type` if it has another JSON type
 */
function checkKind(previous: PreviousOutput, { property, name, kind }: Member): boolean {
  if (rawJson(previous) === undefined) return previous[property] !== undefined;
  const json = rawJson(previous, property) ?? null;
  if (json === null) return false;
  requireKind(json, kind, name);
  return true;
}
