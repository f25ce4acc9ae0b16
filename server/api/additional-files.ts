/** /v1/identities/{id}/additional-files: files that are stored and attached to the proof without any check. */
import { fileEnding } from '../proofing/media-type.ts'
import { sendJson, sendMultipart, sendNothing } from './answer.ts'
import { parseJson } from '../http/json.ts'
import { FileMetadata } from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { readJsonPart, requireFile, readForm } from '../http/form.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

const FILE_PART = 'File'
const METADATA_PART = 'Metadata'

type Operations = 'listAdditionalFiles' | 'addAdditionalFile' | 'getAdditionalFile' | 'deleteAdditionalFile'

export function additionalFileHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async listAdditionalFiles(req, res) {
      const files = await workflows.listAdditionalFiles(buildCaller(req, res), idParam(req, 'id'))
      sendJson(res, 'AdditionalFileList', files)
    },

    async addAdditionalFile(req, res) {
      const identityId = idParam(req, 'id')
      const form = await readForm(req, config.uploadLimits, 1)
      const part = readJsonPart(form, METADATA_PART)
      const json = part && parseJson(part, METADATA_PART)
      const metadata = json === undefined ? [] : parse(FileMetadata, json, METADATA_PART)
      const file = requireFile(form, FILE_PART, [METADATA_PART])
      sendJson(
        res,
        'AdditionalFileStatus',
        await workflows.addAdditionalFile(buildCaller(req, res), identityId, file, metadata),
      )
    },

    async getAdditionalFile(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'fileId')] as const
      const { bytes, mediaType, metadata } = await workflows.getAdditionalFile(buildCaller(req, res), ...ids)
      sendMultipart(res, 'form-data', [
        {
          disposition: `form-data; name="${FILE_PART}"`,
          fileName: `file.${fileEnding(mediaType)}`,
          mediaType,
          bytes,
        },
        {
          disposition: `form-data; name="${METADATA_PART}"`,
          fileName: 'metadata.json',
          mediaType: 'application/json',
          bytes: Buffer.from(JSON.stringify(metadata)),
        },
      ])
    },

    async deleteAdditionalFile(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'fileId')] as const
      await workflows.deleteAdditionalFile(buildCaller(req, res), ...ids)
      sendNothing(res)
    },
  }
}
