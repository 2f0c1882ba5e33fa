/**
 * Error of Ethereum's JSON-RPC for an answer above the limit of the port: of a result while it is written, and of a result in its envelope.
 * @param maxBytes the limit
 */
export function answerTooLong(maxBytes: number): { readonly code: number; readonly message: string; readonly data: string } {
  return { code: -32702, message: 'Response is too big', data: `Exceeded max limit of ${maxBytes}` };
}
