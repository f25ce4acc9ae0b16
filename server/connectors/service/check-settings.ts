/** Checks of a service's settings at the start. */
import { AppError } from '../../errors.ts'
import type { ServiceSettings } from './http-service.ts'

/** Characters allowed in a header after "Bearer " (RFC 6750, section 2.1). */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/

/** Throws `configuration_invalid` with the field. @param section such as `connectors.sms` */
export function checkServiceSettings(section: string, { token }: ServiceSettings): void {
  if (token !== null && !BEARER.test(token))
    throw unusableSetting(`${section}.tokenFile`, 'the file must hold one bearer token and nothing else')
}

export function unusableSetting(field: string, message: string): AppError {
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unusable', field, message }] },
  )
}
