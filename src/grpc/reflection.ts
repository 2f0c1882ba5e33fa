import { type DescFile, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ServerReflectionRequest, ServerReflectionResponse } from '../../gen/ts/grpc/reflection/v1/reflection.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { GrpcStatus } from '../rpc/grpc-status.js';

type Question = ServerReflectionRequest['messageRequest'];
type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;
type Stream = ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>;

/** Server reflection over the descriptor image. One object serves v1 and v1alpha, whose messages are the same. */
export class Reflection {
  readonly #files: ReadonlyMap<string, { readonly file: DescFile; readonly needs: readonly string[] }>;
  readonly #services: readonly string[];
  readonly #symbols = new Map<string, string>();
  readonly #extensions = new Map<string, Map<number, string>>();

  constructor({ image, registry }: Pick<Catalogue, 'image' | 'registry'>) {
    const needs = new Map(image.file.map((file) => [file.name, file.dependency]));
    this.#files = new Map([...registry.files].map((file) => [file.proto.name, { file, needs: needs.get(file.proto.name) ?? [] }]));
    this.#services = [...registry.files].flatMap((file) => file.services.map((service) => service.typeName));
    for (const file of registry.files) this.#index(file);
  }

  /** Serves one stream: answers its questions in order. */
  readonly serve = (stream: Stream): void => {
    stream.on('data', (request: ServerReflectionRequest) => {
      const messageResponse = this.answer(request.messageRequest);
      if (stream.write({ validHost: request.host, originalRequest: request, messageResponse })) return;
      // Reflection needs no credentials: answers that a client does not read must not pile up.
      stream.pause();
      stream.once('drain', () => stream.resume());
    });
    stream.on('end', () => stream.end());
    stream.on('error', () => stream.destroy());
  };

  answer(question: Question): Answer {
    switch (question?.$case) {
      case 'listServices':
        return { $case: 'listServicesResponse', value: { service: this.#services.map((name) => ({ name })) } };
      case 'fileByFilename':
        return this.#fileAnswer(question.value, question.value);
      case 'fileContainingSymbol':
        return this.#fileAnswer(this.#symbols.get(question.value), question.value);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value;
        return this.#fileAnswer(this.#extensions.get(containingType)?.get(extensionNumber), `${containingType} ${extensionNumber}`);
      }
      case 'allExtensionNumbersOfType': {
        const numbers = this.#extensions.get(question.value);
        if (!numbers && !this.#symbols.has(question.value)) return notFound(question.value);
        const extensionNumber = [...(numbers?.keys() ?? [])];
        return { $case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value, extensionNumber } };
      }
      default:
        return failure(GrpcStatus.INVALID_ARGUMENT, 'empty request');
    }
  }

  /** Descriptors of a file and of all that it imports, the file first, each once. */
  #fileAnswer(name: string | undefined, asked: string): Answer {
    const found = new Map<string, Buffer>();
    const collect = (each: string): void => {
      const entry = this.#files.get(each);
      if (!entry || found.has(each)) return;
      found.set(each, Buffer.from(toBinary(FileDescriptorProtoSchema, entry.file.proto)));
      entry.needs.forEach(collect);
    };
    if (name !== undefined) collect(name);
    if (found.size === 0) return notFound(asked);
    return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: [...found.values()] } };
  }

  #index(file: DescFile): void {
    const name = file.proto.name;
    const put = (symbol: string): void => {
      this.#symbols.set(symbol, name);
    };
    const putMessage = (message: DescMessage): void => {
      put(message.typeName);
      for (const member of [...message.fields, ...message.oneofs]) put(`${message.typeName}.${member.name}`);
      for (const each of message.nestedEnums) put(each.typeName);
      message.nestedMessages.forEach(putMessage);
      message.nestedExtensions.forEach((each) => {
        this.#putExtension(each.extendee.typeName, each.number, each.typeName, name);
      });
    };
    file.messages.forEach(putMessage);
    for (const each of file.enums) put(each.typeName);
    for (const each of file.extensions) this.#putExtension(each.extendee.typeName, each.number, each.typeName, name);
    for (const service of file.services) {
      put(service.typeName);
      for (const method of service.methods) put(`${service.typeName}.${method.name}`);
    }
  }

  #putExtension(extendee: string, number: number, symbol: string, file: string): void {
    this.#symbols.set(symbol, file);
    const numbers = this.#extensions.get(extendee) ?? new Map<number, string>();
    this.#extensions.set(extendee, numbers.set(number, file));
  }
}

function notFound(what: string): Answer {
  return failure(GrpcStatus.NOT_FOUND, `not found: ${what}`);
}

/** An error as an answer: unknown names do not end the stream. */
function failure(errorCode: number, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } };
}
