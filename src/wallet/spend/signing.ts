import { makeTransaction, type Transaction, type TransactionFields, type TxIn, type TxOut } from '../../primitives/transaction.js';
import { WitnessHashes } from '../../script/sighash.js';
import { completeSignature } from '../../script/sign.js';
import { SignatureData } from '../../script/signature-data.js';
import { TransactionSigner } from '../../script/signer.js';
import type { Wallet } from '../wallet.js';

/** Signs every input. @param spent outputs that the inputs spend, in their order @returns undefined if an input cannot be signed */
export function signAll({ keys, deps: { chain } }: Wallet, fields: TransactionFields, spent: readonly TxOut[]): Transaction | undefined {
  const format = chain.params.txFormat;
  const hashes = new WitnessHashes(fields, format);
  const vin: TxIn[] = [];
  for (const [i, input] of fields.vin.entries()) {
    const { value, scriptPubKey } = spent[i] as TxOut;
    const data = new SignatureData();
    const signer = new TransactionSigner({ tx: fields, format, input: i, value, hashes });
    if (!completeSignature(keys, signer, scriptPubKey, data)) return undefined;
    vin.push({ ...input, scriptSig: data.scriptSig, witness: data.witness });
  }
  return makeTransaction({ ...fields, vin }, format);
}
