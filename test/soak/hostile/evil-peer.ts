import { connect, type Socket } from 'node:net';
import { signCompact } from '../../../src/crypto/ecdsa.js';
import { encodeFrame, FrameParser } from '../../../src/p2p/wire/envelope.js';
import { type Command, type WireMessage, wireCodecs } from '../../../src/p2p/wire/messages.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { type BlockHeader, blockHash, hashToSign } from '../../../src/primitives/header.js';
import { testVersion } from '../../unit/p2p/fixture.js';

const params = networkParams({ network: 'regtest', dummyPos: true });
const codecs = wireCodecs(params.txFormat);
/** Any secret will do: before its block is connected, nothing ties the signature of a header to a masternode. */
const SECRET = new Uint8Array(32).fill(7);

/** A peer that completes the handshake correctly and then sends anything. */
export class EvilPeer {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isOpen = false;
        resolve();
      });
    });
  }

  /** @returns undefined if the node does not accept the connection, or does not answer for five seconds */
  static async connect(port: number, localAddress: string): Promise<EvilPeer | undefined> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    const peer = new EvilPeer(socket);
    const ready = new Promise<true>((resolve) => {
      const parser = new FrameParser(params.p2pMagic, (command) => command in codecs);
      socket.on('data', (bytes: Buffer) => {
        parser.push(bytes, (frame) => {
          if (frame.kind !== 'message') return;
          if (frame.command === 'version') peer.send({ command: 'verack', payload: {} });
          if (frame.command === 'verack') resolve(true);
          if (frame.command === 'ping') socket.write(encodeFrame(params.p2pMagic, 'pong', frame.payload));
        });
      });
    });
    peer.send({ command: 'version', payload: { ...testVersion, nonce: BigInt(Math.floor(Math.random() * 2 ** 48)) } });
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 5_000).unref());
    if (await Promise.race([ready, peer.#closed.then(() => false), late])) return peer;
    peer.close();
    return undefined;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send<C extends Command>({ command, payload }: WireMessage<C>): void {
    this.raw(encodeFrame(params.p2pMagic, command, encode(codecs[command] as never, payload as never)));
  }

  raw(bytes: Uint8Array): void {
    if (this.#isOpen) this.#socket.write(bytes);
  }

  /** Waits until the node has read all that was sent, or the connection has ended. */
  async drained(): Promise<void> {
    if (this.#socket.writableLength === 0) return;
    await Promise.race([new Promise((resolve) => this.#socket.once('drain', resolve)), this.#closed]);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** An endless chain of headers on the genesis block. */
export function* endlessHeaders(): Generator<BlockHeader> {
  let parent = params.genesis.header;
  for (let height = 1n; ; height++) {
    const header: BlockHeader = {
      ...parent,
      prevHash: blockHash(parent),
      time: parent.time + 1,
      stakeModifier: NULL_HASH,
      height,
      mintedBlocks: 1n,
      signature: new Uint8Array(0),
    };
    parent = { ...header, signature: signCompact(hashToSign(header), SECRET) };
    yield parent;
  }
}
