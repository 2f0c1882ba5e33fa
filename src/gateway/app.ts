import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import helmet from 'helmet';
import { NodeError } from '../util/errors.js';
import { ServedDocument } from './documents/served-document.js';
import { explorerRouter } from './explorer.js';
import { JSON_TYPE, sendEmpty } from './reply.js';
import { plainRest, type RestParts, restRouter } from './rest.js';
import { sendRestError } from './rest-error.js';

/** Modules that the router uses. */
export interface AppParts extends RestParts {
  /** OpenAPI document; undefined if it is not served. */
  readonly openApiFile: URL | undefined;
  /** Folder of the files of the explorer; undefined if it is not served. */
  readonly explorerFolder: URL | undefined;
}

/** Handler of all requests but JSON-RPC: REST, API documents, and 404 for other paths. */
export function createApp(parts: AppParts): (req: IncomingMessage, res: ServerResponse) => void {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  if (parts.explorerFolder) app.use(explorerRouter(parts.explorerFolder));
  const secure = helmet();
  app.use(secure);
  if (parts.openApiFile) {
    const document = new ServedDocument(parts.openApiFile, JSON_TYPE);
    app.get('/openapi.json', ({ headers }, res) => document.send(headers, res));
  }
  app.use(restRouter(parts));
  app.use('/v1/', (_, res) =>
    sendRestError(res, new NodeError('not-found', 'No operation has this verb and path; /openapi.json lists them')),
  );
  app.use((_, res) => sendEmpty(res, 404));
  app.use(refuseUrl);
  const plain = plainRest(parts, (req, res) =>
    secure(req, res, (error) => {
      if (error) throw error;
    }),
  );
  return (req, res) => {
    if (!plain(req, res)) app(req, res);
  };
}

/** Answers paths with wrong percent-encoding, for which the router throws. Express recognises an error handler by its four parameters. */
const refuseUrl: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  sendRestError(res, error instanceof URIError ? new NodeError('invalid-params', 'malformed URL') : error);
};
