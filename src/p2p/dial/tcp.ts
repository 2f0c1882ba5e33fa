import { connect, type Socket } from 'node:net';

/**
 * Opens a TCP connection. For peers it must only be called by `dial.ts`, which decides about proxies.
 * @param host numeric, so that no name is ever looked up
 * @throws {Error} if the connection fails, times out or the signal aborts it
 */
export function openSocket(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error('stopped'));
      return;
    }
    const socket = connect({ host, port });
    const timer = setTimeout(() => fail(new Error('timed out')), timeoutMs);
    const onAbort = () => fail(new Error('stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
    const cleanUp = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners('error');
      // An error before the caller attaches its listeners must not end the process.
      socket.on('error', () => {});
    };
    const fail = (error: Error) => {
      cleanUp();
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      cleanUp();
      resolve(socket);
    });
  });
}
