import { badRequest, OperationFailed } from '../api/errors.js';

/** Code of operations for a text that is no address. */
const NO_ADDRESS = -5;

/** Answer of an operation about an address. @throws {OceanError} if the operation refuses the address */
export async function ofAddress<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof OperationFailed && error.code === NO_ADDRESS ? badRequest('InvalidDefiAddress') : error;
  }
}
