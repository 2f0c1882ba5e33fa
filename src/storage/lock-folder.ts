/**
 * Folder of the lock on a directory of wallets. Tools that clear directories of wallets, such as the functional tests of `defid`, remove
 * files only, so the folder is removed on release.
 */
export const WALLETS_FOLDER = '.dfi-lock';
