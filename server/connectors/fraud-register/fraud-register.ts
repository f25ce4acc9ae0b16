/**
 * An external register of known fraud, asked about documents and persons by ranges of hashes. Owns the connection and its
 * health, not the meaning of an answer.
 */
import type { Clock } from '../../clock.ts'
import { FRAUD_REASONS, type FraudReason } from '../../proofing/antifraud/known-fraud.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import { openRangeRegister, type RangeRegister, type RangeSettings } from '../service/range-register.ts'

export type FraudRegister = RangeRegister<FraudReason>

/** Throws `configuration_invalid` with the field. */
export function openFraudRegister(settings: RangeSettings, clock: Clock): FraudRegister {
  checkServiceSettings('connectors.fraudRegister', settings)
  return openRangeRegister(settings, FRAUD_REASONS, clock)
}
