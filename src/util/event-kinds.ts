/** Kinds of events by the names that filters use, in the order of the interface. @see proto/dfi/events/v1/events.proto */
export const EVENT_KINDS = [
  'block',
  'balance',
  'swap',
  'pool',
  'price',
  'oracle',
  'vault',
  'auction',
  'masternode',
  'governance',
  'evm_log',
  'mempool',
  'wallet',
  'node',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
