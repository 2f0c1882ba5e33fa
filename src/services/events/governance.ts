import { attributes } from '../../dfi/attributes/attributes.js';
import { attributeText } from '../../dfi/attributes/key.js';
import { LIVE_TYPE } from '../../dfi/attributes/table.js';
import { variables } from '../../dfi/governance/columns.js';
import { readableText } from '../../dfi/kernel/text.js';
import { type Masternode, masternodes, ownerScript } from '../../dfi/masternodes/columns.js';
import { proposals } from '../../dfi/proposals/columns.js';
import { formatHash } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { type FoundEvent, observed } from './observed.js';

/** Governance variables but ATTRIBUTES. */
export const variableEvents = observed(variables, ({ key, after }) => [governance('variable', readableText(key), after !== undefined)]);

/** Attributes by their paths. Running totals, which most blocks change, are no events. */
export const attributeEvents = observed(attributes, ({ key, after }) =>
  key.type === LIVE_TYPE.code ? [] : [governance('attribute', attributeText(key), after !== undefined)],
);

export const proposalEvents = observed(proposals, ({ key, after }) => [governance('proposal', formatHash(key), after !== undefined)]);

function governance(part: string, name: string, exists: boolean): FoundEvent {
  return { kind: 'governance', body: { governance: { part, name, exists } } };
}

/** Masternodes that are created, updated, resigned. Counting a minted block is no event. */
export const masternodeEvents = observed(masternodes, ({ key, before, after }) => {
  if (before && after && isSameNode(before, after)) return [];
  const { creationHeight, resignHeight } = after ?? { creationHeight: 0, resignHeight: 0 };
  const masternode = { id: formatHash(key), creationHeight, resignHeight: Math.max(0, resignHeight), exists: after !== undefined };
  return [{ kind: 'masternode', body: { masternode }, owners: [before, after].flatMap(scriptsOf) }];
});

function isSameNode(a: Masternode, b: Masternode): boolean {
  return (
    a.resignHeight === b.resignHeight &&
    equalBytes(a.operatorKey, b.operatorKey) &&
    equalBytes(a.ownerKey, b.ownerKey) &&
    equalBytes(a.rewardKey, b.rewardKey)
  );
}

/** Scripts of owner and operator. */
function scriptsOf(node: Masternode | undefined): Uint8Array[] {
  if (!node) return [];
  return [ownerScript(node), ownerScript({ ...node, ownerType: node.operatorType, ownerKey: node.operatorKey })];
}
