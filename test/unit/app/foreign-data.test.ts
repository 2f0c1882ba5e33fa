import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { refuseForeignData } from '../../../src/app/foreign-data.js';
import { contentsOf, writeLevelDb } from '../../level-db.js';

const root = mkdtempSync(join(tmpdir(), 'dfi-foreign-'));
after(() => rmSync(root, { recursive: true }));
let made = 0;

/** A data directory with a LevelDB in each of the folders. @returns its paths, with blocks in `elsewhere/blocks` */
function dataWith(...folders: readonly string[]) {
  const networkDir = join(root, String(++made));
  mkdirSync(networkDir);
  for (const folder of folders) writeLevelDb(join(networkDir, folder), 'young');
  return { networkDir, blocksDir: join(networkDir, 'elsewhere', 'blocks') };
}

function writeOwn(networkDir: string): void {
  mkdirSync(join(networkDir, 'chainstate'));
  for (const name of ['IDENTITY', 'CURRENT', 'MANIFEST-000005', '000004.log']) writeFileSync(join(networkDir, 'chainstate', name), '');
}

for (const folder of ['chainstate', 'blocks/index', 'elsewhere/blocks/index', 'enhancedcs', 'anchors', 'burn']) {
  test(`a directory with a database of defid is refused: ${folder}`, () => {
    const paths = dataWith(folder);
    const before = contentsOf(paths.networkDir);
    assert.throws(() => refuseForeignData(paths), { name: 'ForeignData', database: join(paths.networkDir, folder) });
    assert.deepEqual(contentsOf(paths.networkDir), before);
  });
}

test('a database of this program is accepted, also next to those of defid', () => {
  const paths = dataWith('blocks/index', 'enhancedcs');
  writeOwn(paths.networkDir);
  refuseForeignData(paths);
});

test('a new directory, the empty folders that tools expect, and block files alone are accepted', () => {
  const paths = dataWith();
  refuseForeignData(paths);
  for (const name of ['anchors', 'burn', 'enhancedcs', 'elsewhere/blocks']) mkdirSync(join(paths.networkDir, name), { recursive: true });
  writeFileSync(join(paths.blocksDir, 'blk00000.dat'), 'blocks');
  refuseForeignData(paths);
});
