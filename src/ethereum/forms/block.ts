import type { StoredHeader, StoredReceipt } from '../../dfi/evm/block-columns.js';
import type { StoredBlock } from '../../dfi/evm/blocks.js';
import { encodeHeader, MIX_HASH, NONCE, OMMERS_HASH } from '../../evm/codec/header.js';
import { type MaybePromise, mapInSlices, withValue } from '../../util/slicer.js';
import type { EthereumJson, EthereumObject } from '../json.js';
import type { EthereumCall } from '../method.js';
import { formatBytes, formatQuantity } from '../values.js';
import { minedForm } from './transaction.js';

/** Header of a block. @see docs/protocol/evm-engine.md 10.4 */
export function headerForm({ header, hash }: StoredHeader): EthereumObject {
  const beneficiary = formatBytes(header.beneficiary);
  const [mixHash, nonce] = [formatBytes(header.seal?.mixHash ?? MIX_HASH), formatBytes(header.seal?.nonce ?? NONCE)];
  return {
    author: beneficiary,
    baseFeePerGas: formatQuantity(header.baseFee),
    difficulty: formatQuantity(header.difficulty),
    extraData: formatBytes(header.extraData),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    hash: formatBytes(hash),
    logsBloom: formatBytes(header.logsBloom),
    miner: beneficiary,
    mixHash,
    nonce,
    number: formatQuantity(header.number),
    parentHash: formatBytes(header.parentHash),
    receiptsRoot: formatBytes(header.receiptsRoot),
    sealFields: [mixHash, nonce],
    sha3Uncles: formatBytes(OMMERS_HASH),
    // Size of the header only, as `defid` counts it.
    size: formatQuantity(encodeHeader(header).length),
    stateRoot: formatBytes(header.stateRoot),
    timestamp: formatQuantity(header.timestamp),
    totalDifficulty: '0x0',
    transactionsRoot: formatBytes(header.transactionsRoot),
  };
}

/** A block. @param receipts those of its entries, to show transactions as objects; undefined to show hashes */
export function blockForm(
  block: StoredBlock,
  receipts: readonly StoredReceipt[] | undefined,
  isStrict: boolean,
  call: EthereumCall,
): MaybePromise<EthereumObject> {
  const whole = (transactions: readonly EthereumJson[]) => ({ ...headerForm(block), transactions, uncles: [] });
  if (!receipts) return whole(block.entries.map(({ hash }) => formatBytes(hash)));
  const forms = mapInSlices(receipts.entries(), ([index, receipt]) => minedForm(block, index, receipt, isStrict), call);
  return withValue(forms, whole);
}
