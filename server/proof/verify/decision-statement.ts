/**
 * Reads and verifies an adjudicator's signed decision, and compares the evidence that the adjudicator saw with the
 * evidence at hand. Works offline. A key inside the statement is never trusted: `keyId` only names it.
 */
import { constants, createHash, verify } from 'node:crypto'
import { canonicalBytes, canonicalJson, type JsonValue } from './canonical-json.ts'
import { readKeys, type KeySource } from './keys.ts'

export const DECISION_TYPE = 'counterproof-adjudication-decision'
/**
 * Version 2 added the values that the adjudicator read off the picture. A statement without a reading remains version 1.
 */
export const DECISION_VERSIONS = ['1', '2'] as const

/** The payload, signed with RS256 as a compact JWS with the header {"alg":"RS256"}. Date-times are UTC. */
export type DecisionStatement = {
  readonly type: typeof DECISION_TYPE
  readonly version: (typeof DECISION_VERSIONS)[number]
  readonly applianceId: string
  readonly keyId: string
  readonly decisionId: string
  readonly adjudicationId: string
  readonly identityId: string
  readonly evidenceId: string
  /** Only for portraits: the document with which the portrait was compared. */
  readonly referenceId?: string
  readonly decision: 'ACCEPTED' | 'REJECTED' | 'UNSURE'
  readonly reason: string
  readonly adjudicator: { readonly id: string; readonly kind: 'STAFF' | 'SERVICE' }
  /** The adjudicator's answers before seeing the machine's measurements. */
  readonly examination?: {
    readonly samePerson?: string
    readonly documentReal?: string
    readonly dataAgree?: string
    readonly features: readonly string[]
    readonly viewedSeconds: number
  }
  /**
   * SHA-256 (hex) of the values that the adjudicator read off the picture, as computed by `hashOfReading`. Only in
   * version 2. The values are stored beside the statement so that they can be withdrawn without it; the salt prevents
   * guessing them from the hash.
   */
  readonly readingSha256?: string
  readonly decidedAt: string
  /** Every picture that the adjudicator was shown: id → SHA-256 (hex) of its bytes. */
  readonly images: Readonly<Record<string, string>>
  /** SHA-256 (hex) of the machine's findings, as computed by `hashOfRecords`. */
  readonly verificationSha256: string
}

export interface DecisionReport {
  readonly valid: boolean
  /** Null unless valid: unsigned content is not passed on. */
  readonly statement: DecisionStatement | null
  /** Thumbprint of the signing key. */
  readonly signedBy: string | null
  /** One sentence each. */
  readonly problems: readonly string[]
}

/** base64url of `{"alg":"RS256"}`. Compared, never parsed. */
const HEADER = 'eyJhbGciOiJSUzI1NiJ9'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SHA256 = /^[0-9a-f]{64}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/

/** Throws KeyError if the source contains no usable key. */
export function verifyDecision(jws: string, source: KeySource): DecisionReport {
  const keys = readKeys(source)
  const [header, payload, signature, ...rest] = jws.split('.')
  if (header !== HEADER || !payload || !signature || rest.length > 0) {
    return refused('It is no compact JWS with the header {"alg":"RS256"}.')
  }
  const bytes = Buffer.from(payload, 'base64url')
  const raw = Buffer.from(signature, 'base64url')
  if (bytes.toString('base64url') !== payload || raw.toString('base64url') !== signature) {
    return refused('It is not written in plain base64url.')
  }
  const input = Buffer.from(`${header}.${payload}`, 'ascii')
  const signer = keys.find(({ key }) =>
    verify('sha256', input, { key, padding: constants.RSA_PKCS1_PADDING }, raw),
  )
  if (!signer) return refused('It was not signed by any of the keys given, or it was altered.')
  const statement = parseStatement(bytes)
  if (!statement)
    return refused('What was signed is no decision of an adjudicator in its one canonical form.')
  return { valid: true, statement, signedBy: signer.id, problems: [] }
}

function refused(problem: string): DecisionReport {
  return { valid: false, statement: null, signedBy: null, problems: [problem] }
}

/** The evidence at hand that the adjudicator was shown. */
export interface Shown {
  /** Id → SHA-256 (hex) of the bytes. */
  readonly images: ReadonlyMap<string, string>
  /** The records of the evidence, as in `verificationDetails` or in the database. */
  readonly records: readonly SeenRecord[]
  /** The adjudicator's reading, as stored beside the decision. */
  readonly reading?: SignedReading | undefined
}

/** Values that an adjudicator read off the picture of a document, as an archive states them beside the decision. */
export type SignedReading = {
  /** 128 random bits, base64url. */
  readonly salt: string
  /** Members of the spec's `idDocumentData`. */
  readonly values: Readonly<Record<string, unknown>>
}

/** SHA-256 (hex) over the canonical JSON of salt and values. */
export function hashOfReading({ salt, values }: SignedReading): string {
  return createHash('sha256')
    .update(canonicalBytes({ salt, values } as JsonValue))
    .digest('hex')
}

/**
 * Returns the differences between the evidence that the adjudicator saw and the evidence at hand: picture ids,
 * `verification` for the records, `reading` for the values. Sorted.
 */
export function listDifferences(statement: DecisionStatement, shown: Shown): readonly string[] {
  const images = Object.entries(statement.images)
    .filter(([id, sha256]) => shown.images.get(id) !== sha256)
    .map(([id]) => id)
  const isSameRecord = hashOfRecords(shown.records) === statement.verificationSha256
  const reading = shown.reading && hashOfReading(shown.reading)
  return [
    ...images,
    ...(isSameRecord ? [] : ['verification']),
    ...(reading === statement.readingSha256 ? [] : ['reading']),
  ].sort()
}

/** Comes from an archive, so its shape is not trusted. */
type SeenRecord = Readonly<Record<string, unknown>>

/** Members of a record in the database and in an archive alike; anything that an archive adds is left out. */
const RECORD_MEMBERS = [
  'startDateTime',
  'endDateTime',
  'participantType',
  'participantState',
  'errors',
  'raisedIndicators',
  'measurements',
  'models',
] as const
const OF_PEOPLE = 'ADJUDICATION'
/** Prefix of antifraud services in an archive: they examine evidence after its verification. */
export const FRAUD_SERVICE = 'antifraud/'

/** SHA-256 (hex) over the canonical JSON of the machine's findings, in order. */
export function hashOfRecords(records: readonly SeenRecord[]): string {
  const ofMachine = records
    .filter(({ participantType }) => participantType !== OF_PEOPLE)
    .filter((record) => !isFraudCheck(record))
    .map((record) => Object.fromEntries(RECORD_MEMBERS.map((member) => [member, record[member]])))
  return createHash('sha256')
    .update(canonicalBytes(ofMachine as JsonValue))
    .digest('hex')
}

export function isFraudCheck({ verificationServices }: SeenRecord): boolean {
  const services = Array.isArray(verificationServices) ? (verificationServices as readonly unknown[]) : []
  return services.some((service) => {
    return isRecord(service) && String(service.serviceName).startsWith(FRAUD_SERVICE)
  })
}

type Rule = (value: unknown) => boolean
const matches =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const MEMBERS: Readonly<Record<keyof DecisionStatement, Rule>> = {
  type: (value) => value === DECISION_TYPE,
  version: (value) => DECISION_VERSIONS.some((version) => value === version),
  applianceId: matches(UUID),
  keyId: matches(/^[A-Za-z0-9_-]{43}$/),
  decisionId: matches(UUID),
  adjudicationId: matches(UUID),
  identityId: matches(UUID),
  evidenceId: matches(UUID),
  referenceId: (value) => value === undefined || matches(UUID)(value),
  decision: matches(/^(ACCEPTED|REJECTED|UNSURE)$/),
  reason: matches(/^[A-Z_]{3,61}$/),
  adjudicator: (value) =>
    isRecord(value) &&
    matches(/^[A-Za-z0-9._-]{1,64}$/)(value.id) &&
    matches(/^(STAFF|SERVICE)$/)(value.kind),
  examination: (value) => value === undefined || isExamination(value),
  readingSha256: (value) => value === undefined || matches(SHA256)(value),
  decidedAt: matches(DATE_TIME),
  images: (value) => isRecord(value) && Object.values(value).every(matches(SHA256)),
  verificationSha256: matches(SHA256),
}

const QUESTIONS: readonly string[] = ['samePerson', 'documentReal', 'dataAgree']
const isAnswer = matches(/^(YES|NO|CANNOT_TELL)$/)

function isExamination(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { features, viewedSeconds, ...answers } = value
  return (
    Array.isArray(features) &&
    features.every(matches(/^[A-Z]{3,20}$/)) &&
    Number.isInteger(viewedSeconds) &&
    Object.entries(answers).every(([question, answer]) => QUESTIONS.includes(question) && isAnswer(answer))
  )
}

/** Null unless every member is valid, there are no further members, and the form is canonical. */
function parseStatement(bytes: Uint8Array): DecisionStatement | null {
  const text = Buffer.from(bytes).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
    if (canonicalJson(value as JsonValue) !== text) return null
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const record = value
  const isWhole =
    Object.entries(MEMBERS).every(([name, rule]) => rule(record[name])) &&
    (record.version === '2') === (record.readingSha256 !== undefined)
  const isAll = Object.keys(record).every((name) => Object.hasOwn(MEMBERS, name))
  return isWhole && isAll ? (value as DecisionStatement) : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
