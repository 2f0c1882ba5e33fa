import { decode, encode } from '../../primitives/codec.js';
import type { WritableView } from '../../storage/view.js';
import { type AttributeDraft, messageAttributes } from '../attributes/attributes.js';
import { tokenLock } from '../attributes/features.js';
import type { AttributeKey } from '../attributes/key.js';
import { liveKey, liveTotal } from '../attributes/live-totals.js';
import { keyCode, typeCode } from '../attributes/lookup.js';
import type { AttributeValue } from '../attributes/value.js';
import type { Multiplier } from '../context/split-creation.js';
import { pendingVariables } from '../governance/columns.js';
import { BalanceSum } from '../kernel/amounts.js';
import type { Succession } from './context.js';
import { convert } from './multiplier.js';

const TOKEN = typeCode('token');
const POOL = typeCode('poolpairs');
const ORACLES = typeCode('oracles');
const ASCENDANT = keyCode('token', 'ascendant');
const DESCENDANT = keyCode('token', 'descendant');
const ATTRIBUTES = 'ATTRIBUTES';

/** Moves attributes to other keys. All are read before the first is written, so that a new key may equal an old one. */
function moveKeys(draft: AttributeDraft, newKey: (key: AttributeKey) => AttributeKey | undefined): void {
  const moved = draft.entries().flatMap(({ key, value }) => {
    const next = newKey(key);
    return next ? [{ key, next, value }] : [];
  });
  for (const { next, value } of moved) draft.set(next, value);
  for (const { key } of moved) draft.delete(key);
}

/** Moves the attributes of a token to its successor and links the two by `ascendant` and `descendant`. @see docs/protocol/defi.md 9.3 */
export function moveTokenAttributes(draft: AttributeDraft, { oldId, newId }: Succession, height: number): void {
  moveKeys(draft, (key) => {
    if (key.type !== TOKEN || (key.id !== oldId && key.keyId !== oldId)) return undefined;
    const replaced = (id: number) => (id === oldId ? newId : id);
    return { ...key, id: replaced(key.id), keyId: replaced(key.keyId) };
  });
  const own = (id: number, key: number): AttributeKey => ({ type: TOKEN, id, key, keyId: 0 });
  draft.set(own(newId, ASCENDANT), { kind: 'ascendant', value: { id: oldId, text: 'split' } });
  draft.set(own(oldId, DESCENDANT), { kind: 'descendant', value: { id: newId, height } });
}

/** Predecessor of a token; undefined if no split created it. */
export function ascendantOf(draft: AttributeDraft, id: number): number | undefined {
  const found = draft.get({ type: TOKEN, id, key: ASCENDANT, keyId: 0 });
  return found?.kind === 'ascendant' ? found.value.id : undefined;
}

/** Moves the attributes of a pool to its successor. */
export function movePoolAttributes(draft: AttributeDraft, { oldId, newId }: Succession): void {
  moveKeys(draft, (key) => (key.type === POOL && key.id === oldId ? { ...key, id: newId } : undefined));
}

/** Live totals that contain token amounts: those of DFIP2203 (current, burned, minted) and of auctions. */
const TOTALS = [
  liveKey('dfip2203_current'),
  liveKey('dfip2203_burned'),
  liveKey('dfip2203_minted'),
  liveKey('batch_rounding_excess'),
  liveKey('consolidated_interest'),
];

/** Converts amounts of the old token in the live totals, and creates missing totals. An amount that would overflow is skipped. */
export function convertTotals(draft: AttributeDraft, { oldId, newId }: Succession, multiplier: Multiplier): void {
  for (const key of TOTALS) {
    const sum = new BalanceSum();
    for (const { tokenId, amount } of liveTotal(draft, key)) {
      sum.addIfPossible(tokenId === oldId ? { tokenId: newId, amount: convert(multiplier, amount) } : { tokenId, amount });
    }
    draft.set(key, { kind: 'balances', value: sum.list() });
  }
}

/** Moves the token lock to the successor, which is locked until governance unlocks it. */
export function moveLock(draft: AttributeDraft, { oldId, newId }: Succession): void {
  draft.delete(tokenLock(oldId));
  draft.set(tokenLock(newId), { kind: 'bool', value: true });
}

/** Deletes later splits of the old token. */
export function deleteSplits(draft: AttributeDraft, tokenId: number): void {
  for (const { key, value } of draft.entries()) {
    if (key.type !== ORACLES || (value.kind !== 'splits' && value.kind !== 'fractions')) continue;
    const left = value.value.filter(({ id }) => id !== tokenId);
    if (left.length === value.value.length) continue;
    if (left.length === 0) draft.delete(key);
    else draft.set(key, { kind: value.kind, value: left } as AttributeValue);
  }
}

/** Redirects pending changes of the old token's lock to the successor. */
export function movePendingLocks(view: WritableView, { oldId, newId }: Succession, fromHeight: number): void {
  const old = tokenLock(oldId);
  const isOld = (key: AttributeKey | undefined) => key?.type === old.type && key.id === old.id && key.key === old.key;
  for (const [at, bytes] of [...view.entries(pendingVariables, { from: { height: fromHeight, name: '' } })]) {
    if (at.name !== ATTRIBUTES) continue;
    const given = decode(messageAttributes, bytes);
    if (!given.some(({ key }) => isOld(key))) continue;
    const moved = given.map((entry) => (isOld(entry.key) ? { ...entry, key: tokenLock(newId) } : entry));
    view.put(pendingVariables, at, encode(messageAttributes, moved));
  }
}
