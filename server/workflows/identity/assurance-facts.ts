/** Reads from the database the facts that determine the level of an identity, and the abilities of this installation. */
import type { Context } from '../../context.ts'
import { buildFacts, type KnownEvidence } from '../../proofing/assurance/build-facts.ts'
import type { Ability, AssuranceFacts } from '../../proofing/assurance/facts.ts'
import { portraitMatches } from '../../proofing/assurance/portrait-matches.ts'
import { hasIssuer } from '../../proofing/consent-disclosures.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { portraitCoding } from '../../proofing/portrait-coding.ts'
import { getToday } from '../../proofing/time.ts'
import { createConsentFilter } from '../evidence/consent-filter.ts'

/** @param evidences of the identity, as stored or as they are about to be saved */
export function readAssuranceFacts(
  ctx: Context,
  identityId: string,
  evidences: readonly Evidence[],
): AssuranceFacts {
  const today = getToday(ctx.time.statement())
  const mayUse = createConsentFilter(ctx, identityId)
  const known = evidences
    .filter(({ deletedAt }) => deletedAt === null)
    .map((evidence): KnownEvidence => {
      const { evaluation, family, matchedReferenceId } = evidence
      const records = ctx.store.evidences.verification(evidence)
      return {
        ...evidence,
        positiveIndicators: evaluation.positiveIndicators,
        otherIndicators: [
          ...evaluation.warningIndicators,
          ...evaluation.blockingIndicators,
          ...evaluation.unverifiedIndicators,
        ],
        mayBeUsed: mayUse(evidence),
        matches: family === 'PORTRAIT' ? portraitMatches(records, matchedReferenceId) : [],
        codingQuality: family === 'IDDOCUMENT' ? portraitCoding(records) : 0,
      }
    })
  return buildFacts(known, ctx.store.fraudChecks.list(identityId), today)
}

/** Lists what this installation can do. An upgrade path that needs a missing connector or feature is not offered. */
export function listAbilities({ config, store }: Pick<Context, 'config' | 'store'>): readonly Ability[] {
  const { features } = config.tenant
  const { camera, inspection } = config.environment
  const { documentStatus: remote, fraudRegister } = config.connectors
  const list = store.documentRegisters.current()
  return [
    'DOCUMENTS',
    'FACES',
    'LIVENESS',
    ...(config.readers.enabled && hasAuthorities(store) ? (['NFC'] as const) : []),
    ...(config.counter.enabled ? (['ATTENDED'] as const) : []),
    ...(features.adjudication ? (['ADJUDICATION'] as const) : []),
    ...(features.antifraud ? (['ANTIFRAUD'] as const) : []),
    ...(config.antifraud.duplicateFace.enabled ? (['DUPLICATE_FACE'] as const) : []),
    ...(store.watchlists.list().length > 0 ? (['WATCHLIST'] as const) : []),
    ...(hasIssuer(config) ? (['GIV'] as const) : []),
    ...(remote || list ? (['DOCUMENT_STATUS'] as const) : []),
    // An imported list is a copy, whatever its source.
    ...(remote?.authoritative ? (['DOCUMENT_STATUS_ISSUER'] as const) : []),
    ...(fraudRegister ? (['KNOWN_FRAUD'] as const) : []),
    ...(remote?.coversDeaths || list?.coversDeaths || fraudRegister?.coversDeaths
      ? (['DEATH_RECORDS'] as const)
      : []),
    ...(camera && inspection ? (['DEVICE_INTEGRITY'] as const) : []),
    ...(features.mobileOtp && config.connectors.sms ? (['MOBILE_OTP'] as const) : []),
    ...(features.mobileOtp && config.connectors.operator ? (['MOBILE_OWNERSHIP'] as const) : []),
    ...(features.trustedIdClaim && config.connectors.oidc.providers.length > 0
      ? (['TRUSTED_ID_CLAIM'] as const)
      : []),
  ]
}

/** An authority is in force that chips can be verified with. */
function hasAuthorities({ trust }: Pick<Context['store'], 'trust'>): boolean {
  return trust
    .list()
    .some(({ kind, replacedAt }) => replacedAt === null && (kind === 'MASTER_LIST' || kind === 'CERTIFICATE'))
}
