import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Least contrast of texts in WCAG 2.2, level AA. */
const LEAST = 4.5;
const TEXTS = ['text', 'faint', 'accent'];
const BACKGROUNDS = ['back', 'card', 'warn', 'shadow'];

const css = readFileSync(new URL('../../src/explorer/explorer.css', import.meta.url), 'utf8');
const colours = new Map([...css.matchAll(/--(\w+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, ...schemes]) => [name, schemes]));

/** Relative luminance as WCAG defines it. @param colour as `#rrggbb` */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('explorer: texts have enough contrast in both colour schemes', () => {
  assert.deepEqual(contrast('#000000', '#ffffff'), 21);
  for (const [scheme, name] of ['light', 'dark'].entries()) {
    for (const text of TEXTS) {
      for (const background of BACKGROUNDS) {
        const [a = '', b = ''] = [text, background].map((each) => colours.get(each)?.[scheme]);
        assert.ok(contrast(a, b) >= LEAST, `${text} on ${background}, ${name}: ${contrast(a, b)}`);
      }
    }
  }
});

test('explorer: all texts have the colours whose contrast is known', () => {
  const used = [...css.matchAll(/^ {2}(?:color|background): (.*);$/gm)].map(([, value]) => value ?? '');
  const known = [...TEXTS, ...BACKGROUNDS].map((name) => `var(--${name})`);
  for (const value of used) assert.ok(['inherit', ...known].includes(value), value);
  assert.match(css, /::placeholder \{\n {2}color: var\(--faint\);\n {2}opacity: 1;/);
});

test('explorer: what gets the focus is scrolled out from under the header, where that stays', () => {
  const [wide = '', narrow = ''] = css.split('@media (max-width: 700px)');
  const padding = Number(/^html \{\n {2}scroll-padding-top: (\d+)px;/m.exec(wide)?.[1]);
  assert.match(wide, /^header \{\n {2}position: sticky;/m);
  // The header is 115 pixels high where its menu has two lines.
  assert.ok(padding > 115, `${padding}`);
  assert.match(narrow, /header \{\n {4}position: static;\n {2}\}\n\n {2}html \{\n {4}scroll-padding-top: 0;/);
});
