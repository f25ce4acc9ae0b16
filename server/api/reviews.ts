/** /v1/identities/{id}/adjudications and …/antifraud: requests about existing evidence. */
import { AppError } from '../errors.ts'
import { sendJson } from './answer.ts'
import { readJson } from '../http/body.ts'
import { AdjudicationQuery, FraudChecksRequest } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations =
  | 'listAdjudications'
  | 'getAdjudication'
  | 'requestAdjudication'
  | 'getFraudChecks'
  | 'requestFraudChecks'

export function reviewHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async listAdjudications(req, res) {
      const query = AdjudicationQuery.safeParse(req.query)
      // Spec: "404 for unknown identity or invalid status".
      if (!query.success) throw new AppError('not_found', { resource: 'status' })
      const list = await workflows.listAdjudications(
        buildCaller(req, res),
        idParam(req, 'id'),
        query.data.status,
      )
      sendJson(res, 'AdjudicationList', list)
    },

    async getAdjudication(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      sendJson(res, 'AdjudicationAnswer', await workflows.getAdjudication(buildCaller(req, res), ...ids))
    },

    async requestAdjudication(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      sendJson(res, 'AdjudicationAnswer', await workflows.requestAdjudication(buildCaller(req, res), ...ids))
    },

    async getFraudChecks(req, res) {
      const answer = await workflows.getFraudChecks(buildCaller(req, res), idParam(req, 'id'))
      sendJson(res, 'FraudCheckAnswer', answer)
    },

    async requestFraudChecks(req, res) {
      const identityId = idParam(req, 'id')
      const checks = parse(FraudChecksRequest, await readJson(req, config.uploadLimits.jsonBytes))
      const answer = await workflows.requestFraudChecks(buildCaller(req, res), identityId, checks)
      sendJson(res, 'FraudCheckAnswer', answer)
    },
  }
}
