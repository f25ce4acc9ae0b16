/**
 * A register of lost, stolen and revoked documents outside the appliance. Owns: the way to it and how it did lately. Never:
 * what an answer means for a person. It is asked for a range of hashes, and never told which of them is looked for.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { RegisterReason } from '../../proofing/antifraud/document-status.ts'
import { createHttpRegister } from './http-register.ts'

export interface RegisterRange {
  readonly kind: 'answered'
  /** As the register calls itself. */
  readonly name: string
  /** Day of what it knows: yyyy-MM-dd. */
  readonly date: string
  /** It says that it knows holders who have died, and the configuration agrees. */
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
export interface RegisterHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

export interface DocumentStatusRegister {
  /** It speaks for the issuers of documents: the configuration says so. */
  readonly authoritative: boolean
  /** @param range five capital hexadecimal digits: all that leaves. Never rejects: a register that fails is an outcome. */
  ask(range: string): Promise<RangeOutcome>
  health(): RegisterHealth
  /** Ends what is being asked, as `unavailable`. */
  close(): void
}

export interface RegisterSettings {
  readonly url: string
  /** Null where the register asks for none. */
  readonly token: string | null
  /** PEM of the authorities that may have certified it; null: the public ones. */
  readonly authorities: string | null
  /** For the whole exchange. */
  readonly timeoutMs: number
  readonly authoritative: boolean
  readonly coversDeaths: boolean
}

/** Throws `configuration_invalid`, naming the field. */
export function openDocumentRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  const { username, password, search, hash } = new URL(settings.url)
  if (username || password) throw invalid('url', 'must not carry a name or password: use tokenFile')
  if (search || hash) throw invalid('url', 'must be an address without query or fragment')
  // What may stand in a header after "Bearer " (RFC 6750, section 2.1).
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
