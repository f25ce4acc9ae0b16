/** Names the sources outside that each consent permits to ask, with the values that leave this machine, for the screens that ask. */
import type { ClaimField } from './claim-source.ts'
import { DOCUMENT_NAMES, type Disclosures } from './disclosure.ts'
import type { IssuerField } from './issuer-answer.ts'
import { listDisclosed, type OperatorField } from './phone-ownership.ts'

interface Configured {
  readonly tenant: {
    readonly features: {
      readonly issuerVerification: boolean
      readonly mobileOtp: boolean
      readonly idClaim: boolean
    }
  }
  readonly connectors: {
    readonly issuers: readonly { readonly name: string; readonly sends: readonly IssuerField[] }[]
    readonly operator?:
      { readonly name?: string | undefined; readonly sends: readonly OperatorField[] } | undefined
    readonly bureaus: readonly { readonly name: string; readonly sends: readonly ClaimField[] }[]
  }
}

export function listDisclosures({ tenant: { features }, connectors }: Configured): Disclosures {
  const issuers = features.issuerVerification ? connectors.issuers : []
  const operator = features.mobileOtp ? connectors.operator : undefined
  const bureaus = features.idClaim ? connectors.bureaus : []
  return {
    ...(issuers.length > 0 && {
      GIV: issuers.map(({ name, sends }) => ({ name, values: [...DOCUMENT_NAMES, ...sends] })),
    }),
    ...(operator && { MOBILE: [{ name: operator.name ?? null, values: listDisclosed(operator.sends) }] }),
    ...(bureaus.length > 0 && {
      ID_CLAIM: bureaus.map(({ name, sends }) => ({ name, values: ['country' as const, ...sends] })),
    }),
  }
}
