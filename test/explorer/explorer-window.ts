import { JSDOM, VirtualConsole } from 'jsdom';
import { until } from '../until.js';

/** The explorer of a node in a window without a screen. */
export class ExplorerWindow {
  /** Uncaught errors of the page. */
  readonly errors: string[] = [];
  readonly #closing = new AbortController();

  private constructor(readonly dom: JSDOM) {
    dom.virtualConsole.on('jsdomError', (error) => this.errors.push(String(error)));
  }

  /** @param url of the gateway @param fragment of the address, with its # @param prepare changes the window before the page runs in it */
  static async open(url: string, fragment: string, prepare: (window: object) => void = () => {}): Promise<ExplorerWindow> {
    const page = new URL('/explorer/', url).href;
    const [html, script] = await Promise.all([page, `${page}explorer.js`].map(async (each) => (await fetch(each)).text()));
    const dom = new JSDOM(html, {
      url: page + fragment,
      runScripts: 'outside-only',
      pretendToBeVisual: true,
      virtualConsole: new VirtualConsole(),
    });
    // Used by the page, and missing in the window; signals must be those that `fetch` knows.
    const { TextEncoder, TextDecoderStream, AbortController } = globalThis;
    const opened = new ExplorerWindow(dom);
    Object.assign(dom.window, { fetch: opened.#fetch, TextEncoder, TextDecoderStream, AbortController, scrollTo: () => {} });
    prepare(dom.window);
    dom.window.eval(script ?? '');
    return opened;
  }

  get document(): Document {
    return this.dom.window.document;
  }

  get hash(): string {
    return this.dom.window.location.hash;
  }

  /** Text of the current view. */
  get text(): string {
    return this.document.querySelector('main')?.textContent ?? '';
  }

  /** Goes to a route and waits until its view is drawn. */
  async go(route: string): Promise<void> {
    const shown = this.#view();
    this.dom.window.location.hash = route;
    await until(() => this.#view() !== shown, `the view of ${route}`);
  }

  #view(): Element | null {
    return this.document.querySelector('main > div');
  }

  /** Routes of all links in the view. */
  routes(): string[] {
    return [...this.document.querySelectorAll<HTMLAnchorElement>('main a[href^="#/"]')].map((each) => each.hash.slice(1));
  }

  /** Gives each list of the node a second page, which is the first once more. @returns queries of the lists that the page asks for from now on */
  pageLists(): URLSearchParams[] {
    const usual = this.dom.window.fetch;
    const asked: URLSearchParams[] = [];
    this.dom.window.fetch = async (input, init) => {
      const url = new URL(String(input));
      const cursor = url.searchParams.get('page');
      if (cursor === null) return usual(input, init);
      asked.push(new URLSearchParams(url.search));
      url.searchParams.set('page', '');
      const answer = await (await usual(url, init)).text();
      return new Response(answer.replace(/"next":"[^"]*"\}$/, `"next":"${cursor === '' ? 'more' : ''}"}`));
    };
    return asked;
  }

  /** Fills in a field as a reader does. */
  type(selector: string, value: string): void {
    const field = this.#element<HTMLInputElement>(selector);
    field.value = value;
    field.dispatchEvent(new this.dom.window.Event('input', { bubbles: true }));
  }

  submit(selector: string): void {
    this.#element(selector).dispatchEvent(new this.dom.window.Event('submit', { bubbles: true, cancelable: true }));
  }

  click(selector: string): void {
    this.#element<HTMLElement>(selector).click();
  }

  /** Ends the requests of the page before its document is gone: unlike a browser, the window would run what waits for their answers. */
  async close(): Promise<void> {
    this.#closing.abort();
    await new Promise((resolve) => setImmediate(resolve));
    this.dom.window.close();
  }

  readonly #fetch: typeof fetch = (input, init) => {
    const signals = [this.#closing.signal, init?.signal ?? []].flat();
    return fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };

  #element<T extends Element>(selector: string): T {
    const found = this.document.querySelector<T>(selector);
    if (!found) throw new Error(`no ${selector} in ${this.document.body.innerHTML.slice(0, 500)}`);
    return found;
  }
}
