import { ConfigError } from './errors.js';

/** A setting of the file. */
export interface ConfLine {
  /** Key with its section, such as `regtest.rpcport`. */
  readonly key: string;
  readonly value: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** Place where a section is named. */
export interface SectionMention {
  readonly section: string;
  readonly line: number;
}

/** A parsed configuration file. */
export interface ConfText {
  readonly lines: readonly ConfLine[];
  /** All mentions of sections, in headings and as prefixes of keys. */
  readonly sections: readonly SectionMention[];
}

/**
 * Parses the text of a configuration file: `name=value` lines, `[section]` headings, `#` comments.
 * @throws {ConfigError} with the text of `defid`, which contains the line number
 * @see docs/protocol/rpc-chain.md 2.1
 */
export function parseConf(text: string): ConfText {
  const lines: ConfLine[] = [];
  const sections: SectionMention[] = [];
  let prefix = '';
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const hash = raw.indexOf('#');
    const content = trimBlanks(hash < 0 ? raw : raw.slice(0, hash));
    if (content === '') return;
    if (content.startsWith('[') && content.endsWith(']')) {
      const section = content.slice(1, -1);
      sections.push({ section, line });
      prefix = `${section}.`;
      return;
    }
    const { name, value } = parseSetting(content, line);
    const key = prefix + name;
    if (hash >= 0 && key.includes('rpcpassword')) {
      throw faulty(`parse error on line ${line}, using # in rpcpassword can be ambiguous and should be avoided`);
    }
    lines.push({ key, value, line });
    const dot = key.lastIndexOf('.');
    // The section of the heading has been listed at its line; only a section that the key itself names is new here.
    if (dot >= prefix.length) sections.push({ section: key.slice(0, dot), line });
  });
  return { lines, sections };
}

function parseSetting(content: string, line: number): { name: string; value: string } {
  if (content.startsWith('-')) {
    throw faulty(`parse error on line ${line}: ${content}, options in configuration file must be specified without leading -`);
  }
  const equals = content.indexOf('=');
  if (equals < 0) {
    const hint = content.startsWith('no') ? `, if you intended to specify a negated option, use ${content}=1 instead` : '';
    throw faulty(`parse error on line ${line}: ${content}${hint}`);
  }
  return { name: trimBlanks(content.slice(0, equals)), value: trimBlanks(content.slice(equals + 1)) };
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

/** Error of a configuration file that cannot be read or parsed. */
export function faulty(text: string): ConfigError {
  return new ConfigError(`Error reading configuration file: ${text}`);
}
