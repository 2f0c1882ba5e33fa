import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from '../util/logger.js';

/** Paths of PEM files. They are watched: a new certificate is used without a restart. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authority whose certificates clients must show; undefined where none are asked for. */
  readonly clientCaFile: string | undefined;
}

type IdentityListener = experimental.IdentityCertificateUpdateListener;
type CaListener = experimental.CaCertificateUpdateListener;

interface Loaded {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  readonly caCertificate: Buffer | undefined;
}

const WATCH_INTERVAL_MS = 60_000;

/** @throws {Error} if a file is missing or key and certificate do not belong together */
export function serverCredentials(tls: TlsFiles | undefined, log: Logger, watchIntervalMs = WATCH_INTERVAL_MS): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const provider = new CertificateFiles(tls, log, watchIntervalMs);
  const asksClients = tls.clientCaFile !== undefined;
  return experimental.createCertificateProviderServerCredentials(provider, asksClients ? provider : null, asksClients);
}

/**
 * Certificates from files. The library's own watcher reads them in the background and drops whoever connects before; this one has
 * them before the server listens, and keeps the old ones when new ones are broken.
 */
class CertificateFiles implements experimental.CertificateProvider {
  readonly #files: TlsFiles;
  readonly #log: Logger;
  readonly #intervalMs: number;
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #caListeners = new Set<CaListener>();
  #loaded: Loaded;
  #stamp: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: TlsFiles, log: Logger, intervalMs: number) {
    this.#files = files;
    this.#log = log;
    this.#intervalMs = intervalMs;
    this.#stamp = stampOf(files);
    this.#loaded = load(files);
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
    process.nextTick(() => this.#tellCa(listener));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
    this.#unwatch();
  }

  #tellCa(listener: CaListener): void {
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
      this.#loaded = load(this.#files);
      this.#stamp = stamp;
    } catch (error) {
      this.#log.error('cannot use the new certificate, keeping the old one', { err: String(error) });
      return;
    }
    this.#log.info('certificate reloaded', { file: this.#files.certFile });
    for (const listener of this.#caListeners) this.#tellCa(listener);
    for (const listener of this.#identityListeners) listener(this.#loaded);
  }
}

function load({ certFile, keyFile, clientCaFile }: TlsFiles): Loaded {
  const [certificate, privateKey] = [readFileSync(certFile), readFileSync(keyFile)];
  const caCertificate = clientCaFile === undefined ? undefined : readFileSync(clientCaFile);
  // Throws where the pieces do not fit together.
  createSecureContext({ cert: certificate, key: privateKey, ca: caCertificate });
  return { certificate, privateKey, caCertificate };
}

/** Changes whenever one of the files does. */
function stampOf({ certFile, keyFile, clientCaFile }: TlsFiles): string {
  const files = [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])];
  return files.map((file) => `${statSync(file).mtimeMs}/${statSync(file).ino}`).join(' ');
}
