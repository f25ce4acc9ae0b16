/** /v1/supported-evidence: evidence that the appliance can verify, the same for every tenant. */
import { sendJson } from './answer.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'

export function supportedEvidenceHandlers({
  workflows,
}: Pick<ApiDeps, 'workflows'>): Handlers<'listSupportedCountries' | 'getSupportedCountry'> {
  return {
    async listSupportedCountries(_req, res) {
      sendJson(res, 'SupportedCountryList', await workflows.listSupportedCountries())
    },

    async getSupportedCountry(req, res) {
      const { iso3 } = req.params
      const country = await workflows.getSupportedCountry(typeof iso3 === 'string' ? iso3 : '')
      sendJson(res, 'SupportedCountry', country)
    },
  }
}
