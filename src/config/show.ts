import { MASK } from '../util/redact.js';
import type { Option } from './option.js';
import type { Settings } from './settings.js';

/**
 * `dfid config show`: a line an option that was given or has a default, with its value and where it came from. Secrets are masked.
 */
export function showSettings(settings: Settings, options: readonly Option[]): string {
  return options.map((option) => showOption(settings, option)).join('');
}

function showOption(settings: Settings, option: Option): string {
  const values = option.repeatable ? settings.all(option.key) : [settings.value(option.key)];
  return values
    .map((occurrence) => {
      if (!occurrence) return '';
      const { value, origin } = occurrence;
      const source = origin.layer === 'default' ? 'default' : `${origin.layer}: ${origin.place}`;
      return `${option.key}=${option.secret && value !== '' ? MASK : value}  (${source})\n`;
    })
    .join('');
}
