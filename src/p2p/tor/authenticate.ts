import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import type { TorControl } from './control.js';
import { parseArguments, quote, splitKeyword, type TorReply } from './reply.js';

const OK = 250;
const COOKIE_BYTES = 32;
const NONCE_BYTES = 32;
const SERVER_KEY = 'Tor safe cookie authentication server-to-controller hash';
const CLIENT_KEY = 'Tor safe cookie authentication controller-to-server hash';

/**
 * Authenticates with a Tor daemon: by -torpassword if set, otherwise without credentials or with the cookie file, whose contents are never
 * sent (SAFECOOKIE).
 * @throws {Error} if the daemon allows none of these or refuses
 * @see control-spec 3.5, 3.24
 */
export async function authenticate(control: TorControl, password: string, log: Logger): Promise<void> {
  const { methods, cookieFile } = await protocolInfo(control, log);
  if (password !== '') {
    if (!methods.has('HASHEDPASSWORD')) throw new Error('-torpassword is given, but Tor does not offer HASHEDPASSWORD authentication');
    await sendProof(control, quote(password));
  } else if (methods.has('NULL')) await sendProof(control, '');
  else if (methods.has('SAFECOOKIE')) await sendProof(control, await answerChallenge(control, cookieFile));
  else if (methods.has('HASHEDPASSWORD')) throw new Error('Tor wants a password, but -torpassword is not given');
  else throw new Error('Tor offers no authentication method that is supported');
}

async function protocolInfo(control: TorControl, log: Logger): Promise<{ methods: ReadonlySet<string>; cookieFile: string }> {
  const reply = await control.command('PROTOCOLINFO 1');
  if (reply.code !== OK) throw new Error(`Tor refuses PROTOCOLINFO: ${reply.code}`);
  const auth = argumentsOf(reply, 'AUTH');
  log.debug('connected to Tor', { version: argumentsOf(reply, 'VERSION').get('Tor'), control: control.remote });
  return { methods: new Set((auth.get('METHODS') ?? '').split(',')), cookieFile: auth.get('COOKIEFILE') ?? '' };
}

async function sendProof(control: TorControl, proof: string): Promise<void> {
  const { code } = await control.command(`AUTHENTICATE ${proof}`.trimEnd());
  if (code !== OK) throw new Error('Tor refuses the authentication');
}

/** Checks that the daemon knows the cookie. @returns the proof in hex that this node knows it too */
async function answerChallenge(control: TorControl, cookieFile: string): Promise<string> {
  const cookie = readCookie(cookieFile);
  const clientNonce = randomBytes(NONCE_BYTES);
  const reply = await control.command(`AUTHCHALLENGE SAFECOOKIE ${clientNonce.toString('hex')}`);
  if (reply.code !== OK) throw new Error('Tor refuses SAFECOOKIE authentication');
  const challenge = argumentsOf(reply, 'AUTHCHALLENGE');
  const serverHash = Buffer.from(challenge.get('SERVERHASH') ?? '', 'hex');
  const serverNonce = Buffer.from(challenge.get('SERVERNONCE') ?? '', 'hex');
  if (serverNonce.length !== NONCE_BYTES) throw new Error('nonce of the Tor control port is not 32 bytes');
  const hash = (key: string) => createHmac('sha256', key).update(cookie).update(clientNonce).update(serverNonce).digest();
  const expected = hash(SERVER_KEY);
  if (serverHash.length !== expected.length || !timingSafeEqual(serverHash, expected)) {
    throw new Error('the Tor control port does not know the cookie');
  }
  return hash(CLIENT_KEY).toString('hex');
}

/** @throws {Error} if the file cannot be read or does not have the size of a cookie */
function readCookie(path: string): Uint8Array {
  const bytes = Buffer.alloc(COOKIE_BYTES + 1);
  let size = 0;
  try {
    const fd = openSync(path, 'r');
    try {
      size = readSync(fd, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`Tor authentication file could not be read (check permissions): ${reason}`);
  }
  if (size !== COOKIE_BYTES) throw new Error(`Tor authentication file ${path} is not exactly ${COOKIE_BYTES} bytes`);
  return bytes.subarray(0, COOKIE_BYTES);
}

function argumentsOf({ lines }: TorReply, keyword: string): ReadonlyMap<string, string> {
  const line = lines.map(splitKeyword).find((each) => each.keyword === keyword);
  return parseArguments(line?.rest ?? '');
}
