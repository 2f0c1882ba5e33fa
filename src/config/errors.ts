/** Configuration with which the node cannot start. The message is printed after `Error: `. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
