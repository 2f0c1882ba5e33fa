import type { Route } from '../api/route.js';
import { tokenRoutes } from './tokens.js';

/** All endpoints. */
export const oceanRoutes: readonly Route[] = [...tokenRoutes];
