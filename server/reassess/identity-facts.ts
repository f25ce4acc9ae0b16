/**
 * Derives facts from the answer of GET /v1/identities/{id}?detailed=true or from identityDetails.json, to explain an LOA. Less
 * exact than an archive: only the archive states the additional consents of the tenant and the findings about a phone number.
 */
import { z } from 'zod'
import { buildFacts, type KnownEvidence } from '../proofing/assurance/build-facts.ts'
import type { AssuranceFacts } from '../proofing/assurance/facts.ts'
import { portraitMatches } from '../proofing/assurance/portrait-matches.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { deriveKind, type EvidenceFamily } from '../proofing/evidence.ts'
import { areConsentsGiven } from '../proofing/identity.ts'
import { portraitCoding } from '../proofing/portrait-coding.ts'
import { getToday } from '../proofing/time.ts'
import { EVIDENCE_STATUSES, EVIDENCE_TYPES, LEVELS } from '../proofing/types.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'
import { listConsents, collectContents } from './archive-facts.ts'
import { Identity } from './archive-parts.ts'

const names = z.array(z.string())
const Judged = z.object({
  evidenceId: z.string(),
  type: z.enum(EVIDENCE_TYPES),
  evidenceStatus: z.object({
    status: z.enum(EVIDENCE_STATUSES),
    strength: z.enum(LEVELS).default('LEVEL0'),
    score: z.enum(LEVELS),
    positiveIndicators: names,
    warningIndicators: names,
    blockingIndicators: names,
    unverifiedIndicators: names,
  }),
  verificationDetails: z.array(z.looseObject({ measurements: z.array(z.looseObject({})) })).optional(),
})
type Judged = z.infer<typeof Judged>

const Given = z.object({ policy: z.object({ id: z.string() }) })

const Evaluated = z.object({
  globalStatus: z.object({
    evaluationDateTime: z.string().refine((at) => !Number.isNaN(Date.parse(`${at}Z`))),
  }),
  counterproof: z.object({ assessment: Given.optional() }).optional(),
  // Absent in archives before form 1.1.
  assessment: Given.optional(),
  idDocuments: z.array(Judged),
  attributes: z.array(Judged),
  addresses: z.array(Judged),
  portrait: Judged.optional(),
  trustedIdClaim: Judged.optional(),
  // An answer that hides claims does not state their status either.
  claim: z.union([Judged, z.object({ evidenceStatus: z.undefined() })]).optional(),
})

export interface IdentityBasis {
  readonly facts: AssuranceFacts
  readonly levelOfAssurance: string
  /** Id of the policy that gave the LOA; null for an answer of an earlier version. */
  readonly policyId: string | null
}

/** Returns the facts, or the names of the invalid members without their values. */
export function readIdentity(value: unknown): IdentityBasis | { readonly reason: string } {
  const parsed = z
    .object({ content: Identity, judged: Evaluated })
    .safeParse({ content: value, judged: value })
  if (!parsed.success) {
    const where = parsed.error.issues.map(({ path }) => path.slice(1, 5).join('.'))
    return { reason: `These members are missing or not as expected: ${[...new Set(where)].join(', ')}.` }
  }
  const { content, judged } = parsed.data
  const { evaluationDateTime } = judged.globalStatus
  const at = new Date(`${evaluationDateTime}Z`)
  const today = getToday({ earliest: at, latest: at })
  const contents = collectContents(content)
  const consents = listConsents(content)
  const referenceId = content.globalStatus.portraitReferenceEvidenceId ?? null
  const known = inFamilies(judged).flatMap(([family, piece]): readonly KnownEvidence[] => {
    const { evidenceId: id, type, evidenceStatus } = piece
    const held = contents.get(id)
    if (!held) return []
    const { warningIndicators, blockingIndicators, unverifiedIndicators, ...stands } = evidenceStatus
    return [
      {
        ...stands,
        id,
        family,
        type,
        ...held,
        otherIndicators: [...warningIndicators, ...blockingIndicators, ...unverifiedIndicators],
        mayBeUsed: areConsentsGiven(consents, consentNeeds(deriveKind({ family, type, ...held })), today),
        matches: family === 'PORTRAIT' ? listMatches(piece, referenceId) : [],
        codingQuality: family === 'IDDOCUMENT' ? portraitCoding(listRecords(piece)) : 0,
      },
    ]
  })
  const fraudChecks = (content.antifraud ?? []).map(({ subjects = [], ...check }) => ({ ...check, subjects }))
  return {
    facts: buildFacts(known, fraudChecks, today),
    levelOfAssurance: content.globalStatus.levelOfAssurance,
    policyId: (judged.counterproof?.assessment ?? judged.assessment)?.policy.id ?? null,
  }
}

function inFamilies(judged: z.infer<typeof Evaluated>): readonly (readonly [EvidenceFamily, Judged])[] {
  const { idDocuments, attributes, addresses, portrait, trustedIdClaim, claim } = judged
  const all: readonly (readonly [EvidenceFamily, readonly (Judged | undefined)[]])[] = [
    ['IDDOCUMENT', idDocuments],
    ['PORTRAIT', [portrait]],
    ['ATTRIBUTES', attributes],
    ['ADDRESS', addresses],
    ['TRUSTED_ID_CLAIM', [trustedIdClaim]],
    ['ID_CLAIM', [claim && 'evidenceId' in claim ? claim : undefined]],
  ]
  return all.flatMap(([family, pieces]) =>
    pieces.flatMap((piece) => (piece ? [[family, piece] as const] : [])),
  )
}

const listRecords = ({ verificationDetails = [] }: Judged): readonly VerificationRecord[] =>
  verificationDetails as unknown as readonly VerificationRecord[]

/** The answer has no verification record, so only the match with the elected document is known. */
function listMatches(piece: Judged, referenceId: string | null): readonly string[] {
  const { positiveIndicators, warningIndicators } = piece.evidenceStatus
  if (piece.verificationDetails) return portraitMatches(listRecords(piece), referenceId)
  const byMachine = positiveIndicators.includes('BIOMETRIC_MATCHING_CHECK_OK')
  const isOther = warningIndicators.includes('BIOMETRIC_MATCHING_CHECK_WARNING')
  const byPerson = positiveIndicators.includes('ADJUDICATION_OK') && !isOther
  return (byMachine || byPerson) && referenceId !== null ? [referenceId] : []
}
