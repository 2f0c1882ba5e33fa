import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { evmBlock, evmHashOf, evmTransaction } from '../../../dfi/evm/blocks.js';
import { evmTx } from '../../../dfi/evm/evm-transaction.js';
import { isWeiRange, toSatoshis } from '../../../dfi/kernel/evm-numbers.js';
import { decodeUnrecovered, type EvmTransaction, type SignedEvmTransaction } from '../../../evm/codec/transaction.js';
import { addressHex } from '../../../evm/words.js';
import { toHex } from '../../../util/bytes.js';
import { type CustomTxJson, flag, number, type ShowContext, shows, text } from './define.js';

/** JSON of transactions that carry EVM transactions. */
export const evmJson: readonly CustomTxJson[] = [shows(evmTx, (_, shown) => minedFields(shown))];

const UINT64_MAX = 2n ** 64n - 1n;
/** Names by type byte. */
const TYPES = ['legacy', 'eip2930', 'eip1559'] as const;
const ZERO_ADDRESS = 0n;

/** Only a transaction of the active chain has fields, as `defid` reads them from its EVM block. @see docs/protocol/evm-engine.md 11 */
function minedFields({ view, tx }: ShowContext): readonly CustomTxField[] {
  const hash = evmHashOf(view, tx.txid);
  const place = hash && evmTransaction(view, hash);
  const entry = place && evmBlock(view, place.number)?.entries[place.index];
  return entry ? fieldsOf({ ...entry, tx: decodeUnrecovered(entry.raw) }) : [];
}

/** Prices and value are in satoshis, rounded down. None if a number does not fit its type in `defid`. */
function fieldsOf({ tx, sender, hash }: SignedEvmTransaction): readonly CustomTxField[] {
  const { gasPrice, maxFee, maxPriorityFee } = pricesOf(tx);
  const fits = [tx.nonce, tx.gasLimit].every((each) => each <= UINT64_MAX);
  if (!fits || ![gasPrice, maxFee, maxPriorityFee, tx.value].every(isWeiRange)) return [];
  return [
    text('type', TYPES[tx.type]),
    text('hash', toHex(hash)),
    text('sender', addressHex(sender)),
    number('nonce', tx.nonce),
    number('gasPrice', toSatoshis(gasPrice)),
    number('gasLimit', tx.gasLimit),
    number('maxFeePerGas', toSatoshis(maxFee)),
    number('maxPriorityFeePerGas', toSatoshis(maxPriorityFee)),
    flag('createTx', tx.to === undefined),
    text('to', addressHex(tx.to ?? ZERO_ADDRESS)),
    number('value', toSatoshis(tx.value)),
  ];
}

function pricesOf(tx: EvmTransaction) {
  if (tx.type === 2) return { gasPrice: 0n, maxFee: tx.maxFee, maxPriorityFee: tx.maxPriorityFee };
  return { gasPrice: tx.gasPrice, maxFee: 0n, maxPriorityFee: 0n };
}
