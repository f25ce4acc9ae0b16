/** Public handlers: health, public keys, description of the API. */
import type { Response } from 'express'
import { sendAnswer, sendJson } from './answer.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { describeApi } from './openapi.ts'
import { describeProof } from './proof-schema.ts'

/** Rotated keys overlap, so a list that is five minutes old is safe. */
const JWKS_CACHE = 'public, max-age=300'

/** The same for every appliance of a process. Made at the first request, because it takes a tenth of a second of the start. */
const descriptions: { api?: string; proof?: string } = {}

export function serviceHandlers({
  workflows,
}: Pick<ApiDeps, 'workflows'>): Handlers<'healthcheck' | 'jwks' | 'openapi' | 'proofSchema'> {
  return {
    async healthcheck(_req, res) {
      const report = await workflows.health()
      res.setHeader('Cache-Control', 'no-store')
      sendJson(res, 'HealthcheckReport', report)
    },

    async jwks(_req, res) {
      const keys = await workflows.jwks()
      res.setHeader('Cache-Control', JWKS_CACHE)
      sendJson(res, 'PublicKeySet', keys)
    },

    async openapi(_req, res) {
      sendDescription(res, (descriptions.api ??= JSON.stringify(describeApi())))
    },

    async proofSchema(_req, res) {
      sendDescription(res, (descriptions.proof ??= JSON.stringify(describeProof())))
    },
  }
}

/** Bypasses Express's `send`, which would answer 304 to conditional requests. */
function sendDescription(res: Response, body: string): void {
  sendAnswer(res, { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body })
}
