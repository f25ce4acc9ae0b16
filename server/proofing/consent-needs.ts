/** Which consents each kind of evidence stands on. The spec demands four of them; a tenant may demand more. */
import type { EvidenceKind } from './evidence.ts'
import type { ConsentNeeds } from './identity.ts'
import type { ConsentType } from './types.ts'

/** Spec "Consents": "Consent of type PORTRAIT precedes portrait processing; …". The others count when refused. */
const BY_SPEC: Readonly<Record<EvidenceKind, ConsentNeeds>> = {
  IDDOCUMENT: { demanded: [], respected: ['ID_DOCUMENT'] },
  // Text is submitted to be held against the issuer's record, which GIV is the consent for.
  IDDOCUMENT_TEXT: { demanded: ['GIV'], respected: ['ID_DOCUMENT'] },
  MEDICARE: { demanded: ['GIV'], respected: ['ID_DOCUMENT'] },
  PORTRAIT: { demanded: ['PORTRAIT'], respected: [] },
  ATTRIBUTES: { demanded: [], respected: ['ATTRIBUTES'] },
  ADDRESS: { demanded: [], respected: ['ADDRESS'] },
  TRUSTED_ID_CLAIM: { demanded: [], respected: [] },
  ID_CLAIM: { demanded: ['ID_CLAIM'], respected: [] },
  CONTACT: { demanded: ['MOBILE_OTP'], respected: ['MOBILE'] },
}

/** `tenant`: what this tenant demands beyond the spec (config `tenant.requiredConsents`). */
export function consentNeeds(
  kind: EvidenceKind,
  tenant: Readonly<Partial<Record<EvidenceKind, readonly ConsentType[]>>> = {},
): ConsentNeeds {
  const { demanded, respected } = BY_SPEC[kind]
  return { demanded: [...new Set([...demanded, ...(tenant[kind] ?? [])])], respected }
}
