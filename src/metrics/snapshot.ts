import type { Registry } from 'prom-client';
import { watch } from './gauge.js';

/** Metrics of the validation of the blocks below a snapshot. @param base height of the snapshot */
export function observeValidation(
  registry: Registry,
  history: { readonly validation: { readonly height: number } | undefined; readonly isComplete: boolean },
  base: number,
): void {
  watch(registry, 'dfi_snapshot_height', 'Height of the snapshot that the database began with', () => base);
  watch(
    registry,
    'dfi_snapshot_validated_height',
    'Height up to which the blocks below the snapshot are validated; its own height once all are',
    () => history.validation?.height ?? (history.isComplete ? base : 0),
  );
}
