import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type DownloadLimits, download } from '../../../src/snapshot/download.js';

const folder = mkdtempSync(join(tmpdir(), 'snapshot-download-'));
after(() => rmSync(folder, { recursive: true }));

const contents = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
const limits: DownloadLimits = { maxBytes: 1_000_000, idleMs: 5_000, attempts: 3, retryMs: 0 };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Sends the range that is requested. @param upTo end of what is sent before the connection is cut */
function sendRange({ headers }: IncomingMessage, response: ServerResponse, upTo = contents.length): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from >= contents.length) {
    response.writeHead(416, { 'content-range': `bytes */${contents.length}` }).end();
    return;
  }
  const range = headers.range ? { 'content-range': `bytes ${from}-${contents.length - 1}/${contents.length}` } : {};
  response.writeHead(headers.range ? 206 : 200, { ...range, 'content-length': contents.length - from });
  response.write(contents.subarray(from, upTo), () => {
    if (upTo < contents.length) response.destroy();
    else response.end();
  });
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('download', { skip: !hasOpenssl() && 'no openssl to make a certificate with' }, () => {
  let server: Server;
  let base: string;
  let ca: string;
  let answer: Answer;
  let files = 0;

  before(async () => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    ca = readFileSync(cert, 'utf8');
    server = createServer({ key: readFileSync(key), cert: ca }, (...call) => answer(...call));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const newFile = () => join(folder, `file-${files++}`);

  test('a file is fetched, and a complete one is not fetched again', async () => {
    const path = newFile();
    answer = sendRange;
    await download({ url: base, path, ca, limits });
    assert.ok(readFileSync(path).equals(contents));
    let sent = 0;
    answer = (request, response) => {
      sent += 1;
      sendRange(request, response);
      assert.equal(response.statusCode, 416);
    };
    await download({ url: base, path, ca, limits });
    assert.equal(sent, 1);
    assert.ok(readFileSync(path).equals(contents));
  });

  test('a connection that is cut is continued where it ended', async () => {
    const path = newFile();
    const ranges: (string | undefined)[] = [];
    answer = (request, response) => {
      ranges.push(request.headers.range);
      sendRange(request, response, Math.min(ranges.length * 30_000, contents.length));
    };
    await download({ url: base, path, ca, limits });
    assert.ok(readFileSync(path).equals(contents));
    assert.equal(ranges[0], undefined);
    // Bytes that arrived just before the cut may be missing on the disk, so that a request may start at 0 again.
    assert.ok(ranges.length > 1 && ranges.every((range) => range === undefined || /^bytes=[1-9]\d*-$/.test(range)));
  });

  test('a server without ranges sends the whole file again', async () => {
    const path = newFile();
    writeFileSync(path, 'an old beginning');
    answer = (_, response) => response.writeHead(200, { 'content-length': contents.length }).end(contents);
    await download({ url: base, path, ca, limits });
    assert.ok(readFileSync(path).equals(contents));
  });

  test('redirects are followed to https only, and not without end', async () => {
    const path = newFile();
    answer = (request, response) => {
      if (request.url === '/file') sendRange(request, response);
      else response.writeHead(302, { location: '/file' }).end();
    };
    await download({ url: base, path, ca, limits });
    assert.ok(readFileSync(path).equals(contents));
    answer = (_, response) => response.writeHead(302, { location: 'http://localhost/' }).end();
    await assert.rejects(download({ url: base, path: newFile(), ca, limits }), /not an https address/);
    answer = (_, response) => response.writeHead(302, { location: base }).end();
    await assert.rejects(download({ url: base, path: newFile(), ca, limits }), /redirects more than 5 times/);
    await assert.rejects(download({ url: 'http://localhost/', path: newFile(), limits }), /not an https address/);
  });

  test('a file that is too large is refused, whether or not its length is announced', async () => {
    const small = { ...limits, maxBytes: 50_000 };
    const path = newFile();
    answer = sendRange;
    await assert.rejects(download({ url: base, path, ca, limits: small }), /larger than 50000 bytes/);
    assert.ok(!existsSync(path));
    answer = (_, response) => response.writeHead(200).end(contents);
    await assert.rejects(download({ url: base, path, ca, limits: small }), /larger than 50000 bytes/);
  });

  test('attempts without data are bounded, and refusals are final', async () => {
    let attempts = 0;
    answer = (_, response) => {
      attempts += 1;
      response.destroy();
    };
    await assert.rejects(
      download({ url: base, path: newFile(), ca, limits }),
      /^SnapshotError: cannot download https:.*; start again to continue$/,
    );
    assert.equal(attempts, 3);
    answer = (_, response) => response.writeHead(404).end();
    await assert.rejects(download({ url: base, path: newFile(), ca, limits }), /answers 404/);
    answer = (_, response) => {
      attempts += 1;
      response.writeHead(302, { location: 'https://[' }).end();
    };
    await assert.rejects(download({ url: base, path: newFile(), ca, limits }), /^SnapshotError: 'https:\/\/\[' is not an address$/);
    assert.equal(attempts, 4);
    answer = sendRange;
    await assert.rejects(download({ url: base, path: newFile(), limits }), /certificate/);
  });
});
