/** Levels in rising order of severity. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** @returns undefined if the text is not a level */
export function parseLogLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}

/**
 * Log of a module. `msg` is fixed text; variable parts are in `fields`, where values of secret keys are masked, bytes become hex and
 * bigints decimal text.
 */
export interface Logger {
  /** @param fields a function is only called where the line is written */
  debug(msg: string, fields?: object | (() => object)): void;
  info(msg: string, fields?: object): void;
  warn(msg: string, fields?: object): void;
  error(msg: string, fields?: object): void;
  /** Logger of another module, with a level of its own. */
  child(module: string): Logger;
}

/** Logger without output, for tests and for tools that have no log. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
