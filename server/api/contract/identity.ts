/** The identity and its summary as the relying service sees them (spec "Identity summary", "Identity", "Consent"). */
import { z } from 'zod'
import { CONSENT_TYPES, IDENTITY_STATUSES } from '../../proofing/types.ts'
import { AddressEvidence, AttributeEvidence, IdDocumentEvidence, PortraitEvidence } from './evidence.ts'
import { DateTime, Id } from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** For every higher level, sets of submissions that would each reach it. */
export const UpgradePaths = z.record(
  z.string(),
  z.array(
    z.array(
      z.object({ evidence: z.string(), minimumScore: z.string(), checks: z.array(z.string()).optional() }),
    ),
  ),
)

export const GlobalStatus = z.object({
  id: Id,
  status: z.enum(IDENTITY_STATUSES),
  levelOfAssurance: z.string(),
  creationDateTime: DateTime,
  evaluationDateTime: DateTime.optional(),
  nameReferenceEvidenceId: Id.optional(),
  portraitReferenceEvidenceId: Id.optional(),
  upgradePaths: UpgradePaths.optional(),
})

export const Consent = z.object({
  consentId: Id,
  approved: z.boolean(),
  type: z.enum(CONSENT_TYPES),
  validityPeriod: z.object({ from: z.string().optional(), to: z.string().optional() }).optional(),
})

export const Identity = z.object({
  globalStatus: GlobalStatus,
  consents: z.array(Consent),
  attributes: z.array(AttributeEvidence),
  addresses: z.array(AddressEvidence),
  idDocuments: z.array(IdDocumentEvidence),
  portrait: PortraitEvidence.optional(),
  /** The calling business context given at creation: not verified (spec "Identity creation context"). */
  context: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
})

export const IdentityStatusAnswer = z.object({ globalStatus: GlobalStatus })
export const PortraitAnswer = z.object({ globalStatus: GlobalStatus, portrait: PortraitEvidence })
export const ConsentList = z.array(Consent)

export type GlobalStatus = Frozen<z.infer<typeof GlobalStatus>>
export type Consent = Frozen<z.infer<typeof Consent>>
export type Identity = Frozen<z.infer<typeof Identity>>
export type IdentityStatusAnswer = Frozen<z.infer<typeof IdentityStatusAnswer>>
export type PortraitAnswer = Frozen<z.infer<typeof PortraitAnswer>>
