/** /v1/identities/{id}/id-documents: photographs of a document in, and out again. */
import { fileEnding, sendJson, sendMultipart } from './answer.ts'
import { parseJson } from './body.ts'
import { DocumentCaptureDetails } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { fileOf, jsonPartOf, readForm } from './multipart-in.ts'
import { fieldProblem, idParam, parse } from './parse.ts'
import { callerOf } from './request-context.ts'

const SIDE_PARTS = { FRONT: 'DocumentFront', BACK: 'DocumentBack' } as const
const DETAILS_PART = 'DocumentCaptureDetails'

export function idDocumentHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<'submitDocument' | 'getDocumentImage'> {
  return {
    async submitDocument(req, res) {
      const identityId = idParam(req, 'id')
      const form = await readForm(req, res, config.uploadLimits, 2)
      const front = fileOf(form, SIDE_PARTS.FRONT)
      const back = fileOf(form, SIDE_PARTS.BACK)
      if (!front) {
        throw fieldProblem(
          'required',
          SIDE_PARTS.FRONT,
          'send the photograph as a file part of this name in multipart/form-data, with a file name',
        )
      }
      const part = jsonPartOf(form, DETAILS_PART)
      const json = part && parseJson(part, DETAILS_PART)
      const details = json === undefined ? undefined : parse(DocumentCaptureDetails, json, DETAILS_PART)
      const submitted = await workflows.submitDocument(callerOf(req, res), identityId, {
        front,
        ...(back ? { back } : {}),
        ...(details ? { details } : {}),
      })
      sendJson(res, 'SingleStatus', submitted)
    },

    async getDocumentImage(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      const images = await workflows.getDocumentImage(callerOf(req, res), ...ids)
      sendMultipart(
        res,
        'form-data',
        images.map(({ side, mediaType, bytes }) => ({
          disposition: `form-data; name="${SIDE_PARTS[side]}"`,
          fileName: `${side.toLowerCase()}.${fileEnding(mediaType)}`,
          mediaType,
          bytes,
        })),
      )
    },
  }
}
