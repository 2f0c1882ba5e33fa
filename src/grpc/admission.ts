import type { Metadata, ServerInterceptingCall, ServerInterceptingCallInterface, ServerInterceptor } from '@grpc/grpc-js';
import { type Caller, requireAccess } from '../rpc/access.js';
import type { Catalogue, Operation } from '../rpc/catalogue.js';
import type { CertificateRoles } from '../rpc/certificate-roles.js';
import type { Credentials } from '../rpc/credentials.js';
import type { LoginThrottle } from '../rpc/login-throttle.js';
import { ByteBudget, type Lease } from '../util/byte-budget.js';
import { NodeError } from '../util/errors.js';
import { firstText } from './call.js';
import { grpcStatusOf } from './errors.js';
import type { GrpcListener } from './listen.js';
import { EncodedRequest, limitRequest, requestLimit } from './request.js';

export interface AdmissionLimits {
  /** Bytes of the requests of all calls together, while they are received and while their calls run. */
  readonly requestBytes: number;
  /** Calls that may wait for room before their request is received. */
  readonly waitingCalls: number;
  /** Time within which a request must be received, ms. */
  readonly receiveMs: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = { requestBytes: 128 * 1024 * 1024, waitingCalls: 1000, receiveMs: 30_000 };

export interface AdmissionParts {
  readonly catalogue: Pick<Catalogue, 'byPath'>;
  readonly credentials: Pick<Credentials, 'check'>;
  /** Undefined if no role is configured for client certificates. */
  readonly certificates?: Pick<CertificateRoles, 'callerOf'> | undefined;
  readonly throttle: Pick<LoginThrottle, 'mayTry' | 'failed'>;
  readonly connections: Pick<GrpcListener, 'connectionOf'>;
  readonly metrics?: { rejected(reason: 'unauthenticated' | 'permission' | 'queue'): void };
}

/** Maximum size of requests of health checks and reflection, in bytes. */
const SMALL_REQUEST_BYTES = 4096;

/**
 * Admits a call by its metadata, before any byte of its message is received: it checks credentials and rights and reserves room for the
 * request. The message of a refused call is neither received nor decoded.
 */
export class GrpcAdmission {
  readonly #parts: AdmissionParts;
  readonly #limits: AdmissionLimits;
  readonly #budget: ByteBudget;
  readonly #callers = new WeakMap<Metadata, Caller>();

  constructor(limits: AdmissionLimits, parts: AdmissionParts) {
    this.#limits = limits;
    this.#parts = parts;
    this.#budget = new ByteBudget(limits.requestBytes, limits.waitingCalls);
  }

  /** Interceptor for the server of the gRPC library. */
  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    const operation = this.#parts.catalogue.byPath(path);
    limitRequest(call, operation ? requestLimit(operation) : SMALL_REQUEST_BYTES);
    // Health checks and reflection need no credentials: probes and tools send none.
    const admitted: Base = operation ? new AdmittedCall(call, this, operation) : call;
    // The declared type is a class, but the library calls only the methods of its interface.
    return admitted as ServerInterceptingCall;
  };

  /** The caller of an admitted call. */
  callerOf(metadata: Metadata): Caller {
    const caller = this.#callers.get(metadata);
    if (!caller) throw new Error('a call was not admitted');
    return caller;
  }

  /**
   * Checks credentials and rights.
   * @returns undefined if the call is admitted; an error, or a promise of one that resolves after a delay, if it is refused
   */
  refusalOf(call: ServerInterceptingCallInterface, metadata: Metadata, op: Operation): NodeError | Promise<NodeError> | undefined {
    const authorization = firstText(metadata, 'authorization');
    const caller = authorization === undefined ? this.#certified(call) : this.#authenticated(call, authorization);
    if (caller instanceof NodeError || caller instanceof Promise) return caller;
    this.#callers.set(metadata, caller);
    return this.#denial(op, caller);
  }

  /** Authenticates by the client certificate, if the call has no credentials. A gateway with a certificate sends those of its callers. */
  #certified(call: ServerInterceptingCallInterface): Caller | NodeError {
    const subject = this.#parts.certificates && call.getAuthContext().sslPeerCertificate?.subject;
    const caller = subject && this.#parts.certificates?.callerOf(subject);
    return caller ?? this.#unauthenticated('credentials are needed: authorization: Basic ...');
  }

  #authenticated(call: ServerInterceptingCallInterface, authorization: string): Caller | NodeError | Promise<NodeError> {
    const { credentials, throttle, connections } = this.#parts;
    const connection = connections.connectionOf(call.getPeer());
    const proven = connection?.proofs.get(authorization);
    if (proven) return proven;
    // The library sees the inner end of a connection that is relayed to it.
    const { remoteAddress } = connection ?? call.getConnectionInfo();
    if (!throttle.mayTry(remoteAddress)) {
      this.#parts.metrics?.rejected('unauthenticated');
      return new NodeError('resource-exhausted', 'Too many failed log-ins');
    }
    const caller = credentials.check(authorization);
    if (caller) {
      connection?.proofs.set(authorization, caller);
      return caller;
    }
    const error = this.#unauthenticated('incorrect credentials');
    return throttle.failed(remoteAddress).then(() => error);
  }

  /** Reserves room for a request. @param granted called once it may be received @returns undefined if too many calls wait */
  reserve(op: Operation, granted: () => void): Lease | undefined {
    const lease = this.#budget.reserve(requestLimit(op), granted);
    if (!lease) this.#parts.metrics?.rejected('queue');
    return lease;
  }

  get receiveMs(): number {
    return this.#limits.receiveMs;
  }

  #unauthenticated(text: string): NodeError {
    this.#parts.metrics?.rejected('unauthenticated');
    return new NodeError('unauthenticated', text);
  }

  #denial(op: Operation, caller: Caller): NodeError | undefined {
    try {
      requireAccess(op.name, op, caller);
      return undefined;
    } catch (error) {
      this.#parts.metrics?.rejected('permission');
      return error as NodeError;
    }
  }
}

/** Messages of one stream that may wait for the socket. */
const MAX_UNSENT = 32;

type Base = ServerInterceptingCallInterface;
type Listener = Parameters<Base['start']>[0];

/**
 * One call, from the arrival of its metadata to its end: the layer between the transport of the library and the method. A single object
 * for both directions, because the interceptors that the library's builders make cost as much as a short call.
 */
class AdmittedCall implements Base, Listener {
  readonly #call: Base;
  readonly #admission: GrpcAdmission;
  readonly #operation: Operation;
  #listener: Listener | undefined;
  #lease: Lease | undefined;
  #late: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Messages that the socket has not accepted yet. */
  #unsent = 0;
  /** Continues a stream that waits for a slow client. */
  #next: (() => void) | undefined;

  constructor(call: Base, admission: GrpcAdmission, operation: Operation) {
    this.#call = call;
    this.#admission = admission;
    this.#operation = operation;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#call.start(this);
  }

  onReceiveMetadata(metadata: Metadata): void {
    if (this.#isOver) return;
    const refusal = this.#admission.refusalOf(this.#call, metadata, this.#operation);
    if (refusal instanceof Promise) void refusal.then((error) => this.#refuse(error));
    else if (refusal) this.#refuse(refusal);
    else this.#receive(metadata);
  }

  onReceiveMessage(message: unknown): void {
    if (this.#isOver) return;
    if (message instanceof EncodedRequest) this.#lease?.shrink(message.bytes.length);
    this.#listener?.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    if (this.#isOver) return;
    clearTimeout(this.#late);
    this.#listener?.onReceiveHalfClose();
  }

  /** The call was answered, refused or cancelled. */
  onCancel(): void {
    this.#isOver = true;
    clearTimeout(this.#late);
    this.#lease?.release();
    this.#listener?.onCancel();
  }

  sendMetadata(metadata: Metadata): void {
    this.#call.sendMetadata(metadata);
  }

  /**
   * The library sends one message at a time, each in a packet of its own. Here the next one, or the status, may follow before the last has
   * left, so that they share packets.
   */
  sendMessage(message: unknown, callback: () => void): void {
    this.#unsent += 1;
    this.#call.sendMessage(message, () => {
      this.#unsent -= 1;
      const next = this.#next;
      this.#next = undefined;
      next?.();
    });
    if (this.#unsent < MAX_UNSENT) callback();
    else this.#next = callback;
  }

  sendStatus(status: Parameters<Base['sendStatus']>[0]): void {
    this.#call.sendStatus(status);
  }

  startRead(): void {
    this.#call.startRead();
  }

  getPeer(): string {
    return this.#call.getPeer();
  }

  getDeadline(): ReturnType<Base['getDeadline']> {
    return this.#call.getDeadline();
  }

  getHost(): string {
    return this.#call.getHost();
  }

  getAuthContext(): ReturnType<Base['getAuthContext']> {
    return this.#call.getAuthContext();
  }

  getConnectionInfo(): ReturnType<Base['getConnectionInfo']> {
    return this.#call.getConnectionInfo();
  }

  getMetricsRecorder(): ReturnType<Base['getMetricsRecorder']> {
    return this.#call.getMetricsRecorder();
  }

  #receive(metadata: Metadata): void {
    const { receiveMs } = this.#admission;
    const granted = (): void => {
      this.#late = setTimeout(() => this.#refuse(new NodeError('deadline-exceeded', 'the request was not received in time')), receiveMs);
      this.#listener?.onReceiveMetadata(metadata);
    };
    this.#lease = this.#admission.reserve(this.#operation, granted);
    if (!this.#lease) this.#refuse(new NodeError('resource-exhausted', 'too many requests are under way'));
    else if (this.#isOver) this.#lease.release();
  }

  #refuse(error: NodeError): void {
    if (!this.#isOver) this.#call.sendStatus(grpcStatusOf(error));
  }
}
