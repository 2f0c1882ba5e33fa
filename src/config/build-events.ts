import type { KafkaBroker, KafkaOptions } from '../sinks/kafka.js';
import type { EventsConfig } from './config.js';
import { ConfigError } from './errors.js';
import type { Settings } from './settings.js';

/** Options of what sends events. @throws {ConfigError} for bad addresses, webhooks without secret, and without events */
export function eventsConfig(settings: Settings): EventsConfig {
  const secret = settings.text('eventwebhookkey');
  const webhooks = settings.list('eventwebhook').map((url) => ({ url: checkUrl('eventwebhook', url, ['http:', 'https:']), secret }));
  if (webhooks.length > 0 && secret === '') throw new ConfigError('-eventwebhook needs -eventwebhookkey');
  const subject = settings.text('eventnatssubject');
  const server = settings.text('eventnats');
  const nats = server ? { url: checkUrl('eventnats', server, ['nats:', 'tls:']), subject } : undefined;
  const kafka = kafkaOptions(settings);
  if ((webhooks.length > 0 || nats || kafka) && settings.int('eventretention') <= 0)
    throw new ConfigError('-eventwebhook, -eventnats and -eventkafka need -eventretention');
  const kinds = settings.text('eventkinds').split(',');
  return { kinds: kinds.map((kind) => kind.trim()).filter((kind) => kind !== ''), webhooks, nats, kafka };
}

const KAFKA_ADDRESS = /^(kafka|kafka\+ssl):\/\/(?:([^:@/]+):([^@/]*)@)?([^@/]+)\/?$/;
const KAFKA_PORT = 9092;
const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

function kafkaOptions(settings: Settings): KafkaOptions | undefined {
  const [address, topic] = [settings.text('eventkafka'), settings.text('eventkafkatopic')];
  const mechanism = SASL_MECHANISMS.find((each) => each === settings.text('eventkafkasasl').toLowerCase());
  if (!mechanism) throw new ConfigError(`-eventkafkasasl must be one of ${SASL_MECHANISMS.join(', ')}`);
  if (!address) return undefined;
  const [, scheme, user, password = '', servers = ''] = KAFKA_ADDRESS.exec(address) ?? [];
  try {
    const login =
      user === undefined ? undefined : { mechanism, username: decodeURIComponent(user), password: decodeURIComponent(password) };
    const brokers = servers.split(',').map(brokerOf);
    return { brokers, hasTls: scheme === 'kafka+ssl', login, topic };
  } catch {
    throw new ConfigError('-eventkafka needs an address like kafka://host:port or kafka+ssl://user:password@host:port,host:port');
  }
}

/** @throws {TypeError} if the text is no host with a port */
function brokerOf(server: string): KafkaBroker {
  const { hostname, port } = new URL(`kafka://${server || ':'}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? KAFKA_PORT : Number(port) };
}

/** The address may contain secrets, so the error does not. */
function checkUrl(option: string, url: string, protocols: readonly string[]): string {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol))
    throw new ConfigError(`-${option} needs an address that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
  return url;
}
