import { alert, h, link } from './dom.js';
import { Explorer } from './explorer.js';
import { keepLogin, loginForm, loginOfAddress, loginOfTab } from './login.js';
import { type Login, LoginError, NodeClient } from './node-client.js';
import { findRoute } from './search.js';

const main = h('main', { tabindex: '-1' });
const state = h('span', { class: 'state', role: 'status' });
const menu = h('nav', { 'aria-label': 'Views' });
let explorer: Explorer | undefined;

function logIn(login: Login): void {
  explorer?.stop();
  keepLogin(login);
  const node = new NodeClient(new URL('..', location.href.split('#')[0]).href, login);
  document.body.replaceChildren(
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'To the content'),
    h(
      'header',
      {},
      h('strong', {}, link('/', 'DeFiChain node')),
      state,
      searchForm(node),
      h('button', { type: 'button', onclick: () => logOut('') }, 'Log out'),
      menu,
    ),
    main,
  );
  explorer = new Explorer(node, { main, state, menu }, { logIn, logOut });
  explorer.start();
}

function searchForm(node: NodeClient): HTMLElement {
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
  return h('form', { onsubmit: submit, role: 'search', novalidate: true }, search);
}

function skip(event: Event): void {
  event.preventDefault();
  main.focus();
}

function showFailure(error: Error): void {
  if (error instanceof LoginError) logOut(error.message);
  else {
    main.querySelector(':scope > .notice')?.remove();
    main.prepend(alert(error.message));
  }
}

function logOut(reason: string): void {
  keepLogin(undefined);
  explorer?.stop();
  explorer = undefined;
  document.title = 'DeFiChain node';
  main.replaceChildren();
  state.textContent = '';
  document.body.replaceChildren(h('main', {}, loginForm(reason, logIn)));
}

const login = loginOfAddress() ?? loginOfTab();
if (login) logIn(login);
else logOut('');
