import type { Client, SASLProvider } from 'kafka-ts';
import { batchesOf, type Sink, type SinkMessage, unlessAborted } from './sink.js';

/** Time that a broker has to answer. */
const TIMEOUT_MS = 10_000;
/** Only a partition has an order, so all events are in one. */
const PARTITION = 0;

/** Address of a broker. */
export interface KafkaBroker {
  readonly host: string;
  readonly port: number;
}

/** SASL login. */
export interface KafkaLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Options of `-eventkafka`. */
export interface KafkaOptions {
  /** Brokers that are asked for the others. */
  readonly brokers: readonly KafkaBroker[];
  readonly hasTls: boolean;
  readonly login: KafkaLogin | undefined;
  readonly topic: string;
}

/** Name of the package, which is loaded when it is needed. */
const CLIENT = 'kafka-ts';
type Kafka = typeof import('kafka-ts');
type Producer = ReturnType<Client['createProducer']>;

/**
 * Publishes events to a topic of Kafka. The key of a message is the id of its event, by which consumers and log compaction drop repeated
 * ones; its headers are `kind` and `cursor`. The producer is idempotent: its own retries repeat nothing.
 */
export class KafkaSink implements Sink {
  readonly name: string;
  readonly key: string;
  #producer: Producer | undefined;

  constructor(private readonly options: KafkaOptions) {
    const [first] = options.brokers;
    this.name = `kafka (${first?.host}:${first?.port})`;
    // Without brokers: their list may change while the topic stays the same.
    this.key = `kafka ${options.topic}`;
  }

  async publish(messages: readonly SinkMessage[], signal: AbortSignal): Promise<void> {
    const producer = await this.#opened();
    for (const batch of batchesOf(messages)) {
      signal.throwIfAborted();
      await unlessAborted(producer.send(batch.map((message) => this.#messageOf(message))), signal);
    }
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close();
  }

  #messageOf({ id, kind, cursor, json }: SinkMessage) {
    return { topic: this.options.topic, partition: PARTITION, key: id, value: json, headers: { kind, cursor } };
  }

  async #opened(): Promise<Producer> {
    if (!this.#producer) {
      const kafka = (await import(CLIENT)) as Kafka;
      // The logger of the library would write to the console of the daemon. Its errors are thrown as well.
      const ignore = (): void => {};
      kafka.setLogger({ debug: ignore, info: ignore, warn: ignore, error: ignore });
      this.#producer = this.#client(kafka).createProducer({ allowTopicAutoCreation: true });
    }
    return this.#producer;
  }

  #client(kafka: Kafka): Client {
    const { brokers, hasTls, login } = this.options;
    return kafka.createKafkaClient({
      clientId: 'dfid',
      bootstrapServers: brokers.map((broker) => ({ ...broker })),
      ssl: hasTls ? {} : null,
      sasl: login ? loginOf(kafka, login) : null,
      connectTimeout: TIMEOUT_MS,
      requestTimeout: TIMEOUT_MS,
    });
  }
}

function loginOf({ saslPlain, saslScramSha256, saslScramSha512 }: Kafka, { mechanism, ...login }: KafkaLogin): SASLProvider {
  return { plain: saslPlain, 'scram-sha-256': saslScramSha256, 'scram-sha-512': saslScramSha512 }[mechanism](login);
}
