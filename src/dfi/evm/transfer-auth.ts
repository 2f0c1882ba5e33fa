import { uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { TxIn } from '../../primitives/transaction.js';
import { scriptOf } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import { classify } from '../../script/standard.js';
import { equalBytes } from '../../util/bytes.js';
import type { TxContext } from '../context/custom-tx.js';

/** Public key revealed by an input. */
interface InputKey {
  readonly publicKey: Uint8Array;
  readonly kind: 'pkh' | 'wpkh';
  /** Script of the spent output. */
  readonly spent: Uint8Array;
}

type Signed = Pick<TxContext, 'tx' | 'spent'>;

/** EVM address of the first public key that an input reveals. @see docs/protocol/evm.md 3.2 */
export function signerAddress(context: Signed): Uint8Array | undefined {
  for (const { publicKey } of inputKeys(context)) {
    const address = evmAddressOf(publicKey);
    if (address) return address;
  }
  return undefined;
}

/**
 * True if some input reveals the key of an EVM address and spends an output that pays to this key.
 * @param kinds kinds of outputs that governance allows as proof
 * @see docs/protocol/accounts.md 3.7
 */
export function isSignedBy(context: Signed, address: Uint8Array, kinds: ReadonlySet<InputKey['kind']>): boolean {
  return inputKeys(context).some(({ publicKey, kind, spent }) => {
    const own = kinds.has(kind) ? evmAddressOf(publicKey) : undefined;
    return own !== undefined && equalBytes(own, address) && equalBytes(spent, scriptOf({ type: kind, hash: keyHash(publicKey, kind) }));
  });
}

/** Key hash as the proof requires it: P2PKH outputs must pay to the uncompressed key. */
function keyHash(publicKey: Uint8Array, kind: InputKey['kind']): Uint8Array {
  return hash160(kind === 'pkh' ? (uncompressed(publicKey) ?? publicKey) : publicKey);
}

function inputKeys({ tx, spent }: Signed): InputKey[] {
  return spent.flatMap(({ out: { scriptPubKey } }, i) => {
    const input = tx.vin[i];
    const { type } = classify(scriptPubKey, { metachain: true });
    const kind = type === 'pubkeyhash' ? 'pkh' : type === 'witness_v0_keyhash' ? 'wpkh' : undefined;
    const publicKey = kind && input && (kind === 'pkh' ? keyBehindSignature(input) : input.witness.at(1));
    return kind && publicKey ? [{ publicKey, kind, spent: scriptPubKey }] : [];
  });
}

/** Bytes after the first push and the push opcode that follows it: the public key of a P2PKH input. */
function keyBehindSignature({ scriptSig }: TxIn): Uint8Array | undefined {
  const [first] = scriptSig;
  return first === undefined ? undefined : scriptSig.subarray(first + 2);
}
