/** Handlers for claims without a document: trusted claim (OpenID Connect), identity claim, contact details. */
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { sendJson, sendNothing, sendRedirect } from './answer.ts'
import { readJson } from '../http/body.ts'
import {
  ClaimRequest,
  EmailRequest,
  LandlineRequest,
  MobileRequest,
  OidcCallbackQuery,
  OtpRequest,
  TrustedClaimRequest,
} from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import type { Handler } from '../http/limits.ts'
import { idParam, parse } from '../http/parse.ts'
import type { ContactKind } from '../proofing/contact-kinds.ts'
import { buildCaller } from './request-context.ts'
import { ROUTES } from './routes.ts'

type Operations =
  | 'requestTrustedClaim'
  | 'getTrustedClaim'
  | 'finishTrustedClaim'
  | 'submitClaim'
  | 'getClaim'
  | 'submitMobile'
  | 'getMobile'
  | 'deleteMobile'
  | 'submitOtp'
  | 'submitEmail'
  | 'getEmail'
  | 'deleteEmail'
  | 'submitEmailOtp'
  | 'submitLandline'
  | 'getLandline'
  | 'deleteLandline'
  | 'submitLandlineOtp'

export function claimHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const { jsonBytes } = config.uploadLimits
  const submit =
    (
      kind: ContactKind,
      schema: z.ZodType<{ value: string }>,
      answered: 'MobileSubmitAnswer' | 'SingleStatus',
    ): Handler =>
    async (req, res) => {
      const identityId = idParam(req, 'id')
      const { value } = parse(schema, await readJson(req, jsonBytes))
      const answer = await workflows.submitContact(buildCaller(req, res), identityId, kind, value)
      sendJson(res, answered, answer)
    }
  const get = (kind: ContactKind, req: Request, res: Response) =>
    workflows.getContact(buildCaller(req, res), idParam(req, 'id'), kind)
  const remove =
    (kind: ContactKind): Handler =>
    async (req, res) => {
      await workflows.abandonContact(buildCaller(req, res), idParam(req, 'id'), kind)
      sendNothing(res)
    }
  const enterPasscode =
    (kind: ContactKind): Handler =>
    async (req, res) => {
      const identityId = idParam(req, 'id')
      const { value } = parse(OtpRequest, await readJson(req, jsonBytes))
      await workflows.submitPasscode(buildCaller(req, res), identityId, kind, value)
      sendNothing(res)
    }
  return {
    async requestTrustedClaim(req, res) {
      const identityId = idParam(req, 'id')
      const claim = parse(TrustedClaimRequest, await readJson(req, jsonBytes))
      const answer = await workflows.requestTrustedClaim(
        buildCaller(req, res),
        identityId,
        claim,
        callbackUrl(req),
      )
      if (claim.responseType === 'HTTP_REDIRECT') sendRedirect(res, answer.idpAuthorizeEndpoint)
      else sendJson(res, 'TrustedClaimAnswer', answer)
    },

    async getTrustedClaim(req, res) {
      const answer = await workflows.getTrustedClaim(buildCaller(req, res), idParam(req, 'id'))
      sendJson(res, 'TrustedIdClaimsAnswer', answer)
    },

    async finishTrustedClaim(req, res) {
      const { state } = parse(OidcCallbackQuery, req.query)
      const query = Object.fromEntries(
        Object.entries(req.query).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
      )
      const { redirectTo } = await workflows.finishTrustedClaim({ state, query })
      res.setHeader('Cache-Control', 'no-store')
      // Spec: "with postAuthRedirectUri set, the service answers HTTP 302 to it; without it, HTTP 201 with no content".
      if (redirectTo === null) res.status(201).end()
      else sendRedirect(res, redirectTo)
    },

    async submitClaim(req, res) {
      const identityId = idParam(req, 'id')
      const claim = parse(ClaimRequest, await readJson(req, jsonBytes))
      sendJson(res, 'SingleStatus', await workflows.submitClaim(buildCaller(req, res), identityId, claim))
    },

    async getClaim(req, res) {
      sendJson(res, 'ClaimAnswer', await workflows.getClaim(buildCaller(req, res), idParam(req, 'id')))
    },

    submitMobile: submit('mobile', MobileRequest, 'MobileSubmitAnswer'),
    async getMobile(req, res) {
      const { globalStatus, contact: mobile } = await get('mobile', req, res)
      sendJson(res, 'MobileAnswer', { globalStatus, contactDetails: { mobile } })
    },
    deleteMobile: remove('mobile'),
    submitOtp: enterPasscode('mobile'),

    submitEmail: submit('email', EmailRequest, 'SingleStatus'),
    async getEmail(req, res) {
      const { globalStatus, contact: email } = await get('email', req, res)
      sendJson(res, 'EmailAnswer', { globalStatus, contactDetails: { email } })
    },
    deleteEmail: remove('email'),
    submitEmailOtp: enterPasscode('email'),

    submitLandline: submit('landline', LandlineRequest, 'SingleStatus'),
    async getLandline(req, res) {
      const { globalStatus, contact: landline } = await get('landline', req, res)
      sendJson(res, 'LandlineAnswer', { globalStatus, contactDetails: { landline } })
    },
    deleteLandline: remove('landline'),
    submitLandlineOtp: enterPasscode('landline'),
  }
}

/** Builds the provider's return address from the Host of this request, which the host guard has checked. */
function callbackUrl(req: Request): string {
  return `${req.protocol}://${req.headers.host ?? 'localhost'}${ROUTES.finishTrustedClaim.path}`
}
