import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from '../util/logger.js';

/** Paths of PEM files. The files are watched, so that a new certificate is used without a restart. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificate authority of the client certificates that are required; undefined if none are. */
  readonly clientCaFile: string | undefined;
}

type IdentityListener = experimental.IdentityCertificateUpdateListener;
type CaListener = experimental.CaCertificateUpdateListener;

/** Contents of the files. */
export interface LoadedTls {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  readonly caCertificate: Buffer | undefined;
}

const WATCH_INTERVAL_MS = 60_000;

/** Credentials of the server. @throws {Error} if a file is missing, or key and certificate do not match */
export function serverCredentials(tls: TlsFiles | undefined, log: Logger, watchIntervalMs = WATCH_INTERVAL_MS): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const provider = new CertificateFiles(tls, log, watchIntervalMs);
  const asksClients = tls.clientCaFile !== undefined;
  return experimental.createCertificateProviderServerCredentials(provider, asksClients ? provider : null, asksClients);
}

/**
 * Certificates from files. The watcher of the gRPC library reads them in the background and drops connections until it has them; this one
 * has them before the server listens, and keeps the old ones if new ones cannot be used.
 */
class CertificateFiles implements experimental.CertificateProvider {
  readonly #files: TlsFiles;
  readonly #log: Logger;
  readonly #intervalMs: number;
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #caListeners = new Set<CaListener>();
  #loaded: LoadedTls;
  #stamp: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: TlsFiles, log: Logger, intervalMs: number) {
    this.#files = files;
    this.#log = log;
    this.#intervalMs = intervalMs;
    this.#stamp = stampOf(files);
    this.#loaded = loadTlsFiles(files);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    this.#watch();
    process.nextTick(() => listener(this.#loaded));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
    this.#unwatch();
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    this.#watch();
    process.nextTick(() => this.#notifyCa(listener));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
    this.#unwatch();
  }

  #notifyCa(listener: CaListener): void {
    const { caCertificate } = this.#loaded;
    listener(caCertificate ? { caCertificate } : null);
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#reload(), this.#intervalMs).unref();
  }

  #unwatch(): void {
    if (this.#identityListeners.size + this.#caListeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #reload(): void {
    try {
      const stamp = stampOf(this.#files);
      if (stamp === this.#stamp) return;
      this.#loaded = loadTlsFiles(this.#files);
      this.#stamp = stamp;
    } catch (error) {
      this.#log.error('cannot use the new certificate, keeping the old one', { err: String(error) });
      return;
    }
    this.#log.info('certificate reloaded', { file: this.#files.certFile });
    for (const listener of this.#caListeners) this.#notifyCa(listener);
    for (const listener of this.#identityListeners) listener(this.#loaded);
  }
}

/** Reads the files. @throws {Error} that names the options, if a file cannot be read or key and certificate do not match */
export function loadTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): LoadedTls {
  const certificate = readOption('grpctlscert', certFile);
  const privateKey = readOption('grpctlskey', keyFile);
  const caCertificate = clientCaFile === undefined ? undefined : readAuthority('grpcclientca', clientCaFile);
  try {
    createSecureContext({ cert: certificate, key: privateKey, ca: caCertificate });
  } catch (cause) {
    const options = `-grpctlscert and -grpctlskey${clientCaFile === undefined ? '' : ', or of -grpcclientca'}`;
    throw new Error(`Error in the files of ${options}: ${(cause as Error).message}`, { cause });
  }
  return { certificate, privateKey, caCertificate };
}

/**
 * Certificate authority of an option, PEM. TLS itself would take any text, and every connection would fail.
 * @throws {Error} that names the option, if the file cannot be read or does not begin with a certificate
 */
export function readAuthority(option: string, file: string): Buffer {
  const pem = readOption(option, file);
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new Error(`Error in the file of -${option}: ${(cause as Error).message}`, { cause });
  }
  return pem;
}

function readOption(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`Error in the file of -${option}: ${(cause as Error).message}`, { cause });
  }
}

/** Text that changes whenever one of the files does. */
function stampOf({ certFile, keyFile, clientCaFile }: TlsFiles): string {
  const files = [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])];
  // A missing file is reported when it is read, with its option.
  const stats = files.map((file) => statSync(file, { throwIfNoEntry: false }));
  return stats.map((found) => `${found?.mtimeMs}/${found?.ino}`).join(' ');
}
