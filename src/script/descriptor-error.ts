import { NodeError } from '../util/errors.js';

/** Text that is no descriptor; the message says what is wrong with it, and is empty where the reference says nothing. */
export class DescriptorError extends NodeError {
  override name = 'DescriptorError';

  constructor(message: string) {
    super('invalid-address', message);
  }
}
