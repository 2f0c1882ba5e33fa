/** Maximum numbers of open HTTP connections, for all endpoints of a service together. */
export interface ConnectionLimits {
  readonly total: number;
  /** Per IPv4 address, or per /64 of IPv6. */
  readonly perAddress: number;
}

/** Streams may occupy 1,000 of them. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { total: 1500, perAddress: 250 };
