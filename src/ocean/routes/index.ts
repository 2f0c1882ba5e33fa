import type { Route } from '../api/route.js';
import { oracleRoutes } from './oracles.js';
import { priceRoutes } from './prices.js';
import { tokenRoutes } from './tokens.js';

/** All endpoints. */
export const oceanRoutes: readonly Route[] = [...oracleRoutes, ...priceRoutes, ...tokenRoutes];
