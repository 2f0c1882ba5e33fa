import type {
  ListVaultHistoryRequest,
  ListVaultHistoryResponse,
  VaultSnapshot as ShownSnapshot,
  VaultHistoryRecord,
} from '../../../gen/ts/dfi/node/v1/vaults.js';
import { readState } from '../../chain/read-state.js';
import type { HistoryRecord } from '../../dfi/accounts/history-columns.js';
import { categoryName } from '../../dfi/execution/registry.js';
import { readableText } from '../../dfi/kernel/text.js';
import type { SchemeRecord, VaultHistoryKey, VaultSnapshot } from '../../dfi/vaults/history-columns.js';
import {
  type HeightSpan,
  type SchemeChanges,
  schemeChanges,
  schemesOf,
  snapshotsOf,
  vaultRecords,
} from '../../dfi/vaults/history-queries.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { formatTokenAmount, tokenSymbol } from '../format/amounts.js';
import { ByHeight } from '../format/by-height.js';
import { requireOptions } from '../format/options-object.js';
import { formatOwner } from '../format/owner.js';
import { heightSpan, historyLimit } from '../format/page.js';
import { letterCategory } from '../format/type-letter.js';
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

export const listVaultHistory: Handler<Modules, ListVaultHistoryRequest, ListVaultHistoryResponse> = (modules, request, call) => {
  const { chain, keepsVaultHistory } = modules;
  if (!keepsVaultHistory) throw new NodeError('invalid-request', '-vaultindex required for vault history');
  const vaultId = parseHash(request.vaultid, 'vaultId');
  requireOptions(request, OPTIONS);
  const filter = readFilter(request, chain.tip.height);
  return readState(chain, call, function* answer(state) {
    const found = new HistoryList(filter.limit);
    const from = { params: chain.params, entryAt: (height: number) => chain.entryAt(height), state };
    yield* found.addAll(messages(from, vaultId, filter));
    if (filter.category === undefined) yield* found.addAll(snapshots(from, vaultId, filter));
    if (filter.token === '') yield* addSchemes(from, vaultId, filter, found);
    return { records: yield* found.newestFirst() };
  });
};

/** One state, and the blocks up to it. */
type Source = Pick<VaultsModules['chain'], 'params' | 'entryAt' | 'state'>;

function readFilter(request: ListVaultHistoryRequest, tip: number): Filter {
  return {
    ...heightSpan(request, tip),
    category: letterCategory(request.txtype),
    token: request.token ?? '',
    limit: historyLimit(request.limit),
  };
}

/** Records in order of their heights. The limit applies to each kind of record separately. */
class HistoryList {
  readonly #records = new ByHeight<VaultHistoryRecord>();

  constructor(private readonly limit: number) {}

  /**
   * @param records undefined for each that is left out
   * @param left largest number of records to add; 0 or less for no limit
   * @returns that number less the records that were added
   */
  *addAll(records: Iterable<VaultHistoryRecord | undefined>, left = this.limit): Steps<number> {
    let remaining = left;
    for (const record of records) {
      yield;
      if (!record) continue;
      this.#records.add(record.blockheight, record);
      remaining -= 1;
      if (remaining === 0) break;
    }
    return remaining;
  }

  *newestFirst(): Steps<VaultHistoryRecord[]> {
    const all = yield* this.#records.newestFirst();
    return all.slice(0, this.limit);
  }
}

function* messages(from: Source, vaultId: Hash256, filter: Filter): Generator<VaultHistoryRecord | undefined> {
  const { category, token } = filter;
  const isMeant = (record: HistoryRecord): boolean =>
    (category === undefined || record.category === category) &&
    (token === '' || record.differences.some(({ tokenId }) => tokenSymbol(from.state, tokenId) === token));
  for (const [key, record] of vaultRecords(from.state, vaultId, filter)) {
    yield isMeant(record) ? formatMessage(from, key, record) : undefined;
  }
}

function* snapshots(from: Source, vaultId: Hash256, filter: Filter): Generator<VaultHistoryRecord> {
  for (const [height, snapshot] of snapshotsOf(from.state, vaultId, filter)) {
    yield { ...placeOf(from, height), vaultsnapshot: formatSnapshot(from.state, snapshot) };
  }
}

function placeOf(from: Source, height: number): VaultHistoryRecord {
  const block = from.entryAt(height);
  return {
    blockheight: height,
    blockhash: block && formatHash(block.hash),
    blocktime: block && BigInt(block.time),
    amounts: undefined,
    vaultsnapshot: undefined,
    loanscheme: undefined,
  };
}

function formatMessage(from: Source, { owner, height, txn }: VaultHistoryKey, record: HistoryRecord): VaultHistoryRecord {
  return {
    ...placeOf(from, height),
    address: owner.length === 0 ? 'vaultCollateral' : formatOwner(owner, from.params),
    type: categoryName(record.category),
    txn,
    txid: formatHash(record.txid),
    amounts: { amounts: record.differences.map((amount) => formatTokenAmount(from.state, amount)) },
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

/**
 * Adds the schemes of the vault, and the changes of these schemes, which share one limit. As in `defid`, whose counter then passes 0, the
 * limit ends only the changes of the scheme at which it is reached. Changes of the following schemes are not limited.
 */
function* addSchemes(from: Source, vaultId: Hash256, filter: Filter, found: HistoryList): Steps<void> {
  const had = new Map<number, Hash256>();
  const isWanted = (category: number) => filter.category === undefined || category === filter.category;
  let left = yield* found.addAll(assigned());
  for (const changes of schemeChanges(from.state, had, filter)) left = yield* found.addAll(shown(changes), left);

  function* assigned(): Generator<VaultHistoryRecord | undefined> {
    for (const { height, record, terms, creationTx } of schemesOf(from.state, vaultId, filter)) {
      if (creationTx && isWanted(record.category)) had.set(height, creationTx);
      yield isWanted(record.category) ? formatScheme(from, height, record, terms) : undefined;
    }
  }

  function* shown(changes: SchemeChanges): Generator<VaultHistoryRecord | undefined> {
    for (const [height, record] of changes) yield isWanted(record.category) ? formatScheme(from, height, record, record) : undefined;
  }
}

function formatScheme(
  from: Source,
  height: number,
  { category, txid }: { readonly category: number; readonly txid: Hash256 },
  terms: SchemeRecord | undefined,
): VaultHistoryRecord {
  return {
    ...placeOf(from, height),
    type: categoryName(category),
    txid: formatHash(txid),
    loanscheme: { id: readableText(terms?.id ?? ''), rate: terms?.scheme.rate ?? 0n, ratio: terms?.scheme.ratio ?? 0 },
  };
}
