/** /v1/identities/{id}/attributes/portrait: takes a portrait, returns its verification and its image. */
import { fileEnding } from '../proofing/media-type.ts'
import { sendJson, sendMultipart, sendNothing } from './answer.ts'
import { readJson } from '../http/body.ts'
import { LivenessRequest, SessionModeQuery } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import { detailFor } from './detail.ts'
import type { Handlers } from './handlers.ts'
import type { Request, Response } from 'express'
import { requireFile, readForm } from '../http/form.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

const PORTRAIT_PART = 'Portrait'

type Operations =
  | 'getPortrait'
  | 'deletePortrait'
  | 'submitPortrait'
  | 'getPortraitImage'
  | 'openPortraitSession'
  | 'openPortraitSessionByOldName'
  | 'cancelPortraitSession'

export function portraitHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const openSession = async (req: Request, res: Response): Promise<void> => {
    const identityId = idParam(req, 'id')
    const { mode = 'webSDK' } = parse(SessionModeQuery, req.query)
    const body = (await readJson(req, config.uploadLimits.jsonBytes)) ?? {}
    const request = { ...parse(LivenessRequest, body), mode }
    const answer = await workflows.openPortraitSession(buildCaller(req, res), identityId, request)
    sendJson(res, 'PortraitSessionAnswer', answer)
  }
  return {
    openPortraitSession: openSession,
    openPortraitSessionByOldName: openSession,

    async cancelPortraitSession(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'sessionId')] as const
      await workflows.cancelPortraitSession(buildCaller(req, res), ...ids)
      sendNothing(res)
    },

    async getPortrait(req, res) {
      const caller = buildCaller(req, res)
      sendJson(
        res,
        'PortraitAnswer',
        await workflows.getPortrait(caller, idParam(req, 'id'), detailFor(caller, req)),
      )
    },

    async deletePortrait(req, res) {
      await workflows.deletePortrait(buildCaller(req, res), idParam(req, 'id'))
      sendNothing(res)
    },

    async submitPortrait(req, res) {
      const identityId = idParam(req, 'id')
      const image = requireFile(await readForm(req, config.uploadLimits, 1), PORTRAIT_PART)
      sendJson(res, 'SingleStatus', await workflows.submitPortrait(buildCaller(req, res), identityId, image))
    },

    async getPortraitImage(req, res) {
      const { bytes, mediaType } = await workflows.getPortraitImage(buildCaller(req, res), idParam(req, 'id'))
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
