import { once } from 'node:events';
import { connect } from 'node:net';

/** Readers of server-sent events, in a process of their own. The parent sends what to open and asks for the events that have arrived. */
interface Opened {
  readonly port: number;
  readonly request: string;
  /** Connections that are read. */
  readonly reading: number;
  /** Connections that nothing is read from. */
  readonly stalled: number;
}

/** End of the line with the data of an event; no text of JSON holds it. */
const END = Buffer.from('\n\n');

/** Loopback addresses that connections come from, since a gateway limits those of each. */
const ADDRESSES = 8;

let events = 0;

async function open({ port, request, reading, stalled }: Opened): Promise<void> {
  for (let i = 0; i < reading + stalled; i++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (i % ADDRESSES)}` });
    await once(socket, 'connect');
    socket.write(request);
    if (i >= reading) continue;
    socket.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(END); at >= 0; at = chunk.indexOf(END, at + END.length)) events += 1;
    });
  }
  process.send?.('open');
}

process.on('message', (message: Opened | 'count') => {
  if (message === 'count') process.send?.(events);
  else void open(message);
});
