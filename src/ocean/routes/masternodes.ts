import { masternodeOperators, masternodes } from '../../dfi/masternodes/columns.js';
import { formatHash } from '../../primitives/hash.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { firstOf } from '../../util/first-of.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import { notFound, OperationFailed } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { invalidNext, pageOf, pathText } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import { hashOf } from '../api/sort-cursor.js';
import type { OceanModules } from '../modules.js';
import { hex8 } from '../shapes/numbers.js';

/** Masternodes. @see docs/protocol/ocean.md 2.7 */
export const masternodeRoutes: readonly Route[] = [
  get('masternodes', async (modules, request) => {
    const asked = pageOf(request);
    const { next, size } = asked;
    if (next !== undefined && !/^[0-9a-f]{72}$/.test(next)) throw invalidNext();
    const sorts = await masternodeSorts(modules);
    const first = next === undefined ? 0 : sorts.findIndex((sort) => sort < next);
    const ids = first < 0 ? [] : sorts.slice(first, first + size).map((sort) => sort.slice(HEIGHT_DIGITS));
    return page(
      await shownMasternodes(modules, ids),
      asked,
      ({ sort }) => sort,
      (masternode) => masternode,
    );
  }),
  get('masternodes/{id}', async (modules, request) => {
    const id = hashOf(pathText(request, 'id'));
    const unknown = notFound('Unable to find masternode');
    if (!id) throw unknown;
    try {
      const [masternode] = await shownMasternodes(modules, [formatHash(id)]);
      return { data: masternode };
    } catch (error) {
      throw error instanceof OperationFailed ? unknown : error;
    }
  }),
];

const HEIGHT_DIGITS = 8;

const sortTexts = new Projection<readonly string[]>(1);

/**
 * Height of creation and id of all masternodes as one text, the newest first. Operations list masternodes by id, and describing all of
 * them takes too long.
 */
function masternodeSorts({ chain, perTip }: OceanModules): Promise<readonly string[]> {
  const { state } = chain;
  return perTip.get('masternodes', () => new Slicer().run(sortTexts.inSteps(state, '', (noting) => readSorts(state, noting))));
}

/**
 * @param noting view whose reads determine how long the result holds: a masternode is created together with the entry of its operator,
 * while the masternodes themselves change with each block
 */
function* readSorts(state: StateView, noting: StateView): Steps<readonly string[]> {
  firstOf(noting.entries(masternodeOperators), 1);
  const byHeight = new Map<number, string[]>();
  for (const [id, { creationHeight }] of state.entries(masternodes)) {
    const created = byHeight.get(creationHeight) ?? [];
    created.push(hex8(creationHeight) + formatHash(id));
    byHeight.set(creationHeight, created);
    yield;
  }
  // Numbers are sorted much faster than texts, and few masternodes have the same height.
  const heights = Uint32Array.from(byHeight.keys()).sort();
  return [...heights].flatMap((height) => byHeight.get(height)?.sort() ?? []).reverse();
}

async function shownMasternodes({ operations }: OceanModules, ids: readonly string[]) {
  const slicer = new Slicer();
  const shown: ReturnType<typeof shownMasternode>[] = [];
  for (const id of ids) {
    const paused = slicer.pause();
    if (paused) await paused;
    shown.push(shownMasternode(id, new Reader(await operations.call('getmasternode', id)).get(id)));
  }
  return shown;
}

/** Weeks of the timelocks that operations name. */
const TIMELOCKS: Readonly<Record<string, number>> = { '5 years': 260, '10 years': 520 };

/** State as clients know it: a change of operator, owner or collateral that is under way does not end a masternode. */
function shownState(state: string): string {
  return state === 'TRANSFERRING' ? 'ENABLED' : state;
}

function shownMasternode(id: string, masternode: Reader) {
  const creationHeight = masternode.get('creationHeight').number();
  const resignHeight = masternode.get('resignHeight').number();
  const timelock = masternode.get('timelock');
  return {
    id,
    sort: hex8(creationHeight) + id,
    state: shownState(masternode.get('state').text()),
    mintedBlocks: masternode.get('mintedBlocks').number(),
    owner: { address: masternode.get('ownerAuthAddress').text() },
    operator: { address: masternode.get('operatorAuthAddress').text() },
    creation: { height: creationHeight },
    resign: resignHeight < 0 ? undefined : { tx: masternode.get('resignTx').text(), height: resignHeight },
    timelock: timelock.isThere ? (TIMELOCKS[timelock.text()] ?? 0) : 0,
  };
}
