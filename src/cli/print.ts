import { JsonNumber, JsonObject, type JsonValue, quoteJson, writeJson } from '../util/json.js';

const STEP = '  ';

/** Formats a result as `defi-cli` does: text without quotes, null as empty text, everything else as indented JSON. */
function printable(result: JsonValue): string {
  if (result === null) return '';
  return typeof result === 'string' ? result : indented(result);
}

/** Formats JSON with one member per line and two spaces per level; numbers keep their text. */
function indented(value: JsonValue, margin = ''): string {
  if (value instanceof JsonObject) {
    return block(
      '{',
      value.entries.map(([key, member]) => `${quoteJson(key)}: ${indented(member, margin + STEP)}`),
      '}',
      margin,
    );
  }
  if (Array.isArray(value)) {
    return block(
      '[',
      value.map((item: JsonValue) => indented(item, margin + STEP)),
      ']',
      margin,
    );
  }
  return writeJson(value);
}

function block(open: string, lines: readonly string[], close: string, margin: string): string {
  const body = lines.map((line) => margin + STEP + line).join(',\n');
  return `${open}\n${body}${lines.length > 0 ? '\n' : ''}${margin}${close}`;
}

/** Output of a reply. */
export interface Printed {
  readonly text: string;
  /** 0 for a result; otherwise the absolute value of the error code, as of `defi-cli`. */
  readonly exitCode: number;
}

const WALLET_NOT_SPECIFIED = -19;

/** Output and exit code of a reply: results go to standard output, errors to standard error. */
export function printReply(reply: JsonObject): Printed {
  const error = reply.get('error') ?? null;
  if (error === null) return { text: printable(reply.get('result') ?? null), exitCode: 0 };
  if (!(error instanceof JsonObject)) return { text: `error: ${writeJson(error)}`, exitCode: 1 };
  const code = errorCode(error);
  const message = error.get('message');
  const lines = [
    ...(code === undefined ? [] : [`error code: ${code}`]),
    ...(typeof message === 'string' ? ['error message:', message] : []),
    ...(code === WALLET_NOT_SPECIFIED ? ['Try adding "-rpcwallet=<filename>" option to defi-cli command line.'] : []),
  ];
  return { text: lines.join('\n'), exitCode: Math.abs(code ?? 1) };
}

/** Code of a reply's error; undefined without error. */
export function codeOf(reply: JsonObject): number | undefined {
  const error = reply.get('error');
  return error instanceof JsonObject ? errorCode(error) : undefined;
}

function errorCode(error: JsonObject): number | undefined {
  const code = error.get('code');
  return code instanceof JsonNumber ? Number(code.text) : undefined;
}
