/**
 * Shows the layouts of stored and hashed records: `node --import tsx test/tools/layouts.ts`; `--write` adds those that
 * `test/vectors/layouts.json` does not have. Layouts already in the file never change.
 */
import { writeFileSync } from 'node:fs';
import { layoutsOf, layoutsPath, recordedLayouts } from '../layouts.js';

const layouts = { ...layoutsOf(), ...recordedLayouts() };
const text = `{\n${Object.keys(layouts)
  .sort()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(layouts[name])}`)
  .join(',\n')}\n}\n`;
if (process.argv.includes('--write')) writeFileSync(layoutsPath, text);
else process.stdout.write(text);
