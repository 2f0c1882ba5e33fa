import type {
  GetGovRequest,
  GetGovResponse,
  GovernanceEntry,
  GovernanceState,
  GovernanceValue,
  ListGovsRequest,
  ListGovsResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { type AttributeEntry, listAttributes } from '../../../dfi/attributes/attributes.js';
import { withDefaults } from '../../../dfi/attributes/defaults.js';
import type { ExportContext } from '../../../dfi/governance/attribute-export.js';
import { pendingRemovals, pendingVariables } from '../../../dfi/governance/columns.js';
import { decodeVariable, isVariableName, storedVariable, VARIABLE_NAMES, type VariableName } from '../../../dfi/governance/variables.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { isActive } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { cacheJson } from '../../../rpc/write.js';
import { Projection } from '../../../storage/projection.js';
import type { StateView } from '../../../storage/view.js';
import { NodeError } from '../../../util/errors.js';
import { formatAttributes, formatVariable } from '../../format/governance-value.js';
import type { BlockchainModules } from '../modules.js';
import { attributeFilter, type ListFilter, listFilter } from './list-filter.js';

type Modules = { readonly chain: Pick<BlockchainModules['chain'], 'params' | 'tip' | 'state'> };
type Chain = Pick<Modules['chain'], 'params' | 'state'>;

const shownVariables = new Projection<GetGovResponse>(VARIABLE_NAMES.length);
/** Lists by prefix that are kept. */
const KEPT_LISTS = 8;
/** Lists for longer prefixes are not kept, in characters. */
const MAX_PREFIX = 100;
const shownLists = new Projection<ListGovsResponse>(KEPT_LISTS);

export const getGov: Handler<Modules, GetGovRequest, GetGovResponse> = ({ chain }, { name }) => {
  if (!isVariableName(name)) throw new NodeError('invalid-request', `Variable '${name}' not registered`);
  return shownVariables.of(chain.state, name, (state) => {
    const entries = name === 'ATTRIBUTES' ? [...listAttributes(state)] : [];
    return cacheJson({ variables: { [name]: formatCurrent({ state, params: chain.params }, name, entries) } });
  });
};

/** Every variable with its pending changes. @see docs/protocol/oracles-governance.md 5.5 */
export const listGovs: Handler<Modules, ListGovsRequest, ListGovsResponse> = ({ chain }, request) => {
  const prefix = request.prefix ?? '';
  const filter = listFilter(prefix);
  const { params, tip } = chain;
  const showsDefaults = isActive(params, 'metachain', tip.height);
  const list = (state: StateView) => cacheJson(listAll({ state, params }, filter, showsDefaults));
  return prefix.length > MAX_PREFIX ? list(chain.state) : shownLists.of(chain.state, `${showsDefaults} ${prefix}`, list);
};

function listAll(chain: Chain, filter: ListFilter, showsDefaults: boolean): ListGovsResponse {
  const pending = pendingStates(chain);
  const variables: GovernanceEntry[] = [];
  for (const name of VARIABLE_NAMES) {
    if (name !== 'ATTRIBUTES' && !filter.showsRules) continue;
    const current =
      name === 'ATTRIBUTES' ? currentAttributes(chain, filter, showsDefaults) : [formatState(name, formatCurrent(chain, name, []))];
    variables.push({ states: [...current, ...(pending.get(name) ?? [])] });
  }
  return { variables };
}

function currentAttributes(chain: Chain, filter: ListFilter, showsDefaults: boolean): GovernanceState[] {
  if (!filter.showsAttributes) return [];
  const stored = [...listAttributes(chain.state)];
  const entries = showsDefaults ? withDefaults(stored) : stored;
  const accepts = attributeFilter(filter);
  return [formatState('ATTRIBUTES', formatAttributes(entries, shownWith(chain), accepts))];
}

function shownWith({ state, params }: Chain): ExportContext {
  return { view: state, address: params.address };
}

function formatCurrent(chain: Chain, name: VariableName, entries: readonly AttributeEntry[]): GovernanceValue {
  if (name === 'ATTRIBUTES') return formatAttributes(entries, shownWith(chain));
  const stored = storedVariable(chain.state, name);
  if (stored) return formatVariable(stored, chain);
  if (name === 'LP_SPLITS' || name === 'LP_LOAN_TOKEN_SPLITS') return { value: { $case: 'splits', value: { shares: {} } } };
  return { value: name === 'ORACLE_BLOCK_INTERVAL' ? { $case: 'number', value: 0n } : { $case: 'amount', value: 0n } };
}

function formatState(name: string, value: GovernanceValue): GovernanceState {
  return { values: { [name]: value } };
}

/** Pending changes and removals by variable name, each ordered by height. */
function pendingStates(chain: Chain): Map<string, GovernanceState[]> {
  const states = new Map<string, GovernanceState[]>();
  const add = (name: string, state: GovernanceState) => states.set(name, [...(states.get(name) ?? []), state]);
  for (const [{ height, name }, bytes] of chain.state.entries(pendingVariables)) {
    if (isVariableName(name)) add(name, formatState(`${height}`, formatVariable(decodeVariable(name, bytes), chain)));
  }
  for (const [{ height, name }, keys] of chain.state.entries(pendingRemovals)) {
    add(name, formatState(`${height}`, { value: { $case: 'keys', value: { texts: keys.map(readableText) } } }));
  }
  return states;
}
