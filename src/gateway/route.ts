/** A `google.api.http` path template as Express 5 matches it. */
export interface PathTemplate {
  /** Path with parameters `p0`, `p1`, ... in order. */
  readonly expressPath: string;
  /** Field path of each parameter, e.g. `blockhash` or `hash_or_height.height`. */
  readonly fields: readonly string[];
}

/**
 * Translates a template such as `/v1/blocks/{blockhash}:verify`. A parameter is one path segment; `{name=**}` takes the rest of
 * the path. Express reads `:`, `*` and brackets as its own, so those of the template are escaped.
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
