import type { Fields } from './header-decoder.js';

/** Head of a plain call: its fields have one possible meaning, and none asks for anything but an answer. */
export interface PlainHead {
  readonly path: string;
  /** All fields but those whose names begin with a colon, with distinct names. */
  readonly headers: ReadonlyMap<string, string>;
  /** Time limit of the client, ms; undefined for none. */
  readonly timeoutMs: number | undefined;
}

/** Fields about the connection or the form of the message; calls with binary metadata are left to the library too. */
const UNUSUAL = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

const NAME = /^[a-z0-9_.-]+(?<!-bin)$/;
/** Printable ASCII with no blank at either end. */
const VALUE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const TIMEOUT = /^([1-9]\d{0,7})([HMSm])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1 };
/** Longest delay of a timer of Node.js, ms. */
const MAX_TIMER_MS = 0x7fff_ffff;

/** @returns undefined for a head that is malformed or in any way unusual: the library decides about those */
export function plainHeadOf(fields: Fields): PlainHead | undefined {
  const pseudo = new Map<string, string>();
  const headers = new Map<string, string>();
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = [fields[i], fields[i + 1]];
    const isPseudo = name.startsWith(':');
    if (!(isPseudo || (NAME.test(name) && !UNUSUAL.has(name))) || !VALUE.test(value)) return undefined;
    const known = isPseudo ? pseudo : headers;
    if (known.has(name) || (isPseudo && headers.size > 0)) return undefined;
    known.set(name, value);
  }
  const path = pseudo.get(':path');
  const isUsual = pseudo.size === 4 && pseudo.get(':method') === 'POST' && pseudo.has(':authority') && isScheme(pseudo.get(':scheme'));
  const timeoutMs = timeoutOf(headers.get('grpc-timeout'));
  if (path === undefined || !isUsual || timeoutMs === null || !isContent(headers)) return undefined;
  return { path, headers, timeoutMs };
}

function isScheme(scheme: string | undefined): boolean {
  return scheme === 'http' || scheme === 'https';
}

function isContent(headers: ReadonlyMap<string, string>): boolean {
  const type = headers.get('content-type');
  const te = headers.get('te');
  return (type === 'application/grpc' || type === 'application/grpc+proto') && (te === undefined || te === 'trailers');
}

/** @returns null for a text that is unusual */
function timeoutOf(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = TIMEOUT.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return ms <= MAX_TIMER_MS ? ms : null;
}
