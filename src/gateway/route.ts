/** A `google.api.http` path template in the syntax of Express 5. */
export interface PathTemplate {
  /** Path with parameters `p0`, `p1`, ... in order. */
  readonly expressPath: string;
  /** Field path of each parameter, e.g. `blockhash` or `hash_or_height.height`. */
  readonly fields: readonly string[];
}

/**
 * Translates a template such as `/v1/blocks/{blockhash}:verify`. A parameter matches one path segment, `{name=**}` the rest of the path.
 * `:`, `*` and brackets outside of parameters are escaped, because they have a meaning in Express.
 */
export function pathTemplate(template: string): PathTemplate {
  const fields: string[] = [];
  const expressPath = template.replace(/\{([^}=]+)(?:=([^}]*))?\}|[:*?+()[\]{}!\\]/g, (text: string, field?: string, pattern?: string) => {
    if (field === undefined) return `\\${text}`;
    fields.push(field);
    return `${pattern === '**' ? '*' : ':'}p${fields.length - 1}`;
  });
  return { expressPath, fields };
}
