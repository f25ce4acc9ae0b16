/**
 * An external register of lost, stolen and revoked documents. Owns the connection and its health, not the meaning of an
 * answer.
 */
import type { Clock } from '../../clock.ts'
import { REGISTER_REASONS, type RegisterReason } from '../../proofing/antifraud/document-status.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import { openRangeRegister, type RangeRegister, type RangeSettings } from '../service/range-register.ts'

export interface DocumentStatusRegister extends RangeRegister<RegisterReason> {
  /** The configuration states that it is authorised by issuers. */
  readonly authoritative: boolean
}

export interface RegisterSettings extends RangeSettings {
  readonly authoritative: boolean
}

/** Throws `configuration_invalid` with the field. */
export function openDocumentRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  checkServiceSettings('connectors.documentStatus', settings)
  return {
    ...openRangeRegister(settings, REGISTER_REASONS, clock),
    authoritative: settings.authoritative,
  }
}
