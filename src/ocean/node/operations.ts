import type { JsonValue } from '../../util/json.js';

/** Operations of the node, called as over JSON-RPC. */
export interface Operations {
  /**
   * @param params positional arguments; a bigint is an integer, an undefined one in the middle is null
   * @returns the answer, with the texts of its numbers
   * @throws {OperationFailed} if the operation refuses
   */
  call(method: string, ...params: readonly unknown[]): Promise<JsonValue>;
  /** Calls an operation with the arguments as a client sent them. @returns the text of the answer */
  callRaw(method: string, params: readonly JsonValue[]): Promise<string>;
}

/** Pagination that asks an operation for the whole list: a limit above any number of rows. */
export const WHOLE_LIST = { start: 0, including_start: true, limit: 1_000_000 } as const;
