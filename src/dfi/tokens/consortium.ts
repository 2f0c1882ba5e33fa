import { isActive } from '../../params/network.js';
import { equalBytes } from '../../util/bytes.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import type { ConsortiumMember, MemberTotal, TokenTotal } from '../attributes/consortium-values.js';
import { isFeatureOn } from '../attributes/features.js';
import { liveKey, storedTotals } from '../attributes/live-totals.js';
import { compareTexts } from '../attributes/ordered.js';
import { NO_LIMIT } from '../attributes/parsers.js';
import { attributeAt } from '../attributes/path.js';
import { hasAuth, hasFoundationAuth } from '../context/auth.js';
import type { TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import type { HeightContext } from '../kernel/block-context.js';
import { safeAdd } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { hasFlag, type Token } from './columns.js';
import { CONSORTIUM_TOTALS, consortiumMembers, consortiumTotal } from './consortium-totals.js';

/** True from Grand Central until Metachain: consortium members, besides the foundation, may mint DATs. */
export function hasConsortiums({ params, height }: HeightContext): boolean {
  return isActive(params, 'grandCentral', height) && !isActive(params, 'metachain', height);
}

/**
 * Mints as a member of the token's consortium, if consortiums apply: counts the minted amount against all limits.
 * @param isOwner the token's owner authorised the transaction
 * @returns recipient of the amount; undefined for the token's owner
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 8.3
 */
export function mintAsMember(context: TxContext, token: Token, minted: TokenAmount, isOwner: boolean): Uint8Array | undefined {
  const { view } = context;
  if (!hasConsortiums(context) || !hasFlag(token, 'dat') || hasFoundationAuth(context)) return undefined;
  const members = consortiumMembers(view, minted.tokenId);
  if (!isFeatureOn(view, 'consortium') || members.length === 0) {
    if (!isOwner) throw new TxRejected('You are not a foundation member or token owner and cannot mint this token!');
    return undefined;
  }
  const member = members.find(({ owner }) => hasAuth(context, owner));
  if (!member) throw new TxRejected('You are not a foundation or consortium member and cannot mint this token!');
  if (member.status !== 0) throw new TxRejected(`Cannot mint token, not an active member of consortium for ${token.symbol}!`);
  const totals = countForMember(context, token.symbol, member, minted);
  countForAll(context, token.symbol, totals, minted);
  return member.owner;
}

function startOfDay({ height, params }: TxContext): number {
  return Math.floor(height / params.blocksPerDay) * params.blocksPerDay;
}

/** Counts against the limits of a member. @returns the totals of all members of the token @throws {TxRejected} */
function countForMember(
  context: TxContext,
  symbol: string,
  { id, mintLimit, dailyLimit }: ConsortiumMember,
  { tokenId, amount }: TokenAmount,
): readonly MemberTotal[] {
  const day = startOfDay(context);
  const before = memberTotal(context, tokenId, id);
  const minted = safeAdd(before.minted, amount);
  const dailyMinted = before.day === day ? safeAdd(before.dailyMinted, amount) : amount;
  if (minted > mintLimit) throw new TxRejected(`You will exceed your maximum mint limit for ${symbol} token by minting this amount!`);
  if (dailyMinted > dailyLimit) throw new TxRejected(`You will exceed your daily mint limit for ${symbol} token by minting this amount`);
  return putMemberTotal(context, tokenId, { ...before, minted, day, dailyMinted });
}

/** Counts against the limits of the whole consortium. @throws {TxRejected} */
function countForAll(context: TxContext, symbol: string, members: readonly MemberTotal[], { tokenId, amount }: TokenAmount): void {
  const { view } = context;
  const before = consortiumTotal(view, tokenId);
  const minted = safeAdd(before.minted, amount);
  const limit = (name: string) => valueAs(storedAttributes(view), attributeAt(`v0/consortium/${tokenId}/${name}`), 'amount') ?? 0n;
  const [most, mostDaily] = [limit('mint_limit'), limit('mint_limit_daily')];
  if (most !== NO_LIMIT && minted > most) {
    throw new TxRejected(`You will exceed global maximum consortium mint limit for ${symbol} token by minting this amount!`);
  }
  const day = startOfDay(context);
  const daily = members.reduce((sum, total) => (total.day === day ? sum + total.dailyMinted : sum), 0n);
  if (mostDaily !== NO_LIMIT && daily > mostDaily) {
    throw new TxRejected(`You will exceed global daily maximum consortium mint limit for ${symbol} token by minting this amount.`);
  }
  putTotal(context, { ...before, minted });
}

/** Counts an amount burnt by, or on behalf of, a member. @throws {TxRejected} @see docs/protocol/defi.md 8.3 */
export function countMemberBurn(context: TxContext, owner: Uint8Array, { tokenId, amount }: TokenAmount): void {
  if (!hasConsortiums(context)) return;
  const member = consortiumMembers(context.view, tokenId).find((each) => equalBytes(each.owner, owner));
  if (!member) return;
  const own = memberTotal(context, tokenId, member.id);
  putMemberTotal(context, tokenId, { ...own, burnt: safeAdd(own.burnt, amount) });
  const all = consortiumTotal(context.view, tokenId);
  putTotal(context, { ...all, burnt: safeAdd(all.burnt, amount) });
}

const MEMBER_TOTALS = liveKey('consortium_members');

function memberTotal({ view }: TxContext, tokenId: number, id: string): MemberTotal {
  const totals = valueAs(storedAttributes(view), MEMBER_TOTALS, 'consortiumMemberTotals') ?? [];
  const found = totals.find((total) => total.tokenId === tokenId)?.members.find((total) => total.id === id);
  return found ?? { id, minted: 0n, burnt: 0n, day: 0, dailyMinted: 0n };
}

function putMemberTotal({ view }: TxContext, tokenId: number, changed: MemberTotal): readonly MemberTotal[] {
  const totals = valueAs(storedAttributes(view), MEMBER_TOTALS, 'consortiumMemberTotals') ?? [];
  const others = totals.find((total) => total.tokenId === tokenId)?.members.filter(({ id }) => id !== changed.id) ?? [];
  const members = [...others, changed].sort((a, b) => compareTexts(a.id, b.id));
  const value = [...totals.filter((total) => total.tokenId !== tokenId), { tokenId, members }].sort((a, b) => a.tokenId - b.tokenId);
  storedTotals(view).set(MEMBER_TOTALS, { kind: 'consortiumMemberTotals', value });
  return members;
}

function putTotal({ view }: TxContext, changed: TokenTotal): void {
  const totals = valueAs(storedAttributes(view), CONSORTIUM_TOTALS, 'consortiumTotals') ?? [];
  const value = [...totals.filter(({ tokenId }) => tokenId !== changed.tokenId), changed].sort((a, b) => a.tokenId - b.tokenId);
  storedTotals(view).set(CONSORTIUM_TOTALS, { kind: 'consortiumTotals', value });
}
