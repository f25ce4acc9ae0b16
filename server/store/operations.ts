/**
 * REST calls that changed an identity: the proof's processingDetails. The caller's address is personal data and
 * encrypted.
 */
import type { Caller } from '../proofing/types.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

/** Spec "IdentityOperation name values", as far as supported. */
export type OperationName =
  | 'CONSENTS'
  | 'ATTRIBUTES'
  | 'ID_DOCUMENT'
  | 'ID_DOCUMENT_CAPTURE'
  | 'ID_DOCUMENT_LIVE_CAPTURE'
  | 'EVIDENCE_NFC_VERIFICATION'
  | 'MEDICARE'
  | 'PORTRAIT_CAPTURE'
  | 'LIVENESS_VIDEO'
  | 'ADJUDICATION'
  | 'TRUSTED_ID_CLAIM'
  | 'ID_CLAIM'
  | 'MOBILE_OTP'
  | 'OTP_VERIFICATION'
  | 'EMAIL_OTP'
  | 'EMAIL_OTP_VERIFICATION'
  | 'ADDITIONAL_FILE'

interface CallRecord {
  readonly method: string
  readonly uri: string
  readonly role: Caller['role']
  readonly remoteAddress: string | null
  readonly startedAt: string
  readonly endedAt: string
  readonly httpCode: number
}

export interface Operation {
  readonly id: string
  readonly identityId: string
  /** The evidence or consent concerned. */
  readonly subjectId: string
  readonly name: OperationName
  readonly kind: 'ADD' | 'DELETE'
  readonly startedAt: Date
  readonly call: CallRecord
}

/** An operation without the record of its call. */
export type OperationOutline = Omit<Operation, 'call'>

export interface Operations {
  add(operation: Operation): void
  /** Oldest first. */
  list(identityId: string): readonly Operation[]
  /** Oldest first; decrypts nothing. */
  outline(identityId: string): readonly OperationOutline[]
}

interface Row {
  id: string
  identity_id: string
  subject_id: string
  name: OperationName
  kind: Operation['kind']
  started_at: number
  call_ct: Buffer
}

export function createOperations(db: Db, vault: Vault): Operations {
  const insert = db.prepare(
    `INSERT INTO operations (id, identity_id, subject_id, name, kind, started_at, call_ct)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[string], Row>(
    'SELECT * FROM operations WHERE identity_id = ? ORDER BY started_at, id',
  )
  const toOutline = (row: Row): OperationOutline => ({
    id: row.id,
    identityId: row.identity_id,
    subjectId: row.subject_id,
    name: row.name,
    kind: row.kind,
    startedAt: new Date(row.started_at),
  })
  return {
    add: (operation) =>
      void insert.run(
        operation.id,
        operation.identityId,
        operation.subjectId,
        operation.name,
        operation.kind,
        operation.startedAt.getTime(),
        vault.sealJson(operation.identityId, `operations:${operation.id}`, operation.call),
      ),
    list: (identityId) =>
      select.all(identityId).map((row) => ({
        ...toOutline(row),
        call: vault.unsealJson(row.identity_id, `operations:${row.id}`, row.call_ct) as CallRecord,
      })),
    outline: (identityId) => select.all(identityId).map(toOutline),
  }
}
