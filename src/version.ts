import { readFileSync } from 'node:fs';

/** Name of the node software in `defid`, which its clients expect. */
export const PACKAGE_NAME = 'DeFi Blockchain';

/** Version of this program in package.json, which is one level above both the sources and the bundles. */
export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
