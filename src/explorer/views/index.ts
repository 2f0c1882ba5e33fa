import type { View } from '../page.js';
import { address } from './address.js';
import { anchors } from './anchors.js';
import { auctions } from './auctions.js';
import { block, blocks } from './blocks.js';
import { events } from './events.js';
import { proposal, proposals } from './governance.js';
import { masternode, masternodes } from './masternodes.js';
import { mempool } from './mempool.js';
import { operations } from './operations.js';
import { overview } from './overview.js';
import { peers } from './peers.js';
import { pool, pools } from './pools.js';
import { prices } from './prices.js';
import { token, tokens } from './tokens.js';
import { transaction } from './transaction.js';
import { vault, vaults } from './vaults.js';

/** Views by the name of their route. */
export const views: Readonly<Record<string, View>> = {
  '': overview,
  blocks,
  block,
  tx: transaction,
  address,
  mempool,
  tokens,
  token,
  pools,
  pool,
  prices,
  vaults,
  vault,
  auctions,
  masternodes,
  masternode,
  anchors,
  governance: proposals,
  proposal,
  peers,
  events,
  operations,
};

/** Routes of the menu, in its order. */
export const MENU = [
  '',
  'blocks',
  'mempool',
  'tokens',
  'pools',
  'prices',
  'vaults',
  'auctions',
  'masternodes',
  'anchors',
  'governance',
  'peers',
  'events',
  'operations',
] as const;
