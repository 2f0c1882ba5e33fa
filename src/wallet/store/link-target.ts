import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Links to follow; a longer chain of links to a missing file is a loop. */
const MAX_LINKS = 40;

/**
 * Path of the file that a path names: a symbolic link is followed, also to a file that does not exist. A file that replaces another one is
 * renamed to this path, because a rename to the link would replace the link, and leave its target with the old content.
 */
export function linkTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return missingTarget(path);
  }
}

function missingTarget(path: string): string {
  let target = path;
  for (let links = 0; links < MAX_LINKS && isLink(target); links++) target = resolve(dirname(target), readlinkSync(target));
  return target;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
