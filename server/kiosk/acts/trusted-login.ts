/** The login at an identity provider: the applicant's own phone opens its address from a QR code. */
import type { Request } from 'express'
import { AppError, fieldProblem } from '../../errors.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import { requireStep, change, requireIdentity, type Turn } from '../kit.ts'
import { findStep } from '../known.ts'
import { listProviders } from '../steps.ts'

/** Throws `authorization_server_unavailable`, and `validation_failed` for a provider that the journey does not name. */
export async function beginLogin(turn: Turn, providerId: string, req: Request): Promise<void> {
  const known = await requireStep(turn, 'trusted-login')
  const step = findStep(known, 'trusted-login')
  if (!step || !listProviders(known, step).some(({ id }) => id === providerId)) {
    throw fieldProblem('unknown', 'id', 'is no provider of this journey')
  }
  const { kit, caller } = turn
  const { trustedCallbackPath, trustedClaimMinutes } = kit.deps.settings
  // The appliance replaces this by the registered address if one is configured.
  const callbackUrl = `${req.protocol}://${req.headers.host ?? 'localhost'}${trustedCallbackPath}`
  const request = { idpIdentifier: providerId, responseType: 'JSON' as const }
  const begun = await kit.deps.workflows.requestTrustedClaim(
    caller,
    requireIdentity(turn),
    request,
    callbackUrl,
  )
  const expiresAt = new Date(known.now.getTime() + trustedClaimMinutes * MINUTE_MS)
  change(turn, { login: { evidenceId: begun.id, url: begun.idpAuthorizeEndpoint, expiresAt } })
}

/** Returns to the choice of a provider. */
export async function dropLogin(turn: Turn): Promise<void> {
  await requireStep(turn, 'trusted-login')
  await abandonLogin(turn)
  change(turn, { login: null })
}

/** Ends the login: an open login would keep the whole visit open. */
export async function abandonLogin(turn: Turn): Promise<void> {
  const { kit, session, caller } = turn
  if (!session.facts.login) return
  try {
    await kit.deps.workflows.abandonTrustedClaim(caller, requireIdentity(turn))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
