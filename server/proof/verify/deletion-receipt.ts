/**
 * Reads and verifies a signed deletion receipt. Works offline with only the receipt and public keys; a receipt cannot
 * supply its own key.
 */
import { constants, verify } from 'node:crypto'
import { canonicalJson, type JsonValue } from './canonical-json.ts'
import { readKeys, type KeySource } from './keys.ts'

export const RECEIPT_TYPE = 'counterproof-deletion-receipt'
export const RECEIPT_VERSION = '1'
const REASONS = ['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'] as const

/** The payload, signed with RS256 as a compact JWS with the header {"alg":"RS256"}. Date-times are UTC. */
export type DeletionReceipt = {
  readonly type: typeof RECEIPT_TYPE
  readonly version: typeof RECEIPT_VERSION
  readonly receiptId: string
  readonly applianceId: string
  readonly tenantId: string
  readonly identityId: string
  /**
   * DELETE: requested. RETENTION: due after the proof. ABANDONED: never finished. RESTORED: a backup had brought the
   * identity back. LOST: the data key was missing and an operator accepted the loss; a copy of the key may exist
   * elsewhere.
   */
  readonly reason: (typeof REASONS)[number]
  /** The identity's last proof, if one was sealed, and the SHA-256 (hex) of that archive. */
  readonly proofId?: string
  readonly proofSha256?: string
  /** The identity was unreadable from this time on. */
  readonly begunAt: string
  readonly erasedAt: string
  readonly time: {
    readonly source: string
    readonly uncertaintyMs: number | null
    readonly earliest: string
    readonly latest: string
  }
  readonly destroyed: {
    /** The key that encrypted everything of the identity, including copies in backups. */
    readonly dataKey: true
    /** Table → number of deleted rows. */
    readonly rows: Readonly<Record<string, number>>
    readonly files: number
  }
  /** Head of the appliance's audit log when the receipt was signed; the erasure event follows it. */
  readonly audit: { readonly seq: number; readonly hash: string }
}

export interface ReceiptProblem {
  readonly code:
    | 'receipt_unreadable'
    | 'receipt_header_refused'
    | 'receipt_not_canonical'
    | 'receipt_type_unknown'
    | 'receipt_field_wrong'
    | 'receipt_signature_invalid'
  /** One sentence. */
  readonly message: string
}

export interface ReceiptReport {
  readonly valid: boolean
  /** Null unless valid: unsigned content is not passed on. */
  readonly receipt: DeletionReceipt | null
  /** Thumbprint of the signing key. */
  readonly signedBy: string | null
  readonly problems: readonly ReceiptProblem[]
}

/** base64url of `{"alg":"RS256"}`. Compared, never parsed. */
const HEADER = 'eyJhbGciOiJSUzI1NiJ9'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SHA256 = /^[0-9a-f]{64}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/

/** Throws KeyError if the source contains no usable key. */
export function verifyDeletionReceipt(jws: string, source: KeySource): ReceiptReport {
  const keys = readKeys(source)
  const [header, payload, signature, ...rest] = jws.trim().split('.')
  if (!header || !payload || !signature || rest.length > 0) {
    return refused('receipt_unreadable', 'The text is not a compact JWS of three parts.')
  }
  if (header !== HEADER) {
    return refused('receipt_header_refused', 'The header of the signature is not exactly {"alg":"RS256"}.')
  }
  const text = plainText(payload)
  const raw = Buffer.from(signature, 'base64url')
  if (text === null || raw.toString('base64url') !== signature) {
    return refused('receipt_unreadable', 'The receipt is not written in plain base64url.')
  }
  const receipt = parseJson(text)
  if (!isRecord(receipt)) return refused('receipt_unreadable', 'What was signed is not a JSON object.')
  const input = Buffer.from(`${header}.${payload}`, 'ascii')
  const signer = keys.find(({ key }) =>
    verify('sha256', input, { key, padding: constants.RSA_PKCS1_PADDING }, raw),
  )
  const problems = findReceiptProblems(receipt, text)
  if (!signer) {
    const count = keys.length === 1 ? 'the key given' : `any of the ${keys.length} keys given`
    const message = `The signature was not made by ${count}, or the receipt was altered.`
    problems.push({ code: 'receipt_signature_invalid', message })
  }
  const valid = problems.length === 0
  return {
    valid,
    receipt: valid ? (receipt as DeletionReceipt) : null,
    signedBy: valid ? (signer?.id ?? null) : null,
    problems,
  }
}

function findReceiptProblems(receipt: Readonly<Record<string, unknown>>, text: string): ReceiptProblem[] {
  if (receipt.type !== RECEIPT_TYPE || receipt.version !== RECEIPT_VERSION) {
    const message = `It is no ${RECEIPT_TYPE} of version ${RECEIPT_VERSION}; a later version may know it.`
    return [{ code: 'receipt_type_unknown', message }]
  }
  const problems: ReceiptProblem[] = []
  if (!isCanonical(receipt, text)) {
    const message = 'Its members are not written in the one canonical order and form.'
    problems.push({ code: 'receipt_not_canonical', message })
  }
  for (const [name, rule] of Object.entries(FIELDS)) {
    if (!rule(receipt[name])) {
      problems.push({
        code: 'receipt_field_wrong',
        message: `The member ${name} is missing or not what it must be.`,
      })
    }
  }
  if (String(receipt.begunAt) > String(receipt.erasedAt)) {
    problems.push({ code: 'receipt_field_wrong', message: 'It ends before it begins (begunAt, erasedAt).' })
  }
  return problems
}

function refused(code: ReceiptProblem['code'], message: string): ReceiptReport {
  return { valid: false, receipt: null, signedBy: null, problems: [{ code, message }] }
}

type Rule = (value: unknown) => boolean
const matches =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value)
const isCount: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0

const FIELDS: Readonly<Record<string, Rule>> = {
  receiptId: matches(UUID),
  applianceId: matches(UUID),
  tenantId: matches(/./),
  identityId: matches(UUID),
  reason: (value) => REASONS.some((reason) => reason === value),
  proofId: optional(matches(UUID)),
  proofSha256: optional(matches(SHA256)),
  begunAt: matches(DATE_TIME),
  erasedAt: matches(DATE_TIME),
  time: (value) =>
    isRecord(value) &&
    matches(/^[A-Z]+$/)(value.source) &&
    matches(DATE_TIME)(value.earliest) &&
    matches(DATE_TIME)(value.latest),
  destroyed: (value) =>
    isRecord(value) &&
    value.dataKey === true &&
    isCount(value.files) &&
    isRecord(value.rows) &&
    Object.values(value.rows).every(isCount),
  audit: (value) => isRecord(value) && isCount(value.seq) && matches(SHA256)(value.hash),
}

function isCanonical(receipt: Readonly<Record<string, unknown>>, text: string): boolean {
  try {
    return canonicalJson(receipt as JsonValue) === text
  } catch {
    return false
  }
}

/** Null unless the text is plain base64url of UTF-8. */
function plainText(part: string): string | null {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
