/** /v1/identities/{id}/attributes/portrait: the holder's photograph in, its verification and its image out. */
import type { Upload } from '../proofing/types.ts'
import { fileEnding, sendJson, sendMultipart, sendNothing } from './answer.ts'
import type { ApiDeps } from './deps.ts'
import { detailFor } from './detail.ts'
import type { Handlers } from './handlers.ts'
import { fileOf, readForm } from './multipart-in.ts'
import type { Form } from './multipart-in.ts'
import { fieldProblem, idParam } from './parse.ts'
import { callerOf } from './request-context.ts'

const PORTRAIT_PART = 'Portrait'

type Operations = 'getPortrait' | 'deletePortrait' | 'submitPortrait' | 'getPortraitImage'

export function portraitHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async getPortrait(req, res) {
      const caller = callerOf(req, res)
      sendJson(
        res,
        'PortraitAnswer',
        await workflows.getPortrait(caller, idParam(req, 'id'), detailFor(caller, req)),
      )
    },

    async deletePortrait(req, res) {
      await workflows.deletePortrait(callerOf(req, res), idParam(req, 'id'))
      sendNothing(res)
    },

    async submitPortrait(req, res) {
      const identityId = idParam(req, 'id')
      const image = portraitOf(await readForm(req, res, config.uploadLimits, 1))
      sendJson(res, 'SingleStatus', await workflows.submitPortrait(callerOf(req, res), identityId, image))
    },

    async getPortraitImage(req, res) {
      const { bytes, mediaType } = await workflows.getPortraitImage(callerOf(req, res), idParam(req, 'id'))
      sendMultipart(res, 'form-data', [
        {
          disposition: `form-data; name="${PORTRAIT_PART}"`,
          fileName: `portrait.${fileEnding(mediaType)}`,
          mediaType,
          bytes,
        },
      ])
    },
  }
}

/** The part named Portrait or, the spec not naming it for submissions, the only file that was sent. */
function portraitOf(form: Form): Upload {
  const named = fileOf(form, PORTRAIT_PART)
  if (named) return named
  const [only, ...others] = form.kind === 'parts' ? form.files : []
  if (only && others.length === 0) return only.upload
  throw fieldProblem(
    'required',
    PORTRAIT_PART,
    'send the photograph as one file part of this name in multipart/form-data, with a file name',
  )
}
