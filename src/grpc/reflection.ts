import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ServerReflectionRequest, ServerReflectionResponse } from '../../gen/ts/grpc/reflection/v1/reflection.js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { DescExtension, DescFile, DescMessage } from '../rpc/descriptors.js';
import { GrpcStatus } from '../rpc/grpc-status.js';

type Question = ServerReflectionRequest['messageRequest'];
type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;
type Stream = ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>;

/** Server reflection over the descriptor image. One object serves v1 and v1alpha, whose messages are the same. */
export class Reflection {
  readonly #descriptors: Catalogue['descriptors'];
  #symbols: Symbols | undefined;

  constructor({ descriptors }: Pick<Catalogue, 'descriptors'>) {
    this.#descriptors = descriptors;
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
    this.#symbols ??= new Symbols(this.#descriptors);
    const { files, services, fileOf, extensions } = this.#symbols;
    switch (question?.$case) {
      case 'listServices':
        return { $case: 'listServicesResponse', value: { service: services.map((name) => ({ name })) } };
      case 'fileByFilename':
        return fileAnswer(files, question.value, question.value);
      case 'fileContainingSymbol':
        return fileAnswer(files, fileOf.get(question.value), question.value);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value;
        return fileAnswer(files, extensions.get(containingType)?.get(extensionNumber), `${containingType} ${extensionNumber}`);
      }
      case 'allExtensionNumbersOfType': {
        const numbers = extensions.get(question.value);
        if (!numbers && !fileOf.has(question.value)) return notFound(question.value);
        const extensionNumber = [...(numbers?.keys() ?? [])];
        return { $case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value, extensionNumber } };
      }
      default:
        return failure(GrpcStatus.INVALID_ARGUMENT, 'empty request');
    }
  }
}

/** The names that an image declares, collected for the first question. */
class Symbols {
  readonly files: ReadonlyMap<string, DescFile>;
  readonly services: readonly string[];
  /** Name of the file that declares a symbol. */
  readonly fileOf = new Map<string, string>();
  /** Name of the file that declares an extension, by extended type and number. */
  readonly extensions = new Map<string, Map<number, string>>();

  constructor({ files }: Catalogue['descriptors']) {
    this.files = new Map(files.map((file) => [file.name, file]));
    this.services = files.flatMap((file) => file.services.map((service) => service.typeName));
    for (const file of files) this.#index(file);
  }

  #index(file: DescFile): void {
    const { name } = file;
    const put = (symbol: string): void => {
      this.fileOf.set(symbol, name);
    };
    const putMessage = (message: DescMessage): void => {
      put(message.typeName);
      for (const member of [...message.fields, ...message.oneofs]) put(`${message.typeName}.${member.name}`);
      for (const each of message.nestedEnums) put(each.typeName);
      message.nestedMessages.forEach(putMessage);
      for (const each of message.nestedExtensions) this.#putExtension(each, name);
    };
    file.messages.forEach(putMessage);
    for (const each of file.enums) put(each.typeName);
    for (const each of file.extensions) this.#putExtension(each, name);
    for (const service of file.services) {
      put(service.typeName);
      for (const method of service.methods) put(`${service.typeName}.${method.name}`);
    }
  }

  #putExtension({ typeName, extendee, number }: DescExtension, file: string): void {
    this.fileOf.set(typeName, file);
    const numbers = this.extensions.get(extendee) ?? new Map<number, string>();
    this.extensions.set(extendee, numbers.set(number, file));
  }
}

/** Descriptors of a file and of all that it imports, the file first, each once. */
function fileAnswer(files: ReadonlyMap<string, DescFile>, name: string | undefined, asked: string): Answer {
  const found = new Map<string, Buffer>();
  const collect = (each: string): void => {
    const file = files.get(each);
    if (!file || found.has(each)) return;
    found.set(each, Buffer.from(file.bytes));
    file.dependencies.forEach(collect);
  };
  if (name !== undefined) collect(name);
  if (found.size === 0) return notFound(asked);
  return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: [...found.values()] } };
}

function notFound(what: string): Answer {
  return failure(GrpcStatus.NOT_FOUND, `not found: ${what}`);
}

/** An error as an answer: unknown names do not end the stream. */
function failure(errorCode: number, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } };
}
