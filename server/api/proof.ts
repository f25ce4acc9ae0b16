/** /v1/identities/{id}/proof: closes the transaction and returns the signed archive. */
import { sendStreamed } from './answer.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

export function proofHandlers({ workflows }: Pick<ApiDeps, 'workflows'>): Handlers<'sealProof'> {
  return {
    async sealProof(req, res) {
      const proof = await workflows.sealProof(buildCaller(req, res), idParam(req, 'id'))
      await sendStreamed(res, 'mixed', {
        disposition: 'attachment',
        fileName: proof.fileName,
        mediaType: 'application/zip',
        size: proof.size,
        sha256: proof.sha256,
        content: proof.open(),
      })
    },
  }
}
