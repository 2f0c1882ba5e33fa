import { Client, type ClientOptions, credentials, Metadata, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import { serviceDefinitions } from '../../grpc/definitions.js';
import { DIALECT_KEY } from '../../grpc/dialect.js';
import { type CallSettings, headerOf } from '../../rpc/call-settings.js';
import type { Operation } from '../../rpc/catalogue.js';
import type { CallContext } from '../../rpc/handler.js';
import type { OpenCall } from '../../rpc/invoke.js';
import { NodeError } from '../../util/errors.js';
import type { CallInvoker } from '../operations.js';
import { materialise } from './materialise.js';
import { remoteError } from './remote-error.js';

/** The node behind a gateway. */
export interface Upstream {
  /** `host:port` of its gRPC listener. */
  readonly address: string;
  /** Undefined for a plain connection. */
  readonly tls: { readonly ca: Uint8Array | undefined } | undefined;
}

const CLIENT_OPTIONS: ClientOptions = {
  // A block may be larger than the default limit of 4 MiB.
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/** Client of the upstream node. */
export function connectUpstream({ address, tls }: Upstream): Client {
  const channel = tls ? credentials.createSsl(tls.ca ? Buffer.from(tls.ca) : null) : credentials.createInsecure();
  return new Client(address, channel, CLIENT_OPTIONS);
}

/** Runs operations on the upstream node with the credentials of the caller. That node also rejects calls during its warm-up. */
export class RemoteInvoker implements CallInvoker {
  readonly #methods = new Map<string, MethodDefinition<object, object>>();

  constructor(readonly client: Client) {
    for (const service of serviceDefinitions) for (const method of Object.values(service)) this.#methods.set(method.path, method);
  }

  /** Nothing to check: the upstream node does. */
  requireReady(): void {}

  /** @throws {NodeError} while it is read: the error of the upstream node */
  async *stream(op: Operation, request: object, call: ForwardedCall): AsyncGenerator<object> {
    const method = this.#methods.get(op.path);
    if (!method) throw new NodeError('not-implemented', `${op.name} is not implemented yet`);
    const { path, requestSerialize, responseDeserialize } = method;
    const message = materialise(op.input, request);
    const running = this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, message, metadataOf(call));
    const cancel = (): void => running.cancel();
    call.signal.addEventListener('abort', cancel, { once: true });
    if (call.signal.aborted) cancel();
    try {
      for await (const each of running) yield each as object;
    } catch (error) {
      throw isServiceError(error) ? remoteError(error) : error;
    } finally {
      call.signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  open(op: Operation, call: CallContext): OpenCall {
    return (request) => this.invoke(op, request, call);
  }

  /** @throws {NodeError} for invalid arguments; the promise rejects with the error of the upstream node */
  invoke(op: Operation, request: object, call: ForwardedCall): Promise<object> {
    const method = this.#methods.get(op.path);
    if (!method) throw new NodeError('not-implemented', `${op.name} is not implemented yet`);
    const message = materialise(op.input, request);
    const metadata = metadataOf(call);
    return new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = method;
      const running = this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, (error, response) => {
        call.signal.removeEventListener('abort', cancel);
        if (error) reject(remoteError(error));
        else resolve(response ?? {});
      });
      const cancel = (): void => running.cancel();
      call.signal.addEventListener('abort', cancel, { once: true });
      if (call.signal.aborted) cancel();
    });
  }
}

/** A call with the credentials of its caller. */
type ForwardedCall = CallContext & { readonly authorization?: string | undefined };

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}

function metadataOf(call: ForwardedCall): Metadata {
  const metadata = new Metadata();
  metadata.set(DIALECT_KEY, call.dialect);
  metadata.set('x-request-id', printable(call.requestId));
  if (call.authorization !== undefined) metadata.set('authorization', printable(call.authorization));
  if (call.wallet !== undefined) metadata.set('x-wallet', walletText(call.wallet));
  for (const [setting, isOn] of Object.entries(call.settings ?? {}))
    metadata.set(headerOf(setting as keyof CallSettings), isOn ? '1' : '0');
  return metadata;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}

function walletText(wallet: string): string {
  if (/[^\x20-\x7e]/.test(wallet)) throw new NodeError('wallet-not-found', 'Requested wallet does not exist or is not loaded');
  return wallet;
}
