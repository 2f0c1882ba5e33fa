import assert from 'node:assert/strict';
import type { ExplorerWindow } from './explorer-window.js';

/** One heading of the first level, which has the focus and names the title; a header for each column, a name for each field. */
export function assertAccessible({ document }: ExplorerWindow, route: string): void {
  const headings = [...document.querySelectorAll('h1')];
  assert.equal(headings.length, 1, route);
  assert.equal(document.activeElement, headings[0], route);
  assert.equal(document.title, `${headings[0]?.textContent} · DeFiChain node`);
  for (const landmark of ['main', 'header', 'nav[aria-label]', '[role=search]', '[role=status]'])
    assert.ok(document.querySelector(landmark), `${landmark} in ${route}`);
  assert.equal(document.querySelectorAll('th:not([scope])').length, 0, route);
  const fields = [...document.querySelectorAll<HTMLElement>('input, select, textarea')];
  for (const field of fields) assert.ok(field.closest('label') ?? field.getAttribute('aria-label'), `${field.outerHTML} in ${route}`);
}
