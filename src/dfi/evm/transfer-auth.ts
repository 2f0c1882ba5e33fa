import { uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { TxIn } from '../../primitives/transaction.js';
import { scriptOf } from '../../script/address.js';
import { evmAddressOf } from '../../script/erc55.js';
import { classify } from '../../script/standard.js';
import { equalBytes } from '../../util/bytes.js';
import type { CustomTxContext } from '../context/custom-tx.js';

/** A key that an input shows. */
interface ShownKey {
  readonly publicKey: Uint8Array;
  readonly kind: 'pkh' | 'wpkh';
  /** Script of the output that is spent. */
  readonly spent: Uint8Array;
}

type Signed = Pick<CustomTxContext, 'tx' | 'spent'>;

/** EVM address of the first input that shows a key. @see docs/protocol/evm.md 3.2 */
export function signerAddress(context: Signed): Uint8Array | undefined {
  for (const { publicKey } of shownKeys(context)) {
    const address = evmAddressOf(publicKey);
    if (address) return address;
  }
  return undefined;
}

/** Whether some input shows the key of an EVM address, in one of the kinds that count. @see docs/protocol/accounts.md 3.7 */
export function isSignedBy(context: Signed, address: Uint8Array, kinds: ReadonlySet<ShownKey['kind']>): boolean {
  return shownKeys(context).some(({ publicKey, kind, spent }) => {
    const own = kinds.has(kind) ? evmAddressOf(publicKey) : undefined;
    return own !== undefined && equalBytes(own, address) && equalBytes(spent, scriptOf({ type: kind, hash: keyHash(publicKey, kind) }));
  });
}

/** Old outputs count only if they pay to the long form of the key. */
function keyHash(publicKey: Uint8Array, kind: ShownKey['kind']): Uint8Array {
  return hash160(kind === 'pkh' ? (uncompressed(publicKey) ?? publicKey) : publicKey);
}

function shownKeys({ tx, spent }: Signed): ShownKey[] {
  return spent.flatMap(({ out: { scriptPubKey } }, i) => {
    const input = tx.vin[i];
    const { type } = classify(scriptPubKey, { metachain: true });
    const kind = type === 'pubkeyhash' ? 'pkh' : type === 'witness_v0_keyhash' ? 'wpkh' : undefined;
    const publicKey = kind && input && (kind === 'pkh' ? keyBehindSignature(input) : input.witness[1]);
    return kind && publicKey ? [{ publicKey, kind, spent: scriptPubKey }] : [];
  });
}

/** What follows the first push and the opcode behind it. */
function keyBehindSignature({ scriptSig }: TxIn): Uint8Array | undefined {
  const [first] = scriptSig;
  return first === undefined ? undefined : scriptSig.subarray(first + 2);
}
