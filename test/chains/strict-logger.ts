import assert from 'node:assert/strict';
import { type Logger, silentLogger } from '../../src/util/logger.js';

/** Logger that fails the test on errors. */
export const strictLogger: Logger = {
  ...silentLogger,
  error: (msg, fields) => assert.fail(`${msg} ${JSON.stringify(fields)}`),
};
