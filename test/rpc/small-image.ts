import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, loadCatalogue } from '../../src/rpc/catalogue.js';
import { projectRoot } from '../shared.js';

const HEAD = 'syntax = "proto3";\npackage test.v1;\nimport "dfi/rpc/v1/options.proto";\nimport "google/protobuf/struct.proto";\n';

/** Catalogue of one proto file. @param proto text after the imports */
export function catalogueOf(proto: string): Catalogue {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-image-'));
  try {
    mkdirSync(join(directory, 'dfi/rpc/v1'), { recursive: true });
    cpSync(join(projectRoot, 'proto/dfi/rpc/v1/options.proto'), join(directory, 'dfi/rpc/v1/options.proto'));
    mkdirSync(join(directory, 'test/v1'), { recursive: true });
    writeFileSync(join(directory, 'test/v1/test.proto'), HEAD + proto);
    writeFileSync(join(directory, 'buf.yaml'), 'version: v2\n');
    const image = join(directory, 'image.binpb');
    execFileSync(join(projectRoot, 'node_modules/.bin/buf'), ['build', directory, '-o', image]);
    const bytes = readFileSync(image);
    return loadCatalogue(bytes, () => bytes);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
