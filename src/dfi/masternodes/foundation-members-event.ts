import { attributes } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import type { BlockEvent } from '../context/block-event.js';
import { compareOwners } from '../kernel/amounts.js';

const MEMBERS = attributeAt('v0/params/foundation/members');

/** At Grand Central copies the foundation members from the network parameters to an attribute, which transactions can change. */
export const foundationMembersToAttributes: BlockEvent = {
  name: 'foundation members to attributes',
  isDue: ({ height, params }) => height === params.upgrades.grandCentral,
  run({ view, params }) {
    view.put(attributes, MEMBERS, { kind: 'scripts', value: [...params.scripts.foundationMembers].sort(compareOwners) });
  },
};
