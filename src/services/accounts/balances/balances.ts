import type {
  AccountAmount,
  AccountBalance,
  AccountOwner,
  GetAccountRequest,
  GetAccountResponse,
  ListAccountsRequest,
  ListAccountsResponse,
} from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { TokenAmounts } from '../../../../gen/ts/dfi/types/v1/types.js';
import { accountOwners, allBalances, balancesOf } from '../../../dfi/accounts/columns.js';
import type { TokenAmount } from '../../../dfi/kernel/amounts.js';
import { sharesByOwner } from '../../../dfi/pools/columns.js';
import { isActive, knowsEvm, type NetworkParams } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { destinationOf, scriptOf } from '../../../script/address.js';
import { erc55Of } from '../../../script/erc55.js';
import { Projection } from '../../../storage/projection.js';
import type { StateView } from '../../../storage/view.js';
import { fromHex, isHex, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { leadingUint32 } from '../../../util/numbers.js';
import { inOneTurn, Slicer, type Steps } from '../../../util/slicer.js';
import { isMine, listOwnMasternodes } from '../../../wallet/custom-tx/own-accounts.js';
import { formatTokenAmount } from '../../format/amounts.js';
import { parseDestination } from '../../format/destination.js';
import { strictFlag } from '../../format/options-object.js';
import { formatOwner, parseOwner } from '../../format/owner.js';
import { includesStart, lowestId, pageLimit } from '../../format/page.js';
import { formatScriptPubKey } from '../../format/script.js';
import { evmDfi } from '../evm/dfi-balance.js';
import type { AccountsModules } from '../modules.js';
import { firstToken } from './first-token.js';
import { OwnerRows } from './owner-rows.js';
import { materialiserOf, readingOf, readingWallet } from './scratch-view.js';

export const getAccount: Handler<AccountsModules, GetAccountRequest, GetAccountResponse> = (modules, request, call) => {
  const { chain } = modules;
  const isLate = knowsEvm(chain.params);
  const owner = requireAccount(request.owner, chain);
  const limit = pageLimit(request.limit);
  const page = { from: firstToken(request), limit };
  const indexed = strictFlag(request, 'indexedAmounts') ?? false;
  return inOneTurn(function* answer() {
    const key = `${chain.tip.height} ${page.from} ${page.limit} ${toHex(owner)}`;
    const amounts = yield* keptBalances.inSteps(chain.state, key, (state) => balancesAtTip(modules, state, owner, page));
    const evm = isLate ? erc55Of(owner) : undefined;
    const all = evm ? withCoins(amounts, evmDfi(chain.state, evm)) : amounts;
    return { balances: formatAmounts(chain.state, all, indexed) };
  }, call);
};

interface BalancePage {
  /** Lowest token id. */
  readonly from: number;
  readonly limit: number;
}

/** Accounts whose balances with rewards are kept. */
const KEPT_ACCOUNTS = 10_000;
const keptBalances = new Projection<readonly TokenAmount[]>(KEPT_ACCOUNTS);

/** @param state state of the tip */
function* balancesAtTip(modules: AccountsModules, state: StateView, owner: Uint8Array, page: BalancePage): Steps<readonly TokenAmount[]> {
  const { chain } = modules;
  const { from, limit } = page;
  const reading = readingOf(state, chain);
  yield* materialiserOf(modules, reading, chain.tip)(owner);
  const amounts: TokenAmount[] = [];
  for (const amount of balancesOf(reading.view, owner, from)) {
    if (amounts.length >= limit) break;
    amounts.push(amount);
  }
  return amounts;
}

/**
 * Script of an account, from the text of its owner. On networks with EVM addresses also from the hex of an EVM script.
 * @throws {NodeError} `invalid-address`
 */
function requireAccount(text: string, chain: AccountsModules['chain']): Uint8Array {
  if (isActive(chain.params, 'metachain', chain.tip.height)) return requireAnyAccount(text, chain);
  const script = knowsEvm(chain.params) && isHex(text) ? fromHex(text) : undefined;
  return script && erc55Of(script) ? script : parseOwner(text, chain);
}

/** Any script that has an address, as `defid` 4.2.5 accepts it. */
function requireAnyAccount(text: string, chain: AccountsModules['chain']): Uint8Array {
  const script = isHex(text) ? fromHex(text) : undefined;
  const destination = script ? destinationOf(script, { metachain: true }) : parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', 'Invalid owner address');
  return script ?? scriptOf(destination);
}

/** Adds the EVM balance of DFI to the DVM balance, on every page. */
function withCoins(amounts: readonly TokenAmount[], coins: bigint): readonly TokenAmount[] {
  if (coins === 0n) return amounts;
  const [first, ...others] = amounts;
  if (first?.tokenId === 0) return [{ tokenId: 0, amount: first.amount + coins }, ...others];
  return [{ tokenId: 0, amount: coins }, ...amounts];
}

function formatAmounts(view: StateView, amounts: readonly TokenAmount[], indexed: boolean): TokenAmounts {
  if (indexed) {
    const byId = Object.fromEntries(amounts.map(({ tokenId, amount }) => [String(tokenId), amount]));
    return { form: { $case: 'indexed', value: { amounts: byId } } };
  }
  return { form: { $case: 'list', value: { amounts: amounts.map((amount) => formatTokenAmount(view, amount)) } } };
}

interface PageStart {
  readonly owner: Uint8Array | undefined;
  readonly tokenId: number;
}

/** Parses `<script hex>@<token id>`, or a script alone. @throws {NodeError} `invalid-parameter` */
function parseStart(text: string | undefined): PageStart {
  if (text === undefined) return { owner: undefined, tokenId: 0 };
  const at = text.lastIndexOf('@');
  const hex = at < 0 ? text : text.slice(0, at);
  const id = at < 0 ? '' : text.slice(at + 1);
  const tokenId = id === '' ? 0 : leadingUint32(id);
  if (tokenId === undefined) {
    throw invalidParameter(`(${text}) doesn't represent a correct balance key:\nfailed to deserialize DCT_ID: stoul`);
  }
  if (!isHex(hex)) throw invalidParameter(`(${hex}) doesn't represent a correct hex:\n`);
  return { owner: fromHex(hex), tokenId };
}

export const listAccounts: Handler<AccountsModules, ListAccountsRequest, ListAccountsResponse> = async (modules, request, call) => {
  const { chain } = modules;
  const wallet = readingWallet(modules, call);
  const limit = pageLimit(request.limit);
  const start = parseStart(request.start);
  const form = { verbose: strictFlag(request, 'verbose') ?? true, indexed: strictFlag(request, 'indexedAmounts') ?? false };
  const shows = strictFlag(request, 'isMineOnly') ? (owner: Uint8Array) => wallet !== undefined && isMine(wallet, owner) : () => true;
  const snapshot = chain.snapshot();
  const slicer = new Slicer(call);
  const balances: AccountBalance[] = [];
  const stored = new OwnerRows(allBalances(snapshot, start.owner));
  const shares = new OwnerRows(sharesByOwner(snapshot, start.owner));
  try {
    const reading = readingOf(snapshot, chain);
    const { view } = reading;
    const materialise = materialiserOf(modules, reading, chain.tip);
    if (wallet) await slicer.run(listOwnMasternodes(wallet, reading));
    let fromToken = lowestId(BigInt(start.tokenId), includesStart(request));
    for (const owner of accountOwners(view, start.owner)) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (!shows(owner)) continue;
      const rows = stored.of(owner);
      // Without shares there are no rewards.
      const earns = shares.of(owner).length > 0;
      if (earns) await slicer.run(materialise(owner));
      const amounts = earns ? balancesOf(view, owner) : rows.map(([{ tokenId }, amount]) => ({ tokenId, amount }));
      for (const amount of amounts) {
        if (amount.tokenId < fromToken) continue;
        if (balances.length >= limit) return { balances };
        balances.push(formatBalance(view, owner, amount, form, chain.params));
      }
      fromToken = 0;
    }
    return { balances };
  } finally {
    stored.close();
    shares.close();
    snapshot.close();
  }
};

interface BalanceForm {
  readonly verbose: boolean;
  readonly indexed: boolean;
}

function formatBalance(
  view: StateView,
  owner: Uint8Array,
  { tokenId, amount }: TokenAmount,
  form: BalanceForm,
  params: NetworkParams,
): AccountBalance {
  const shownOwner: AccountOwner = form.verbose
    ? { form: { $case: 'script', value: formatScriptPubKey(owner, params) } }
    : { form: { $case: 'address', value: formatOwner(owner, params) } };
  const shownAmount: AccountAmount = form.indexed
    ? { form: { $case: 'indexed', value: { amounts: { [String(tokenId)]: amount } } } }
    : { form: { $case: 'amount', value: formatTokenAmount(view, { tokenId, amount }) } };
  return { key: `${toHex(owner)}@${tokenId}`, owner: shownOwner, amount: shownAmount };
}
