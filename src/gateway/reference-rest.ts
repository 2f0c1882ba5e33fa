import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendEmpty } from './reply.js';
export class ReferenceRest {
  constructor(..._: unknown[]) {}
  handle(_req: IncomingMessage, res: ServerResponse) {
    sendEmpty(res, 404);
  }
}
