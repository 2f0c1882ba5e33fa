import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from './shared.js';

/** Test files that run in one process. */
export interface TestProgram {
  /** Path of the bundle below its directory, without the extension. */
  readonly name: string;
  /** Absolute paths, in the order in which they run. */
  readonly files: readonly string[];
}

/** Modules find files relative to their own path: in a bundle that remains the path of their source. */
const ownLocation: Plugin = {
  name: 'own-location',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes('import.meta.')) return undefined;
      const location = { 'import.meta.url': pathToFileURL(path).href, 'import.meta.dirname': dirname(path) };
      const contents = Object.entries(location).reduce((text, [name, value]) => text.replaceAll(name, JSON.stringify(value)), source);
      return { loader: 'ts', contents };
    });
  },
};

/**
 * Bundles tests for plain `node`, in chunks that the bundles share: a process starts sooner than if it transpiled and resolved some hundred
 * modules. Source maps lead back to the sources.
 * @param directory empty and outside the repository; it receives the bundles and a link to the packages, which stay outside of them
 * @returns paths of the bundles, in the order of the programs
 * @throws {Error} if a module cannot be transpiled or an import cannot be resolved
 */
export async function bundleTests(programs: readonly TestProgram[], directory: string): Promise<string[]> {
  symlinkSync(join(projectRoot, 'node_modules'), join(directory, 'node_modules'));
  await build({
    absWorkingDir: projectRoot,
    entryPoints: programs.map((program) => ({ in: entryOf(program, directory), out: program.name })),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: `node${process.versions.node}`,
    format: 'esm',
    keepNames: true, // names of classes are compared, and modules of a bundle may have the same ones
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
    plugins: [ownLocation],
  });
  return programs.map(({ name }) => join(directory, `${name}.mjs`));
}

function entryOf({ name, files }: TestProgram, directory: string): string {
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return only;
  const path = join(directory, `${name}.ts`);
  writeFileSync(path, files.map((file) => `import ${JSON.stringify(file)};\n`).join(''));
  return path;
}
