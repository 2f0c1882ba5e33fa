import { hash as nodeHash } from 'node:crypto';

/** SHA-256. @returns 32 bytes */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha256', bytes, 'buffer');
}

/** SHA-256 twice: ids of blocks and transactions, checksums. @returns 32 bytes, wire order */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha256', nodeHash('sha256', bytes, 'buffer'), 'buffer');
}

/** SHA-512. @returns 64 bytes */
export function sha512(bytes: Uint8Array): Uint8Array {
  return nodeHash('sha512', bytes, 'buffer');
}
