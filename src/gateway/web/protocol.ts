import type { IncomingMessage, ServerResponse } from 'node:http';
import { Status } from '../../../gen/ts/google/rpc/status.js';
import { grpcStatusOf } from '../../grpc/errors.js';
import type { Operation } from '../../rpc/catalogue.js';
import { toNodeError } from '../../rpc/errors.js';
import { GrpcStatus, grpcStatusName, httpOfGrpc } from '../../rpc/grpc-status.js';
import { NodeError } from '../../util/errors.js';
import { JSON_TYPE, send } from '../reply.js';

/** A protocol that carries messages of gRPC over HTTP/1.1. */
export interface Protocol {
  /** Messages are JSON. */
  readonly isJson: boolean;
  /** @throws {NodeError} `invalid-params` for a body that does not hold exactly one message */
  messageIn(body: Uint8Array): Uint8Array;
  /** Type of the answer of a call that has one. */
  readonly type: string;
  /** Body of that answer. @param message in pieces */
  body(message: readonly Uint8Array[]): readonly Uint8Array[];
  /** Answers with an error instead of an answer or a stream. */
  refuse(res: ServerResponse, thrown: unknown): void;
  /** Begins a stream. */
  begin(res: ServerResponse): void;
  /** A message of a stream. */
  frame(message: readonly Uint8Array[]): Buffer;
  /** The end of a stream. @param thrown undefined for success */
  end(thrown?: unknown): Buffer;
}

/** Length of the flags and the size in front of a message. */
export const FRAME_HEAD = 5;
const COMPRESSED = 1;
/** Flag of the frame that ends a stream of Connect. */
const END_OF_STREAM = 2;
/** Flag of the frame with the trailers of gRPC-Web. */
const TRAILERS = 0x80;

/** @returns undefined for a content that is not one of ours, or not one for the kind of operation */
export function protocolOf({ method, headers }: IncomingMessage, op: Operation, query: URLSearchParams): Protocol | undefined {
  if (method === 'GET') return isConnectGet(op, query) ? new ConnectUnary(query.get('encoding') === 'json') : undefined;
  const type = (headers['content-type'] ?? '').toLowerCase().replace(/\s*;\s*charset=utf-8$/, '');
  const grpcWeb = /^application\/grpc-web(-text)?(\+proto)?$/.exec(type);
  if (grpcWeb) return new GrpcWeb(type, grpcWeb[1] !== undefined);
  const [, streams, format] = /^application\/(connect\+)?(proto|json)$/.exec(type) ?? [];
  if (format === undefined || (streams !== undefined) !== op.streams) return undefined;
  return op.streams ? new ConnectStream(format === 'json') : new ConnectUnary(format === 'json');
}

function isConnectGet(op: Operation, query: URLSearchParams): boolean {
  const isUsual = ['proto', 'json'].includes(query.get('encoding') ?? '') && !query.has('compression') && query.has('message');
  return isUsual && op.descriptor.isFreeOfEffects && !op.streams;
}

/** The message of a request with GET. */
export function messageOfQuery(query: URLSearchParams): Uint8Array {
  const text = query.get('message') ?? '';
  return Buffer.from(text, query.get('base64') === '1' ? 'base64url' : 'utf8');
}

function frame(flags: number, message: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt8(flags);
  head.writeUInt32BE(
    message.reduce((sum, piece) => sum + piece.length, 0),
    1,
  );
  return Buffer.concat([head, ...message]);
}

function messageOfFrame(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length < FRAME_HEAD || bytes.readUInt32BE(1) !== bytes.length - FRAME_HEAD) throw malformed('the body must hold one message');
  if (bytes[0] === COMPRESSED) throw malformed('compressed messages are not accepted');
  if (bytes[0] !== 0) throw malformed('unknown flags of a message');
  return bytes.subarray(FRAME_HEAD);
}

function malformed(text: string): NodeError {
  return new NodeError('invalid-params', text);
}

/** @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md */
class GrpcWeb implements Protocol {
  readonly isJson = false;

  /** @param isText the body is base64 */
  constructor(
    readonly type: string,
    readonly isText: boolean,
  ) {}

  messageIn(body: Uint8Array): Uint8Array {
    return messageOfFrame(this.isText ? Buffer.from(Buffer.from(body).toString('latin1'), 'base64') : body);
  }

  body(message: readonly Uint8Array[]): readonly Uint8Array[] {
    return [this.#sent(Buffer.concat([frame(0, message), trailers()]))];
  }

  refuse(res: ServerResponse, thrown: unknown): void {
    if (res.destroyed) return;
    res.writeHead(200, { 'Content-Type': this.type, ...trailersOf(thrown), 'Content-Length': '0' });
    res.end();
  }

  begin(res: ServerResponse): void {
    res.writeHead(200, { 'Content-Type': this.type, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  }

  frame(message: readonly Uint8Array[]): Buffer {
    return this.#sent(frame(0, message));
  }

  end(thrown?: unknown): Buffer {
    return this.#sent(trailers(thrown));
  }

  /** Parts of a stream in base64 are padded each. */
  #sent(bytes: Buffer): Buffer {
    return this.isText ? Buffer.from(bytes.toString('base64')) : bytes;
  }
}

function trailers(thrown?: unknown): Buffer {
  const fields = thrown === undefined ? { 'grpc-status': '0' } : trailersOf(thrown);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return frame(TRAILERS, [Buffer.from(lines.join(''))]);
}

function trailersOf(thrown: unknown): Record<string, string> {
  const { code, details, metadata } = grpcStatusOf(toNodeError(thrown));
  const [bytes] = metadata.get('grpc-status-details-bin');
  return {
    'grpc-status': String(code),
    'grpc-message': encodeURIComponent(Buffer.from(details).toString()),
    'grpc-status-details-bin': Buffer.from(bytes ?? '').toString('base64'),
  };
}

/** Calls with one answer in the protocol of Connect: the message is the body. @see https://connectrpc.com/docs/protocol */
class ConnectUnary implements Protocol {
  readonly type: string;

  constructor(readonly isJson: boolean) {
    this.type = isJson ? JSON_TYPE : 'application/proto';
  }

  messageIn(body: Uint8Array): Uint8Array {
    return body;
  }

  body(message: readonly Uint8Array[]): readonly Uint8Array[] {
    return message;
  }

  refuse(res: ServerResponse, thrown: unknown): void {
    const { code } = grpcStatusOf(toNodeError(thrown));
    send(res, httpOfGrpc(code), JSON_TYPE, JSON.stringify(connectError(thrown)));
  }

  begin(): void {
    throw new Error('the protocol of a call with one answer cannot carry a stream');
  }

  frame(): Buffer {
    throw new Error('the protocol of a call with one answer cannot carry a stream');
  }

  end(): Buffer {
    throw new Error('the protocol of a call with one answer cannot carry a stream');
  }
}

/** Streams in the protocol of Connect: messages in frames, the last of which ends the stream. */
class ConnectStream implements Protocol {
  readonly type: string;

  constructor(readonly isJson: boolean) {
    this.type = `application/connect+${isJson ? 'json' : 'proto'}`;
  }

  messageIn(body: Uint8Array): Uint8Array {
    return messageOfFrame(body);
  }

  body(): never {
    throw new Error('the protocol of a stream cannot carry a call with one answer');
  }

  refuse(res: ServerResponse, thrown: unknown): void {
    if (res.destroyed) return;
    this.begin(res);
    res.end(this.end(thrown));
  }

  begin(res: ServerResponse): void {
    res.writeHead(200, { 'Content-Type': this.type, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  }

  frame(message: readonly Uint8Array[]): Buffer {
    return frame(0, message);
  }

  end(thrown?: unknown): Buffer {
    return frame(END_OF_STREAM, [Buffer.from(JSON.stringify(thrown === undefined ? {} : { error: connectError(thrown) }))]);
  }
}

interface ConnectError {
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly type: string; readonly value: string }[];
}

function connectError(thrown: unknown): ConnectError {
  const { code, details, metadata } = grpcStatusOf(toNodeError(thrown));
  const [bytes] = metadata.get('grpc-status-details-bin');
  const status = Status.decode(Buffer.from(bytes ?? ''));
  return {
    code: code === GrpcStatus.CANCELLED ? 'canceled' : grpcStatusName(code).toLowerCase(),
    message: details,
    details: status.details.map(({ typeUrl, value }) => ({
      type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
      value: Buffer.from(value).toString('base64').replace(/=+$/, ''),
    })),
  };
}
