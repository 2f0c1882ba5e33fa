import { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';
import { WHOLE_LIST } from '../node/operations.js';

/** All tokens by id, in the order of ids: answers of `listtokens`, for `tokenData` and the like. */
export type KnownTokens = ReadonlyMap<string, Reader>;

/** Tokens at the tip. */
export function knownTokens({ operations, perTip }: Pick<OceanModules, 'operations' | 'perTip'>): Promise<KnownTokens> {
  return perTip.get('tokens', async () => {
    const tokens = await operations.call('listtokens', WHOLE_LIST, true);
    return new Map(new Reader(tokens).members());
  });
}

/** Tokens at the tip by symbol key, with their ids. */
export function tokensBySymbol(
  modules: Pick<OceanModules, 'operations' | 'perTip'>,
): Promise<ReadonlyMap<string, readonly [string, Reader]>> {
  return modules.perTip.get('tokens by symbol', async () => {
    const tokens = await knownTokens(modules);
    return new Map([...tokens].map(([id, token]) => [token.get('symbolKey').text(), [id, token]]));
  });
}

/** Token with that symbol; undefined if there is none. A token that was split has a suffix in its symbol. */
export function tokenOfSymbol(tokens: KnownTokens, symbol: string): readonly [string, Reader] | undefined {
  return [...tokens].find(([, token]) => token.get('symbolKey').text() === symbol);
}
