/** /v1/identities: create, find, read, erase; status of an identity and of one evidence. */
import { isUtf8 } from 'node:buffer'
import type { Request } from 'express'
import type { Upload } from '../proofing/types.ts'
import { sendJson, sendNothing } from './answer.ts'
import { readJson } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import {
  CorrelationHeader,
  CorrelationQuery,
  CreationContext,
  UserAgentTokenRequest,
} from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import { detailFor } from './detail.ts'
import { isWhiteSpace } from '../http/form-start.ts'
import type { Handlers } from './handlers.ts'
import { findAnyFile, readJsonPart, readForm } from '../http/form.ts'
import { idParam, parse } from '../http/parse.ts'
import { buildCaller } from './request-context.ts'

type Operations =
  | 'createIdentity'
  | 'findIdentity'
  | 'getIdentity'
  | 'eraseIdentity'
  | 'resumeIdentity'
  | 'getIdentityStatus'
  | 'getEvidenceStatus'
  | 'issueUserAgentToken'

export function identityHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  return {
    async createIdentity(req, res) {
      const { 'correlation-id': correlationId } = parse(CorrelationHeader, {
        'correlation-id': asUtf8(req.headers['correlation-id']),
      })
      const { context, file } = await readCreation(req)
      const created = await workflows.createIdentity(buildCaller(req, res), {
        context: parse(CreationContext, context ?? [], 'context'),
        ...(correlationId ? { correlationId } : {}),
        ...(file ? { file } : {}),
      })
      sendJson(res, 'GlobalStatus', created)
    },

    async findIdentity(req, res) {
      const caller = buildCaller(req, res)
      const { correlationID } = parse(CorrelationQuery, req.query)
      sendJson(res, 'Identity', await workflows.findIdentity(caller, correlationID, detailFor(caller, req)))
    },

    async getIdentity(req, res) {
      const caller = buildCaller(req, res)
      sendJson(
        res,
        'Identity',
        await workflows.getIdentity(caller, idParam(req, 'id'), detailFor(caller, req)),
      )
    },

    async resumeIdentity(req, res) {
      const caller = buildCaller(req, res)
      const identity = await workflows.resumeIdentity(caller, idParam(req, 'id'), detailFor(caller, req))
      sendJson(res, 'Identity', identity)
    },

    async eraseIdentity(req, res) {
      await workflows.eraseIdentity(buildCaller(req, res), idParam(req, 'id'))
      sendNothing(res)
    },

    async getIdentityStatus(req, res) {
      sendJson(
        res,
        'IdentityStatusAnswer',
        await workflows.getIdentityStatus(buildCaller(req, res), idParam(req, 'id')),
      )
    },

    async issueUserAgentToken(req, res) {
      const body = await readJson(req, config.uploadLimits.jsonBytes)
      const request = parse(UserAgentTokenRequest, body ?? {})
      const issued = await workflows.issueUserAgentToken(buildCaller(req, res), idParam(req, 'id'), request)
      sendJson(res, 'UserAgentToken', issued)
    },

    async getEvidenceStatus(req, res) {
      const ids = [idParam(req, 'id'), idParam(req, 'evidenceId')] as const
      sendJson(res, 'SingleStatus', await workflows.getEvidenceStatus(buildCaller(req, res), ...ids))
    },
  }

  /** Accepts all forms of a creation: a form with a context part, the bare JSON array, `{context: […]}`, no body. */
  async function readCreation(req: Request): Promise<{ context: unknown; file?: Upload }> {
    const form = await readForm(req, config.uploadLimits, 1)
    switch (form.kind) {
      case 'empty':
        return { context: undefined }
      case 'plain':
        return { context: unwrapContext(parseJson(form.bytes)) }
      case 'parts': {
        const part = readJsonPart(form, 'context')
        const file = findAnyFile(form, 'file', ['context'])
        return {
          // Some clients send an empty part if there is no context.
          context: part && part.some(isSaid) ? unwrapContext(parseJson(part, 'context')) : undefined,
          ...(file ? { file } : {}),
        }
      }
    }
  }
}

/** True for a byte that is neither white space nor NUL. */
const isSaid = (byte: number): boolean => !isWhiteSpace(byte) && byte !== 0

/** Accepts the array itself, `{context: […]}`, a single entry, or `{}`. The contract refuses anything else. */
function unwrapContext(body: unknown): unknown {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return body
  if ('context' in body) return body.context
  if ('key' in body && 'value' in body) return [body]
  return Object.keys(body).length === 0 ? [] : body
}

/** Decodes UTF-8: Node returns a header as Latin-1, but clients send UTF-8, as in a query. */
function asUtf8(header: unknown): unknown {
  if (typeof header !== 'string') return header
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}
