export const PERMISSIONS = ['bloomfilter', 'noban', 'forcerelay', 'relay', 'mempool'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What the operator grants a peer. */
export interface Permissions {
  has(permission: Permission): boolean;
  /** In the order in which answers show them. */
  readonly names: readonly Permission[];
  /** Granted by -whitelist or -whitebind without naming permissions. */
  readonly whitelisted: boolean;
}
