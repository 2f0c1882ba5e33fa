/**
 * The README's table of operations: which are answered and which are only declared.
 *
 *     node --import tsx test/tools/operations-table.ts           prints it
 *     node --import tsx test/tools/operations-table.ts --write   puts it into README.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Catalogue, Operation } from '../../src/rpc/catalogue.js';
import { accountsHandlers } from '../../src/services/accounts/index.js';
import { anchorsHandlers } from '../../src/services/anchors/index.js';
import { bitcoinHandlers } from '../../src/services/bitcoin/index.js';
import { blockchainHandlers } from '../../src/services/blockchain/index.js';
import { devHandlers } from '../../src/services/dev/index.js';
import { eventsHandlers } from '../../src/services/events/index.js';
import { evmHandlers } from '../../src/services/evm/index.js';
import { icxHandlers } from '../../src/services/icx/index.js';
import { loansHandlers } from '../../src/services/loans/index.js';
import { miningHandlers } from '../../src/services/mining/index.js';
import { nodeHandlers } from '../../src/services/node/index.js';
import { oraclesHandlers } from '../../src/services/oracles/index.js';
import { poolsHandlers } from '../../src/services/pools/index.js';
import { proposalsHandlers } from '../../src/services/proposals/index.js';
import { rawtransactionsHandlers } from '../../src/services/rawtransactions/index.js';
import { snapshotHandlers } from '../../src/services/snapshot/index.js';
import { vaultsHandlers } from '../../src/services/vaults/index.js';
import { walletHandlers } from '../../src/services/wallet/index.js';
import { rawWalletHandlers } from '../../src/services/wallet/spend/fund-raw.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { projectRoot } from '../shared.js';

/** Handlers by full name of the service, as the node binds them. */
export const handlerTables: Readonly<Record<string, object>> = {
  'dfi.accounts.v1.AccountsService': accountsHandlers,
  'dfi.rawtransactions.v1.RawtransactionsService': { ...rawtransactionsHandlers, ...rawWalletHandlers },
  'dfi.wallet.v1.WalletService': walletHandlers,
  'dfi.oracles.v1.OraclesService': oraclesHandlers,
  'dfi.mining.v1.MiningService': miningHandlers,
  'dfi.blockchain.v1.BlockchainService': blockchainHandlers,
  'dfi.node.v1.NodeService': nodeHandlers,
  'dfi.node.v1.PoolsService': poolsHandlers,
  'dfi.node.v1.LoansService': loansHandlers,
  'dfi.node.v1.VaultsService': vaultsHandlers,
  'dfi.node.v1.ProposalsService': proposalsHandlers,
  'dfi.node.v1.IcxService': icxHandlers,
  'dfi.node.v1.AnchorsService': anchorsHandlers,
  'dfi.node.v1.BitcoinService': bitcoinHandlers,
  'dfi.events.v1.EventsService': eventsHandlers,
  'dfi.evm.v1.EvmService': evmHandlers,
  'dfi.dev.v1.DevService': devHandlers,
  'dfi.node.v1.SnapshotService': snapshotHandlers,
};

const START = '<!-- operations -->';
const END = '<!-- /operations -->';

export function isBuilt(operation: Operation): boolean {
  return operation.method in (handlerTables[operation.service] ?? {});
}

/** One row for each group: how many operations it has, which are answered, and which are not yet. */
export function operationsTable(catalogue: Catalogue): string {
  const rows = Object.keys(handlerTables).map((service) => {
    const group = service.replace(/.*\.(.*)Service$/, '$1');
    const operations = catalogue.operations.filter((operation) => operation.service === service);
    const names = (built: boolean): string[] => operations.filter((each) => isBuilt(each) === built).map(({ name }) => `\`${name}\``);
    const [built, missing] = [names(true).sort(), names(false).sort()];
    return `| ${group} | ${built.length} of ${operations.length} | ${built.join(' ')} | ${missing.join(' ')} |`;
  });
  return ['| group | built | operations that answer | operations that are only declared |', '|---|---|---|---|', ...rows].join('\n');
}

/** Text between the markers of a README. @throws {Error} if it has no markers */
export function operationsSection(readme: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`README.md has no section between ${START} and ${END}`);
  return readme.slice(start + START.length, end).trim();
}

/** The README with another table between its markers. */
export function withOperations(readme: string, table: string): string {
  operationsSection(readme);
  return `${readme.slice(0, readme.indexOf(START) + START.length)}\n${table}\n${readme.slice(readme.indexOf(END))}`;
}

export const readmePath = join(projectRoot, 'README.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const table = operationsTable(committedCatalogue());
  if (process.argv.includes('--write')) writeFileSync(readmePath, withOperations(readFileSync(readmePath, 'utf8'), table));
  else console.log(table);
}
