import { type Child, h } from './dom.js';
import { kindOf, Live } from './live.js';
import { ConnectionError, type Login, LoginError, NodeClient } from './node-client.js';
import type { Page, View } from './page.js';
import { Redraws } from './redraws.js';
import { decoded, parseRoute } from './routes.js';
import { findRoute } from './search.js';
import { MENU, views } from './views/index.js';

const LOGIN_KEY = 'dfi-login';

const main = h('main', { tabindex: '-1' });
const state = h('span', { class: 'state', role: 'status' });
const menu = h('nav', { 'aria-label': 'Views' });

/** The page with credentials: it follows the route in the address and draws its view. */
class Explorer {
  readonly #live: Live;
  #ends: (() => void)[] = [];
  /** Number of the drawing; an older one that is still waiting for answers is dropped. */
  #drawing = 0;
  /** True while a place that the reader went to is not drawn yet. */
  #isArriving = false;
  readonly #redraws = new Redraws(async () => {
    if (!this.#isArriving && viewOf(location.hash).live) await this.#draw(false);
  });

  constructor(readonly node: NodeClient) {
    this.#live = new Live(node, (now) => {
      state.textContent = now === 'connected' ? 'live' : 'waiting for the node';
      // A view that was drawn before may say that the node cannot be reached or is not ready.
      if (now === 'connected') this.#onNews();
    });
    this.#live.subscribe((event) => {
      if (kindOf(event) === 'block') this.#onNews();
    });
  }

  start(): void {
    addEventListener('hashchange', this.#onRoute);
    document.addEventListener('visibilitychange', this.#onNews);
    void this.#live.run();
    void this.#draw(true);
  }

  stop(): void {
    removeEventListener('hashchange', this.#onRoute);
    document.removeEventListener('visibilitychange', this.#onNews);
    this.#redraws.stop();
    this.#live.stop();
    this.#leave();
    this.#drawing++;
  }

  readonly #onRoute = (): void => {
    const login = loginOfAddress();
    if (login) logIn(login);
    else void this.#draw(true);
  };

  /** Nothing is asked of the node for a tab that is not seen. */
  readonly #onNews = (): void => {
    if (!document.hidden && viewOf(location.hash).live) this.#redraws.request();
  };

  /** @param isNew the reader has gone to another place */
  async #draw(isNew: boolean): Promise<void> {
    const drawing = ++this.#drawing;
    const ends: (() => void)[] = [];
    const page: Page = { node: this.node, live: this.#live, now: () => Date.now() / 1000, onLeave: (end) => ends.push(end) };
    const view = viewOf(location.hash);
    if (isNew) {
      this.#isArriving = true;
      announce(view);
      main.setAttribute('data-waiting', '');
    }
    const content = await this.#contentOf(view, page, drawing);
    if (drawing !== this.#drawing) {
      for (const end of ends) end();
      return;
    }
    this.#leave();
    this.#ends = ends;
    this.#isArriving = false;
    main.removeAttribute('data-waiting');
    const restoreFocus = isNew ? undefined : focusKeeper();
    main.replaceChildren(h('div', {}, content));
    restoreFocus?.();
    if (!isNew) return;
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }

  async #contentOf(view: View, page: Page, drawing: number): Promise<Child> {
    try {
      return await view.render(page, parseRoute(location.hash));
    } catch (error) {
      // An older drawing may have used credentials that the reader has replaced.
      if (error instanceof LoginError && drawing === this.#drawing) logOut(error.message);
      const { message } = error as Error;
      return h('p', { class: 'notice' }, error instanceof ConnectionError ? message : `The node answers: ${message}`);
    }
  }

  #leave(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
  }
}

/** @returns the function that focuses the link of a new drawing that leads where the focused one of the old drawing did */
function focusKeeper(): (() => void) | undefined {
  const focused = main.querySelector<HTMLAnchorElement>('a:focus')?.hash;
  if (focused === undefined) return undefined;
  return () => {
    const same = [...main.querySelectorAll('a')].find(({ hash }) => hash === focused);
    same?.focus({ preventScroll: true });
  };
}

const nowhere: View = { title: 'Unknown place', render: async () => h('p', { class: 'notice' }, 'This page has no such place.') };

function viewOf(hash: string): View {
  const { name } = parseRoute(hash);
  return (Object.hasOwn(views, name) ? views[name] : undefined) ?? nowhere;
}

function announce(view: View): void {
  document.title = `${view.title} · DeFiChain node`;
  const { name } = parseRoute(location.hash);
  menu.replaceChildren(
    ...MENU.map((each) => h('a', { href: `#/${each}`, 'aria-current': each === name && 'page' }, views[each]?.title ?? '')),
  );
}

let explorer: Explorer | undefined;

function logIn(login: Login): void {
  explorer?.stop();
  sessionStorage.setItem(LOGIN_KEY, JSON.stringify(login));
  const node = new NodeClient(new URL('..', location.href.split('#')[0]).href, login);
  const search = h('input', { type: 'search', placeholder: 'Height, hash, address, token or pool', 'aria-label': 'Search' });
  const find = async (): Promise<void> => {
    const route = await findRoute(node, search.value);
    if (route) {
      location.hash = route;
      search.value = '';
    } else search.setCustomValidity('The node knows nothing of this name.');
    search.reportValidity();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (search.value.trim() !== '') find().catch(showFailure);
  };
  search.addEventListener('input', () => search.setCustomValidity(''));
  document.body.replaceChildren(
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'To the content'),
    h(
      'header',
      {},
      h('strong', {}, 'DeFiChain node'),
      state,
      h('form', { onsubmit: submit, role: 'search', novalidate: true }, search),
      h('button', { type: 'button', onclick: () => logOut('') }, 'Log out'),
      menu,
    ),
    main,
  );
  explorer = new Explorer(node);
  explorer.start();
}

function skip(event: Event): void {
  event.preventDefault();
  main.focus();
}

function showFailure(error: Error): void {
  if (error instanceof LoginError) logOut(error.message);
  else main.replaceChildren(h('p', { class: 'notice' }, error.message));
}

function logOut(reason: string): void {
  sessionStorage.removeItem(LOGIN_KEY);
  explorer?.stop();
  explorer = undefined;
  document.title = 'DeFiChain node';
  main.replaceChildren();
  state.textContent = '';
  document.body.replaceChildren(loginForm(reason));
}

function loginForm(reason: string): HTMLElement {
  const user = h('input', { name: 'user', autocomplete: 'username', required: true });
  const password = h('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const submit = (event: Event): void => {
    event.preventDefault();
    logIn({ user: user.value, password: password.value });
  };
  return h(
    'form',
    { class: 'login', onsubmit: submit },
    h('h1', {}, 'DeFiChain node'),
    reason !== '' && h('p', { class: 'notice' }, reason),
    h('label', {}, h('span', {}, 'User'), user),
    h('label', {}, h('span', {}, 'Password'), password),
    h('button', { type: 'submit' }, 'Log in'),
    h(
      'p',
      {},
      'Credentials are those of JSON-RPC: -rpcuser and -rpcpassword, or the two parts of the cookie file in the data directory, before ' +
        'and after its colon. They stay in this tab.',
    ),
  );
}

/** Credentials in the fragment of the address, `#login=<user>:<password>`, as `npm start` prints it; removed from there at once. */
function loginOfAddress(): Login | undefined {
  const [, user, password] = /^#login=([^:]*):(.*)$/.exec(location.hash) ?? [];
  if (user === undefined || password === undefined) return undefined;
  history.replaceState(null, '', location.href.split('#')[0]);
  return { user: decoded(user), password: decoded(password) };
}

function loginOfTab(): Login | undefined {
  const text = sessionStorage.getItem(LOGIN_KEY);
  return text === null ? undefined : (JSON.parse(text) as Login);
}

const login = loginOfAddress() ?? loginOfTab();
if (login) logIn(login);
else logOut('');
