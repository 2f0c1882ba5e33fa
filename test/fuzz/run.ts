/**
 * Runs decoders on random and mutated bytes: `npm run fuzz -- [name...] [seconds] [seed=number]`, by default all decoders for ten
 * minutes each. A name may be a prefix of several. The same seed makes the same inputs. An input that fails is saved in the corpus,
 * where the tests find it.
 */
import { appendFileSync } from 'node:fs';
import { decoders } from './decoders.js';
import { corpusPath, fuzz } from './fuzz.js';
import { Random } from './mutate.js';

const DEFAULT_SECONDS = 600;
const given = process.argv.slice(2).filter((word) => word !== '--');
const seconds = Number(given.find((word) => /^\d+$/.test(word)) ?? DEFAULT_SECONDS);
const [seedWord] = given.flatMap((word) => /^seed=(\d+)$/.exec(word)?.[1] ?? []);
const seed = Number(seedWord ?? Date.now()) | 0;
const names = given.filter((word) => !/^(seed=)?\d+$/.test(word));
const chosen = decoders.filter(({ name }) => names.length === 0 || names.some((prefix) => name.startsWith(prefix)));

if (chosen.length === 0) throw new Error(`no decoder is named ${names.join(' or ')}`);
console.log(`seed ${seed}`);
for (const decoder of chosen) {
  const end = performance.now() + seconds * 1000;
  const { tried, fault } = fuzz(decoder, new Random(seed), () => performance.now() < end);
  console.log(`${decoder.name}: ${tried} inputs${fault ? `, and then ${fault.text}` : ''}`);
  if (!fault) continue;
  appendFileSync(corpusPath(decoder.name), `${Buffer.from(fault.bytes).toString('hex')}\n`);
  process.exitCode = 1;
}
