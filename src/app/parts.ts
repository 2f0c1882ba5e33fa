import type { Config } from '../config/config.js';
import type { Registry } from '../metrics/registry.js';
import type { SystemClock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import type { ReportWork } from '../util/work-report.js';
import type { Lifecycle } from './lifecycle.js';

/** Parts that every step of the start-up uses. */
export interface StartParts {
  readonly config: Config;
  readonly clock: SystemClock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** Notes the progress of long work as events. */
  readonly report: ReportWork;
}
