import type { Event } from '../../../gen/ts/dfi/events/v1/events.js';
import type { HistoryKey, HistoryRecord } from '../../dfi/accounts/history-columns.js';
import type { NetworkParams } from '../../params/network.js';
import type { Column, StateView } from '../../storage/view.js';
import type { EventKind } from '../../util/event-kinds.js';

/** An event with what filters compare. */
export interface FoundEvent {
  readonly kind: EventKind;
  readonly body: Partial<Event>;
  /** Id of the event, as in its message. */
  readonly id?: string;
  readonly owners?: readonly Uint8Array[];
  readonly tokens?: readonly number[];
  readonly pool?: number;
  readonly vault?: Uint8Array;
  /** Address of a contract. */
  readonly contract?: bigint;
  /** Name of a wallet. */
  readonly wallet?: string;
  /** Operation that a caller must have the right to call, to see the event. */
  readonly needs?: string;
}

/** Change of one row by a block; reversed if the block was disconnected. */
export interface Change<K, V> {
  readonly key: K;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/** Facts that the events of a block need besides the changed row. */
export interface BlockFacts {
  /** Present state, for names of tokens. */
  readonly state: StateView;
  readonly params: Pick<NetworkParams, 'address' | 'upgrades'>;
  readonly isUndone: boolean;
  /** Entries of the history of accounts that the block made, in the order of the log. */
  readonly history: readonly (readonly [HistoryKey, HistoryRecord])[];
  /** Owners of the vaults that the block changed, by their ids in hex, wire order. */
  readonly vaultOwners: ReadonlyMap<string, Uint8Array>;
}

/** A column whose changes are events. The number of events of a change depends on the change alone: cursors count them. */
export interface Observed<K, V> {
  readonly column: Column<K, V>;
  events(change: Change<K, V>, facts: BlockFacts): readonly FoundEvent[];
}

export type AnyObserved = Observed<unknown, unknown>;

/** Declares an observed column. */
export function observed<K, V>(column: Column<K, V>, events: Observed<K, V>['events']): AnyObserved {
  return { column, events } as unknown as AnyObserved;
}
