/** Which consents each kind of evidence stands on. The spec demands three of them; a tenant may demand more. */
import { EVIDENCE_KINDS, type EvidenceKind } from './evidence.ts'
import type { ConsentNeeds } from './identity.ts'
import type { ConsentType } from './types.ts'

/** Spec "Consents": "Consent of type PORTRAIT precedes portrait processing; …". The others count when refused. */
const BY_SPEC: Readonly<Record<EvidenceKind, ConsentNeeds>> = {
  IDDOCUMENT: { demanded: [], respected: ['ID_DOCUMENT'] },
  // GIV is the consent for asking the issuer, and no issuer is asked in this release.
  IDDOCUMENT_TEXT: { demanded: [], respected: ['ID_DOCUMENT'] },
  MEDICARE: { demanded: [], respected: ['ID_DOCUMENT'] },
  PORTRAIT: { demanded: ['PORTRAIT'], respected: [] },
  ATTRIBUTES: { demanded: [], respected: ['ATTRIBUTES'] },
  ADDRESS: { demanded: [], respected: ['ADDRESS'] },
  TRUSTED_ID_CLAIM: { demanded: [], respected: [] },
  ID_CLAIM: { demanded: ['ID_CLAIM'], respected: [] },
  CONTACT: { demanded: ['MOBILE_OTP'], respected: ['MOBILE'] },
}

/** Every type of consent that evidence of these kinds demands or respects. */
export function consentsOf(kinds: readonly EvidenceKind[], tenant: TenantNeeds = {}): readonly ConsentType[] {
  const needs = kinds.map((kind) => consentNeeds(kind, tenant))
  return [...new Set(needs.flatMap(({ demanded, respected }) => [...demanded, ...respected]))]
}

type TenantNeeds = Readonly<Partial<Record<EvidenceKind, readonly ConsentType[]>>>

/** Whether evidence of any kind depends on a consent of this type. */
export function isUsed(type: ConsentType, tenant: TenantNeeds = {}): boolean {
  return EVIDENCE_KINDS.map((kind) => consentNeeds(kind, tenant)).some(
    ({ demanded, respected }) => demanded.includes(type) || respected.includes(type),
  )
}

/** `tenant`: what this tenant demands beyond the spec (config `tenant.requiredConsents`). */
export function consentNeeds(kind: EvidenceKind, tenant: TenantNeeds = {}): ConsentNeeds {
  const { demanded, respected } = BY_SPEC[kind]
  return { demanded: [...new Set([...demanded, ...(tenant[kind] ?? [])])], respected }
}
