import type { MethodDefinition } from '@grpc/grpc-js';
import { serviceDefinitions } from '../../src/grpc/definitions.js';
import type { Operation } from '../../src/rpc/catalogue.js';
import { committedCatalogue } from '../rpc/catalogue.js';

export const catalogue = committedCatalogue();

export interface GrpcMethod {
  readonly operation: Operation;
  readonly definition: MethodDefinition<unknown, unknown>;
}

/** Every unary method. Inputs of `grpc-request` begin with an index into this list, in two bytes. */
export const grpcMethods: readonly GrpcMethod[] = serviceDefinitions
  .flatMap((service) => Object.values(service) as MethodDefinition<unknown, unknown>[])
  .flatMap((definition) => {
    const operation = catalogue.byPath(definition.path);
    return operation && !operation.streams ? [{ operation, definition }] : [];
  });
