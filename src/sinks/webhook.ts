import { createHash, createHmac } from 'node:crypto';
import { batchesOf, type Sink, SinkGone, type SinkMessage } from './sink.js';

/** Time that a receiver has to answer. */
const TIMEOUT_MS = 10_000;
const GONE = 410;
/** Prefix of secrets in Base64, as the specification suggests. */
const BASE64_SECRET = 'whsec_';

export interface WebhookOptions {
  /** `http` or `https`; user and password become an authorization header. */
  readonly url: string;
  /** Key of the signature: bytes in Base64 after `whsec_`, else the text itself. */
  readonly secret: string;
}

/**
 * Posts events to an address, as a JSON array of the messages that streams send. `webhook-id` is the id of the last event,
 * `webhook-signature` the HMAC-SHA-256 of `id.timestamp.body`. A redirect is a failure, because it could lead anywhere.
 */
export class Webhook implements Sink {
  readonly name: string;
  readonly key: string;
  readonly #url: URL;
  readonly #secret: Buffer;
  readonly #authorization: string | undefined;

  /** @param number place in the configuration, for the name */
  constructor({ url, secret }: WebhookOptions, number: number) {
    this.#url = new URL(url);
    const { username, password, host } = this.#url;
    this.name = `webhook ${number} (${host})`;
    this.key = `webhook ${createHash('sha256').update(url).digest('hex')}`;
    this.#secret = secret.startsWith(BASE64_SECRET) ? Buffer.from(secret.slice(BASE64_SECRET.length), 'base64') : Buffer.from(secret);
    if (username !== '') {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.#authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      this.#url.username = this.#url.password = '';
    }
  }

  async publish(messages: readonly SinkMessage[], signal: AbortSignal): Promise<void> {
    for (const batch of batchesOf(messages)) await this.#publishBatch(batch, signal);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #publishBatch(messages: readonly SinkMessage[], signal: AbortSignal): Promise<void> {
    const body = `[${messages.map(({ json }) => json).join(',')}]`;
    const id = messages.at(-1)?.id ?? '';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await this.#post({
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${createHmac('sha256', this.#secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
        ...(this.#authorization !== undefined && { authorization: this.#authorization }),
      },
    });
    await response.body?.cancel();
    if (response.status === GONE) throw new SinkGone(`${this.name} answered 410`);
    if (!response.ok) throw new Error(`status ${response.status}`);
  }

  /** @throws {Error} that says what failed; the message of `fetch` never does, but its cause */
  async #post(request: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url, request);
    } catch (error) {
      throw error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
    }
  }
}
