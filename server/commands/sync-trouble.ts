/** Explains why a central service could not be joined or reached, in sentences for the operator. */
import { AppError } from '../errors.ts'
import { CentralTroubleError } from '../sync/transport.ts'

const TROUBLES: Readonly<Record<string, string>> = {
  connection_refused: 'No server answers at this address.',
  name_not_found: 'There is no machine of this name.',
  no_answer_in_time: 'The central service did not answer in time.',
  tls_refused: 'The certificate of the central service is not trusted; name its authority in sync.caFile.',
  not_the_centre: 'Something answers at this address, but it is no central service.',
  not_found: 'Something answers at this address, but it is no central service.',
  enrolment_refused:
    'The central service does not accept this code: it is used up, too old or mistyped. Ask the head office for a new one;\n' +
    'for a kiosk that it knows already, one made with --kiosk and the id that status shows.',
  validation_failed: 'The central service does not understand this kiosk. Are both of the same version?',
  kiosk_revoked:
    'The head office has revoked this kiosk. To use it again: sync leave --force, then sync enrol with a new code of the head office.',
  unauthorized: 'The central service does not accept this kiosk (any longer).',
}

/** Returns a sentence and its cause. Null: an unknown error. */
export function explain(error: unknown): string | null {
  if (error instanceof CentralTroubleError) {
    return `${TROUBLES[error.code] ?? 'The central service could not be asked.'}\n  ${error.code}\n`
  }
  if (!(error instanceof AppError)) return null
  const { reason, waiting, folder, file } = error.details
  const place = [folder, file].find((each) => typeof each === 'string')
  // Some reasons are complete sentences.
  const end = typeof reason === 'string' && reason.endsWith('.') ? '' : '.'
  if (typeof reason === 'string')
    return `Refused: ${typeof place === 'string' ? `${place}: ` : ''}${reason}${end}\n`
  if (typeof waiting === 'number')
    return `Proofs wait for the central service: ${waiting}. Send or export them first, or use --force.\n`
  if (error.code === 'statement_refused')
    return 'Refused: the answer is not signed by the central service of this code.\n'
  return null
}
