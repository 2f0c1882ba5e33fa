/** A start that cannot be: the message is what the operator reads after `Error: `. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
