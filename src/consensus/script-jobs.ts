import { ByteReader, ByteWriter, i64, u8, u32, varBytes } from '../primitives/codec.js';
import { NULL_HASH } from '../primitives/hash.js';
import { type Transaction, type TxFormat, transaction } from '../primitives/transaction.js';
import type { VerifyFlags } from '../script/flags.js';
import type { SpentOutput } from './transaction.js';

/** Scripts of the inputs of a transaction, to be verified. */
export interface ScriptJob {
  readonly tx: Transaction;
  /** The spent outputs, in the order of the inputs; scripts depend on their values and output scripts alone. */
  readonly spent: readonly SpentOutput[];
  readonly flags: VerifyFlags;
  readonly format: TxFormat;
}

const shared = new ByteWriter();

/** Flags, form of the transaction, transaction, and value and script of each spent output. @returns a view until the next call */
export function encodeScriptJob({ tx, spent, flags, format }: ScriptJob): Uint8Array {
  shared.reset();
  u32.write(shared, flags >>> 0);
  u8.write(shared, format.tokenIds ? 1 : 0);
  varBytes.write(shared, tx.raw);
  for (const { out } of spent) {
    i64.write(shared, out.value);
    varBytes.write(shared, out.scriptPubKey);
  }
  return shared.view();
}

// The ids are not computed: scripts do not depend on them.
const [withoutTokenIds, withTokenIds] = [false, true].map((tokenIds) => {
  const format: TxFormat = { tokenIds };
  return { format, codec: transaction(format, { txid: NULL_HASH }) };
}) as [DecodedForm, DecodedForm];

interface DecodedForm {
  readonly format: TxFormat;
  readonly codec: ReturnType<typeof transaction>;
}

/** The job that {@link encodeScriptJob} wrote. @throws {DecodeError} for other bytes */
export function decodeScriptJob(bytes: Uint8Array): ScriptJob {
  const r = new ByteReader(bytes);
  const flags = u32.read(r);
  const { format, codec } = u8.read(r) === 1 ? withTokenIds : withoutTokenIds;
  const tx = codec.read(new ByteReader(varBytes.read(r)));
  const spent = tx.vin.map(() => ({
    out: { value: i64.read(r), scriptPubKey: varBytes.read(r), tokenId: 0 },
    height: 0,
    coinbase: false,
  }));
  return { tx, spent, flags, format };
}
