import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DfiDevNet } from '../../src/devnet/dfi-devnet.js';
import { buildPrograms, programPath } from '../daemon.js';
import { until } from '../until.js';
import { assertAccessible } from './accessible.js';
import { ExplorerWindow } from './explorer-window.js';

/** Routes of one kind that are visited; others differ in their data alone. */
const PER_KIND = 4;
/** Texts of values that were not expected by a view. */
const BROKEN = /undefined|NaN|\[object |Invalid Date|The node answers/;

const NO_ADDRESS = 'Invalid owner address';

/** Every view. The kinds of a chain without peers and votes. */
const KINDS = [
  '',
  'address',
  'anchors',
  'auctions',
  'block',
  'blocks',
  'events',
  'governance',
  'masternode',
  'masternodes',
  'mempool',
  'operations',
  'peers',
  'pool',
  'pools',
  'prices',
  'proposal',
  'token',
  'tokens',
  'tx',
  'vault',
  'vaults',
];

function loginOf(net: DfiDevNet): string {
  return Buffer.from(net.authorization.replace('Basic ', ''), 'base64').toString();
}

describe('explorer', () => {
  let net: DfiDevNet;
  let [account, swap] = ['', ''];

  before(async () => {
    buildPrograms();
    net = await DfiDevNet.start({ program: programPath, args: ['-devmine=off', '-devprices=0', '-txindex', '-vaultindex'] });
    const known = (await net.call('getaddressesbylabel', 'account 0')) as Record<string, unknown>;
    account = Object.keys(known).find((each) => each.startsWith('bcrt1')) ?? '';
    swap = await net.call('poolswap', { from: account, tokenFrom: 'DUSD', amountFrom: 1, to: account, tokenTo: 'TSLA' });
    await net.mine();
    await net.call('sendtoaddress', account, 1); // stays in the mempool
  });

  after(() => net.stop());

  async function withWindow(work: (window: ExplorerWindow) => Promise<void>): Promise<void> {
    const window = await ExplorerWindow.open(net.url, `#login=${loginOf(net)}`);
    try {
      await until(() => window.text !== '', 'the first view');
      await work(window);
      assert.deepEqual(window.errors, []);
    } finally {
      await window.close();
    }
  }

  test('every place that links lead to shows what the node knows', () =>
    withWindow(async (window) => {
      assert.ok(!window.dom.window.location.href.includes('login'), 'the credentials are gone from the address');
      const menu = [...window.document.querySelectorAll<HTMLAnchorElement>('header nav a')].map((each) => each.hash.slice(1));
      const waiting = [...menu, `/address/${account}`];
      const visited = new Map<string, string[]>();
      for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
        const kind = route.split(/[/?]/)[1] ?? '';
        const done = visited.get(kind) ?? [];
        if (done.includes(route) || done.length === PER_KIND) continue;
        visited.set(kind, [...done, route]);
        await window.go(route);
        assert.ok(!BROKEN.test(window.text) && window.text.length > 4, `${route}: ${window.text.slice(0, 1000)}`);
        assertAccessible(window, route);
        waiting.push(...window.routes());
      }
      assert.deepEqual([...visited.keys()].sort(), KINDS);
    }));

  test('values are those of the node, with all digits', () =>
    withWindow(async (window) => {
      const balances = (await net.call('getaccount', account)) as string[];
      const shares = balances.find((each) => each.endsWith('@TSLA'))?.replace(/0*@TSLA/, '');
      await window.go(`/address/${account}`);
      assert.ok(shares && window.text.includes(`TSLA${shares}`), window.text);
      window.click('main button');
      await until(() => window.text.includes('DFI in unspent outputs.'), 'the coins of the address');
      const [vault] = (await net.call('listvaults')) as { vaultId: string }[];
      await window.go(`/vault/${vault?.vaultId}`);
      assert.ok(window.document.querySelector('main dd')?.textContent === vault?.vaultId, 'the whole id, to be copied');
      const hash = (await net.call('getbestblockhash')) as string;
      await window.go(`/block/${hash}`);
      assert.ok(window.text.includes(hash) && window.text.includes('PoolSwap'));
      await window.go('/pool/TSLA-DUSD');
      const [pool] = Object.values((await net.call('getpoolpair', 'TSLA-DUSD')) as Record<string, Record<string, string>>);
      const { idTokenA, idTokenB, creationHeight } = pool ?? {};
      const places = [`/token/${idTokenA}`, `/token/${idTokenB}`, `/block/${creationHeight}`];
      assert.deepEqual(
        places.filter((each) => !window.routes().includes(each)),
        [],
      );
    }));

  test('a new block is shown without a reload', () =>
    withWindow(async (window) => {
      const height = Number(await net.call('getblockcount')) + 1;
      await until(() => window.document.querySelector('.state')?.textContent === 'live', 'the stream of events');
      assert.ok(!window.text.includes(`Height${height}`));
      await net.mine();
      await until(() => window.text.includes(`Height${height}`), 'the new height');
      assert.ok([...window.document.querySelectorAll('.events li')].some((each) => each.textContent?.startsWith(`block ${height}`)));
    }));

  test('an event is one line of what happened, with links and amounts', () =>
    withWindow(async (window) => {
      await until(() => window.document.querySelector('.state')?.textContent === 'live', 'the stream of events');
      const [vault] = (await net.call('listvaults', { state: 'active' })) as { vaultId: string }[];
      await net.call('utxostoaccount', { [account]: '1.50@DFI' });
      await net.call('takeloan', { vaultId: vault?.vaultId, to: account, amounts: '1@TSLA' });
      await net.mine();
      const lines = () => [...window.document.querySelectorAll('.events li')];
      const line = (form: RegExp) => lines().find((each) => form.test(each.textContent ?? ''));
      await until(() => line(/^block /) !== undefined, 'the events of the block');
      const reason = String.raw`reasons \(txid \w+…\w+, type UtxosToAccount, amount 1\.50000000\)`;
      const change = line(new RegExp(`^balance \\d+ owner \\S+, token_id 0, token DFI, before \\S+, after \\S+, ${reason}$`));
      const routes = [...(change?.querySelectorAll('a') ?? [])].map((each) => each.hash.slice(1).replace(/tx.*/, 'tx'));
      assert.deepEqual(routes.slice(1), [`/address/${account}`, '/token/0', '/tx']);
      assert.ok(line(/^vault .*, before \(in_liquidation false, amounts 500 DUSD, 2 TSLA\), after \(.*, amounts 500 DUSD, 3 TSLA\)$/));
    }));

  test('the search finds heights, hashes, addresses, tokens and pools', () =>
    withWindow(async (window) => {
      const [vault] = (await net.call('listvaults')) as { vaultId: string }[];
      const hash = (await net.call('getblockhash', 110)) as string;
      assert.ok(vault);
      const cases: [string, string][] = [
        ['110', '#/block/110'],
        [hash.toUpperCase(), `#/block/${hash}`],
        [` ${swap} `, `#/tx/${swap}`],
        [vault.vaultId, `#/vault/${vault.vaultId}`],
        [account, `#/address/${account}`],
        ['TSLA', '#/token/TSLA'],
        ['TSLA-DUSD', '#/pool/TSLA-DUSD'],
      ];
      for (const [text, route] of cases) {
        window.type('header input', text);
        window.submit('header form');
        await until(() => window.hash === route, `${text} is found, at ${window.hash}`);
      }
      window.type('header input', 'no such thing');
      window.submit('header form');
      const input = window.document.querySelector<HTMLInputElement>('header input');
      await until(() => input?.validationMessage === 'The node knows nothing of this name.', 'the search fails');
    }));

  test('blocks are listed down to the first, also on the page that begins with it', () =>
    withWindow(async (window) => {
      await window.go('/blocks?from=0');
      assert.deepEqual(
        window.routes().filter((each) => /^\/block\/\d+$/.test(each)),
        ['/block/0'],
      );
    }));

  test('each list leads to its further pages', () =>
    withWindow(async (window) => {
      const [vault] = (await net.call('listvaults')) as { vaultId: string }[];
      const [proposal] = (await net.call('listgovproposals')) as { proposalId: string }[];
      const lists: [route: string, lists: number][] = [
        ['/mempool', 1],
        ['/tokens', 1],
        ['/pools', 1],
        ['/prices', 3],
        ['/vaults', 4],
        [`/vault/${vault?.vaultId}`, 1],
        ['/auctions', 1],
        ['/masternodes', 1],
        ['/anchors', 1],
        ['/governance', 1],
        [`/proposal/${proposal?.proposalId}`, 1],
        [`/address/${account}`, 3],
      ];
      const asked = window.pageLists();
      for (const [route, count] of lists) {
        await window.go(route);
        const further = window.routes().filter((each) => each.includes('=more'));
        assert.equal(further.length, count, route);
        for (const next of further) {
          asked.length = 0;
          await window.go(next);
          assert.equal(window.routes().filter((each) => /=more.*=more/.test(each)).length, count - 1, 'the others stay at their page');
          assert.equal(asked.filter((each) => each.get('page') === 'more').length, 1, next);
          for (const each of asked) assert.equal(each.get('limit') ?? each.get('pagination.limit'), '50', next);
        }
      }
    }));

  test('an anchor is shown with its block, its Bitcoin transaction and its reward', () =>
    withWindow(async (window) => {
      const usual = window.dom.window.fetch;
      const [anchorHash, btcAnchorHash, dfiRewardHash] = ['a1', 'b2', 'c3'].map((each) => each.repeat(32));
      const heights = { anchorHeight: 123_456, btcAnchorHeight: 654_321 };
      const anchor = { ...heights, anchorHash, btcAnchorHash, rewardAddress: account, dfiRewardHash, confirmSignHash: '' };
      window.dom.window.fetch = async (url, init) =>
        String(url).includes('/v1/anchors?') ? new Response(JSON.stringify({ items: [anchor], next: '' })) : usual(url, init);
      await window.go('/anchors');
      const cells = [...window.document.querySelectorAll('main tbody td')].map((each) => each.textContent);
      const short = (text = ''): string => `${text.slice(0, 8)}…${text.slice(-8)}`;
      assert.deepEqual(cells, [
        '123\u2009456',
        short(anchorHash),
        '654\u2009321',
        short(btcAnchorHash),
        short(account),
        short(dfiRewardHash),
      ]);
      const { auth } = (await net.call('getanchorteams')) as { auth: string[] };
      const places = [`/block/${anchorHash}`, `/address/${account}`, `/tx/${dfiRewardHash}`, ...auth.map((each) => `/address/${each}`)];
      assert.deepEqual(
        places.filter((each) => !window.routes().includes(each)),
        [],
      );
    }));

  test('all prices are found by following the pages', () =>
    withWindow(async (window) => {
      const usual = window.dom.window.fetch;
      window.dom.window.fetch = (url, init) => usual(String(url).replace('limit=50', 'limit=1'), init);
      const seen: string[] = [];
      let route: string | undefined = '/prices';
      while (route !== undefined) {
        await window.go(route);
        seen.push(window.document.querySelector('main tbody td')?.textContent ?? '');
        route = window
          .routes()
          .find((each) => new URLSearchParams(each.split('?')[1]).get('page') !== new URLSearchParams(route?.split('?')[1]).get('page'));
      }
      const known = (await net.call('listprices')) as { token: string; currency: string }[];
      assert.deepEqual(seen.sort(), known.map(({ token, currency }) => `${token}/${currency}`).sort());
    }));

  test('a node that is not ready says so, and is asked again', () =>
    withWindow(async (window) => {
      const usual = window.dom.window.fetch;
      const error = { code: -28, message: 'Loading block index…' };
      window.dom.window.fetch = async (_, init) => {
        const answers = [JSON.parse(String(init?.body ?? '[]'))].flat().map(({ id }) => ({ result: null, error, id }));
        return new Response(JSON.stringify(String(init?.body).startsWith('[') ? answers : answers[0]));
      };
      await window.go('/operations');
      assert.match(window.text, /Loading block index/);
      await window.go('/');
      assert.match(window.text, /Loading block index/);
      window.dom.window.fetch = usual;
      await window.go('/operations/getblockhash');
      assert.ok(window.document.querySelector('main form'), window.text);
    }));

  test('an address without an index of accounts has no history, and a search that fails says why', () =>
    withWindow(async (window) => {
      const usual = window.dom.window.fetch;
      window.dom.window.fetch = (url, init) => usual(String(url).replace('account-history?', 'account-history?none=1&'), init);
      await window.go(`/address/${account}`);
      assert.ok(window.text.includes('Account') && !window.text.includes('History of the account'));
      window.dom.window.fetch = async () => {
        throw new TypeError('no route');
      };
      window.click('main button');
      await until(() => window.text.includes('The node cannot be reached: no route'), 'the reason');
    }));

  test('a text that is no address is refused', () =>
    withWindow(async (window) => {
      await window.go('/address/nobody');
      assert.equal(window.document.querySelector('main [role=alert]')?.textContent, `The node answers: ${NO_ADDRESS}`);
      assert.ok(!window.text.includes('Search unspent outputs'));
    }));

  test('a node without events says why, and one that has other credentials now asks for them', async () => {
    for (const { status, message, shown } of [
      { status: 400, message: 'Events are not kept', shown: /not live: Events are not kept/ },
      { status: 401, message: '', shown: /User or password is wrong/ },
    ]) {
      const refuse = (window: object): void => {
        const { fetch } = window as typeof globalThis;
        const answer = async (url: string, init?: RequestInit): Promise<Response> =>
          url.endsWith('/events/stream') ? new Response(JSON.stringify({ code: 9, message }), { status }) : fetch(url, init);
        Object.assign(window, { fetch: answer });
      };
      const window = await ExplorerWindow.open(net.url, `#login=${loginOf(net)}`, refuse);
      try {
        await until(() => shown.test(window.document.body.textContent ?? ''), String(shown));
      } finally {
        await window.close();
      }
    }
  });

  test('credentials in the address of an open page are used and removed', () =>
    withWindow(async (window) => {
      window.dom.window.location.hash = `#login=u%:wrong`;
      await until(() => window.document.body.textContent?.includes('User or password is wrong.') ?? false, 'the refusal');
      assert.ok(!window.dom.window.location.href.includes('login'));
      assert.ok(window.document.querySelector('main form.login'));
    }));

  test('a second press of the button does not call again while the answer is awaited', () =>
    withWindow(async (window) => {
      await window.go('/operations/waitfornewblock');
      window.submit('main form');
      const button = window.document.querySelector<HTMLButtonElement>('main form button');
      assert.equal(button?.disabled, true);
      await net.mine();
      await until(() => button?.disabled === false && window.text.includes('Answered'), 'the answer');
    }));

  test('the focused link keeps the focus when its view is drawn again', () =>
    withWindow(async (window) => {
      const selector = 'main a[href="#/peers"]';
      window.document.querySelector<HTMLElement>(selector)?.focus();
      const before = window.document.activeElement;
      const height = Number(await net.call('getblockcount')) + 1;
      await until(() => window.document.querySelector('.state')?.textContent === 'live', 'the stream of events');
      await net.mine();
      await until(() => window.text.includes(`Height${height}`), 'the new height');
      assert.notEqual(window.document.activeElement, before);
      assert.equal(window.document.activeElement, window.document.querySelector(selector));
    }));

  test('an operation is called with what its form holds', () =>
    withWindow(async (window) => {
      await window.go('/operations/getblockhash');
      window.type('[name=height]', '1');
      window.submit('main form');
      const hash = (await net.call('getblockhash', 1)) as string;
      await until(() => window.text.includes(`"${hash}"`), 'the answer');
      window.type('[name=height]', '1000000');
      window.submit('main form');
      await until(() => window.text.includes('Block height out of range'), 'the refusal');

      await window.go('/operations/testpoolswap');
      const request = { from: account, tokenFrom: 'DUSD', amountFrom: '1.00000001', to: account, tokenTo: 'TSLA' };
      for (const [name, value] of Object.entries(request)) window.type(`[name=${name}]`, value);
      window.submit('main form');
      const expected = (await net.call('testpoolswap', request)) as string;
      await until(() => window.text.includes(`"${expected}"`), `the answer ${expected}`);
      assert.ok(window.text.includes('"amountFrom": 1.00000001'), 'the number is sent as it was typed');
    }));

  test('times and sizes are in units that people read', () =>
    withWindow(async (window) => {
      await window.go('/mempool');
      assert.match(window.text, /Memory[\d.]+ k?B of 300\.0 MBLeast fee0\.00001 DFI per kB/);
      await window.go('/events');
      await until(() => window.document.querySelector('.state')?.textContent === 'live', 'the stream of events');
      const hash = await net.mine();
      const { time } = (await net.call('getblockheader', String(hash))) as { time: number };
      await until(() => window.text.includes(`time ${new Date(time * 1000).toLocaleString()}`), 'the time of the block');
      await window.go(`/block/${hash}`);
      assert.match(window.text, /1 transactionTransaction/);
    }));

  test('a failure is read out', () =>
    withWindow(async (window) => {
      await window.go('/nowhere');
      assert.equal(window.document.querySelector('main [role=alert]')?.textContent, 'This page has no such place.');
      await window.go(`/block/${'ab'.repeat(32)}`);
      assert.match(window.document.querySelector('main [role=alert]')?.textContent ?? '', /Block not found/);
      assert.equal(window.document.querySelector('h1')?.textContent, 'Block abababab…abababab');
    }));

  test('texts that strangers chose keep their direction of writing to themselves', () =>
    withWindow(async (window) => {
      const isolated = (): string[] => [...window.document.querySelectorAll('main bdi')].map((each) => each.textContent ?? '');
      const [proposal] = (await net.call('listgovproposals')) as { proposalId: string; title: string }[];
      assert.ok(proposal);
      const cases: [route: string, text: string][] = [
        ['/tokens', 'TSLA'],
        ['/token/TSLA', 'TSLA'],
        ['/pools', 'TSLA-DUSD'],
        ['/governance', proposal.title],
        [`/proposal/${proposal.proposalId}`, proposal.title],
        [`/address/${account}`, 'TSLA'],
        ['/prices', 'TSLA/USD'],
      ];
      for (const [route, text] of cases) {
        await window.go(route);
        assert.ok(isolated().includes(text), `${route}: ${isolated().slice(0, 20)}`);
      }
    }));

  test('a new drawing leaves the focus at the heading', () =>
    withWindow(async (window) => {
      const heading = window.document.querySelector('h1');
      const height = Number(await net.call('getblockcount')) + 1;
      await until(() => window.document.querySelector('.state')?.textContent === 'live', 'the stream of events');
      await net.mine();
      await until(() => window.text.includes(`Height${height}`), 'the new height');
      assert.equal(window.document.activeElement, heading);
    }));

  test('a browser that blocks the storage shows the page', async () => {
    const blocked = (window: object): void => {
      Object.defineProperty(window, 'sessionStorage', {
        get: () => {
          throw new Error('The operation is insecure.');
        },
      });
    };
    const window = await ExplorerWindow.open(net.url, `#login=${loginOf(net)}`, blocked);
    try {
      await until(() => window.text.includes('Latest blocks'), 'the overview');
      await window.go('/blocks');
      assert.deepEqual(window.errors, []);
    } finally {
      await window.close();
    }
  });

  test('passphrases and private keys are neither shown nor completed', () =>
    withWindow(async (window) => {
      const cases = [
        ['walletpassphrase', { passphrase: 'hunter2' }, { timeout: '60' }],
        ['signrawtransactionwithkey', { privatekey: '["hunter2"]' }, { hexstring: '00' }],
        ['importmulti', { requests: '[{"keys":["hunter2"]}]' }, {}],
        ['sethdseed', { seed: 'hunter2' }, { newkeypool: 'true' }],
        ['getdescriptorinfo', { descriptor: 'pk(hunter2)' }, {}],
      ] as const;
      for (const [method, secret, others] of cases) {
        await window.go(`/operations/${method}`);
        for (const [name, value] of Object.entries({ ...secret, ...others })) window.type(`[name=${name}]`, value);
        const [name] = Object.keys(secret);
        const field = window.document.querySelector<HTMLInputElement>(`[name=${name}]`);
        assert.ok(field?.type === 'password' || field?.className === 'secret', method);
        assert.ok(['new-password', 'off'].includes(field?.autocomplete ?? ''), method);
        window.submit('main form');
        await until(() => window.text.includes('The call'), `the answer of ${method}`);
        const call = window.document.querySelector('.answer details pre')?.textContent ?? '';
        assert.ok(call.includes(`"${name}": "[hidden]"`) && !call.includes('hunter2'), call);
        for (const [other, value] of Object.entries(others)) assert.ok(call.includes(`"${other}": `) && call.includes(value), call);
      }
    }));

  test('wrong credentials lead back to the form, which takes the right ones', async () => {
    const window = await ExplorerWindow.open(net.url, '#login=u:wrong');
    try {
      await until(() => window.document.body.textContent?.includes('User or password is wrong.') ?? false, 'the refusal');
      const [user = '', password = ''] = loginOf(net).split(':');
      window.type('[name=user]', user);
      window.type('[name=password]', password);
      window.submit('form.login');
      await until(() => window.text.includes('Latest blocks'), 'the overview');
      window.click('header > button');
      assert.ok(window.document.querySelector('form.login') && !window.document.body.textContent?.includes('Latest blocks'));
    } finally {
      await window.close();
    }
  });

  test('the page may load nothing but its own files, and its path has a slash', async () => {
    const page = await fetch(`${net.url}/explorer/`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    const short = await fetch(`${net.url}/explorer`, { redirect: 'manual' });
    assert.deepEqual([short.status, short.headers.get('location')], [308, 'explorer/']);
    const foreign = { method: 'POST', headers: { authorization: net.authorization, origin: 'http://attacker.example' }, body: '{}' };
    assert.equal((await fetch(net.url, foreign)).status, 403);
    assert.equal((await fetch(`${net.url}/explorer/other.js`)).status, 404);
  });
});
