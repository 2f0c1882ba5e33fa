import { ripemd160 } from '../crypto/hash.js';
import type { KeyOrigin } from '../crypto/key-path.js';
import { equalBytes } from '../util/bytes.js';
import { type AddressPrefixes, destinationOf, scriptOf } from './address.js';
import { Descriptor, type ScriptExpression } from './descriptor.js';
import { FixedKey, type KeyProvider, KeyWithOrigin } from './key-provider.js';
import { type ClassifyOptions, classify } from './standard.js';

/** Lookup of public keys and scripts, of a wallet or of expanded descriptors. Ids are HASH160, 20 bytes. */
export interface ScriptKnowledge extends ClassifyOptions {
  publicKey(keyId: Uint8Array): Uint8Array | undefined;
  /** Origin of a key; undefined omits it from the descriptor. */
  origin(publicKey: Uint8Array): KeyOrigin | undefined;
  /** Redeem or witness script; the id is the HASH160 of the script in both cases. */
  script(scriptId: Uint8Array): Uint8Array | undefined;
  /** Public key with this EVM address, in either form. */
  publicKeyOfEvm?(address: Uint8Array): Uint8Array | undefined;
}

type Context = 'top' | 'sh' | 'wsh';

/**
 * The most specific descriptor of an output script: with its keys if known, else `addr`, else `raw`.
 * @see docs/protocol/rpc-chain.md 3.1.26, docs/protocol/wallet.md 3.0.4
 */
export function inferDescriptor(script: Uint8Array, known: ScriptKnowledge, address: AddressPrefixes): Descriptor {
  return new Descriptor(solve(script, known, 'top') ?? bare(script, known), address);
}

function bare(script: Uint8Array, options: ClassifyOptions): ScriptExpression {
  const destination = destinationOf(script, options);
  // P2PK has an address too, but the script of that address is P2PKH.
  if (destination && equalBytes(scriptOf(destination), script)) return { form: 'addr', destination };
  return { form: 'raw', script };
}

function solve(script: Uint8Array, known: ScriptKnowledge, context: Context): ScriptExpression | undefined {
  const { type, solutions, reqSigs = 0 } = classify(script);
  const [first] = solutions;
  if (!first) return undefined;
  switch (type) {
    case 'pubkey':
      return { form: 'pk', key: describeKey(first, known) };
    case 'pubkeyhash':
      return ofKeyId('pkh', first, known);
    case 'witness_v0_keyhash':
      return context === 'wsh' ? undefined : ofKeyId('wpkh', first, known);
    case 'multisig':
      return { form: 'multi', threshold: reqSigs, keys: solutions.map((key) => describeKey(key, known)) };
    case 'scripthash':
      return context === 'top' ? ofScript('sh', known.script(first), known) : undefined;
    case 'witness_v0_scripthash':
      return context === 'wsh' ? undefined : ofScript('wsh', known.script(ripemd160(first)), known);
    default:
      return undefined;
  }
}

function ofKeyId(form: 'pkh' | 'wpkh', keyId: Uint8Array, known: ScriptKnowledge): ScriptExpression | undefined {
  const key = known.publicKey(keyId);
  return key && { form, key: describeKey(key, known) };
}

function ofScript(form: 'sh' | 'wsh', script: Uint8Array | undefined, known: ScriptKnowledge): ScriptExpression | undefined {
  return script && { form, inner: solve(script, known, form) ?? bare(script, known) };
}

function describeKey(publicKey: Uint8Array, known: ScriptKnowledge): KeyProvider {
  const key = new FixedKey(publicKey);
  const origin = known.origin(publicKey);
  return origin ? new KeyWithOrigin(origin, key) : key;
}
