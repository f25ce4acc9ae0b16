/**
 * Lists every operation of the API as data, by subject. Express, the guard and the OpenAPI description are built from this
 * table.
 */
import type { Route } from './route.ts'
import { ADJUDICATION } from './routes/adjudication.ts'
import { CAPTURE_SESSIONS } from './routes/capture-sessions.ts'
import { CLAIMS } from './routes/claims.ts'
import { EVIDENCE } from './routes/evidence.ts'
import { IDENTITIES } from './routes/identities.ts'
import { SERVICE } from './routes/service.ts'
import { WEBHOOKS } from './routes/webhooks.ts'

export const ROUTES = {
  ...SERVICE,
  ...IDENTITIES,
  ...EVIDENCE,
  ...CAPTURE_SESSIONS,
  ...CLAIMS,
  ...ADJUDICATION,
  ...WEBHOOKS,
} as const satisfies Record<string, Route>

export type Operation = keyof typeof ROUTES

/** All routes with their operation names, in the order of the table. */
export const ROUTE_LIST: readonly (Route & { readonly operation: Operation })[] = (
  Object.keys(ROUTES) as Operation[]
).map((operation) => ({ operation, ...ROUTES[operation] }))
