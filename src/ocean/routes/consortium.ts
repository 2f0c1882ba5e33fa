import { formatAmount } from '../../primitives/amount.js';
import { notFound } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { pathText } from '../api/request.js';
import { get, type Route } from '../api/route.js';
import type { OceanModules } from '../modules.js';
import { type KnownTokens, knownTokens } from '../shapes/known-tokens.js';
import { satoshis } from '../shapes/numbers.js';
import { displaySymbol } from '../shapes/token.js';

/** Members of consortiums that mint tokens. @see docs/protocol/ocean.md 2.3 */
export const consortiumRoutes: readonly Route[] = [
  get('consortium/assetbreakdown', async (modules) => ({ data: breakdown(await readConsortiums(modules)) })),
  get('consortium/stats/{memberid}', async (modules, request) => {
    return { data: memberStats(await readConsortiums(modules), pathText(request, 'memberid')) };
  }),
];

/** Consortium of a token. */
interface Consortium {
  readonly tokenId: string;
  readonly token: Reader;
  /** Members by id, as attributes show them. */
  readonly members: readonly (readonly [string, Reader])[];
}

interface Consortiums {
  /** In the order of attributes. */
  readonly list: readonly Consortium[];
  /** All attributes by their paths. */
  readonly attributes: Reader;
}

const MEMBERS = /^v0\/consortium\/(\d+)\/members$/;

async function readConsortiums(modules: OceanModules): Promise<Consortiums> {
  const tokens = await knownTokens(modules);
  const attributes = await modules.perTip.get('attributes', async () => {
    return new Reader(await modules.operations.call('getgov', 'ATTRIBUTES')).get('ATTRIBUTES');
  });
  return { attributes, list: attributes.members().flatMap(([path, members]) => consortiumAt(tokens, path, members)) };
}

function consortiumAt(tokens: KnownTokens, path: string, members: Reader): Consortium[] {
  const tokenId = MEMBERS.exec(path)?.[1];
  const token = tokenId === undefined ? undefined : tokens.get(tokenId);
  return tokenId !== undefined && token ? [{ tokenId, token, members: members.members() }] : [];
}

function breakdown({ list, attributes }: Consortiums) {
  return list
    .filter(({ members }) => members.length > 0)
    .map(({ tokenId, token, members }) => ({
      ...symbolsOf(token),
      memberInfo: members.map(([id, member]) => ({
        id,
        name: member.get('name').text(),
        tokenId,
        minted: fixed8(attributes.get(`${livePath(tokenId)}/${id}/minted`)),
        burned: fixed8(attributes.get(`${livePath(tokenId)}/${id}/burnt`)),
        backingAddresses: addressesOf(member.get('backingId').text()),
      })),
    }));
}

function symbolsOf(token: Reader) {
  return { tokenSymbol: token.get('symbol').text(), tokenDisplaySymbol: displaySymbol(token) };
}

/** Path of the totals of the members that mint a token. */
function livePath(tokenId: string): string {
  return `v0/live/economy/consortium_members/${tokenId}`;
}

function addressesOf(backingId: string): string[] {
  return backingId === '' ? [] : backingId.split(',').map((address) => address.trim());
}

/** @throws {OceanError} if no consortium has the member */
function memberStats({ list, attributes }: Consortiums, memberId: string) {
  const joined = list.flatMap((consortium) => {
    const member = consortium.members.find(([id]) => id === memberId)?.[1];
    return member ? [{ consortium, member }] : [];
  });
  const [first] = joined;
  if (!first) throw notFound('Consortium member not found');
  const limited = joined.filter(({ consortium: { tokenId } }) => attributes.get(`v0/consortium/${tokenId}/mint_limit`).isThere);
  return {
    memberId,
    memberName: first.member.get('name').text(),
    mintTokens: limited.map(({ consortium: { tokenId, token }, member }) => ({
      ...symbolsOf(token),
      tokenId,
      member: mintedByMember(attributes, `${livePath(tokenId)}/${memberId}`, member),
      token: mintedByAll(attributes, tokenId),
    })),
  };
}

/** @param path of the member's totals */
function mintedByMember(attributes: Reader, path: string, member: Reader) {
  return {
    minted: fixed8(attributes.get(`${path}/minted`)),
    mintedDaily: formatAmount(dailyAmount(attributes.get(`${path}/daily_minted`))),
    mintLimit: fixed8(member.get('mintLimit')),
    mintDailyLimit: fixed8(member.get('mintLimitDaily')),
  };
}

function mintedByAll(attributes: Reader, tokenId: string) {
  const limits = `v0/consortium/${tokenId}`;
  const daily = attributes.members().filter(([path]) => path.startsWith(`${livePath(tokenId)}/`) && path.endsWith('/daily_minted'));
  return {
    minted: fixed8(attributes.get(`v0/live/economy/consortium/${tokenId}/minted`)),
    mintedDaily: formatAmount(daily.reduce((sum, [, value]) => sum + dailyAmount(value), 0n)),
    mintLimit: fixed8(attributes.get(`${limits}/mint_limit`)),
    mintDailyLimit: fixed8(attributes.get(`${limits}/mint_limit_daily`)),
  };
}

/** Satoshis of a text such as `103/1.00000000`, whose first part is the height at which the day began. */
function dailyAmount(value: Reader): bigint {
  return value.isThere ? satoshis(value.text().split('/')[1] ?? '') : 0n;
}

/** Amount with eight decimals; zero if there is none. */
function fixed8(value: Reader): string {
  return formatAmount(value.isThere ? satoshis(value.digits()) : 0n);
}
