import { alert, h } from './dom.js';
import type { Login } from './node-client.js';
import { decoded } from './routes.js';

const LOGIN_KEY = 'dfi-login';

/** @param reason shown above the fields; empty for none */
export function loginForm(reason: string, logIn: (login: Login) => void): HTMLElement {
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
    reason !== '' && alert(reason),
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
export function loginOfAddress(): Login | undefined {
  const [, user, password] = /^#login=([^:]*):(.*)$/.exec(location.hash) ?? [];
  if (user === undefined || password === undefined) return undefined;
  history.replaceState(null, '', location.href.split('#')[0]);
  return { user: decoded(user), password: decoded(password) };
}

/** Credentials that the tab keeps until it is closed. */
export function loginOfTab(): Login | undefined {
  const text = ofStorage((storage) => storage.getItem(LOGIN_KEY));
  return text ? (JSON.parse(text) as Login) : undefined;
}

/** @param login undefined to forget the credentials */
export function keepLogin(login: Login | undefined): void {
  ofStorage((storage) => {
    if (login) storage.setItem(LOGIN_KEY, JSON.stringify(login));
    else storage.removeItem(LOGIN_KEY);
  });
}

/** Browsers may block the storage: even reading the property throws then, and the page keeps the credentials in memory until a reload. */
function ofStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
