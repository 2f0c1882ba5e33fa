import type { ServerResponse } from 'node:http';
import type { Probe } from './health.js';
import { send, TEXT_TYPE } from './reply.js';

/** Answers a health check with 200 or 503; the report is sent only with `?verbose`. */
export function sendProbe(res: ServerResponse, { ok, report }: Probe, query: string | undefined): void {
  send(res, ok ? 200 : 503, TEXT_TYPE, query === undefined || !/^verbose\b/.test(query) ? '' : report);
}
