import { bech32 } from '@scure/base';
import { decodeBase58Check, encodeBase58Hash } from '../crypto/base58.js';
import { hash160 } from '../crypto/hash.js';
import { reverseBytes, toHex } from '../util/bytes.js';
import { erc55Script, formatErc55, parseErc55 } from './erc55.js';
import { Op, smallIntegerOpcode } from './opcodes.js';
import { buildScript } from './script.js';
import { type Classified, type ClassifyOptions, classify } from './standard.js';

/** Destination of an output. `hash` is 20 bytes, 32 for `wsh`; for `evm` it is the EVM address in the order of its text. */
export type Destination =
  | { readonly type: 'pkh' | 'sh' | 'wpkh' | 'wsh' | 'evm'; readonly hash: Uint8Array }
  | { readonly type: 'wunknown'; readonly version: number; readonly program: Uint8Array };

/** Address prefixes of a network; `NetworkParams.address` is one. */
export interface AddressPrefixes {
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  readonly bech32Prefix: string;
}

const HASH_SIZE = 20;

/** Formats a destination as an address. */
export function encodeDestination(destination: Destination, address: AddressPrefixes): string {
  switch (destination.type) {
    case 'pkh':
      return encodeBase58Hash(address.pubKeyHash, destination.hash);
    case 'sh':
      return encodeBase58Hash(address.scriptHash, destination.hash);
    case 'wpkh':
    case 'wsh':
      return encodeWitness(0, destination.hash, address);
    case 'wunknown':
      return encodeWitness(destination.version, destination.program, address);
    case 'evm':
      return formatErc55(destination.hash);
  }
}

/**
 * Parses an address.
 * @param options.metachain also accept EVM addresses
 * @returns undefined if it is no address of this network
 */
export function decodeDestination(
  text: string,
  address: AddressPrefixes,
  { metachain = false }: ClassifyOptions = {},
): Destination | undefined {
  const evm = metachain ? parseErc55(text) : undefined;
  if (evm) return { type: 'evm', hash: evm };
  const payload = decodeBase58Check(text);
  if (payload?.length === HASH_SIZE + 1) {
    if (payload[0] === address.pubKeyHash) return { type: 'pkh', hash: payload.subarray(1) };
    if (payload[0] === address.scriptHash) return { type: 'sh', hash: payload.subarray(1) };
  }
  return decodeWitness(text, address);
}

function encodeWitness(version: number, program: Uint8Array, address: AddressPrefixes): string {
  return bech32.encode(address.bech32Prefix, [version, ...bech32.toWords(program)]);
}

function decodeWitness(text: string, address: AddressPrefixes): Destination | undefined {
  const decoded = bech32.decodeUnsafe(text);
  if (!decoded || decoded.prefix !== address.bech32Prefix) return undefined;
  const [version, ...words] = decoded.words;
  const program = bech32.fromWordsUnsafe(words);
  if (version === undefined || !program) return undefined;
  if (version === 0) return witnessV0(program);
  if (version > 16 || program.length < 2 || program.length > 40) return undefined;
  return { type: 'wunknown', version, program };
}

function witnessV0(program: Uint8Array): Destination | undefined {
  if (program.length === 20) return { type: 'wpkh', hash: program };
  return program.length === 32 ? { type: 'wsh', hash: program } : undefined;
}

/** Script that pays a destination. */
export function scriptOf(destination: Destination): Uint8Array {
  switch (destination.type) {
    case 'pkh':
      return buildScript(Op.DUP, Op.HASH160, destination.hash, Op.EQUALVERIFY, Op.CHECKSIG);
    case 'sh':
      return buildScript(Op.HASH160, destination.hash, Op.EQUAL);
    case 'wpkh':
    case 'wsh':
      return buildScript(Op.ZERO, destination.hash);
    case 'wunknown':
      return buildScript(smallIntegerOpcode(destination.version), destination.program);
    case 'evm':
      return erc55Script(destination.hash);
  }
}

/** Destination of a script; for P2PK that of P2PKH. Undefined for bare multisig, data and unknown scripts. */
export function destinationOf(script: Uint8Array, options: ClassifyOptions = {}): Destination | undefined {
  const kind = classify(script, options);
  return kind.type === 'multisig' ? undefined : destinationsOf(kind)[0];
}

/** Addresses of a script as results list them: one, or one per key of a bare multisig, or none. @param kind classification, if known */
export function addressesOf(script: Uint8Array, address: AddressPrefixes, kind: Classified = classify(script)): string[] {
  return destinationsOf(kind).map((destination) => encodeDestination(destination, address));
}

function destinationsOf({ type, solutions, version }: Classified): Destination[] {
  const [hash] = solutions;
  if (!hash) return [];
  switch (type) {
    case 'pubkeyhash':
      return [{ type: 'pkh', hash }];
    case 'scripthash':
      return [{ type: 'sh', hash }];
    case 'witness_v0_keyhash':
      return [{ type: 'wpkh', hash }];
    case 'witness_v0_scripthash':
      return [{ type: 'wsh', hash }];
    case 'pubkey':
    case 'multisig':
      return solutions.map((key) => ({ type: 'pkh', hash: hash160(key) }));
    case 'witness_v16_ethhash':
      return [{ type: 'evm', hash: reverseBytes(hash) }];
    case 'witness_unknown':
      return version === undefined ? [] : [{ type: 'wunknown', version, program: hash }];
    default:
      return [];
  }
}

/** Address of a script, or its hex if it has none. @param options.metachain show scripts of EVM addresses as such */
export function ownerText(script: Uint8Array, address: AddressPrefixes, options: ClassifyOptions = {}): string {
  const destination = destinationOf(script, options);
  return destination ? encodeDestination(destination, address) : toHex(script);
}

/** Address of a script, EVM addresses included, or its hex if it has none. */
export function vmOwnerText(script: Uint8Array, address: AddressPrefixes): string {
  return ownerText(script, address, { metachain: true });
}
