/** /v1/identities/{id}/consents: the applicant's consents. */
import { sendJson } from './answer.ts'
import { readJson } from '../http/body.ts'
import { ConsentsRequest } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

export function consentHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<'recordConsents'> {
  return {
    async recordConsents(req, res) {
      const identityId = idParam(req, 'id')
      const consents = parse(ConsentsRequest, await readJson(req, config.uploadLimits.jsonBytes))
      sendJson(
        res,
        'ConsentList',
        await workflows.recordConsents(buildCaller(req, res), identityId, consents),
      )
    },
  }
}
