import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/errors.js';
import { helpText } from '../config/help.js';
import { CLIENT_OPTIONS } from '../config/options.js';
import { type Input, readSources, type Sources } from '../config/sources.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { ConnectionFailed, post, type Target, targetOf } from './connection.js';
import { namedParams, positionalParams } from './convert.js';
import { getinfoReply, getinfoRequest, requestOf } from './getinfo.js';
import { codeOf, type Printed, printReply } from './print.js';
import { watch } from './watch.js';

/** Parts that tests replace. */
export interface ClientDeps {
  readonly version: string;
  readonly catalogue: () => Catalogue;
  /** Reads standard input to its end. */
  readonly readInput: () => string;
  /** Prints at once, for a command without end. */
  readonly print: (text: string) => void;
}

/** Output and exit code of the client. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const WARMING_UP = -28;
const RETRY_MS = 500;
/** Command of the client itself. */
const WATCH = 'watch';

/** Runs the client: options and a method in, text and an exit code out. Output and codes are those of `defi-cli`. */
export async function runClient(input: Input, deps: ClientDeps): Promise<Outcome> {
  try {
    const first = readSources(input, CLIENT_OPTIONS);
    const { settings } = first;
    const wantsHelp = input.argv.length === 0 || settings.bool('?') || settings.bool('h') || settings.bool('help');
    if (wantsHelp || settings.isSet('version')) {
      const stdout = settings.isSet('version') ? versionLine(deps) : usage(deps);
      return input.argv.length > 0 ? { stdout, stderr: '', exitCode: 0 } : { stdout, stderr: 'Error: too few parameters\n', exitCode: 1 };
    }
    return await call(first.read(), deps);
  } catch (error) {
    return { stdout: '', stderr: `${failureText(error as Error)}\n`, exitCode: 1 };
  }
}

/** Text of a failure; like `defi-cli`, some have the prefix `Error: ` and some do not. */
function failureText(error: Error): string {
  if (!(error instanceof ConfigError)) return `error: ${error.message}`;
  return error.message.startsWith('Error ') ? error.message : `Error: ${error.message}`;
}

function versionLine({ version }: ClientDeps): string {
  return `DeFi Blockchain RPC client version v${version}\n`;
}

function usage(deps: ClientDeps): string {
  return `${versionLine(deps)}
Usage:  dfi-cli [options] <command> [params]                 Send a command to the node
or:     dfi-cli [options] -named <command> [name=value]...   Send a command with named arguments
or:     dfi-cli [options] help                               List commands
or:     dfi-cli [options] help <command>                     Get help for a command
or:     dfi-cli [options] watch [kinds] [cursor]             Print events as they happen, e.g. of kinds block,balance

${helpText([{ title: 'Options', options: CLIENT_OPTIONS }], false)}`;
}

async function call(sources: Sources, deps: ClientDeps): Promise<Outcome> {
  const { settings } = sources;
  const { password, args } = fromInput(sources, deps);
  const getinfo = settings.bool('getinfo');
  if (getinfo && args.length > 0) throw new Error('-getinfo takes no arguments');
  const [method, ...rest] = getinfo ? [''] : args;
  if (method === undefined) throw new Error('too few parameters (need at least command)');
  if (method === WATCH) {
    const [kinds = '', cursor = ''] = rest;
    return watch({ kinds, cursor }, targetOf(sources, cookieFile(sources), method, password), deps.print);
  }
  const convert = settings.bool('named') ? namedParams : positionalParams;
  const request = getinfo ? getinfoRequest : requestOf(method, convert(deps.catalogue(), method, rest), 1);
  const target = targetOf(sources, cookieFile(sources), method, password);
  const { text, exitCode } = await exchange(target, request, getinfo ? getinfoReply : asReply, settings.bool('rpcwait'));
  const line = text === '' ? '' : `${text}\n`;
  return exitCode === 0 ? { stdout: line, stderr: '', exitCode } : { stdout: '', stderr: line, exitCode };
}

async function exchange(target: Target, request: JsonValue, read: (answer: JsonValue) => JsonObject, wait: boolean): Promise<Printed> {
  for (;;) {
    try {
      const reply = read(await post(target, `${writeJson(request)}\n`));
      if (wait && codeOf(reply) === WARMING_UP) throw new ConnectionFailed('server in warmup');
      return printReply(reply);
    } catch (error) {
      if (!wait || !(error instanceof ConnectionFailed)) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function asReply(answer: JsonValue): JsonObject {
  if (answer instanceof JsonObject && answer.entries.length > 0) return answer;
  throw new Error('expected reply to have result, error and id properties');
}

/** With `-stdinrpcpass` the first line of standard input is the password; with `-stdin` each further line is an argument. */
function fromInput({ settings, rest }: Sources, deps: ClientDeps): { password: string | undefined; args: readonly string[] } {
  const wantsPassword = settings.bool('stdinrpcpass');
  const wantsArgs = settings.bool('stdin');
  const lines = wantsPassword || wantsArgs ? linesOf(deps.readInput()) : [];
  const password = wantsPassword ? lines.shift() : undefined;
  if (wantsPassword && password === undefined) throw new Error('-stdinrpcpass specified but failed to read from standard input');
  return { password, args: wantsArgs ? [...rest, ...lines] : rest };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function cookieFile({ settings, dataDir, network }: Sources): string {
  const file = settings.text('rpccookiefile');
  return isAbsolute(file) ? file : join(dataDir, network.directory, file);
}

/** Reads standard input to its end. */
export function readStandardInput(): string {
  return readFileSync(0, 'utf8');
}
