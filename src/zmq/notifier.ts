export type ZmqTopic = 'hashblock' | 'hashtx' | 'rawblock' | 'rawtx';

/** A topic that is published at an address. */
export interface ZmqNotifier {
  readonly topic: ZmqTopic;
  /** Endpoint as ZeroMQ writes it: `tcp://127.0.0.1:28332`, `tcp://*:28332` or `ipc:///path`. */
  readonly address: string;
  /** High-water mark: messages that may wait for a subscriber, which loses those above; 0 for no limit. */
  readonly highWaterMark: number;
}
