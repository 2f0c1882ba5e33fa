import type { TransactionVm, XvmHeader } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { BlockInvalid } from '../../../consensus/errors.js';
import { isFeatureOn } from '../../../dfi/attributes/features.js';
import { evmBlockNumber, evmHeader } from '../../../dfi/evm/blocks.js';
import { type EvmCommitment, requireCommitment } from '../../../dfi/evm/commitment.js';
import { classify } from '../../../dfi/execution/classify.js';
import { toSatoshis } from '../../../dfi/kernel/evm-numbers.js';
import type { EvmHeader } from '../../../evm/codec/header.js';
import { isActive, type NetworkParams } from '../../../params/network.js';
import { isCoinbase, type Transaction } from '../../../primitives/transaction.js';
import type { StateView } from '../../../storage/view.js';
import { fromHex, toHex } from '../../../util/bytes.js';
import { byteTextField, number, object } from '../../format/custom-tx-json/define.js';
import { ANY_HEIGHT, customTxName, describeCustomTx } from '../../format/custom-tx-json/index.js';

/** The chain as far as data for the virtual machines need it. */
export interface VmChain {
  readonly params: NetworkParams;
  readonly tip: { readonly height: number };
  /** State at the tip. */
  readonly state: StateView;
}

const HASH = /^[0-9a-fA-F]{64}$/;

/** Data of a transaction for the virtual machines; undefined if it has none. @see docs/protocol/evm-engine.md 11 */
export function transactionVm(tx: Transaction, chain: VmChain): TransactionVm | undefined {
  return isCoinbase(tx) ? coinbaseVm(tx, chain) : customVm(tx, chain);
}

function customVm(tx: Transaction, { params, tip, state }: VmChain): TransactionVm | undefined {
  const found = classify(tx, false);
  if (found.kind === 'none') return undefined;
  const isMetachain = isActive(params, 'metachain', tip.height);
  const { results, ...rest } = describeCustomTx(found, { tx, height: ANY_HEIGHT, view: state, params, isMetachain });
  const isEvm = found.kind === 'custom' && found.type.evm === 'transaction';
  return { vmtype: isEvm ? 'evm' : 'dvm', txtype: customTxName(found), msg: results, ...rest, xvmheader: undefined };
}

/** Commitment of a coinbase to an EVM block of the active chain; none while the EVM is off at the tip. */
function coinbaseVm(tx: Transaction, { state }: VmChain): TransactionVm | undefined {
  const commitment = isFeatureOn(state, 'evm') ? commitmentOf(tx) : undefined;
  const header = commitment && headerOf(state, commitment);
  if (!commitment || !header) return undefined;
  const { version, evmVersion, blockHash, burnt, priority, beneficiary } = commitment;
  const evm = [
    number('version', evmVersion),
    byteTextField('blockHash', `0x${blockHash}`),
    number('burntFee', burnt),
    number('priorityFee', priority),
    byteTextField('beneficiary', `0x${beneficiary}`),
  ];
  const msg = { fields: [number('version', version), object('evm', evm)] };
  return { vmtype: 'coinbase', txtype: 'coinbase', msg, xvmheader: formatHeader(header) };
}

function commitmentOf(tx: Transaction): EvmCommitment | undefined {
  try {
    return requireCommitment(tx);
  } catch (error) {
    if (error instanceof BlockInvalid) return undefined;
    throw error;
  }
}

function headerOf(state: StateView, { blockHash }: EvmCommitment): EvmHeader | undefined {
  const known = HASH.test(blockHash) ? evmBlockNumber(state, fromHex(blockHash)) : undefined;
  return known === undefined ? undefined : evmHeader(state, known)?.header;
}

function formatHeader(header: EvmHeader): XvmHeader {
  return {
    parenthash: toHex(header.parentHash),
    beneficiary: toHex(header.beneficiary),
    stateroot: toHex(header.stateRoot),
    receiptroot: toHex(header.receiptsRoot),
    number: header.number,
    gaslimit: header.gasLimit,
    gasused: header.gasUsed,
    timestamp: header.timestamp,
    nonce: 0n,
    basefee: toSatoshis(header.baseFee),
  };
}
