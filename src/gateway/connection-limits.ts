/** Open HTTP connections of all endpoints of one service. */
export interface ConnectionLimits {
  readonly total: number;
  /** Of one IPv4 address, or one /64 of IPv6. */
  readonly perAddress: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { total: 1000, perAddress: 250 };
