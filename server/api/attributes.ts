/** /v1/identities/{id}/addresses and …/attributes: submitted data about the applicant. */
import { sendJson } from './answer.ts'
import { readJson } from '../http/body.ts'
import { AddressRequest, AttributesRequest } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import { detailFor } from './detail.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations = 'listAddresses' | 'submitAddress' | 'getAddress' | 'listAttributes' | 'submitAttributes'

export function attributeHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const { jsonBytes } = config.uploadLimits
  return {
    async listAddresses(req, res) {
      const caller = buildCaller(req, res)
      const answer = await workflows.listAddresses(caller, idParam(req, 'id'), detailFor(caller, req))
      sendJson(res, 'AddressesAnswer', answer)
    },

    async submitAddress(req, res) {
      const identityId = idParam(req, 'id')
      const address = parse(AddressRequest, await readJson(req, jsonBytes))
      const answer = await workflows.submitAddress(buildCaller(req, res), identityId, address)
      sendJson(res, 'AddressesAnswer', answer)
    },

    async getAddress(req, res) {
      const caller = buildCaller(req, res)
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      sendJson(res, 'AddressAnswer', await workflows.getAddress(caller, ...ids, detailFor(caller, req)))
    },

    async listAttributes(req, res) {
      const caller = buildCaller(req, res)
      const answer = await workflows.listAttributes(caller, idParam(req, 'id'), detailFor(caller, req))
      sendJson(res, 'AttributesAnswer', answer)
    },

    async submitAttributes(req, res) {
      const identityId = idParam(req, 'id')
      const attributes = parse(AttributesRequest, await readJson(req, jsonBytes))
      const answer = await workflows.submitAttributes(buildCaller(req, res), identityId, attributes)
      sendJson(res, 'AttributesAnswer', answer)
    },
  }
}
