/** /v1/identities/{id}/id-documents: takes and returns photographs of documents. */
import { AppError, fieldProblem } from '../errors.ts'
import { MAX_CHIP_REQUEST_BYTES, type ChipFiles } from '../proofing/chip-files.ts'
import { fileEnding } from '../proofing/media-type.ts'
import { sendJson, sendMultipart } from './answer.ts'
import { readJson } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import {
  ChipFilesRequest,
  DocumentCaptureDetails,
  DocumentSessionRequest,
  MedicareRequest,
  SIDE_PARTS,
  TextDocumentRequest,
} from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { findFile, readJsonPart, readForm } from '../http/form.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

const DETAILS_PART = 'DocumentCaptureDetails'

type Operations =
  | 'submitDocument'
  | 'getDocumentImage'
  | 'submitChip'
  | 'submitTextDocument'
  | 'submitMedicare'
  | 'openDocumentSession'

export function idDocumentHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const { jsonBytes } = config.uploadLimits
  return {
    async submitTextDocument(req, res) {
      const identityId = idParam(req, 'id')
      const document = parse(TextDocumentRequest, await readJson(req, jsonBytes))
      const submitted = await workflows.submitTextDocument(buildCaller(req, res), identityId, document)
      sendJson(res, 'SingleStatus', submitted)
    },

    async submitMedicare(req, res) {
      const identityId = idParam(req, 'id')
      const card = parse(MedicareRequest, await readJson(req, jsonBytes))
      sendJson(res, 'SingleStatus', await workflows.submitMedicare(buildCaller(req, res), identityId, card))
    },

    async openDocumentSession(req, res) {
      const identityId = idParam(req, 'id')
      const request = parse(DocumentSessionRequest, (await readJson(req, jsonBytes)) ?? {})
      const answer = await workflows.openDocumentSession(buildCaller(req, res), identityId, request)
      sendJson(res, 'DocumentSessionAnswer', answer)
    },

    async submitDocument(req, res) {
      const identityId = idParam(req, 'id')
      const form = await readForm(req, config.uploadLimits, 2)
      const front = findFile(form, SIDE_PARTS.FRONT)
      const back = findFile(form, SIDE_PARTS.BACK)
      if (!front && back) throw new AppError('sides_mismatch', { expected: ['FRONT'] })
      if (!front) {
        throw fieldProblem(
          'required',
          SIDE_PARTS.FRONT,
          'send the photograph as a file part of this name in multipart/form-data',
        )
      }
      const part = readJsonPart(form, DETAILS_PART)
      const json = part && parseJson(part, DETAILS_PART)
      const details = json === undefined ? undefined : parse(DocumentCaptureDetails, json, DETAILS_PART)
      const submitted = await workflows.submitDocument(buildCaller(req, res), identityId, {
        front,
        ...(back ? { back } : {}),
        ...(details ? { details } : {}),
      })
      sendJson(res, 'SingleStatus', submitted)
    },

    async submitChip(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      const request = parse(ChipFilesRequest, await readJson(req, MAX_CHIP_REQUEST_BYTES))
      sendJson(
        res,
        'SingleStatus',
        await workflows.submitChip(buildCaller(req, res), ...ids, toChipFiles(request)),
      )
    },

    async getDocumentImage(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      const images = await workflows.getDocumentImage(buildCaller(req, res), ...ids)
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

function toChipFiles({ sod, com, cardSecurity, dataGroups }: ChipFilesRequest): ChipFiles {
  const decode = (text: string): Buffer => Buffer.from(text, 'base64')
  return {
    sod: decode(sod),
    com: com === undefined ? null : decode(com),
    cardSecurity: cardSecurity === undefined ? null : decode(cardSecurity),
    dataGroups: new Map(dataGroups.map(({ number, content }) => [number, decode(content)])),
  }
}
