/**
 * An external register of lost, stolen and revoked documents. Owns the connection and its health, not the meaning of an
 * answer. The register receives only a range of hashes and never learns which document is meant.
 */
import type { Clock } from '../../clock.ts'
import type { RegisterReason } from '../../proofing/antifraud/document-status.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import type { Called, ServiceSettings } from '../service/http-service.ts'
import type { Unavailable } from '../service/json-answer.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { createHttpRegister } from './http-register.ts'

export interface RegisterRange {
  readonly kind: 'answered'
  /** Name that the register reports for itself. */
  readonly name: string
  /** Date of its data: yyyy-MM-dd. */
  readonly date: string
  /** The register reports that it covers deceased holders, and the configuration agrees. */
  readonly coversDeaths: boolean
  readonly entries: readonly { readonly suffix: string; readonly reason: RegisterReason }[]
}

export type RangeOutcome = RegisterRange | Unavailable

export interface DocumentStatusRegister {
  /** The configuration states that it is authorised by issuers. */
  readonly authoritative: boolean
  /**
   * @param range five upper-case hexadecimal digits, the only data that is sent. Never rejects: a failure is an outcome.
   */
  ask(range: string): Promise<Called<RangeOutcome>>
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export interface RegisterSettings extends ServiceSettings {
  readonly authoritative: boolean
  readonly coversDeaths: boolean
}

/** Throws `configuration_invalid` with the field. */
export function openDocumentRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  checkServiceSettings('connectors.documentStatus', settings)
  return createHttpRegister(settings, clock)
}
