import { connect, type Socket } from 'node:net';
import { formatIp } from './ip.js';
import type { Endpoint } from './wire/net-address.js';

/** Opens a connection. @throws {Error} when nobody answers in time, or the signal says stop */
export function dial({ ip, port }: Endpoint, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error('stopped'));
      return;
    }
    const socket = connect({ host: formatIp(ip), port });
    const timer = setTimeout(() => give(new Error('timed out')), timeoutMs);
    const onAbort = () => give(new Error('stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners('error');
    };
    const give = (error: Error) => {
      settle();
      // A late error of a socket that nobody wants any more is no news.
      socket.on('error', () => {});
      socket.destroy();
      reject(error);
    };
    socket.once('error', give);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
