/**
 * An external register of lost, stolen and revoked documents. Owns the connection and its health, not the meaning of an
 * answer. The register receives only a range of hashes and never learns which document is meant.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { RegisterReason } from '../../proofing/antifraud/document-status.ts'
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

export type RangeOutcome =
  | RegisterRange
  | {
      readonly kind: 'unavailable'
      readonly reason: RegisterTrouble
      readonly httpStatus?: number
    }

export type RegisterTrouble =
  | 'timeout'
  | 'unreachable'
  | 'certificate-refused'
  | 'credentials-refused'
  | 'unexpected-answer'
  | 'too-large'
  | 'malformed'

/** A component of the health report. */
interface RegisterHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

export interface DocumentStatusRegister {
  /** The configuration states that it is authorised by issuers. */
  readonly authoritative: boolean
  /**
   * @param range five upper-case hexadecimal digits, the only data that is sent. Never rejects: a failure is an outcome.
   */
  ask(range: string): Promise<RangeOutcome>
  health(): RegisterHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export interface RegisterSettings {
  readonly url: string
  /** Null if the register requires none. */
  readonly token: string | null
  /** PEM of the accepted certificate authorities; null: public ones. */
  readonly authorities: string | null
  /** For the whole exchange. */
  readonly timeoutMs: number
  readonly authoritative: boolean
  readonly coversDeaths: boolean
}

/** Throws `configuration_invalid` with the field. */
export function openDocumentRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  const { username, password, search, hash } = new URL(settings.url)
  if (username || password) throw invalid('url', 'must not carry a name or password: use tokenFile')
  if (search || hash) throw invalid('url', 'must be an address without query or fragment')
  // Characters allowed in a header after "Bearer " (RFC 6750, section 2.1).
  if (settings.token !== null && !/^[A-Za-z0-9._~+/-]+=*$/.test(settings.token)) {
    throw invalid('tokenFile', 'the file must hold one bearer token and nothing else')
  }
  return createHttpRegister(settings, clock)
}

function invalid(setting: 'url' | 'tokenFile', message: string): AppError {
  const field = `connectors.documentStatus.${setting}`
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unusable', field, message }] },
  )
}
