import type { BlockMinter, BlockRewards, DetailedTransaction } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { DecodedTransaction } from '../../../../gen/ts/dfi/types/v1/transaction.js';
import type { ShownMinter } from '../../../chain/shown-minter.js';
import { blockSubsidy } from '../../../consensus/subsidy.js';
import { knowsEvm, type NetworkParams } from '../../../params/network.js';
import type { Block } from '../../../primitives/block.js';
import { formatHash } from '../../../primitives/hash.js';
import type { BlockHeader } from '../../../primitives/header.js';
import type { Transaction } from '../../../primitives/transaction.js';
import type { CallContext } from '../../../rpc/handler.js';
import { type MaybePromise, mapInSlices } from '../../../util/slicer.js';
import { formatTransaction, transactionHex } from '../../format/transaction.js';
import { unpaidShares } from './block-rewards.js';
import { transactionVm, type VmChain } from './transaction-vm.js';

/** Lowest verbosity of the layout with details. */
const DETAILS_VERBOSITY = 3;
/** Below this verbosity, scripts and transactions in hex are left out. */
const HEX_VERBOSITY = 4;

/**
 * True if `getblock` answers in the layout with details. `defid` has it in the releases that know Metachain; earlier ones answer as with
 * verbosity 2.
 */
export function showsDetails(verbosity: number, { params }: VmChain): boolean {
  return verbosity >= DETAILS_VERBOSITY && knowsEvm(params);
}

/** Transactions of a block with their data for the virtual machines. */
export function detailedTransactions(
  block: Block,
  verbosity: number,
  { chain, showsWitness }: { readonly chain: VmChain; readonly showsWitness: boolean },
  call: Pick<CallContext, 'signal'>,
): MaybePromise<DetailedTransaction[]> {
  const { params } = chain;
  const format = (tx: Transaction): DetailedTransaction => {
    const full = formatTransaction(tx, { params });
    const hex = transactionHex(tx, params, showsWitness);
    const transaction = verbosity < HEX_VERBOSITY ? withoutHex(withoutTokens(full)) : { ...withoutTokens(full), hex };
    return { transaction, vm: transactionVm(tx, chain) };
  };
  return mapInSlices(block.transactions, format, call);
}

function withoutTokens(tx: DecodedTransaction): DecodedTransaction {
  return { ...tx, vout: tx.vout.map((output) => ({ ...output, tokenid: undefined })) };
}

function withoutHex(tx: DecodedTransaction): DecodedTransaction {
  return {
    ...tx,
    vin: tx.vin.map((input) => ({ ...input, scriptsig: input.scriptsig && { asm: input.scriptsig.asm } })),
    vout: tx.vout.map((output) => ({ ...output, scriptpubkey: output.scriptpubkey && { ...output.scriptpubkey, hex: undefined } })),
  };
}

/** Minter of a block; id and operator are empty if it is no longer known. */
export function formatMinter({ mintedBlocks, stakeModifier }: BlockHeader, minter: ShownMinter | undefined): BlockMinter {
  return {
    id: minter?.masternode ?? '',
    owner: '',
    operator: minter?.minter ?? '',
    rewardaddress: '',
    totalminted: mintedBlocks,
    stakemodifier: formatHash(stakeModifier),
  };
}

/** Subsidy of a block and its shares without an output in the coinbase; undefined before AMK. */
export function formatRewards(height: number, params: NetworkParams): BlockRewards | undefined {
  const shares = unpaidShares(height, params);
  return shares && { block: blockSubsidy(height, params), ...shares, loan: 0n, options: 0n };
}
