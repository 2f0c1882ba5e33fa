import type { Block } from '../primitives/block.js';
import { NULL_HASH } from '../primitives/hash.js';
import { type BlockHeader, blockHash } from '../primitives/header.js';
import { merkleRoot } from '../primitives/merkle.js';
import { NULL_OUTPOINT } from '../primitives/outpoint.js';
import { makeTransaction, SEQUENCE_FINAL, type Transaction, type TxOut } from '../primitives/transaction.js';
import { type AddressPrefixes, decodeDestination, scriptOf } from '../script/address.js';
import { customTxScript } from '../script/custom-tx.js';
import { buildScript } from '../script/script.js';
import { concatBytes, EMPTY_BYTES, fromHex } from '../util/bytes.js';
import type { GenesisMasternode } from './network.js';

/** A genesis masternode: its addresses, and on regtest its published private keys in WIF. */
export type GenesisMasternodeData = Omit<GenesisMasternode, 'id'>;

/** Contents of a genesis block; fee and collateral of its masternodes are satoshis each. */
export interface GenesisData {
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
  /** Outputs of the coinbase, in order: address and satoshis. */
  readonly distribution: readonly (readonly [address: string, value: bigint])[];
  readonly masternodes: readonly GenesisMasternodeData[];
  readonly creationFee: bigint;
  readonly collateral: bigint;
}

/** The genesis block, and its masternodes in the order of their transactions. */
export interface Genesis {
  readonly block: Block;
  readonly masternodes: readonly GenesisMasternode[];
}

/** Script of a built-in address. @throws {Error} if it is not an address of the network */
export function scriptOfAddress(text: string, address: AddressPrefixes): Uint8Array {
  const destination = decodeDestination(text, address);
  if (!destination) throw new Error(`${text} is no address of this network`);
  return scriptOf(destination);
}

const HEADLINE = 'Financial Times 23/Mar/2020 The Federal Reserve has gone well past the point of \u2018QE infinity\u2019';
/** Coinbase script, of pushes: empty, the bits of Bitcoin's genesis block, 4, and the headline. */
const COINBASE_SCRIPT = buildScript(EMPTY_BYTES, fromHex('ffff001d'), Uint8Array.of(4), Buffer.from(HEADLINE, 'utf8'));
// Version 1 has no token ids on any network.
const FORMAT = { tokenIds: true } as const;
/** Type byte of the message that creates a masternode. */
const CREATE_MASTERNODE = 'C';
/** Kinds of operator ids in payloads (docs/protocol/chain.md 2.7). */
const OPERATOR_TYPES = { pkh: 1, wpkh: 4 } as const;

/** The first block of a network: an initial distribution, then a transaction for each masternode (docs/protocol/chain.md 1.8). */
export function buildGenesis(data: GenesisData, address: AddressPrefixes): Genesis {
  const distribution = data.distribution.map(([text, value]) => payTo(text, value, address));
  const coinbase = sourceless(COINBASE_SCRIPT, distribution);
  const creations = data.masternodes.map((node) => createMasternode(node, data, address));
  const transactions = [coinbase, ...creations];
  const header: BlockHeader = {
    version: 1,
    prevHash: NULL_HASH,
    merkleRoot: merkleRoot(transactions.map((tx) => tx.txid)).root,
    time: data.time,
    bits: data.bits,
    stakeModifier: NULL_HASH,
    height: 0n,
    mintedBlocks: 0n,
    signature: EMPTY_BYTES,
  };
  return {
    block: { header, hash: blockHash(header), transactions },
    masternodes: data.masternodes.map((node, i) => ({ id: (creations[i] as Transaction).txid, ...node })),
  };
}

function createMasternode(node: GenesisMasternodeData, data: GenesisData, address: AddressPrefixes): Transaction {
  const operator = decodeDestination(node.operatorAddress, address);
  if (operator?.type !== 'pkh' && operator?.type !== 'wpkh') throw new Error(`${node.operatorAddress} is no key of this network`);
  const body = concatBytes(Uint8Array.of(OPERATOR_TYPES[operator.type]), operator.hash);
  return sourceless(EMPTY_BYTES, [
    { value: data.creationFee, scriptPubKey: customTxScript({ type: CREATE_MASTERNODE, body }), tokenId: 0 },
    payTo(node.ownerAddress, data.collateral, address),
  ]);
}

function payTo(text: string, value: bigint, address: AddressPrefixes): TxOut {
  return { value, scriptPubKey: scriptOfAddress(text, address), tokenId: 0 };
}

/** A transaction with a null input. */
function sourceless(scriptSig: Uint8Array, vout: readonly TxOut[]): Transaction {
  const input = { prevout: NULL_OUTPOINT, scriptSig, sequence: SEQUENCE_FINAL, witness: [] };
  return makeTransaction({ version: 1, vin: [input], vout, lockTime: 0 }, FORMAT);
}
