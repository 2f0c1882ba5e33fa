import { isActive } from '../../params/network.js';
import { decode } from '../../primitives/codec.js';
import { Overlay } from '../../storage/overlay.js';
import { AttributeDraft, type AttributeEntry, type GivenAttributes, givenAttributes } from '../attributes/attributes.js';
import { attributesAt } from '../attributes/eras.js';
import { type AttributeKey, letter } from '../attributes/key.js';
import { checkStructure, parsePath } from '../attributes/path.js';
import type { GovernanceContext } from '../context/governance-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { deleteDexFee } from '../pools/fee-columns.js';
import { feeScope } from '../pools/fees.js';
import { checkAttributes } from './attribute-checks.js';
import { applyAttributes } from './attribute-effects.js';
import { exportAttributes } from './attribute-export.js';
import { importEntries, noChanges, resolveMembers } from './attribute-import.js';
import { pendingVariables } from './columns.js';

const ATTRIBUTES = 'ATTRIBUTES';

function withKeys(given: GivenAttributes): readonly AttributeEntry[] {
  return given.flatMap(({ key, value }) => (key ? [{ key, value }] : []));
}

/** @throws {TxRejected} with the name of the variable, or other words, in front */
function named<T>(run: () => T, name = ATTRIBUTES): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TxRejected) throw new TxRejected(`${name}: ${error.message}`, error);
    throw error;
  }
}

/** From Metachain on, messages must name attributes that exist. @throws {TxRejected} */
export function checkGivenAttributes(given: GivenAttributes, { height, params }: GovernanceContext): void {
  if (!isActive(params, 'metachain', height)) return;
  for (const { key } of given) checkStructure(key);
  if (exportAttributes(withKeys(given), params).length === 0) throw new TxRejected('Cannot export empty attribute map');
}

/** What is asked of attributes for a block to come before Fort Canning Crunch: of them alone, whatever is set. @throws {TxRejected} */
export function checkAttributesAlone(context: GovernanceContext, given: GivenAttributes): void {
  const draft = new AttributeDraft();
  for (const { key, value } of withKeys(given)) draft.set(key, value);
  named(() => {
    checkAttributes(draft, noChanges(), context);
    if (given.some(({ key }) => !key)) throw new TxRejected('Unsupported version');
  });
}

/** Changes attributes now. @throws {TxRejected} @see docs/protocol/oracles-governance.md 3.6 */
export function changeAttributes(context: GovernanceContext, given: GivenAttributes): void {
  const draft = AttributeDraft.of(context.view);
  const entries = resolveMembers(draft, withKeys(given), context.params, false);
  named(() => change(context, draft, entries, context.height));
  draft.write(context.view);
}

/** The same at the end of a block that was chosen before: removals that are not possible any more are skipped. @throws {TxRejected} */
export function changePendingAttributes(context: GovernanceContext, given: GivenAttributes): void {
  const draft = AttributeDraft.of(context.view);
  change(context, draft, resolveMembers(draft, withKeys(given), context.params, true), context.height);
  draft.write(context.view);
}

/** Changes attributes on behalf of a message that is not about them: its errors stand for themselves. @throws {TxRejected} */
export function changeOwnAttributes(context: GovernanceContext, entries: readonly AttributeEntry[]): void {
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
 * Tries a change of a block to come: on what the attributes will be by then. Nothing is left of it, but the history shows the futures
 * that it would pay back as things stand.
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 3.7
 */
export function tryChangeAt(context: GovernanceContext, given: GivenAttributes, startHeight: number): void {
  const { view, params, height } = context;
  const draft = AttributeDraft.of(view);
  // What earlier changes touched is checked again with this one.
  const changes = noChanges();
  named(() => {
    for (const earlier of pendingBetween(context, startHeight)) {
      named(() => importEntries(draft, withKeys(earlier), changes, { params, height }), 'Failed to import stored vars');
    }
    if (isActive(params, 'grandCentral', height)) forgetSplits(draft, startHeight);
    const scratch = { ...context, view: new Overlay(view) };
    named(() => change(scratch, draft, withKeys(given), startHeight, changes), 'Cumulative application of Gov vars failed');
  });
}

function* pendingBetween({ view, height }: GovernanceContext, last: number): Generator<GivenAttributes> {
  for (const [key, bytes] of view.entries(pendingVariables, { from: { height, name: '' } })) {
    if (key.height > last) return;
    if (key.name === ATTRIBUTES) yield decode(givenAttributes, bytes);
  }
}

/** Splits that will be over by then. */
function forgetSplits(draft: AttributeDraft, startHeight: number): void {
  for (const { key } of draft.entries()) if (key.type === letter('o') && key.key < startHeight) draft.delete(key);
}

/**
 * Takes attributes away; of what they did, only fees of pools are taken back.
 * @throws {TxRejected}
 * @see docs/protocol/oracles-governance.md 4.8
 */
export function unsetAttributes(context: GovernanceContext, paths: readonly string[]): void {
  without(context, paths).write(context.view);
}

/** Takes back what {@link unsetAttributes} would, while the attributes stay. @throws {TxRejected} */
export function dropAttributeFees(context: GovernanceContext, paths: readonly string[]): void {
  without(context, paths);
}

/** Deletes the fees of attributes. @returns what is left of the attributes */
function without({ view, params, height }: GovernanceContext, paths: readonly string[]): AttributeDraft {
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

/** Whether only the foundation itself may change it: who its members are, and whether the chain decides that. */
export function isFoundationsOwn({ type, id, key }: AttributeKey): boolean {
  return type === letter('a') && (id === letter('j') || (id === letter('h') && key === letter('k')));
}
