import { NodeError } from '../util/errors.js';

/** Invalid descriptor. The message is that of `defid`, which is empty for some errors. */
export class DescriptorError extends NodeError {
  override name = 'DescriptorError';

  constructor(message: string) {
    super('invalid-address', message);
  }
}
