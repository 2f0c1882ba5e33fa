import { alert, type Child, h, userText } from './dom.js';
import { short } from './format.js';
import { kindOf, Live, type LiveState } from './live.js';
import { loginOfAddress } from './login.js';
import { CallError, ConnectionError, type Login, LoginError, type NodeClient } from './node-client.js';
import type { Page, View } from './page.js';
import { Redraws } from './redraws.js';
import { parseRoute } from './routes.js';
import { MENU, views } from './views/index.js';

/** Elements around the view, and that of the view. */
export interface PageParts {
  readonly main: HTMLElement;
  /** State of the connection to the node. */
  readonly state: HTMLElement;
  readonly menu: HTMLElement;
}

/** Changes of the credentials. */
export interface Logins {
  logIn(login: Login): void;
  logOut(reason: string): void;
}

/** The page with credentials: it follows the route in the address and draws its view. */
export class Explorer {
  readonly #live: Live;
  #ends: (() => void)[] = [];
  /** Number of the drawing; an older one that is still waiting for answers is dropped. */
  #drawing = 0;
  /** Heading of the view that is shown. */
  #heading = h('h1');
  #content = h('div');
  /** True while a place that the reader went to is not drawn yet. */
  #isArriving = false;
  /** Hash of the address that the reader went to last. The address changes before its event, which is when the new place is drawn. */
  #place = '';
  readonly #redraws = new Redraws(async () => {
    if (!this.#isArriving && location.hash === this.#place && viewOf(location.hash).live) await this.#draw(false);
  });

  /** @param parts elements that it fills in */
  constructor(
    readonly node: NodeClient,
    private readonly parts: PageParts,
    private readonly logins: Logins,
  ) {
    this.#live = new Live(node, (now) => this.#onState(now));
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
    if (login) this.logins.logIn(login);
    else void this.#draw(true);
  };

  #onState(now: LiveState): void {
    // The node has started again with another cookie.
    if (now instanceof LoginError) this.logins.logOut(now.message);
    else if (now instanceof CallError) this.parts.state.textContent = `not live: ${now.message}`;
    else this.parts.state.textContent = now === 'connected' ? 'live' : 'waiting for the node';
    // A view that was drawn before may say that the node cannot be reached or is not ready.
    if (now === 'connected') this.#onNews();
  }

  /** Nothing is asked of the node for a tab that is not seen. */
  readonly #onNews = (): void => {
    if (!document.hidden && viewOf(location.hash).live) this.#redraws.request();
  };

  /** @param isNew the reader has gone to another place */
  async #draw(isNew: boolean): Promise<void> {
    const { main } = this.parts;
    const drawing = ++this.#drawing;
    const ends: (() => void)[] = [];
    const view = viewOf(location.hash);
    let name: readonly [kind: string, name: string] = [view.title, short(parseRoute(location.hash).argument)];
    const page: Page = {
      node: this.node,
      live: this.#live,
      now: () => Date.now() / 1000,
      entitle: (...given) => {
        name = given;
      },
      onLeave: (end) => ends.push(end),
    };
    if (isNew) {
      this.#isArriving = true;
      this.#place = location.hash;
      this.#markMenu();
      setTitle(name);
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
    setTitle(name);
    if (isNew) this.#arrive(name, content);
    else this.#renew(name, content);
  }

  #arrive(name: readonly string[], content: Child): void {
    this.#heading = h('h1', { tabindex: '-1' }, headingOf(name));
    this.#content = h('div', {}, content);
    this.parts.main.replaceChildren(this.#heading, this.#content);
    scrollTo(0, 0);
    this.#heading.focus({ preventScroll: true });
  }

  /** The element of the heading stays, because it may have the focus. */
  #renew(name: readonly string[], content: Child): void {
    const restoreFocus = focusKeeper(this.parts.main);
    this.#heading.replaceChildren(...h('h1', {}, headingOf(name)).childNodes);
    const renewed = h('div', {}, content);
    this.#content.replaceWith(renewed);
    this.#content = renewed;
    restoreFocus?.();
  }

  async #contentOf(view: View, page: Page, drawing: number): Promise<Child> {
    try {
      return await view.render(page, parseRoute(location.hash));
    } catch (error) {
      // An older drawing may have used credentials that the reader has replaced.
      if (error instanceof LoginError && drawing === this.#drawing) this.logins.logOut(error.message);
      const { message } = error as Error;
      return alert(error instanceof ConnectionError ? message : `The node answers: ${message}`);
    }
  }

  #markMenu(): void {
    const { name } = parseRoute(location.hash);
    this.parts.menu.replaceChildren(
      ...MENU.map((each) => h('a', { href: `#/${each}`, 'aria-current': each === name && 'page' }, views[each]?.title ?? '')),
    );
  }

  #leave(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
  }
}

function headingOf([kind = '', name = '']: readonly string[]): Child {
  return name === '' ? kind : [kind, ' ', userText(name)];
}

function setTitle(name: readonly string[]): void {
  document.title = `${name.filter((each) => each !== '').join(' ')} · DeFiChain node`;
}

/** @returns the function that focuses the link of a new drawing that leads where the focused one of the old drawing did */
function focusKeeper(main: HTMLElement): (() => void) | undefined {
  const focused = main.querySelector<HTMLAnchorElement>('a:focus')?.hash;
  if (focused === undefined) return undefined;
  return () => {
    const same = [...main.querySelectorAll('a')].find(({ hash }) => hash === focused);
    same?.focus({ preventScroll: true });
  };
}

const nowhere: View = { title: 'Unknown place', render: async () => alert('This page has no such place.') };

function viewOf(hash: string): View {
  const { name } = parseRoute(hash);
  return (Object.hasOwn(views, name) ? views[name] : undefined) ?? nowhere;
}
