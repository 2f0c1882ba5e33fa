import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { explorerRouter } from '../../../src/gateway/explorer.js';

test('explorer: a file that cannot be read fails its request alone, and is read again by the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dfi-explorer-'));
  const app = express();
  app.set('strict routing', true);
  app.set('env', 'test'); // no log of the error
  app.use(explorerRouter(pathToFileURL(`${folder}/`)));
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/explorer`;
    const html = join(folder, 'explorer.html');
    assert.equal((await fetch(`${root}/`)).status, 404);
    mkdirSync(html); // exists, and has no content
    assert.equal((await fetch(`${root}/`)).status, 500);
    rmdirSync(html);
    writeFileSync(html, '<p>');
    assert.equal(await (await fetch(`${root}/`)).text(), '<p>');
    const short = await fetch(`${root}?a=1`, { redirect: 'manual' });
    assert.deepEqual([short.status, short.headers.get('location')], [308, 'explorer/']);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
});
