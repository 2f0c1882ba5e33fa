import type { Child } from './dom.js';
import type { Live } from './live.js';
import type { NodeClient } from './node-client.js';
import type { Route } from './routes.js';

/** Node, events and hooks for views. */
export interface Page {
  readonly node: NodeClient;
  readonly live: Live;
  /** Seconds since 1970. */
  now(): number;
  /** Names the place that the view shows, by default after its title and the argument of its route. */
  entitle(kind: string, name: string): void;
  /** Calls `end` when the view is left or drawn again. */
  onLeave(end: () => void): void;
}

/** One kind of place of the page. */
export interface View {
  readonly title: string;
  /** Draw again after each block. */
  readonly live?: boolean;
  /** @throws {CallError} if the node refuses a call without which there is nothing to show */
  render(page: Page, route: Route): Promise<Child>;
}
