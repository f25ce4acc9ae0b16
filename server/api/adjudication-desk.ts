/** /v1/adjudications: the adjudicators' desk, only for back-end keys. */
import { sendJson } from './answer.ts'
import { readJson } from '../http/body.ts'
import { ClaimRequestByAdjudicator, DecisionRequest, DeskQuery } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations = 'listDesk' | 'getDesk' | 'claimAdjudication' | 'releaseAdjudication' | 'decideAdjudication'

/** A named adjudicator counts as staff; the workflow recognises the adjudication service by its key. */
const staff = (id: string) => ({ id, kind: 'STAFF' }) as const

export function adjudicationDeskHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const { jsonBytes } = config.uploadLimits
  return {
    async listDesk(req, res) {
      sendJson(res, 'DeskList', await workflows.listDesk(buildCaller(req, res), parse(DeskQuery, req.query)))
    },

    async getDesk(req, res) {
      sendJson(
        res,
        'DeskCase',
        await workflows.getDesk(buildCaller(req, res), idParam(req, 'adjudicationId')),
      )
    },

    async claimAdjudication(req, res) {
      const id = idParam(req, 'adjudicationId')
      const { adjudicator } = parse(ClaimRequestByAdjudicator, await readJson(req, jsonBytes))
      const answer = await workflows.claimAdjudication(buildCaller(req, res), id, staff(adjudicator))
      sendJson(res, 'DeskCase', answer)
    },

    async releaseAdjudication(req, res) {
      const id = idParam(req, 'adjudicationId')
      const { adjudicator } = parse(ClaimRequestByAdjudicator, await readJson(req, jsonBytes))
      const answer = await workflows.releaseAdjudication(buildCaller(req, res), id, staff(adjudicator))
      sendJson(res, 'DeskCase', answer)
    },

    async decideAdjudication(req, res) {
      const id = idParam(req, 'adjudicationId')
      const { adjudicator, decision, reason, values } = parse(DecisionRequest, await readJson(req, jsonBytes))
      const answer = { adjudicator: staff(adjudicator), decision, reason, values }
      sendJson(res, 'DecisionAnswer', await workflows.decideAdjudication(buildCaller(req, res), id, answer))
    },
  }
}
