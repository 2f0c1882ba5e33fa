import { fromHex } from '../../util/bytes.js';
import { Code } from '../code.js';
import { BYTECODE } from './bytecode.js';

/** Code that is deployed without running a constructor. */
export const RESERVED: Code = new Code(fromHex(BYTECODE.reserved.runtime));
/** Proxy in front of the implementation of a token. */
export const TOKEN_PROXY: Code = new Code(fromHex(BYTECODE.dst20.runtime));
/** Proxy in front of the implementation of the transfer domain. */
export const TRANSFER_DOMAIN_PROXY: Code = new Code(fromHex(BYTECODE.transferDomain.runtime));

type Deployed = 'registry' | 'intrinsicsV1' | 'transferDomain' | 'transferDomainV1' | 'dst20V1' | 'dst20V2' | 'dst20V3';

/** Code of a contract of the network. */
export function runtimeCode(name: Deployed): Code {
  return new Code(fromHex(BYTECODE[name].runtime));
}

/** Data of the transaction that records the deployment of a contract. */
export function creationData(name: Deployed): Uint8Array {
  return fromHex(BYTECODE[name].creation);
}
