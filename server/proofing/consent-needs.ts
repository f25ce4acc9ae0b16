/** Consents that each kind of evidence needs. The spec requires three; a tenant may require more. */
import { EVIDENCE_KINDS, type EvidenceKind } from './evidence.ts'
import type { ConsentNeeds } from './identity.ts'
import type { ConsentType } from './types.ts'

/** Spec "Consents": "Consent of type PORTRAIT precedes portrait processing; …". The others only count if refused. */
const BY_SPEC: Readonly<Record<EvidenceKind, ConsentNeeds>> = {
  IDDOCUMENT: { demanded: [], respected: ['ID_DOCUMENT'] },
  // GIV is the consent to ask the issuer; a document needs none to be verified otherwise.
  IDDOCUMENT_TEXT: { demanded: [], respected: ['ID_DOCUMENT'] },
  MEDICARE: { demanded: [], respected: ['ID_DOCUMENT'] },
  PORTRAIT: { demanded: ['PORTRAIT'], respected: [] },
  ATTRIBUTES: { demanded: [], respected: ['ATTRIBUTES'] },
  ADDRESS: { demanded: [], respected: ['ADDRESS'] },
  TRUSTED_ID_CLAIM: { demanded: [], respected: [] },
  ID_CLAIM: { demanded: ['ID_CLAIM'], respected: [] },
  CONTACT: { demanded: ['MOBILE_OTP'], respected: ['MOBILE'] },
  EMAIL: { demanded: ['EMAIL_OTP'], respected: ['EMAIL'] },
  LANDLINE: { demanded: ['LANDLINE'], respected: [] },
}

/** All consent types that evidence of these kinds requires or respects. */
export function listConsentTypes(
  kinds: readonly EvidenceKind[],
  tenant: TenantNeeds = {},
): readonly ConsentType[] {
  const needs = kinds.map((kind) => consentNeeds(kind, tenant))
  return [...new Set(needs.flatMap(({ demanded, respected }) => [...demanded, ...respected]))]
}

type TenantNeeds = Readonly<Partial<Record<EvidenceKind, readonly ConsentType[]>>>

/** True if any kind of evidence depends on this consent type. */
export function isUsed(type: ConsentType, tenant: TenantNeeds = {}): boolean {
  return EVIDENCE_KINDS.map((kind) => consentNeeds(kind, tenant)).some(
    ({ demanded, respected }) => demanded.includes(type) || respected.includes(type),
  )
}

/** `tenant`: additional requirements of this tenant (config `tenant.requiredConsents`). */
export function consentNeeds(kind: EvidenceKind, tenant: TenantNeeds = {}): ConsentNeeds {
  const { demanded, respected } = BY_SPEC[kind]
  return { demanded: [...new Set([...demanded, ...(tenant[kind] ?? [])])], respected }
}
