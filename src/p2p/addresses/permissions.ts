import type { Endpoint } from '../wire/net-address.js';
import { type Ip, isOnion, parseEndpoint } from './ip.js';
import { lookupSubnet } from './reachability.js';
import { inSubnet, type Subnet } from './subnet.js';

/** Permissions, in the order of `getpeerinfo`. */
const PERMISSIONS = ['bloomfilter', 'noban', 'forcerelay', 'relay', 'mempool'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Permissions of a peer, granted by -whitelist and -whitebind. */
export interface Permissions {
  has(permission: Permission): boolean;
  readonly names: readonly Permission[];
  /** Granted by an option without permission names, the form of older releases. */
  readonly whitelisted: boolean;
}

/** Permissions of one option; `named` is undefined if it names none and the defaults of older releases apply. */
export interface Grant {
  readonly named: ReadonlySet<Permission> | undefined;
}

export interface WhitelistEntry extends Grant {
  readonly subnet: Subnet;
}

export interface WhiteBind extends Grant {
  readonly endpoint: Endpoint;
}

/** Permissions implied by others. */
const IMPLIED: Readonly<Partial<Record<Permission, readonly Permission[]>>> = { forcerelay: ['relay'] };

/** Splits `permission,permission@rest`. @throws {Error} with the text of defid */
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

/** Parses -whitelist=[permissions@]subnet. @throws {Error} with the text of defid */
export function parseWhitelist(text: string): WhitelistEntry {
  const { grant, rest } = splitGrant(text);
  const subnet = lookupSubnet(rest);
  if (!subnet) throw new Error(`Invalid netmask specified in -whitelist: '${rest}'`);
  return { ...grant, subnet };
}

/** Parses -whitebind=[permissions@]address:port. @throws {Error} with the text of defid */
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

/** Permissions of an inbound peer: of all whitelisted subnets that contain its address, and of the listener that accepted it. */
export function grantsFor(ip: Ip, whitelist: readonly WhitelistEntry[], bind: Grant | undefined, defaults: WhitelistDefaults): Permissions {
  const grants: Grant[] = whitelist.filter(({ subnet }) => inSubnet(ip, subnet));
  if (bind) grants.push(bind);
  const granted = new Set<Permission>(grants.flatMap(({ named }) => [...(named ?? [])]));
  const whitelisted = grants.some(({ named }) => named === undefined);
  if (whitelisted) {
    for (const each of ['noban', 'mempool'] as const) granted.add(each);
    if (defaults.relay || defaults.forceRelay) granted.add('relay');
    if (defaults.forceRelay) granted.add('forcerelay');
  }
  for (const each of [...granted]) for (const implied of IMPLIED[each] ?? []) granted.add(implied);
  return permissions(granted, whitelisted);
}

function permissions(granted: ReadonlySet<Permission>, whitelisted: boolean): Permissions {
  return { has: (permission) => granted.has(permission), names: PERMISSIONS.filter((each) => granted.has(each)), whitelisted };
}

/** Permissions of a peer without grants. */
export const NO_PERMISSIONS: Permissions = permissions(new Set(), false);
