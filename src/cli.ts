#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { readStandardInput, runClient } from './cli/client.js';
import { images } from './images.js';
import { loadCatalogue } from './rpc/catalogue.js';
import { programVersion } from './version.js';

const { stdout, stderr, exitCode } = await runClient(
  { argv: process.argv.slice(2), env: process.env },
  {
    version: programVersion(),
    catalogue: () => loadCatalogue(readFileSync(images.operations)),
    readInput: readStandardInput,
    print: (text) => process.stdout.write(text),
  },
);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode & 0xff;
