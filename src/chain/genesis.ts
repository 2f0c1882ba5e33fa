import type { NetworkParams } from '../params/network.js';
import { block as blockCodec } from '../primitives/block.js';
import { encode } from '../primitives/codec.js';
import { Overlay } from '../storage/overlay.js';
import type { BlockTree } from './block-tree.js';
import { connectGenesis } from './connect.js';
import type { ChainDatabase } from './database.js';

/** Creates a chain of the genesis block in an empty database. The caller imports blocks that are already in the block files. */
export function createGenesis(params: NetworkParams, db: ChainDatabase): BlockTree {
  const { genesis } = params;
  const tree = db.newTree();
  const entry = tree.add(genesis.hash, genesis.header, undefined);
  const overlay = new Overlay(db.view);
  connectGenesis(params, overlay);
  overlay.commit();
  entry.position = db.genesisPosition(encode(blockCodec(params.txFormat), genesis));
  entry.nTx = genesis.transactions.length;
  entry.chainTx = entry.nTx;
  entry.valid = true;
  tree.push(entry);
  db.saveEntry(entry, genesis.header);
  db.setTip(entry);
  db.setUnderWay('rebuild', true);
  db.flush({ sync: true });
  return tree;
}
