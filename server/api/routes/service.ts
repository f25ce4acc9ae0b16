/** The service itself: its health, its keys and its descriptions. */
import type { Route } from '../route.ts'

export const SERVICE = {
  healthcheck: {
    method: 'get',
    path: '/healthcheck',
    access: 'public',
    summary: 'State of the appliance and its parts',
    answer: { kind: 'json', schema: 'HealthcheckReport' },
  },
  jwks: {
    method: 'get',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'Public keys that verify proofs',
    answer: { kind: 'json', schema: 'PublicKeySet' },
  },
  openapi: {
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    summary: 'This description',
    answer: { kind: 'description', of: 'OpenAPI 3.1' },
  },
  proofSchema: {
    method: 'get',
    path: '/proof-schema',
    access: 'public',
    summary: 'The form of a proof archive',
    answer: { kind: 'description', of: 'JSON Schema 2020-12 of every JSON file of the archive, under $defs' },
  },
} as const satisfies Record<string, Route>
