import type {
  GetActiveMasternodeCountRequest,
  GetActiveMasternodeCountResponse,
  GetMasternodeBlocksRequest,
  GetMasternodeBlocksResponse,
  GetMasternodeRequest,
  GetMasternodeResponse,
  ListMasternodesRequest,
  ListMasternodesResponse,
  MasternodeEntry,
  Masternode as ShownMasternode,
} from '../../../../gen/ts/dfi/node/v1/masternodes.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { minterKey } from '../../../chain/minter-key.js';
import {
  getMasternode as findMasternode,
  type IdentifiedMasternode,
  isActiveMasternode,
  type Masternode,
  masternodeByOperator,
  masternodeOwners,
  masternodeState,
  masternodes,
  ownerScript,
  stakerTimes,
  subNodeTimes,
} from '../../../dfi/masternodes/columns.js';
import { isActive } from '../../../params/network.js';
import { formatHash, type Hash160, type Hash256 } from '../../../primitives/hash.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { LongMap } from '../../../rpc/long-map.js';
import { parseHash } from '../../../rpc/shapes.js';
import { cacheJson } from '../../../rpc/write.js';
import { decodeDestination, scriptOf } from '../../../script/address.js';
import { Projection } from '../../../storage/projection.js';
import type { StateView } from '../../../storage/view.js';
import { equalBytes, fromHex, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { eachInSlices, Slicer, withValue } from '../../../util/slicer.js';
import { isMine } from '../../../wallet/custom-tx/own-accounts.js';
import { keyAddress, keyDestination, targetMultipliers, timelockName, timelockOf } from '../../format/masternode.js';
import { requireArgument, strictFlag } from '../../format/options-object.js';
import { pageLimit } from '../../format/page.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'chain' | 'clock'>;
type ShownModules = Modules & Pick<NodeModules, 'wallets' | 'minter'>;

export const listMasternodes: Handler<ShownModules, ListMasternodesRequest, ListMasternodesResponse> = async (modules, request, call) => {
  const { chain, clock } = modules;
  const verbose = strictFlag(request, 'verbose') ?? true;
  const limit = pageLimit(request.limit);
  const start = request.start === undefined ? undefined : parseHash(request.start, 'start');
  // The first masternode found is left out, even if its id differs from `start`.
  let skips = !(request.includingStart ?? start === undefined);
  const relation = relationTo(modules, call);
  const slicer = new Slicer(call);
  const snapshot = chain.snapshot();
  try {
    const at = {
      clock,
      relation,
      chain: { params: chain.params, tip: chain.tip, state: snapshot, entryAt: (height: number) => chain.entryAt(height) },
    };
    const shown = new LongMap<MasternodeEntry>();
    let count = 0;
    for (const [id, node] of snapshot.entries(masternodes, start ? { from: start } : {})) {
      if (count >= limit) break;
      const paused = slicer.pause();
      if (paused) await paused;
      if (skips) {
        skips = false;
        continue;
      }
      count += 1;
      // Entries of a longer list would evict each other from the cache.
      const show = count > KEPT_MASTERNODES ? describeOnce : describe;
      shown.set(
        formatHash(id),
        verbose
          ? { form: { $case: 'masternode', value: show({ id, node }, at) } }
          : { form: { $case: 'state', value: stateOf({ id, node }, at) } },
      );
    }
    return { masternodes: shown.inMessage() };
  } finally {
    snapshot.close();
  }
};

export const getMasternode: Handler<ShownModules, GetMasternodeRequest, GetMasternodeResponse> = (modules, request, call) => {
  const relation = relationTo(modules, call);
  const { params, state, tip } = modules.chain;
  // `defid` 4.2.5 also accepts addresses.
  const id = isActive(params, 'metachain', tip.height) ? idByText(request.mnId, modules.chain) : parseHash(request.mnId, 'masternode id');
  const node = id && findMasternode(state, id);
  if (!id || !node) throw new NodeError('not-found', 'Masternode not found');
  return { masternodes: { [formatHash(id)]: describe({ id, node }, { ...modules, relation }) } };
};

/** Masternode by its id, or by the address of its operator or owner. An address that is both is that of the operator. */
function idByText(text: string, { params, state }: Modules['chain']): Hash256 | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return parseHash(text, 'masternode id');
  const destination = decodeDestination(text, params.address);
  // The hash of a script is looked up like that of a key.
  const isKey = destination?.type === 'pkh' || destination?.type === 'wpkh' || destination?.type === 'sh';
  return isKey ? (masternodeByOperator(state, destination.hash)?.id ?? state.get(masternodeOwners, destination.hash)) : undefined;
}

/** Context for showing masternodes: one tip, its state, and the relation to this node. */
interface Shown extends Pick<Modules, 'clock'> {
  readonly chain: Pick<Modules['chain'], 'params' | 'tip' | 'state' | 'entryAt'>;
  readonly relation: Relation;
}

/** Members of a shown masternode that depend on the wallet and on the options of this node. */
type Relation = (node: Masternode) => Pick<ShownMasternode, 'ownerismine' | 'operatorismine' | 'localmasternode'>;

/**
 * "Mine" refers to the named wallet or, if none is named, to all loaded ones; `defid` rejects such a call unless one wallet is loaded.
 * @throws {NodeError} if the named wallet is not loaded
 */
function relationTo({ wallets, minter }: ShownModules, { wallet }: CallContext): Relation {
  const ownWallets = wallet === undefined ? [...(wallets?.loaded() ?? [])] : wallets ? [wallets.find(wallet)] : [];
  const mine = (script: Uint8Array): boolean => ownWallets.some((own) => isMine(own, script));
  const operated = new Set(minter.masternodes().map(({ node }) => toHex(node.operatorKey)));
  return (node) => ({
    ownerismine: mine(ownerScript(node)),
    operatorismine: mine(scriptOf(keyDestination(node.operatorType, node.operatorKey))),
    localmasternode: operated.has(toHex(node.operatorKey)),
  });
}

function stateOf({ node }: IdentifiedMasternode, { chain }: Pick<Shown, 'chain'>): string {
  return masternodeState(chain.state, node, chain.tip.height, chain.params);
}

/** Masternodes that are kept in the form in which operations show them. */
const KEPT_MASTERNODES = 1_000;
const shownMasternodes = new Projection<ShownMasternode>(KEPT_MASTERNODES);

function describe(identified: IdentifiedMasternode, modules: Shown): ShownMasternode {
  const { id } = identified;
  const { chain, clock, relation } = modules;
  const related = relation(identified.node);
  const flags = `${related.ownerismine} ${related.operatorismine} ${related.localmasternode}`;
  const key = `${toHex(id)} ${toHex(chain.tip.hash)} ${clock.seconds()} ${flags}`;
  const derive = (state: StateView): ShownMasternode => {
    const at = { params: chain.params, tip: chain.tip, state, entryAt: (height: number) => chain.entryAt(height) };
    return cacheJson(describeNow(identified, related, { clock, chain: at }));
  };
  return shownMasternodes.of(chain.state, key, derive, [masternodes]);
}

/** As {@link describe}, without keeping the result. */
function describeOnce(identified: IdentifiedMasternode, modules: Shown): ShownMasternode {
  return describeNow(identified, modules.relation(identified.node), modules);
}

function describeNow(identified: IdentifiedMasternode, related: ReturnType<Relation>, modules: Omit<Shown, 'relation'>): ShownMasternode {
  const { chain, clock } = modules;
  const { node } = identified;
  const { address } = chain.params;
  const { height } = chain.tip;
  const active = isActiveMasternode(chain.state, node, height, chain.params);
  const paya = isActive(chain.params, 'eunosPaya', height);
  const multipliers = active ? targetMultipliers(identified, chain, clock.seconds(), height + 1).map(BigInt) : [];
  return {
    ownerauthaddress: keyAddress(node.ownerType, node.ownerKey, address),
    operatorauthaddress: keyAddress(node.operatorType, node.operatorKey, address),
    rewardaddress: keyAddress(node.rewardType, node.rewardKey, address),
    creationheight: node.creationHeight,
    resignheight: node.resignHeight,
    resigntx: formatHash(node.resignTx),
    collateraltx: formatHash(node.collateralTx),
    state: stateOf(identified, modules),
    mintedblocks: BigInt(node.mintedBlocks),
    ...related,
    timelock: timelockName(timelockOf(identified, chain)),
    targetmultipliers: active && paya ? { multipliers } : undefined,
    targetmultiplier: active && !paya ? multipliers[0] : undefined,
  };
}

export const getMasternodeBlocks: Handler<Modules, GetMasternodeBlocksRequest, GetMasternodeBlocksResponse> = async (
  { chain },
  request,
  call,
) => {
  const given = parseIdentifiers(request, chain);
  requireArgument(request, call);
  const [id] = given;
  if (!id) throw invalidParameter('Provide masternode identifier information');
  if (given.length > 1) throw invalidParameter('Only provide one identifier information');
  const node = findMasternode(chain.state, id);
  if (!node) throw new NodeError('not-found', 'Masternode not found');
  const depth = request.depth ?? Number.POSITIVE_INFINITY;
  const lowest = Math.max(node.creationHeight + 1, chain.tip.height + 1 - depth);
  const slicer = new Slicer(call);
  const { found, last } = await recordedBlocks(chain, { id, node }, lowest, slicer);
  const operated = new Operated(chain);
  // As in `defid`, a masternode without a recorded block has no minted blocks.
  const unrecorded = last && chain.entryAt(Math.min(last, chain.params.upgrades.dakotaCrescent) - 1);
  for (let at = unrecorded; at && at.height >= lowest; at = at.parent) {
    const paused = slicer.pause();
    if (paused) await paused;
    const minter = operated.minterOf(at);
    if (minter && equalBytes(minter, id)) found.set(at.height, at);
  }
  const blocks = [...found].sort(([a], [b]) => b - a).map(([height, { hash }]) => ({ height: String(height), hash: formatHash(hash) }));
  return { blocks };
};

interface RecordedBlocks {
  readonly found: Map<number, BlockIndexEntry>;
  /** Height of the last record in the order of the columns, however low; undefined without any. */
  readonly last: number | undefined;
}

/**
 * Blocks since Dakota Crescent: the state records the minting masternode of each, so blocks from before a change of the operator
 * are found.
 * @param lowest lowest height to return
 */
async function recordedBlocks(
  chain: Modules['chain'],
  { id, node }: IdentifiedMasternode,
  lowest: number,
  slicer: Slicer,
): Promise<RecordedBlocks> {
  const found = new Map<number, BlockIndexEntry>();
  let last: number | undefined;
  const snapshot = chain.snapshot();
  try {
    for (const column of [subNodeTimes, stakerTimes]) {
      for (const [{ height }] of snapshot.entries<{ readonly height: number }, bigint>(column, { prefix: id })) {
        const paused = slicer.pause();
        if (paused) await paused;
        if (height <= node.creationHeight) continue;
        last = height;
        const entry = height >= lowest ? chain.entryAt(height) : undefined;
        if (entry) found.set(height, entry);
      }
    }
    return { found, last };
  } finally {
    snapshot.close();
  }
}

/** Masternodes by the operator keys that they have at present. */
class Operated {
  readonly #ids = new Map<string, Hash256 | undefined>();

  constructor(private readonly chain: Modules['chain']) {}

  /** Masternode that minted a block. */
  minterOf(entry: BlockIndexEntry): Hash256 | undefined {
    const key = minterKey(entry, () => this.chain.header(entry));
    if (key === undefined) return undefined;
    let id = this.#ids.get(key);
    if (!id && !this.#ids.has(key)) {
      id = masternodeByOperator(this.chain.state, fromHex(key))?.id;
      this.#ids.set(key, id);
    }
    return id;
  }
}

/** Ids of the masternodes that a request names in each of the three ways. @throws {NodeError} */
function parseIdentifiers(request: GetMasternodeBlocksRequest, chain: Modules['chain']): readonly Hash256[] {
  const found: Hash256[] = [];
  const add = (id: Hash256 | undefined): void => {
    if (!id) throw new NodeError('not-found', 'Masternode not found');
    found.push(id);
  };
  const { id } = request;
  if (id !== undefined) add(parseHash(id, 'id'));
  const { owneraddress } = request;
  if (owneraddress !== undefined) add(chain.state.get(masternodeOwners, parseKey(owneraddress, chain)));
  const { operatoraddress } = request;
  if (operatoraddress !== undefined) add(masternodeByOperator(chain.state, parseKey(operatoraddress, chain))?.id);
  return found;
}

function parseKey(text: string, { params }: Modules['chain']): Hash160 {
  const destination = decodeDestination(text, params.address);
  if (destination?.type === 'pkh' || destination?.type === 'wpkh') return destination.hash;
  throw new NodeError('invalid-address', 'Invalid P2PKH address');
}

/** Blocks to look back: a week. */
const DEFAULT_LOOKBACK = 20_160;

export const getActiveMasternodeCount: Handler<Modules, GetActiveMasternodeCountRequest, GetActiveMasternodeCountResponse> = (
  { chain },
  { blockcount },
  call,
) => {
  const found = new Set<Hash256>();
  const operated = new Operated(chain);
  const visit = (entry: BlockIndexEntry): void => {
    const minter = operated.minterOf(entry);
    if (minter) found.add(minter);
  };
  return withValue(eachInSlices(newestBlocks(chain.tip, blockcount ?? DEFAULT_LOOKBACK), visit, call), () => ({
    count: new Set([...found].map(toHex)).size,
  }));
};

function* newestBlocks(tip: BlockIndexEntry, count: number): Generator<BlockIndexEntry> {
  for (let at: BlockIndexEntry | undefined = tip, left = count; at && left > 0; at = at.parent, left--) yield at;
}
