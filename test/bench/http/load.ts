import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  /** A complete HTTP request. */
  readonly request: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Set if answers differ in length: each is then delimited by its Content-Length. Otherwise all have the length of the first, which is
   * cheaper to check.
   */
  readonly lengthsVary?: boolean;
}

/**
 * Requests per second over keep-alive connections, each sending its next request when the last is answered. A purpose-built client: a
 * general one takes more time than the server that it measures.
 */
export async function requestsPerSecond({ port, request, connections, seconds, lengthsVary = false }: Load): Promise<number> {
  const bytes = Buffer.from(request);
  const sockets: Socket[] = [];
  for (let i = 0; i < connections; i++) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    sockets.push(socket.setNoDelay(true));
  }
  const [first = Buffer.alloc(0)] = await exchange(sockets[0] as Socket, bytes);
  if (!first.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${first.toString('latin1', 0, 200)}`);
  let answered = 0;
  let running = true;
  const finished = sockets.map(
    (socket) =>
      new Promise<void>((resolve, reject) => {
        let got = 0;
        let expected = first.length;
        socket.on('data', (chunk) => {
          if (got === 0 && lengthsVary) expected = answerLength(chunk) ?? Number.NaN;
          got += chunk.length;
          if (got < expected) return;
          if (got > expected) reject(new Error(`an answer of ${got} bytes where ${expected} were expected`));
          got = 0;
          answered++;
          if (running) socket.write(bytes);
          else resolve();
        });
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('connection closed')));
        socket.write(bytes);
      }),
  );
  const from = performance.now();
  const timer = setTimeout(() => {
    running = false;
  }, seconds * 1000);
  await Promise.all(finished);
  clearTimeout(timer);
  const elapsed = (performance.now() - from) / 1000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return answered / elapsed;
}

/** One answer, delimited by its Content-Length. */
async function exchange(socket: Socket, bytes: Buffer): Promise<[Buffer]> {
  let answer = Buffer.alloc(0);
  socket.write(bytes);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answer = Buffer.concat([answer, chunk]);
    const length = answerLength(answer);
    if (length !== undefined && answer.length >= length) return [answer];
  }
}

/** Length of a complete answer in bytes; undefined while its head is incomplete. */
function answerLength(bytes: Buffer): number | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1];
  return head + 4 + Number(length ?? 0);
}
