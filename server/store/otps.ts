/** One-time passcodes: state and keyed hash, never the code. One per contact evidence. */
import type { EvidenceFamily } from '../proofing/evidence.ts'
import type { OtpStatus, ResultError } from '../proofing/types.ts'
import type { Db } from './db.ts'

export interface Otp {
  readonly evidenceId: string
  readonly identityId: string
  /** Hash of the phone number or e-mail address, from `hashNumber`. */
  readonly numberHash: Buffer
  readonly status: OtpStatus
  /** Null before the code is created, and after it was used or expired. */
  readonly codeHash: Buffer | null
  /** Number of wrong codes so far. */
  readonly attempts: number
  readonly timeoutMs: number
  readonly errors: readonly ResultError[]
  readonly createdAt: Date
  /** The carrier's id of the message sent last, if a delivery report is expected. */
  readonly messageId: string | null
}

export interface Otps {
  put(otp: Otp): void
  find(evidenceId: string): Otp | null
  /** The newest, if the carrier uses an id again. @param family of the contact: each has a carrier of its own */
  findByMessage(messageId: string, family: EvidenceFamily): Otp | null
  /**
   * Number of passcodes created since then for this family of this identity or, in any identity and family, for this number or
   * address.
   */
  countSince(
    of: { readonly identityId: string; readonly family: EvidenceFamily; readonly numberHash: Buffer },
    since: Date,
  ): number
  hashNumber(number: string): Buffer
  /** The hash is keyed and bound to the evidence, so that equal codes of two people differ. */
  hash(evidenceId: string, code: string): Buffer
}

interface Row {
  evidence_id: string
  identity_id: string
  number_hash: Buffer
  status: OtpStatus
  code_hash: Buffer | null
  attempts: number
  timeout_ms: number
  errors: string
  created_at: number
  message_id: string | null
}

export function createOtps(db: Db, lookupHash: (value: string) => Buffer): Otps {
  const upsert = db.prepare(
    `INSERT INTO otps (evidence_id, identity_id, number_hash, status, code_hash, attempts, timeout_ms, errors, created_at,
       message_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (evidence_id) DO UPDATE SET status = excluded.status, code_hash = excluded.code_hash,
       attempts = excluded.attempts, timeout_ms = excluded.timeout_ms, errors = excluded.errors,
       created_at = excluded.created_at, message_id = excluded.message_id`,
  )
  const select = db.prepare<[string], Row>('SELECT * FROM otps WHERE evidence_id = ?')
  const byMessage = db.prepare<[string, string], Row>(
    `SELECT otps.* FROM otps JOIN evidences ON evidences.id = evidence_id WHERE message_id = ? AND family = ?
     ORDER BY created_at DESC LIMIT 1`,
  )
  const ofIdentity = db.prepare<[string, string, number], { n: number }>(
    `SELECT count(*) n FROM otps JOIN evidences ON evidences.id = evidence_id
     WHERE otps.identity_id = ? AND family = ? AND created_at > ?`,
  )
  const ofNumber = db.prepare<[Buffer, number], { n: number }>(
    'SELECT count(*) n FROM otps WHERE number_hash = ? AND created_at > ?',
  )
  return {
    put: (otp) =>
      void upsert.run(
        otp.evidenceId,
        otp.identityId,
        otp.numberHash,
        otp.status,
        otp.codeHash,
        otp.attempts,
        otp.timeoutMs,
        JSON.stringify(otp.errors),
        otp.createdAt.getTime(),
        otp.messageId,
      ),
    find: (evidenceId) => toOtp(select.get(evidenceId)),
    findByMessage: (messageId, family) => toOtp(byMessage.get(messageId, family)),
    countSince: ({ identityId, family, numberHash }, since) =>
      Math.max(
        ofIdentity.get(identityId, family, since.getTime())?.n ?? 0,
        ofNumber.get(numberHash, since.getTime())?.n ?? 0,
      ),
    // Most mail servers read addresses without regard to case.
    hashNumber: (number) => lookupHash(`otp-number\n${number.toLowerCase()}`),
    hash: (evidenceId, code) => lookupHash(`otp\n${evidenceId}\n${code}`),
  }
}

function toOtp(row: Row | undefined): Otp | null {
  if (!row) return null
  return {
    evidenceId: row.evidence_id,
    identityId: row.identity_id,
    numberHash: row.number_hash,
    status: row.status,
    codeHash: row.code_hash,
    attempts: row.attempts,
    timeoutMs: row.timeout_ms,
    errors: JSON.parse(row.errors) as readonly ResultError[],
    createdAt: new Date(row.created_at),
    messageId: row.message_id,
  }
}
