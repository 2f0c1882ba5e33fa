/** Versions of `defid` that this node is compared with. */
export type DefidVersion = '3.2.8' | '4.2.5';

/** Variables of the environment that name a program of each version. */
const VARIABLES: Readonly<Record<DefidVersion, string>> = { '3.2.8': 'DFI_DEFID', '4.2.5': 'DFI_DEFID_425' };

/** Path of a program; undefined if none is named. */
export function defidPath(version: DefidVersion): string | undefined {
  return process.env[VARIABLES[version]];
}

/** Reason to skip what needs a program, or false. */
export function withoutDefid(version: DefidVersion): string | false {
  return defidPath(version) ? false : `${VARIABLES[version]} names no defid ${version}`;
}
