import type {
  GetVaultRequest,
  GetVaultResponse,
  ListVaultsRequest,
  ListVaultsResponse,
  VaultEntry,
} from '../../../gen/ts/dfi/node/v1/vaults.js';
import { auctionOf } from '../../dfi/auctions/columns.js';
import type { ReadContext } from '../../dfi/kernel/block-context.js';
import { byteText, readableText } from '../../dfi/kernel/text.js';
import { listVaults as allVaults, type Vault, getVault as vaultOf, vaults, vaultsOf } from '../../dfi/vaults/columns.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { cacheJson } from '../../rpc/write.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import { strictFlag } from '../format/options-object.js';
import { formatOwner, parseOwner } from '../format/owner.js';
import { pageLimit } from '../format/page.js';
import { formatAuction } from './auctions.js';
import type { VaultsModules } from './modules.js';
import { type VaultState, vaultState } from './state.js';
import { formatVault } from './vault-format.js';

type Modules = Pick<VaultsModules, 'chain'>;

export const getVault: Handler<Modules, GetVaultRequest, GetVaultResponse> = ({ chain }, request) => {
  const vaultId = parseHash(request.vaultid, 'vaultId');
  const verbose = strictFlag(request, 'verbose') ?? false;
  const vault = vaultOf(chain.state, vaultId);
  if (!vault) throw new NodeError('record-not-found', `Vault <${formatHash(vaultId)}> not found`);
  const tip = { view: chain.state, height: chain.tip.height, params: chain.params };
  return { vault: formatEntry(tip, vaultId, vault, vaultState(tip, vaultId, vault), verbose) };
};

/** Vaults that are kept in the form in which operations show them. */
const KEPT_VAULTS = 1_000;
const shownVaults = new Projection<VaultEntry>(KEPT_VAULTS);

function formatEntry(
  { view, height, params }: ReadContext,
  vaultId: Hash256,
  vault: Vault,
  state: VaultState,
  verbose: boolean,
): VaultEntry {
  const derive = (noted: StateView): VaultEntry => cacheJson(describe({ view: noted, height, params }, vaultId, vault, state, verbose));
  return shownVaults.of(view, `${toHex(vaultId)} ${height} ${verbose} ${state}`, derive, [vaults]);
}

/** Vault with collateral and loans; under liquidation, its auction. */
function describe(tip: ReadContext, vaultId: Hash256, vault: Vault, state: VaultState, verbose: boolean): VaultEntry {
  if (state !== 'inLiquidation') return { form: { $case: 'vault', value: formatVault(tip, vaultId, vault, state, verbose) } };
  const auction = auctionOf(tip.view, vaultId, tip.height);
  return { form: auction && { $case: 'auction', value: formatAuction({ state: tip.view, params: tip.params }, auction) } };
}

interface VaultFilter {
  readonly owner: Uint8Array | undefined;
  readonly scheme: string;
  /** Any text that is not a shown state, such as `unknown`, matches all. */
  readonly state: string;
  readonly verbose: boolean;
}

function readFilter(request: ListVaultsRequest, { chain }: Modules): VaultFilter {
  return {
    owner: request.owneraddress === undefined ? undefined : parseOwner(request.owneraddress, chain),
    scheme: byteText(request.loanschemeid ?? ''),
    state: request.state ?? '',
    verbose: request.verbose ?? false,
  };
}

const SHOWN_STATES = new Set<string>(['active', 'frozen', 'inLiquidation', 'mayLiquidate'] satisfies VaultState[]);

export const listVaults: Handler<VaultsModules, ListVaultsRequest, ListVaultsResponse> = async (modules, request, call) => {
  const { chain } = modules;
  const filter = readFilter(request, modules);
  const limit = pageLimit(request.limit);
  const start = request.start === undefined ? undefined : parseHash(request.start, 'start');
  let skips = !(request.includingStart ?? start === undefined);
  const snapshot = chain.snapshot();
  const tip = { view: snapshot, height: chain.tip.height, params: chain.params };
  const slicer = new Slicer(call);
  const found: VaultEntry[] = [];
  try {
    for (const [vaultId, vault] of filter.owner ? vaultsOf(snapshot, filter.owner, start) : allVaults(snapshot, start)) {
      const paused = slicer.pause();
      if (paused) await paused;
      // Entries of a longer list would evict each other from the cache.
      const format = found.length < KEPT_VAULTS ? formatEntry : describe;
      const entry = skips ? undefined : formatMatch(tip, vaultId, vault, filter, format);
      skips = false;
      if (entry) found.push(entry);
      if (found.length >= limit) break;
    }
    return { vaults: found };
  } finally {
    snapshot.close();
  }
};

function formatMatch(
  tip: ReadContext,
  vaultId: Hash256,
  vault: Vault,
  filter: VaultFilter,
  format: typeof formatEntry,
): VaultEntry | undefined {
  if (filter.scheme !== '' && filter.scheme !== vault.scheme) return undefined;
  const state = vaultState(tip, vaultId, vault);
  if (SHOWN_STATES.has(filter.state) && filter.state !== state) return undefined;
  if (filter.verbose) return format(tip, vaultId, vault, state, false);
  const summary = {
    vaultid: formatHash(vaultId),
    owneraddress: formatOwner(vault.owner, tip.params),
    loanschemeid: readableText(vault.scheme),
    state,
  };
  return { form: { $case: 'summary', value: summary } };
}
