import { isActive } from '../../params/network.js';
import { decode } from '../../primitives/codec.js';
import { Overlay } from '../../storage/overlay.js';
import { AttributeDraft, type AttributeEntry, type MessageAttributes, messageAttributes } from '../attributes/attributes.js';
import { attributesAt } from '../attributes/eras.js';
import type { AttributeKey } from '../attributes/key.js';
import { typeCode } from '../attributes/lookup.js';
import { attributeAt, checkStructure, parsePath } from '../attributes/path.js';
import type { GovernanceContext } from '../context/custom-tx.js';
import { prefixRejection, TxRejected } from '../kernel/rejected.js';
import { deleteDexFee } from '../pools/fee-columns.js';
import { feeScope } from '../pools/fees.js';
import { checkAttributes } from './attribute-checks.js';
import { applyAttributes } from './attribute-effects.js';
import { exportAttributes } from './attribute-export.js';
import { importEntries, noChanges, resolveMembers } from './attribute-import.js';
import { pendingVariables } from './columns.js';

const ATTRIBUTES = 'ATTRIBUTES';

function withKeys(given: MessageAttributes): readonly AttributeEntry[] {
  return given.flatMap(({ key, value }) => (key ? [{ key, value }] : []));
}

/** Checks, from Metachain on, that the attributes of a message exist and can be exported. @throws {TxRejected} */
export function checkGivenAttributes(given: MessageAttributes, { height, params }: GovernanceContext): void {
  if (!isActive(params, 'metachain', height)) return;
  for (const { key } of given) checkStructure(key);
  if (exportAttributes(withKeys(given), params).length === 0) throw new TxRejected('Cannot export empty attribute map');
}

/** Checks a pending change before Fort Canning Crunch: only its own attributes, without those in the state. @throws {TxRejected} */
export function checkAttributesAlone(context: GovernanceContext, given: MessageAttributes): void {
  const draft = new AttributeDraft();
  for (const { key, value } of withKeys(given)) draft.set(key, value);
  prefixRejection(ATTRIBUTES, () => {
    checkAttributes(draft, noChanges(), context, { hasUnknown: true });
    if (given.some(({ key }) => !key)) throw new TxRejected('Unsupported version');
  });
}

/** Applies a change of attributes in this block. @throws {TxRejected} @see docs/protocol/oracles-governance.md 3.6 */
export function changeAttributes(context: GovernanceContext, given: MessageAttributes): void {
  const draft = AttributeDraft.of(context.view);
  const entries = resolveMembers(draft, withKeys(given), context.params, { skipsInvalid: false });
  prefixRejection(ATTRIBUTES, () => change(context, draft, entries, context.height));
  draft.write(context.view);
}

/** Applies a pending change at the end of its block. Invalid additions and removals of members are skipped. @throws {TxRejected} */
export function changePendingAttributes(context: GovernanceContext, given: MessageAttributes): void {
  const draft = AttributeDraft.of(context.view);
  change(context, draft, resolveMembers(draft, withKeys(given), context.params, { skipsInvalid: true }), context.height);
  draft.write(context.view);
}

/** Changes attributes on behalf of another message type: error texts have no variable name in front. @throws {TxRejected} */
export function changeAttributesInternally(context: GovernanceContext, entries: readonly AttributeEntry[]): void {
  const draft = AttributeDraft.of(context.view);
  change(context, draft, entries, context.height);
  draft.write(context.view);
}

function change(
  context: GovernanceContext,
  draft: AttributeDraft,
  entries: readonly AttributeEntry[],
  fromHeight: number,
  changes = noChanges(),
): void {
  importEntries(draft, entries, changes, { params: context.params, height: context.height });
  checkAttributes(draft, changes, context);
  applyAttributes(draft, changes, context, fromHeight);
}

/**
 * Tries a change for a later block on the attributes that will be set by then. The state is not changed, but `defid` records refunds of
 * future swaps in the history even in the trial.
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 3.7
 */
export function tryChangeAt(context: GovernanceContext, given: MessageAttributes, startHeight: number): void {
  const { view, params, height } = context;
  const draft = AttributeDraft.of(view);
  // Shared with the earlier pending changes: what they set is checked again together with this change.
  const changes = noChanges();
  prefixRejection(ATTRIBUTES, () => {
    for (const earlier of pendingBetween(context, startHeight)) {
      prefixRejection('Failed to import stored vars', () => importEntries(draft, withKeys(earlier), changes, { params, height }));
    }
    if (isActive(params, 'grandCentral', height)) deleteSplits(draft, startHeight);
    const scratch = { ...context, view: new Overlay(view) };
    prefixRejection('Cumulative application of Gov vars failed', () => change(scratch, draft, withKeys(given), startHeight, changes));
  });
}

function* pendingBetween({ view, height }: GovernanceContext, last: number): Generator<MessageAttributes> {
  for (const [key, bytes] of view.entries(pendingVariables, { from: { height, name: '' } })) {
    if (key.height > last) return;
    if (key.name === ATTRIBUTES) yield decode(messageAttributes, bytes);
  }
}

const ORACLES = typeCode('oracles');

/** Deletes scheduled splits below a height; also `fractional_enabled`, whose key is 0. */
function deleteSplits(draft: AttributeDraft, startHeight: number): void {
  for (const { key } of draft.entries()) if (key.type === ORACLES && key.key < startHeight) draft.delete(key);
}

/**
 * Unsets attributes. Of their effects only the fees of pools are undone.
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 4.8
 */
export function unsetAttributes(context: GovernanceContext, paths: readonly string[]): void {
  withoutAttributes(context, paths).write(context.view);
}

/** Undoes the effects that {@link unsetAttributes} would undo, but leaves the attributes set. @throws {TxRejected} */
export function dropAttributeFees(context: GovernanceContext, paths: readonly string[]): void {
  withoutAttributes(context, paths);
}

/** Deletes the pool fees of attributes. @returns a draft without the attributes, not yet written */
function withoutAttributes({ view, params, height }: GovernanceContext, paths: readonly string[]): AttributeDraft {
  const draft = AttributeDraft.of(view);
  const types = attributesAt(params, height);
  for (const path of paths) {
    const key = parsePath(path, types);
    if (!key) continue;
    if (!draft.get(key)) throw new TxRejected(`Attribute {${key.type}} not exists`);
    draft.delete(key);
    const scope = feeScope(view, key);
    if (scope) deleteDexFee(view, scope);
  }
  return draft;
}

const FOUNDATION_MEMBERS = attributeAt('v0/params/foundation/members');
const GOV_FOUNDATION = attributeAt('v0/params/feature/gov-foundation');

/** True for attributes that governance members must not change: those of `params/foundation`, and the feature `gov-foundation`. */
export function isFoundationsOwn({ type, id, key }: AttributeKey): boolean {
  if (type !== FOUNDATION_MEMBERS.type) return false;
  return id === FOUNDATION_MEMBERS.id || (id === GOV_FOUNDATION.id && key === GOV_FOUNDATION.key);
}
