import type { ServerResponse } from 'node:http';

/** Headers that a page may send, and headers of a reply that it may read. */
export interface CorsHeaders {
  readonly request: string;
  readonly reply?: string;
}

const USUAL_HEADERS: CorsHeaders = { request: 'Content-Type, Authorization' };

/** Headers of REST calls and their streams. */
export const REST_HEADERS: CorsHeaders = { request: 'Content-Type, Authorization, Last-Event-ID, X-Wallet, X-Request-Id' };

/** Headers of gRPC-Web and Connect, and metadata of our calls. */
export const WEB_HEADERS: CorsHeaders = {
  request:
    'Content-Type, Authorization, Connect-Protocol-Version, Connect-Timeout-Ms, Grpc-Timeout, X-Grpc-Web, X-User-Agent, X-Wallet, X-Fields, X-Request-Id',
  reply: 'Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin',
};

/** Sets the headers that let pages of an origin call. @param origin e.g. `http://127.0.0.1:5000`, or `*` for any */
export function allowOrigin(res: ServerResponse, origin: string, { request, reply }: CorsHeaders = USUAL_HEADERS): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  // Browsers reject credentials in combination with `*`.
  if (origin !== '*') res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', request);
  if (reply) res.setHeader('Access-Control-Expose-Headers', reply);
}
