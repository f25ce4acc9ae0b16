/** Names the sources outside that each consent permits to ask, with the values that leave this machine, for the screens that ask. */
import { hasValue, type AddressFormats } from './address-form.ts'
import type { RegisterField } from './address-register.ts'
import type { ClaimField } from './claim-source.ts'
import { CARD_FIELDS } from './payment-card.ts'
import { DOCUMENT_NAMES, type Disclosures } from './disclosure.ts'
import type { IssuerField } from './issuer-answer.ts'
import { listAustralianFields, type AustralianType } from './issuing-sources.ts'
import { listDisclosed, type OperatorField } from './phone-ownership.ts'

interface IssuerSource {
  readonly name: string
  readonly sends: readonly IssuerField[]
}

interface AddressSource {
  readonly name: string
  readonly countries: readonly string[]
  readonly sends: readonly RegisterField[]
}

interface Configured {
  readonly tenant: {
    readonly features: {
      readonly issuerVerification: boolean
      readonly mobileOtp: boolean
      readonly idClaim: boolean
    }
  }
  readonly connectors: {
    readonly issuers: readonly IssuerSource[]
    readonly issuerAu?: Pick<IssuerSource, 'name'> & { readonly documentTypes: readonly AustralianType[] }
    readonly issuerUs?: IssuerSource
    readonly operator?:
      | { readonly name?: string | undefined; readonly sends: readonly OperatorField[] }
      | undefined
    readonly cardOwnership?: { readonly name: string } | undefined
    readonly addressRegisters: readonly AddressSource[]
    readonly bureaus: readonly { readonly name: string; readonly sends: readonly ClaimField[] }[]
  }
}

/** True if the consent GIV permits a question. */
export const hasIssuer = ({
  tenant: { features },
  connectors,
}: Pick<Configured, 'tenant'> & { readonly connectors: IssuerConnectors }): boolean =>
  features.issuerVerification && listIssuers(connectors).length > 0

export function listDisclosures(
  { tenant: { features }, connectors }: Configured,
  formats: AddressFormats,
): Disclosures {
  const issuers = features.issuerVerification ? listIssuers(connectors) : []
  const operator = features.mobileOtp ? connectors.operator : undefined
  const bureaus = features.idClaim ? connectors.bureaus : []
  const cards = features.idClaim && connectors.cardOwnership ? [connectors.cardOwnership] : []
  const registers = connectors.addressRegisters
  return {
    ...(registers.length > 0 && {
      ADDRESS: registers.map(({ name, countries, sends }) => ({
        name,
        // A state may be stated through the API in any country, and is sent then.
        values: [
          'country' as const,
          ...sends.filter(
            (value) =>
              value !== 'postcodeExtension' || countries.some((country) => hasValue(value, country, formats)),
          ),
        ],
      })),
    }),
    ...(issuers.length > 0 && {
      GIV: issuers.map(({ name, sends }) => ({ name, values: [...DOCUMENT_NAMES, ...sends] })),
    }),
    ...(operator && { MOBILE: [{ name: operator.name ?? null, values: listDisclosed(operator.sends) }] }),
    ...(bureaus.length + cards.length > 0 && {
      ID_CLAIM: [
        ...bureaus.map(({ name, sends }) => ({ name, values: ['country' as const, ...sends] })),
        ...cards.map(({ name }) => ({ name, values: CARD_FIELDS })),
      ],
    }),
  }
}

type IssuerConnectors = Pick<Configured['connectors'], 'issuers' | 'issuerAu' | 'issuerUs'>

function listIssuers({ issuers, issuerAu, issuerUs }: IssuerConnectors): readonly IssuerSource[] {
  return [
    ...issuers,
    ...(issuerAu ? [{ name: issuerAu.name, sends: listAustralianFields(issuerAu.documentTypes) }] : []),
    ...(issuerUs ? [issuerUs] : []),
  ]
}
