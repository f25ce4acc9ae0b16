/** /v1/identities/{id}/proof: closes the transaction and hands out the signed archive. */
import { sendMultipart } from './answer.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam } from './parse.ts'
import { callerOf } from './request-context.ts'

export function proofHandlers({ workflows }: Pick<ApiDeps, 'workflows'>): Handlers<'sealProof'> {
  return {
    async sealProof(req, res) {
      const { fileName, bytes } = await workflows.sealProof(callerOf(req, res), idParam(req, 'id'))
      sendMultipart(res, 'mixed', [
        { disposition: 'attachment', fileName, mediaType: 'application/zip', bytes },
      ])
    },
  }
}
