/** Levels in rising order of weight. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** @returns undefined unless the text names a level */
export function parseLogLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}

/**
 * What a module needs in order to say what it does. `msg` is fixed text; whatever varies goes into `fields`, where keys that
 * name secrets are masked, bytes become hex and bigints decimal text.
 */
export interface Logger {
  debug(msg: string, fields?: object): void;
  info(msg: string, fields?: object): void;
  warn(msg: string, fields?: object): void;
  error(msg: string, fields?: object): void;
  /** A logger whose lines carry `module`, with a level of its own. */
  child(module: string): Logger;
}

/** Says nothing: for tests and for tools that have no log. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
