import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalogue, loadCatalogue } from '../../src/rpc/catalogue.js';
import { projectRoot } from '../shared.js';

/** Operations of the committed descriptor images. @param strict as with `-rpcstrict` */
export function committedCatalogue(strict = false): Catalogue {
  const image = (name: string): Uint8Array => readFileSync(join(projectRoot, 'gen', name));
  return loadCatalogue(image('image.binpb'), () => image('docs.binpb'), strict);
}

/** The six groups of the operations document, in its order, with the service of each. */
export const groups: Readonly<Record<string, string>> = {
  Accounts: 'dfi.accounts.v1.AccountsService',
  Rawtransactions: 'dfi.rawtransactions.v1.RawtransactionsService',
  Wallet: 'dfi.wallet.v1.WalletService',
  Oracles: 'dfi.oracles.v1.OraclesService',
  Mining: 'dfi.mining.v1.MiningService',
  Blockchain: 'dfi.blockchain.v1.BlockchainService',
};
