import type {
  ListVaultHistoryRequest,
  ListVaultHistoryResponse,
  VaultSnapshot as ShownSnapshot,
  VaultHistoryRecord,
} from '../../../gen/ts/dfi/node/v1/vaults.js';
import type { HistoryRecord } from '../../dfi/accounts/history-columns.js';
import { categoryName, customTxOf } from '../../dfi/execution/registry.js';
import { readableText } from '../../dfi/kernel/text.js';
import type { SchemeRecord, VaultHistoryKey, VaultSnapshot } from '../../dfi/vaults/history-columns.js';
import { type HeightSpan, schemeChanges, schemesOf, snapshotsOf, vaultRecords } from '../../dfi/vaults/history-queries.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { formatTokenAmount, tokenSymbol } from '../format/amounts.js';
import { requireOptions } from '../format/options-object.js';
import { formatOwner } from '../format/owner.js';
import { heightSpan, pageLimit } from '../format/page.js';
import type { VaultsModules } from './modules.js';

type Modules = Pick<VaultsModules, 'chain' | 'keepsVaultHistory'>;

const OPTIONS = { maxBlockHeight: 'number', depth: 'number', token: 'string', txtype: 'string', limit: 'number' } as const;

/** Selection of records. */
interface Filter extends HeightSpan {
  /** Undefined for all types. */
  readonly category: number | undefined;
  readonly token: string;
  readonly limit: number;
}

export const listVaultHistory: Handler<Modules, ListVaultHistoryRequest, ListVaultHistoryResponse> = (modules, request) => {
  const { chain, keepsVaultHistory } = modules;
  if (!keepsVaultHistory) throw new NodeError('invalid-request', '-vaultindex required for vault history');
  const vaultId = parseHash(request.vaultid, 'vaultId');
  requireOptions(request, OPTIONS);
  const filter = readFilter(request, chain.tip.height);
  const found = new HistoryList(filter.limit);
  const { state } = chain;
  found.addAll(messages(modules, vaultId, filter));
  if (filter.category === undefined) {
    const snapshots = [...snapshotsOf(state, vaultId, filter)];
    found.addAll(snapshots.map(([height, snapshot]) => ({ ...placeOf(chain, height), vaultsnapshot: formatSnapshot(state, snapshot) })));
  }
  if (filter.token === '') addSchemes(modules, vaultId, filter, found);
  return { records: found.newestFirst() };
};

function readFilter(request: ListVaultHistoryRequest, tip: number): Filter {
  const span = heightSpan(request, tip);
  const { txtype } = request;
  return {
    ...span,
    category: txtype?.length === 1 ? (customTxOf(txtype) ? txtype.charCodeAt(0) : 0) : undefined,
    token: request.token ?? '',
    limit: pageLimit(request.limit),
  };
}

/** Records grouped by height; the limit applies to each kind of record separately. */
class HistoryList {
  readonly #byHeight = new Map<number, VaultHistoryRecord[]>();

  constructor(private readonly limit: number) {}

  /** @param before number of records of the kind that were added before @returns that number after adding */
  addAll(records: Iterable<VaultHistoryRecord>, before = 0): number {
    let count = before;
    for (const record of records) {
      const others = this.#byHeight.get(record.blockheight);
      if (others) others.push(record);
      else this.#byHeight.set(record.blockheight, [record]);
      count += 1;
      if (count >= this.limit) break;
    }
    return count;
  }

  newestFirst(): VaultHistoryRecord[] {
    const all = [...this.#byHeight].sort(([a], [b]) => b - a).flatMap(([, records]) => records);
    return all.slice(0, this.limit);
  }
}

function* messages({ chain }: Modules, vaultId: Hash256, filter: Filter): Generator<VaultHistoryRecord> {
  for (const [key, record] of vaultRecords(chain.state, vaultId, filter)) {
    if (filter.category !== undefined && record.category !== filter.category) continue;
    if (filter.token !== '' && !record.differences.some(({ tokenId }) => tokenSymbol(chain.state, tokenId) === filter.token)) continue;
    yield formatMessage(chain, key, record);
  }
}

function placeOf(chain: Modules['chain'], height: number): VaultHistoryRecord {
  const block = chain.entryAt(height);
  return {
    blockheight: height,
    blockhash: block && formatHash(block.hash),
    blocktime: block && BigInt(block.time),
    amounts: undefined,
    vaultsnapshot: undefined,
    loanscheme: undefined,
  };
}

function formatMessage(chain: Modules['chain'], { owner, height, txn }: VaultHistoryKey, record: HistoryRecord): VaultHistoryRecord {
  return {
    ...placeOf(chain, height),
    address: owner.length === 0 ? 'vaultCollateral' : formatOwner(owner, chain.params),
    type: categoryName(record.category),
    txn,
    txid: formatHash(record.txid),
    amounts: { amounts: record.differences.map((amount) => formatTokenAmount(chain.state, amount)) },
  };
}

function formatSnapshot(view: StateView, { collaterals, totalCollaterals, ratio, batches }: VaultSnapshot): ShownSnapshot {
  const shown = batches.map(({ loan, collaterals: parts }, index) => ({
    index,
    collaterals: parts.map((amount) => formatTokenAmount(view, amount)),
    loan: formatTokenAmount(view, loan),
  }));
  return {
    state: shown.length > 0 ? 'inLiquidation' : 'active',
    collateralamounts: collaterals.map((amount) => formatTokenAmount(view, amount)),
    collateralvalue: totalCollaterals,
    collateralratio: ratio | 0,
    batches: shown.length > 0 ? { batches: shown } : undefined,
  };
}

function addSchemes({ chain }: Modules, vaultId: Hash256, filter: Filter, found: HistoryList): void {
  const { state } = chain;
  const had = new Map<number, Hash256>();
  const isWanted = (category: number) => filter.category === undefined || category === filter.category;
  const own = [...schemesOf(state, vaultId, filter)].filter(({ record }) => isWanted(record.category));
  for (const { height, creationTx } of own) if (creationTx) had.set(height, creationTx);
  const before = found.addAll(own.map(({ height, record, terms }) => formatScheme(chain, height, record, terms)));
  const changes = [...schemeChanges(state, had, filter)].filter(([, record]) => isWanted(record.category));
  found.addAll(
    changes.map(([height, record]) => formatScheme(chain, height, record, record)),
    before,
  );
}

function formatScheme(
  chain: Modules['chain'],
  height: number,
  { category, txid }: { readonly category: number; readonly txid: Hash256 },
  terms: SchemeRecord | undefined,
): VaultHistoryRecord {
  return {
    ...placeOf(chain, height),
    type: categoryName(category),
    txid: formatHash(txid),
    loanscheme: { id: readableText(terms?.id ?? ''), rate: terms?.scheme.rate ?? 0n, ratio: terms?.scheme.ratio ?? 0 },
  };
}
