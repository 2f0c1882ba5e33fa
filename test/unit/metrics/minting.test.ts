import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeMinting } from '../../../src/metrics/minting.js';
import { createRegistry } from '../../../src/metrics/registry.js';
import { Emitter } from '../../../src/util/events.js';

test('attempts are counted by outcome', async () => {
  const registry = createRegistry({ version: '1', nativeEcdsa: true });
  const forge = new Emitter<{ attempted: { readonly outcome: string } }>();
  observeMinting(registry, forge);
  for (const outcome of ['waiting', 'minted', 'invalid', 'waiting', 'minted']) forge.emit('attempted', { outcome });
  const text = await registry.metrics();
  assert.match(text, /^dfi_minting_attempts_total 5$/m);
  assert.match(text, /^dfi_minting_blocks_total 2$/m);
  assert.match(text, /^dfi_minting_invalid_total 1$/m);
});
