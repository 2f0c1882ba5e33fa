import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { recordings } from '../shared.js';

export interface RecordedCall {
  readonly method: string;
  readonly params: JsonValue;
  /** `<code> <message>`, `-1 usage` if `defid` printed its help, undefined on success. */
  readonly error: string | undefined;
}

/** Calls of `golden/calls`; numbers keep their text. */
export function recordedCalls(): RecordedCall[] {
  return recordings('calls').flatMap((path) =>
    gunzipSync(readFileSync(path))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const answers = (parseJson(line) as JsonObject).get('answers') ?? [];
        return (answers as readonly JsonObject[]).map((answer) => ({
          method: answer.get('method') as string,
          params: answer.get('params') ?? [],
          error: errorText(answer.get('error')),
        }));
      }),
  );
}

function errorText(text: JsonValue | undefined): string | undefined {
  if (typeof text !== 'string') return undefined;
  const error = JSON.parse(text) as { code: number; message?: string; usage?: boolean };
  return `${error.code} ${error.usage ? 'usage' : error.message}`;
}
