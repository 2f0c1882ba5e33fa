import { isActive } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { EventRecords } from '../context/event-records.js';
import { ignoreRejection, isRejection } from '../kernel/rejected.js';
import { changePendingAttributes, unsetAttributes } from './change-attributes.js';
import { pendingRemovals, pendingVariables } from './columns.js';
import { checkVariable, setVariable, unsetVariable } from './rules.js';
import { decodeVariable, isVariableName } from './variables.js';

/**
 * Applies the changes of variables that are pending for this height. A change that is no longer valid is dropped.
 * @see docs/protocol/oracles-governance.md 3.8
 */
export const governanceByHeight: BlockEvent = {
  name: 'governance by height',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run(context) {
    setPending(context);
    if (isActive(context.params, 'df24', context.height)) unsetPending(context);
  },
};

function setPending(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [key, bytes] of [...view.entries(pendingVariables, { from: { height, name: '' } })]) {
    if (key.height !== height) break;
    applyWhole(context, (at) => {
      if (!isVariableName(key.name)) return;
      const variable = decodeVariable(key.name, bytes);
      if (variable.name === 'ATTRIBUTES') changePendingAttributes(at, variable.value);
      else {
        checkVariable(at, variable);
        setVariable(at, variable);
      }
    });
    view.delete(pendingVariables, key);
  }
}

function unsetPending(context: BlockEventContext): void {
  const { view, height } = context;
  for (const [key, keys] of [...view.entries(pendingRemovals, { from: { height, name: '' } })]) {
    if (key.height !== height) break;
    applyWhole(context, (at) => {
      const { name } = key;
      if (!isVariableName(name)) return;
      if (name === 'ATTRIBUTES') unsetAttributes(at, keys);
      else unsetVariable(at, name, keys);
    });
    view.delete(pendingRemovals, key);
  }
}

/** Applies a change completely or not at all, except for its history entries. */
function applyWhole(
  context: BlockEventContext,
  change: (context: BlockEventContext & { readonly view: Overlay; readonly eventRecords: EventRecords }) => void,
): void {
  const view = new Overlay(context.view);
  const eventRecords = new EventRecords();
  ignoreRejection(() => {
    change({ ...context, view, eventRecords });
    view.commit();
  }, isRejection);
  // Balance changes of a failed change are recorded all the same, as in `defid`.
  eventRecords.addTo(context.history);
}
