#!/usr/bin/env node
import { programVersion } from './version.js';
import { runTool } from './wallet-tool/tool.js';

const { stdout, stderr, exitCode } = await runTool({ argv: process.argv.slice(2), env: process.env }, programVersion());
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
