/** Handlers for claims without a document: trusted claim (OpenID Connect), identity claim, mobile phone. */
import type { Request } from 'express'
import { sendJson, sendNothing, sendRedirect } from './answer.ts'
import { readJson } from '../http/body.ts'
import {
  ClaimRequest,
  MobileRequest,
  OidcCallbackQuery,
  OtpRequest,
  TrustedClaimRequest,
} from './contract/index.ts'
import type { ApiDeps } from './deps.ts'
import type { Handlers } from './handlers.ts'
import { idParam, parse } from '../http/parse.ts'
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

export function claimHandlers({
  workflows,
  config,
}: Pick<ApiDeps, 'workflows' | 'config'>): Handlers<Operations> {
  const { jsonBytes } = config.uploadLimits
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

    async submitMobile(req, res) {
      const identityId = idParam(req, 'id')
      const { value } = parse(MobileRequest, await readJson(req, jsonBytes))
      const answer = await workflows.submitMobile(buildCaller(req, res), identityId, value)
      sendJson(res, 'MobileSubmitAnswer', answer)
    },

    async getMobile(req, res) {
      sendJson(res, 'MobileAnswer', await workflows.getMobile(buildCaller(req, res), idParam(req, 'id')))
    },

    async deleteMobile(req, res) {
      await workflows.abandonMobile(buildCaller(req, res), idParam(req, 'id'))
      sendNothing(res)
    },

    async submitOtp(req, res) {
      const identityId = idParam(req, 'id')
      const { value } = parse(OtpRequest, await readJson(req, jsonBytes))
      await workflows.submitOtp(buildCaller(req, res), identityId, value)
      sendNothing(res)
    },
  }
}

/** Builds the provider's return address from the Host of this request, which the host guard has checked. */
function callbackUrl(req: Request): string {
  return `${req.protocol}://${req.headers.host ?? 'localhost'}${ROUTES.finishTrustedClaim.path}`
}
