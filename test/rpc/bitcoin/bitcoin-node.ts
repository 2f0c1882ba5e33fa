import { RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import type { Invoker } from '../../../src/rpc/invoke.js';
import { bitcoinHandlers } from '../../../src/services/bitcoin/index.js';
import { bitcoinModules } from '../../../src/services/bitcoin/modules.js';
import { startWalletNode, type WalletNode } from '../wallet/wallet-node.js';

/** Binds the operations of the Bitcoin wallet to a node. @returns its Bitcoin chain, which is new */
export function bindBitcoin({ modules, wallets, clock }: WalletNode): RegtestBitcoin {
  const bitcoin = new RegtestBitcoin(clock);
  (modules.calls as Invoker).bind('dfi.node.v1.BitcoinService', bitcoinHandlers, bitcoinModules(bitcoin, wallets, clock));
  return bitcoin;
}

/** A node with a Bitcoin chain, whose only wallet has the seed that the addresses of tests are of. */
export async function startBitcoinNode(): Promise<{ readonly node: WalletNode; readonly bitcoin: RegtestBitcoin }> {
  const node = await startWalletNode();
  await node.call('sethdseed', [true, SEED]);
  return { node, bitcoin: bindBitcoin(node) };
}

/** Seed of the wallet. */
const SEED = 'cSkTV5jWJnKiqMUuuBWo6Sb99UMtddxXerDNQGfU1jJ8WiZoSTRh';
/** Its first two addresses, as `defid` derives them. */
export const FIRST = 'bcrt1qju5qfw5u0uavylf255hfqe9kh533x4lasmjllc';
export const SECOND = 'bcrt1qz4xyp49dks280qy8wrtunuw47eyv2sp3h25z5z';
