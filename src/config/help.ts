import type { Option, OptionGroup } from './option.js';

const WIDTH = 79;
const INDENT = '       ';

/** Help text of groups of options. @param debug includes hidden options */
export function helpText(groups: readonly OptionGroup[], debug: boolean): string {
  return groups
    .map(({ title, options }) => ({ title, shown: options.filter(({ hidden }) => debug || !hidden) }))
    .filter(({ shown }) => shown.length > 0)
    .map(({ title, shown }) => `${title}:\n\n${shown.map(optionText).join('\n')}`)
    .join('\n');
}

function optionText(option: Option): string {
  const argument = option.argument === '' ? '' : `=${option.argument}`;
  const standard = option.default === undefined || option.default === '' || option.secret ? '' : ` (default: ${option.default})`;
  const repeats = option.repeatable ? '; can be given several times' : '';
  const ignored = option.noEffect ? ' (no effect in this version)' : '';
  return `  -${option.key}${argument}\n${wrap(option.help + ignored + repeats + standard)}\n`;
}

function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && INDENT.length + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => INDENT + line).join('\n');
}
