import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GetAccountResponse, ListAccountsResponse, ListPendingFutureSwapsResponse } from '../../gen/ts/dfi/accounts/v1/accounts.js';
import type { ListPricesResponse } from '../../gen/ts/dfi/oracles/v1/oracles.js';
import type {
  GetBalanceResponse,
  GetWalletInfoResponse,
  ListAddressGroupingsResponse,
  ListTransactionsResponse,
  RescanBlockchainResponse,
} from '../../gen/ts/dfi/wallet/v1/wallet.js';
import { JsonObject, parseJson } from '../../src/util/json.js';
import { committedCatalogue } from './catalogue.js';
import { resultText } from './result-text.js';

/** JSON shapes without a proto type, as the Accounts, Oracles and Wallet operations use them. */

const catalogue = committedCatalogue();

function printed<Response>(name: string, response: Response): string {
  const operation = catalogue.byName(name);
  assert.ok(operation);
  return resultText(operation, response);
}

function bound(name: string, args: string): Record<string, unknown> {
  const operation = catalogue.byName(name);
  const values = parseJson(args);
  assert.ok(operation && Array.isArray(values) && !(values instanceof JsonObject));
  return operation.codec.bindPositional(values) as Record<string, unknown>;
}

/** Request with all lazy members read. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.keys(value);
  const names = own.length > 0 ? own : Object.getOwnPropertyNames(Object.getPrototypeOf(value));
  return Object.fromEntries(
    names.filter((name) => name !== 'constructor').map((name) => [name, plain((value as Readonly<Record<string, unknown>>)[name])]),
  );
}

test('a token amount is the string <amount>@<token>, empty if the token is unknown', () => {
  const amounts = [
    { tokenId: 0, amount: 150_000_000n, token: 'DFI' },
    { tokenId: 128, amount: -1n, token: 'GOLD#128' },
    { tokenId: 9, amount: 5n, token: '' },
  ];
  const response: GetAccountResponse = { balances: { form: { $case: 'list', value: { amounts } } } };
  assert.equal(printed('getaccount', response), '["1.50000000@DFI","-0.00000001@GOLD#128",""]');
});

test('indexed amounts are an object', () => {
  const response: GetAccountResponse = { balances: { form: { $case: 'indexed', value: { amounts: { 0: 1n, 128: 200_000_000_000n } } } } };
  assert.equal(printed('getaccount', response), '{"0":0.00000001,"128":2000.00000000}');
});

test('the owner of an account is an address or a script', () => {
  const script = { asm: 'OP_RETURN', hex: '6a', reqsigs: undefined, type: 'nulldata', addresses: undefined };
  const response: ListAccountsResponse = {
    balances: [
      {
        key: '6a@0',
        owner: { form: { $case: 'script', value: script } },
        amount: { form: { $case: 'amount', value: { tokenId: 0, amount: 1n, token: 'DFI' } } },
      },
      {
        key: '76@1',
        owner: { form: { $case: 'address', value: 'mx' } },
        amount: { form: { $case: 'indexed', value: { amounts: { 1: 1n } } } },
      },
    ],
  };
  assert.equal(
    printed('listaccounts', response),
    '[{"key":"6a@0","owner":{"asm":"OP_RETURN","hex":"6a","type":"nulldata"},"amount":"0.00000001@DFI"},' +
      '{"key":"76@1","owner":"mx","amount":{"1":0.00000001}}]',
  );
});

test('a pending future swap has the members of defid first, then those of the operations document', () => {
  const source = { tokenId: 3, amount: 100_000_000n, token: 'TSLA' };
  const value = { source, destination: 'DUSD', tokensymbol: 'TSLA', amount: 100_000_000n };
  const response: ListPendingFutureSwapsResponse = { swaps: [{ owner: 'mx', source, destination: 'DUSD', values: [value] }] };
  assert.equal(
    printed('listpendingfutureswaps', response),
    '[{"owner":"mx","source":"1.00000000@TSLA","destination":"DUSD",' +
      '"values":[{"source":"1.00000000@TSLA","destination":"DUSD","tokenSymbol":"TSLA","amount":1.00000000}]}]',
  );
});

test('a price, or the reason that there is none', () => {
  const response: ListPricesResponse = {
    prices: [
      { token: 'BTC', currency: 'USD', price: 100_000_000n, ok: { form: { $case: 'ok', value: true } } },
      { token: 'ETH', currency: 'EUR', price: undefined, ok: { form: { $case: 'error', value: 'no live oracles' } } },
    ],
  };
  assert.equal(
    printed('listprices', response),
    '[{"token":"BTC","currency":"USD","price":1.00000000,"ok":true},{"token":"ETH","currency":"EUR","ok":"no live oracles"}]',
  );
});

test('address groupings are arrays of two or three values', () => {
  const response: ListAddressGroupingsResponse = {
    groups: [
      {
        addresses: [
          { address: 'a', amount: 1n, label: '' },
          { address: 'b', amount: 0n, label: undefined },
        ],
      },
    ],
  };
  assert.equal(printed('listaddressgroupings', response), '[[["a",0.00000001,""],["b",0.00000000]]]');
});

test('a balance is a number or an object', () => {
  const plain: GetBalanceResponse = { balance: { form: { $case: 'amount', value: 5_999_996_660n } } };
  const tokens: GetBalanceResponse = { balance: { form: { $case: 'tokens', value: { amounts: { 0: 5_999_996_660n } } } } };
  assert.equal(printed('getbalance', plain), '59.99996660');
  assert.equal(printed('getbalance', tokens), '{"0":59.99996660}');
});

test('scanning is false or an object', () => {
  const info: GetWalletInfoResponse = {
    walletname: '',
    walletversion: 169900,
    balance: { form: { $case: 'amount', value: 0n } },
    unconfirmedBalance: { form: { $case: 'tokens', value: { amounts: {} } } },
    immatureBalance: 0n,
    txcount: 2n,
    keypoololdest: 1_700_000_000n,
    keypoolsize: 1000,
    keypoolsizeHdInternal: 1000,
    unlockedUntil: undefined,
    paytxfee: 0n,
    hdseedid: undefined,
    privateKeysEnabled: true,
    avoidReuse: false,
    scanning: { form: { $case: 'running', value: false } },
  };
  const text =
    '{"walletname":"","walletversion":169900,"balance":0.00000000,"unconfirmed_balance":{},"immature_balance":0.00000000,"txcount":2,' +
    '"keypoololdest":1700000000,"keypoolsize":1000,"keypoolsize_hd_internal":1000,"paytxfee":0.00000000,"private_keys_enabled":true,' +
    '"avoid_reuse":false,"scanning":';
  assert.equal(printed('getwalletinfo', info), `${text}false}`);
  const scanning = { form: { $case: 'progress', value: { duration: 3n, progress: 0.25 } } } as const;
  assert.equal(printed('getwalletinfo', { ...info, scanning }), `${text}{"duration":3,"progress":0.25}}`);
});

test('a listed transaction includes the members of its context', () => {
  const context = {
    confirmations: 3,
    generated: undefined,
    blockhash: 'bb',
    blockindex: 1,
    blocktime: 1_700_000_000,
    trusted: undefined,
    txid: 'aa',
    walletconflicts: [],
    time: 1_700_000_000n,
    timereceived: 1_700_000_003n,
    bip125Replaceable: 'no',
    comment: undefined,
    replacedByTxid: undefined,
    replacesTxid: undefined,
    to: undefined,
  };
  const entry = { address: '2N7J', category: 'receive', amount: 100_000_000n, label: '', vout: 0, context };
  const response: ListTransactionsResponse = {
    transactions: [{ ...entry, involveswatchonly: undefined, fee: undefined, abandoned: undefined }],
  };
  assert.equal(
    printed('listtransactions', response),
    '[{"address":"2N7J","category":"receive","amount":1.00000000,"label":"","vout":0,"confirmations":3,"blockhash":"bb","blockindex":1,' +
      '"blocktime":1700000000,"txid":"aa","walletconflicts":[],"time":1700000000,"timereceived":1700000003,"bip125-replaceable":"no"}]',
  );
});

test('the last height of a scan is a number or null', () => {
  const heights: readonly [RescanBlockchainResponse['stopHeight'], string][] = [
    [{ form: { $case: 'height', value: 7 } }, '7'],
    [{ form: undefined }, 'null'],
  ];
  for (const [stopHeight, text] of heights) {
    assert.equal(printed('rescanblockchain', { startHeight: 0, stopHeight }), `{"start_height":0,"stop_height":${text}}`);
  }
});

test('an amount map accepts strings, numbers and arrays of them', () => {
  const { from, to } = bound('accounttoaccount', '["mx",{"a":"1.5@GOLD","b":[0.10000000,"2@1"],"c":3}]');
  assert.equal(from, 'mx');
  assert.deepEqual(plain(to), {
    accounts: {
      a: { form: { $case: 'text', value: '1.5@GOLD' } },
      b: { form: { $case: 'texts', value: { texts: ['0.10000000', '2@1'] } } },
      c: { form: { $case: 'text', value: '3' } },
    },
  });
});

test('both argument orders bind: the object of defid and the list of the operations document', () => {
  const expected = { start: 'k', includingStart: false, limit: 10n, verbose: false };
  for (const args of ['[{"start":"k","including_start":false,"limit":10},false]', '["k",false,10,false]']) {
    const { start, includingStart, limit, verbose } = bound('listaccounts', args);
    assert.deepEqual({ start, includingStart, limit, verbose }, expected, args);
  }
});

test('an owner is a string or several', () => {
  const ownerOf = (args: string): unknown => plain(bound('listaccounthistory', args).owner);
  assert.deepEqual(ownerOf('["all"]'), { form: { $case: 'owner', value: 'all' } });
  assert.deepEqual(ownerOf('[["a","b"],{"limit":1}]'), { form: { $case: 'owners', value: { texts: ['a', 'b'] } } });
  assert.deepEqual(ownerOf('[]'), { form: { $case: 'owner', value: 'mine' } });
});
