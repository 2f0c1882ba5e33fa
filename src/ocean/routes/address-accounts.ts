import { Reader } from '../api/json.js';
import { page } from '../api/page.js';
import { MAX_START, pageOf, pathText, queryStart } from '../api/request.js';
import { get, type OceanAnswer, type Route } from '../api/route.js';
import { type KnownTokens, knownTokens } from '../shapes/known-tokens.js';
import { displaySymbol } from '../shapes/token.js';
import { ofAddress } from './of-address.js';
import { vaultPage } from './vaults.js';

/** Tokens and vaults of an address. @see docs/protocol/ocean.md 2.1 */
export const addressAccountRoutes: readonly Route[] = [
  get('address/{address}/tokens', async (modules, request) => {
    const asked = pageOf(request);
    const start = queryStart(asked, MAX_START);
    const pagination = { start: start ?? 0, including_start: start === undefined, limit: asked.size };
    const answer = await ofAddress(modules.operations.call('getaccount', pathText(request, 'address'), pagination, true));
    // `getaccount` adds the DFI of an EVM address to each page.
    const balances = new Reader(answer).members().filter(([id]) => start === undefined || Number(id) > start);
    const tokens = await knownTokens(modules);
    return page(
      balances.slice(0, asked.size),
      asked,
      ([id]) => id,
      ([id, amount]) => addressToken(tokens, id, amount.digits()),
    );
  }),
  get('address/{address}/vaults', (modules, request): Promise<OceanAnswer> => {
    return ofAddress(vaultPage(modules, request, { ownerAddress: pathText(request, 'address') }));
  }),
];

/** Balance of an account. @param amount with eight decimals */
function addressToken(tokens: KnownTokens, id: string, amount: string) {
  const token = tokens.get(id);
  if (!token) throw new Error(`an account has the unknown token ${id}`);
  return {
    id,
    amount,
    symbol: token.get('symbol').text(),
    displaySymbol: displaySymbol(token),
    symbolKey: token.get('symbolKey').text(),
    name: token.get('name').text(),
    isDAT: token.get('isDAT').flag(),
    isLPS: token.get('isLPS').flag(),
    isLoanToken: token.get('isLoanToken').flag(),
  };
}
