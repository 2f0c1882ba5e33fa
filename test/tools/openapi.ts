/**
 * The OpenAPI document of the committed descriptor images.
 *   node --import tsx test/tools/openapi.ts --write    writes gen/openapi.json
 *   node --import tsx test/tools/openapi.ts            prints it
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { openApi } from '../../src/gateway/documents/openapi.js';
import { loadCatalogue } from '../../src/rpc/catalogue.js';

const root = new URL('../../', import.meta.url);
export const openApiFile = new URL('gen/openapi.json', root);

/** Text of gen/openapi.json as it should be. */
export function openApiText(): string {
  const read = (name: string): Uint8Array => readFileSync(new URL(`gen/${name}`, root));
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  const catalogue = loadCatalogue(read('image.binpb'), () => read('docs.binpb'));
  return `${JSON.stringify(openApi(catalogue, version), undefined, 1)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--write')) writeFileSync(openApiFile, openApiText());
  else process.stdout.write(openApiText());
}
