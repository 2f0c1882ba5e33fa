import type { HeightOverrides } from '../../src/params/upgrade-heights.js';
import { GRAND_CENTRAL, heights } from '../unit/dfi/fixture.js';
import { startWalletNode, type WalletNode, type WalletNodeOptions } from './wallet/wallet-node.js';

export interface FounderNode extends WalletNode {
  /** Address of the foundation with coins, whose key is in the wallet. */
  readonly founder: string;
  /** Calls an operation, and mints a block for the transaction that it may have sent. */
  confirm(method: string, args: readonly unknown[]): Promise<string>;
}

/**
 * Wallet with a founder's key and confirmed coins, on a chain with the upgrades up to Grand Central unless others are given.
 * @param others names of more wallets, which are empty; calls that name no wallet use the founder's
 */
export async function startFounderNode(
  given: HeightOverrides = GRAND_CENTRAL,
  others: readonly string[] = [],
  options: Partial<WalletNodeOptions> = {},
): Promise<FounderNode> {
  const params = { ...heights(given), allowsImpersonation: options.impersonated !== undefined };
  const node = await startWalletNode({}, ['', ...others], params, options);
  const call: WalletNode['call'] = (method, args, wallet = '') => node.call(method, args, wallet);
  const key = params.masternode.genesis[0]?.ownerKey;
  await call('importprivkey', [key]);
  const founder = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
  await node.mint(110, founder);
  const confirm = async (method: string, args: readonly unknown[]): Promise<string> => {
    const answer = await call(method, args);
    await node.mint(1, founder);
    return String(answer);
  };
  return { ...node, call, founder, confirm };
}
