import { existsSync } from 'node:fs';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { ServedDocument } from './documents/served-document.js';
import { sendEmpty } from './reply.js';

const PATH = '/explorer';
/** Files of the explorer by their path below `PATH`, with their types. */
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['explorer.html', 'text/html; charset=utf-8'],
  '/explorer.js': ['explorer.js', 'text/javascript; charset=utf-8'],
  '/explorer.css': ['explorer.css', 'text/css; charset=utf-8'],
};

/**
 * The page loads and calls nothing but this node, and no other page may show it in a frame. Unlike the default of the package, the policy
 * does not turn `http:` into `https:`, which the node may not speak.
 */
const POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Serves the files of the explorer, which need no credentials. The explorer asks its user for the credentials of its calls. */
export function explorerRouter(folder: URL): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(PATH, helmet({ contentSecurityPolicy: POLICY, strictTransportSecurity: false }));
  router.get(PATH, (_, res) => {
    res.writeHead(308, { Location: 'explorer/', 'Content-Length': '0' });
    res.end();
  });
  for (const [path, [name, type]] of Object.entries(FILES)) router.get(`${PATH}${path}`, fileHandler(new URL(name, folder), type));
  return router;
}

function fileHandler(file: URL, type: string): RequestHandler {
  const document = new ServedDocument(file, type);
  return async ({ headers }, res) => {
    if (existsSync(file)) await document.send(headers, res);
    else sendEmpty(res, 404);
  };
}
