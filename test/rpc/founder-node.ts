import type { GivenHeights } from '../../src/params/upgrade-heights.js';
import { GRAND_CENTRAL, heights } from '../unit/dfi/desk.js';
import { startWalletNode, type WalletNode } from './wallet/wallet-node.js';

export interface FounderNode extends WalletNode {
  /** An address of the foundation whose key the wallet has, with coins. */
  readonly founder: string;
  /** Asks, and mints what the answer may have sent. */
  confirm(method: string, args: readonly unknown[]): Promise<string>;
}

/** A wallet with a founder's key and confirmed coins, on a chain with the upgrades up to Grand Central unless others are given. */
export async function startFounderNode(given: GivenHeights = GRAND_CENTRAL): Promise<FounderNode> {
  const params = heights(given);
  const node = await startWalletNode({}, [''], params);
  const key = params.masternode.genesis[0]?.ownerKey;
  await node.call('importprivkey', [key]);
  const founder = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
  await node.mint(110, founder);
  const confirm = async (method: string, args: readonly unknown[]): Promise<string> => {
    const answer = await node.call(method, args);
    await node.mint(1, founder);
    return String(answer);
  };
  return { ...node, founder, confirm };
}
