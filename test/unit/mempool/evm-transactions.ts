import { signCompact } from '../../../src/crypto/ecdsa.js';
import { keccak256 } from '../../../src/crypto/keccak.js';
import { Domain, transferDomainBody } from '../../../src/dfi/evm/transfer-domain-body.js';
import { type EvmTransaction, encodeEvmTransaction, encodeUnsigned, type LegacyTransaction } from '../../../src/evm/codec/transaction.js';
import { readWord } from '../../../src/evm/words.js';
import { encode, varBytes } from '../../../src/primitives/codec.js';
import { NULL_OUTPOINT, type OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { customTxScript } from '../../../src/script/custom-tx.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';

const FORMAT = { tokenIds: true };
export const GWEI = 1_000_000_000n;
let coins = 0;

/** Signs a transaction. @param key secret, or the byte of which it consists */
export function signed(tx: EvmTransaction, key: number | Uint8Array): Uint8Array {
  const secret = typeof key === 'number' ? new Uint8Array(32).fill(key) : key;
  const compact = signCompact(keccak256(encodeUnsigned(tx)), secret, false);
  const signature = { parity: (compact[0] ?? 0) - 27, r: readWord(compact, 1), s: readWord(compact, 33) };
  return encodeEvmTransaction({ ...tx, signature });
}

/** A transfer of nothing to an address without code, for 30 gwei per gas. */
export function legacy(nonce: number, changes: Partial<LegacyTransaction> = {}): LegacyTransaction {
  const signature = { parity: 0, r: 0n, s: 0n };
  const prices = { type: 0, chainId: 1133n, gasPrice: 30n * GWEI, gasLimit: 21_000n, accessList: [] } as const;
  return { ...prices, nonce: BigInt(nonce), to: 1n << 100n, value: 0n, data: EMPTY_BYTES, signature, ...changes };
}

/** DVM transaction with a message, which spends a coin of its own or the given one. */
export function custom(type: string, body: Uint8Array, spends?: OutPoint): Transaction {
  const txid = Buffer.alloc(32);
  txid.writeUInt32LE(++coins);
  const vin = [{ prevout: spends ?? { txid, vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [] }];
  const scripts = [customTxScript({ type, body }), Uint8Array.of(0x51)];
  return makeTransaction(
    { version: 4, vin, vout: scripts.map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 })), lockTime: 0 },
    FORMAT,
  );
}

/** DVM transaction that only carries an EVM transaction. */
export function carrier(raw: Uint8Array, witness: readonly Uint8Array[] = []): Transaction {
  const input = { prevout: NULL_OUTPOINT, scriptSig: Uint8Array.of(0), sequence: 0xffffffff, witness };
  const scriptPubKey = customTxScript({ type: '9', body: encode(varBytes, raw) });
  return makeTransaction({ version: 4, vin: [input, input], vout: [{ value: 0n, scriptPubKey, tokenId: 0 }], lockTime: 0 }, FORMAT);
}

/** An EVM transaction of a key in its carrier. */
export function evm(key: number, nonce: number, changes: Partial<LegacyTransaction> = {}): Transaction {
  return carrier(signed(legacy(nonce, changes), key));
}

/** A transferdomain transaction with an EVM transaction signed by a key. */
export function transfer(key: number, nonce: number, edge: 'in' | 'out' = 'in', spends?: OutPoint): Transaction {
  const data = signed(legacy(nonce, { gasPrice: 0n, gasLimit: 0n }), key);
  const native = { address: EMPTY_BYTES, amount: { tokenId: 0, amount: 1n }, domain: Domain.dvm, data: EMPTY_BYTES };
  const foreign = { ...native, domain: Domain.evm, data };
  const sides = edge === 'in' ? { src: native, dst: foreign } : { src: foreign, dst: native };
  return custom('8', encode(transferDomainBody, { transfers: [sides] }), spends);
}
