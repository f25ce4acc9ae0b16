/**
 * Catalogue of result codes: meaning, HTTP status of a call that fails with it, and advice. Data for results, problem
 * documents and the API description.
 */
import type { ResultError } from './types.ts'

/** Remedy: none, the same call later, another picture, another session, or corrected input. */
export type RetryAdvice = 'none' | 'later' | 'new-picture' | 'new-session' | 'correct-input'

export interface CatalogueEntry {
  readonly meaning: string
  /** Null if the code occurs only in results. */
  readonly httpStatus: number | null
  readonly retry: RetryAdvice
  readonly advice: string
  /** `spec`: from its "Error codes". `own`: an extension. */
  readonly origin: 'spec' | 'own'
}

const inResult = (
  meaning: string,
  retry: RetryAdvice,
  advice: string,
  origin: CatalogueEntry['origin'] = 'spec',
): CatalogueEntry => ({ meaning, httpStatus: null, retry, advice, origin })

const ofCall = (httpStatus: number, meaning: string, retry: RetryAdvice, advice: string): CatalogueEntry => ({
  meaning,
  httpStatus,
  retry,
  advice,
  origin: 'spec',
})

export const ERROR_CATALOGUE = {
  '1021': ofCall(
    503,
    'the biometrics verification service is not available',
    'later',
    'submit the portrait again in a minute',
  ),
  '1033': ofCall(
    503,
    'a connected service refused our credentials',
    'later',
    'have the operator check the credentials of the connector, then submit again',
  ),
  '1034': ofCall(404, 'the proof was not found', 'none', 'ask the system that retrieved the proof'),
  '1081': ofCall(
    500,
    'the status of the transaction could not be stored',
    'later',
    'nothing was changed: have the operator check the disk, then send the call again',
  ),
  '1082': ofCall(
    500,
    'the proof could not be stored',
    'later',
    'the transaction is still open: have the operator check the disk, then ask again',
  ),
  '1100': inResult(
    'the service that sends passcodes is not available',
    'later',
    'submit the number or address again later',
  ),
  '1101': ofCall(
    400,
    'the phone verification session is no longer valid',
    'new-session',
    'submit the phone number again, then the code that is sent to it',
  ),
  '1105': inResult(
    'the service that sends passcodes refused the request',
    'correct-input',
    'check that the number or address can receive messages, or submit another one',
  ),
  '1117': ofCall(
    400,
    'the maximum number of attempts was reached',
    'later',
    'request a new code; after several codes wait for an hour',
  ),
  '1118': ofCall(
    400,
    'the one-time passcode is no longer valid',
    'new-session',
    'submit the phone number again to have a new code sent',
  ),
  '1131': inResult(
    'the identity attributes do not match the evidence',
    'correct-input',
    'compare what was submitted with the document and submit the corrected attributes',
  ),
  '1151': inResult(
    'the contact details do not match the evidence',
    'correct-input',
    'verify the phone number that was claimed, or submit a claim with the verified one',
  ),
  '1508': ofCall(
    400,
    'the number of document sides differs from what is expected',
    'new-picture',
    'photograph every side that is asked for, and send each once',
  ),
  '1531': inResult('the picture is too dark', 'new-picture', 'add light and take the picture again'),
  '1532': inResult(
    'the picture is too bright or reflects',
    'new-picture',
    'tilt the document out of the light and take the picture again',
  ),
  '1533': inResult(
    'the picture is not sharp',
    'new-picture',
    'hold still, wait for the focus and take the picture again',
    'own',
  ),
  '1535': inResult(
    'no document, or only a part of one, is in the picture',
    'new-picture',
    'put the whole document into the picture',
  ),
  '1539': inResult(
    'the picture was taken at too steep an angle',
    'new-picture',
    'hold the camera straight above the document',
  ),
  '1540': inResult('the camera is too close', 'new-picture', 'move the document away from the camera'),
  '1541': inResult('the camera is too far', 'new-picture', 'move the document nearer to the camera'),
  '1542': inResult(
    'the barcode of the document could not be read',
    'new-picture',
    'show the whole barcode, flat and sharp',
  ),
  '1543': inResult(
    'the machine-readable zone could not be read',
    'new-picture',
    'keep the lines at the bottom of the document free and in focus',
    'own',
  ),
  '1544': inResult('the document has expired', 'correct-input', 'submit a document that is in force', 'own'),
  '1597': inResult(
    'the adjudication service could not examine the evidence',
    'later',
    'send the evidence for adjudication again',
    'own',
  ),
  '1598': inResult(
    'a person who examined the evidence rejected it',
    'correct-input',
    'read the reason in the adjudication; submit other evidence',
    'own',
  ),
  '1599': inResult(
    'a check that decides failed',
    'correct-input',
    'submit another document, or correct what was submitted; for a back-end key `field` names the check',
    'own',
  ),
  '1600': inResult(
    'the portrait does not match the document closely enough',
    'new-picture',
    'take the portrait again in even light; if it fails again, refer to a person',
  ),
  '1601': inResult(
    'the quality of the portrait is not sufficient',
    'new-picture',
    'follow what `field` names and take the portrait again',
  ),
  '1609': inResult('the live portrait capture timed out', 'new-session', 'open another capture session'),
  '1610': inResult(
    'the live portrait capture failed for a technical reason',
    'new-session',
    'open another capture session',
  ),
  '1611': inResult('the live portrait capture failed', 'new-session', 'open another capture session'),
  '2301': inResult(
    'the authentication at the identity provider failed',
    'new-session',
    'start the claim again',
  ),
  '2302': ofCall(503, 'the authorization server is not available', 'later', 'start the claim again later'),
  '2303': inResult(
    'the identity provider denied access',
    'new-session',
    'have the person agree to the sharing, or use another provider',
  ),
  '2400': inResult(
    'the document capture service cannot use the request',
    'correct-input',
    'send another picture',
  ),
  '2401': inResult('the document capture timed out', 'new-session', 'open another capture session'),
  '2402': inResult(
    'the document capture was ended by the person',
    'new-session',
    'open another capture session',
  ),
  '2403': inResult('the document capture service failed', 'later', 'submit the document again in a minute'),
  '2404': inResult(
    'the document capture service is not available',
    'later',
    'submit the document again in a minute',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type ResultCode = keyof typeof ERROR_CATALOGUE

export const RESULT_CODES = Object.keys(ERROR_CATALOGUE) as readonly ResultCode[]

/** Codes that help to take a better picture: a user agent also receives their `field`. */
export const CAPTURE_ADVICE: readonly ResultCode[] = RESULT_CODES.filter(
  (code) => ERROR_CATALOGUE[code].retry === 'new-picture' && code !== '1600',
)

/** The result as shown to a user agent, in the catalogue's words. Null for a code without remedy. */
export function findAdvice({ code, message, field }: ResultError): ResultError | null {
  const known = RESULT_CODES.find((one) => one === code)
  if (known === undefined || ERROR_CATALOGUE[known].retry === 'none') return null
  // The failed check or attribute is a detail of the verification, so it is not disclosed.
  if (!CAPTURE_ADVICE.includes(known)) return resultError(known)
  return { code, ...(message === undefined ? {} : { message }), ...(field === undefined ? {} : { field }) }
}

/** Checks of the capture (spec "Live document capture indicators"), whose outcome a user agent receives. */
const CAPTURE_CHECKS: readonly string[] = [
  'REQUIRED_SIDES_CHECK',
  'GLARE_IMAGE_QUALITY',
  'DARK_IMAGE_QUALITY',
  'BLUR_IMAGE_QUALITY',
  'CAPTURE_TOO_CLOSE_CHECK',
  'CAPTURE_TOO_FAR_CHECK',
  'KEYSTONE_IMAGE_QUALITY',
  // There is no document yet to compare the portrait with.
  'PORTRAIT_REFERENCE',
]

export function isCaptureIndicator(name: string): boolean {
  return CAPTURE_CHECKS.includes(name.replace(/_[A-Z]+$/, ''))
}

/**
 * Failure codes of a live portrait session. For a judged session a user agent always receives the last one, to hide the
 * reason.
 */
export const FAILED_CAPTURE: readonly ResultCode[] = ['1609', '1610', '1611']

/** Codes of the verification of a contact on which the applicant can act; they disclose neither the owner nor the configuration. */
export const CONTACT_ADVICE: readonly ResultCode[] = ['1100', '1101', '1105', '1117', '1118']

const TECHNICAL: readonly string[] = [
  '1021',
  '1033',
  '1100',
  '1610',
  '2302',
  '2403',
  '2404',
] satisfies ResultCode[]

/** True for a failure of the appliance or a connected service, which says nothing about the applicant. */
export function isTechnical(code: string): boolean {
  return TECHNICAL.includes(code)
}

/** Error object of a result, in the catalogue's words or with a more specific message. */
export function resultError(
  code: ResultCode,
  more: { readonly message?: string; readonly field?: string } = {},
): ResultError {
  return { code, message: ERROR_CATALOGUE[code].meaning, ...more }
}
