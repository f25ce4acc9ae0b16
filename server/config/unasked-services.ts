/** Finds services that config.json names although a feature of the tenant, which is off, keeps the appliance from asking them. */
import type { Config } from './config.ts'

type Feature = keyof Config['tenant']['features']

/** Sections of `connectors`, and the feature that asks them. */
const ASKED_FOR: Readonly<Partial<Record<keyof Config['connectors'], Feature>>> = {
  issuers: 'issuerVerification',
  issuerAu: 'issuerVerification',
  issuerUs: 'issuerVerification',
  bureaus: 'idClaim',
  cardOwnership: 'idClaim',
  oidc: 'trustedIdClaim',
  operator: 'mobileOtp',
  sms: 'mobileOtp',
  smtp: 'emailOtp',
  voice: 'landlineOtp',
  documentStatus: 'antifraud',
  fraudRegister: 'antifraud',
}

interface UnaskedService {
  /** Option of config.json. */
  readonly service: string
  /** Option that must be true for it to be asked. */
  readonly feature: string
}

export function listUnaskedServices({
  connectors,
  tenant,
}: Pick<Config, 'connectors' | 'tenant'>): readonly UnaskedService[] {
  return Object.entries(ASKED_FOR).flatMap(([section, feature]) => {
    const given = connectors[section as keyof typeof ASKED_FOR]
    const isNamed = Array.isArray(given)
      ? given.length > 0
      : section === 'oidc'
        ? connectors.oidc.providers.length > 0
        : given !== undefined
    return isNamed && !tenant.features[feature]
      ? [{ service: `connectors.${section}`, feature: `tenant.features.${feature}` }]
      : []
  })
}
