/** /v1/identities/{id}/legal-hold and /v1/deletion-receipts: legal holds and receipts of deletions. */
import { sendJson, sendNothing } from './answer.ts'
import { readJson } from '../http/body.ts'
import { LegalHoldRequest } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations = 'placeLegalHold' | 'getLegalHold' | 'liftLegalHold' | 'getDeletionReceipt'

export function retentionHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async placeLegalHold(req, res) {
      const identityId = idParam(req, 'id')
      const hold = parse(LegalHoldRequest, await readJson(req, config.uploadLimits.jsonBytes))
      await workflows.placeLegalHold(buildCaller(req, res), identityId, hold)
      sendNothing(res)
    },

    async getLegalHold(req, res) {
      sendJson(res, 'LegalHold', await workflows.getLegalHold(buildCaller(req, res), idParam(req, 'id')))
    },

    async liftLegalHold(req, res) {
      await workflows.liftLegalHold(buildCaller(req, res), idParam(req, 'id'))
      sendNothing(res)
    },

    async getDeletionReceipt(req, res) {
      const receipt = await workflows.getDeletionReceipt(buildCaller(req, res), idParam(req, 'id'))
      sendJson(res, 'DeletionReceipt', receipt)
    },
  }
}
