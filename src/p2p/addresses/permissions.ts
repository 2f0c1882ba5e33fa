import type { Endpoint } from '../wire/net-address.js';
import { type Ip, isOnion, parseEndpoint } from './ip.js';
import { inSubnet, parseSubnet, type Subnet } from './subnet.js';

/** In the order in which answers show them. */
export const PERMISSIONS = ['bloomfilter', 'noban', 'forcerelay', 'relay', 'mempool'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What the operator grants a peer. */
export interface Permissions {
  has(permission: Permission): boolean;
  readonly names: readonly Permission[];
  /** Granted without naming permissions, as older releases had it. */
  readonly whitelisted: boolean;
}

/** Permissions as an option gives them: undefined where it names none, and the older meaning applies. */
export interface Grant {
  readonly named: ReadonlySet<Permission> | undefined;
}

export interface WhitelistEntry extends Grant {
  readonly subnet: Subnet;
}

export interface WhiteBind extends Grant {
  readonly endpoint: Endpoint;
}

/** Some imply others: who may force relay may relay. */
const IMPLIED: Readonly<Partial<Record<Permission, readonly Permission[]>>> = { forcerelay: ['relay'] };

/** `permission,permission@` before the rest. @throws {Error} in the reference's words */
function splitGrant(text: string): { grant: Grant; rest: string } {
  const at = text.indexOf('@');
  if (at < 0) return { grant: { named: undefined }, rest: text };
  const named = new Set<Permission>();
  for (const name of text.slice(0, at).split(',')) {
    if (name === 'all') for (const each of PERMISSIONS) named.add(each);
    else if (name === 'bloom') named.add('bloomfilter');
    else if (isPermission(name)) named.add(name);
    else if (name !== '') throw new Error(`Invalid P2P permission: '${name}'`);
  }
  return { grant: { named }, rest: text.slice(at + 1) };
}

function isPermission(name: string): name is Permission {
  return PERMISSIONS.some((each) => each === name);
}

/** -whitelist=[permissions@]subnet. @throws {Error} in the reference's words */
export function parseWhitelist(text: string): WhitelistEntry {
  const { grant, rest } = splitGrant(text);
  const subnet = parseSubnet(rest);
  if (!subnet) throw new Error(`Invalid netmask specified in -whitelist: '${rest}'`);
  return { ...grant, subnet };
}

/** -whitebind=[permissions@]address:port. @throws {Error} in the reference's words */
export function parseWhiteBind(text: string): WhiteBind {
  const { grant, rest } = splitGrant(text);
  const endpoint = rest.includes('/') ? undefined : parseEndpoint(rest, 0);
  if (!endpoint || isOnion(endpoint.ip)) throw new Error(`Cannot resolve -whitebind address: '${rest}'`);
  if (endpoint.port === 0) throw new Error(`Need to specify a port with -whitebind: '${rest}'`);
  return { ...grant, endpoint };
}

export interface WhitelistDefaults {
  /** -whitelistrelay */
  readonly relay: boolean;
  /** -whitelistforcerelay */
  readonly forceRelay: boolean;
}

/** Permissions of an inbound peer: those of every range it is in, and of the listener that it came by. */
export function grantsFor(ip: Ip, whitelist: readonly WhitelistEntry[], bind: Grant | undefined, defaults: WhitelistDefaults): Permissions {
  const grants: Grant[] = whitelist.filter(({ subnet }) => inSubnet(ip, subnet));
  if (bind) grants.push(bind);
  const held = new Set<Permission>(grants.flatMap(({ named }) => [...(named ?? [])]));
  const whitelisted = grants.some(({ named }) => named === undefined);
  if (whitelisted) {
    for (const each of ['noban', 'mempool'] as const) held.add(each);
    if (defaults.relay || defaults.forceRelay) held.add('relay');
    if (defaults.forceRelay) held.add('forcerelay');
  }
  for (const each of [...held]) for (const implied of IMPLIED[each] ?? []) held.add(implied);
  return permissions(held, whitelisted);
}

function permissions(held: ReadonlySet<Permission>, whitelisted: boolean): Permissions {
  return { has: (permission) => held.has(permission), names: PERMISSIONS.filter((each) => held.has(each)), whitelisted };
}

/** Those of peers for whom nobody vouched. */
export const NO_PERMISSIONS: Permissions = permissions(new Set(), false);
