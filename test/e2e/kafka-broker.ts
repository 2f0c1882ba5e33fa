import { createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A message of a topic. */
export interface Stored {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Keys of the requests that a producer makes. */
const [PRODUCE, METADATA, API_VERSIONS, INIT_PRODUCER_ID] = [0, 3, 18, 22] as const;
/** The only version of each that is served. */
const VERSIONS = [
  [PRODUCE, 3],
  [METADATA, 1],
  [API_VERSIONS, 0],
  [INIT_PRODUCER_ID, 0],
] as const;
const UNSUPPORTED_VERSION = 35;

/** Behaviour at a batch: `lost` stores it and closes the connection, `refused` does not store it and closes the connection. */
export type Fault = 'none' | 'lost' | 'refused';

/**
 * The part of Kafka's protocol that a producer of one topic with one partition needs, in the oldest versions. It is no broker: nothing
 * has passed through Kafka. It forgets batches that an idempotent producer repeats, as a broker does.
 */
export class KafkaBroker {
  readonly stored: Stored[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #batches = new Set<string>();
  #producers = 0n;

  constructor(private readonly faultOf: () => Fault) {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @returns the port */
  async start(t: TestContext): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    t.after(() => {
      this.#server.close();
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#port;
  }

  get #port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
        const end = 4 + bytes.readInt32BE(0);
        const answer = this.#answer(new Reader(bytes.subarray(4, end)));
        bytes = bytes.subarray(end);
        if (!answer) {
          socket.destroy();
          return;
        }
        socket.write(Buffer.concat([int32(answer.length), answer]));
      }
    });
  }

  /** @returns undefined to close the connection */
  #answer(request: Reader): Buffer | undefined {
    const [key, version, correlation] = [request.int16(), request.int16(), request.int32()];
    request.string();
    const body = key === API_VERSIONS ? versions(version) : this.#body(key, request);
    return body && Buffer.concat([int32(correlation), body]);
  }

  #body(key: number, request: Reader): Buffer | undefined {
    if (key === METADATA) return this.#metadata(request.array(() => request.string()));
    if (key === PRODUCE) return this.#produce(request);
    this.#producers += 1n;
    return Buffer.concat([int32(0), int16(0), int64(this.#producers), int16(0)]);
  }

  #metadata(topics: readonly string[]): Buffer {
    const broker = Buffer.concat([int32(1), string('127.0.0.1'), int32(this.#port), int16(-1)]);
    const partition = Buffer.concat([int16(0), int32(0), int32(1), array([int32(1)]), array([int32(1)])]);
    const described = topics.map((topic) => Buffer.concat([int16(0), string(topic), Buffer.of(0), array([partition])]));
    return Buffer.concat([array([broker]), int32(1), array(described)]);
  }

  #produce(request: Reader): Buffer | undefined {
    request.string();
    request.int16();
    request.int32();
    const fault = this.faultOf();
    const topics = request.array(() => {
      const topic = request.string();
      const partitions = request.array(() => {
        const index = request.int32();
        const batch = request.bytes(request.int32());
        if (fault !== 'refused') this.#store(batch);
        return Buffer.concat([int32(index), int16(0), int64(0n), int64(-1n)]);
      });
      return Buffer.concat([string(topic), array(partitions)]);
    });
    return fault === 'none' ? Buffer.concat([array(topics), int32(0)]) : undefined;
  }

  #store(batch: Reader): void {
    // Offset, length, epoch, version, checksum, attributes, last offset, two times.
    batch.bytes(8 + 4 + 4 + 1 + 4 + 2 + 4 + 8 + 8);
    const id = [batch.int64(), batch.int16(), batch.int32()].join();
    const records = batch.array(() => {
      const record = batch.bytes(batch.varint());
      record.bytes(1);
      record.varint();
      record.varint();
      const [key, value] = [record.text(), record.text()];
      const headers = Array.from({ length: record.varint() }, () => [record.text(), record.text()] as const);
      return { key, value, headers: Object.fromEntries(headers) };
    });
    if (!this.#batches.has(id)) this.stored.push(...records);
    this.#batches.add(id);
  }
}

/** A client that asks with another version learns which are served. */
function versions(asked: number): Buffer {
  const served = VERSIONS.map(([key, version]) => Buffer.concat([int16(key), int16(version), int16(version)]));
  return Buffer.concat([int16(asked === 0 ? 0 : UNSUPPORTED_VERSION), array(served)]);
}

class Reader {
  #at = 0;

  constructor(private readonly buffer: Buffer) {}

  bytes(length: number): Reader {
    this.#at += length;
    return new Reader(this.buffer.subarray(this.#at - length, this.#at));
  }

  int16(): number {
    return this.bytes(2).buffer.readInt16BE(0);
  }

  int32(): number {
    return this.bytes(4).buffer.readInt32BE(0);
  }

  int64(): bigint {
    return this.bytes(8).buffer.readBigInt64BE(0);
  }

  /** Zigzag. */
  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(this.bytes(1).buffer[0] ?? 0);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return Number((value >> 1n) ^ -(value & 1n));
    }
  }

  string(): string {
    return this.bytes(Math.max(0, this.int16())).buffer.toString();
  }

  /** Text of a record. */
  text(): string {
    return this.bytes(Math.max(0, this.varint())).buffer.toString();
  }

  array<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function string(text: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)]);
}

function array(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([int32(elements.length), ...elements]);
}
