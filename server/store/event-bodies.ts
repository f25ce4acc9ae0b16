/**
 * Schemas of event bodies, validated on every append: ids, hashes, numbers, times and words of closed lists. No member
 * can hold a name, a document number or free text, so none can enter the audit log.
 */
import { z } from 'zod'
import { ERROR_CODES } from '../errors.ts'
import { CALL_TROUBLES, CONNECTOR_IDS, VALUE_NAMES } from '../proofing/disclosure.ts'
import {
  ADJUDICATION_STATUSES,
  CONSENT_TYPES,
  EVIDENCE_STATUSES,
  EVIDENCE_TYPES,
  FRAUD_CHECK_TYPES,
  IDENTITY_STATUSES,
  LEVELS,
  OTP_STATUSES,
  TEST_CAUSES,
} from '../proofing/types.ts'
import { EXPORTED_FIGURES, HELD_STATES, HELP_ANSWERS, VISIT_CHANNELS, VISIT_OUTCOMES } from './visits.ts'
import type { EventType } from './events.ts'
import { TRUST_BUNDLE_FAULTS, TRUST_KINDS } from './trust-kinds.ts'

const id = z.uuid()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** RFC 7638 thumbprint. */
const kid = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
/** Milliseconds since 1970, UTC. */
const moment = z.int()
const count = z.int().min(0)
/** A package has `+git`, the number of its commit and the commit behind the version of package.json. */
const version = z.string().regex(/^\d+\.\d+\.\d+([-+][a-z0-9.]{1,32})?$/)
/** A word of the policy file, which contains no personal data. */
const levelOfAssurance = z.string().regex(/^LOA\d$/)
/** Codes of the product's own lists: they contain an underscore or digit between lower-case letters. */
const code = z.string().regex(/^(?=.*[_.0-9])[a-z][a-z0-9_.]{1,59}$/)

/** A code of a catalogue: reasons of adjudicators, kinds of tampering. */
const word = z.string().regex(/^(?=.*_)[A-Z][A-Z_]{2,60}$/)

/** Language tag (BCP 47), as in the names of locale files. */
const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/)
/** A part of the health report. */
const part = z.string().regex(/^[a-z][A-Za-z:-]{1,59}$/)

const evidenceType = z.enum(EVIDENCE_TYPES)
const evidence = { evidenceId: id }
const adjudication = { ...evidence, adjudicationId: id }
const proof = { proofId: id }
const outbox = { ...proof, sequence: z.int().min(1) }
const key = { kid }
const staff = { staffId: id }
/** Roles of the console; server/counter/access.ts defines their rights. */
const role = z.enum(['officer', 'supervisor', 'auditor', 'administrator', 'display'])
/** Address of a screen; null if unknown. */
const from = z.union([z.ipv4(), z.ipv6()]).nullable()
const factor = z.enum(['PASSWORD', 'TOTP', 'PASSKEY', 'RECOVERY_CODE', 'SET_UP_CODE', 'OPENID'])
/** An unlisted member, limited to values that cannot hold text. */
const fact = z.union([
  z.number(),
  z.boolean(),
  z.null(),
  id,
  sha256,
  kid,
  version,
  code,
  z.array(code).max(100),
])
const withFacts = <M extends z.ZodRawShape>(members: M) => z.object(members).catchall(fact)
const facts = withFacts({})

export const EVENT_BODIES = {
  'identity.created': z.strictObject({ status: z.enum(IDENTITY_STATUSES), test: z.boolean().optional() }),
  'identity.marked_test': z.strictObject({ cause: z.enum(TEST_CAUSES) }),
  'identity.evaluated': z.strictObject({ status: z.enum(IDENTITY_STATUSES), levelOfAssurance }),
  'erasure.begun': facts,
  'identity.erased': facts,
  'identity.expired': facts,
  'identity.paused': z.strictObject({ status: z.enum(IDENTITY_STATUSES) }),
  'identity.resumed': z.strictObject({ status: z.enum(IDENTITY_STATUSES) }),
  'consent.recorded': z.strictObject({ consentId: id, type: z.enum(CONSENT_TYPES), approved: z.boolean() }),
  'evidence.submitted': z.strictObject({ ...evidence, type: evidenceType }),
  'evidence.decided': z.strictObject({
    ...evidence,
    type: evidenceType,
    status: z.enum(EVIDENCE_STATUSES),
    score: z.enum(LEVELS),
  }),
  'evidence.deleted': z.strictObject(evidence),
  'evidence.stuck': z.strictObject(evidence),
  // Names of the values that left the machine, never a value. Trouble null: it answered
  'service.called': z.strictObject({
    connector: z.enum(CONNECTOR_IDS),
    source: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,64}$/)
      .optional(),
    evidenceId: id.optional(),
    requestId: id.optional(),
    values: z.array(z.enum(VALUE_NAMES)),
    trouble: z.enum(CALL_TROUBLES).nullable(),
    tries: count,
    durationMs: count,
  }),
  'session.opened': z.strictObject({ ...evidence, kind: z.enum(['DOCUMENT', 'PORTRAIT']) }),
  'session.ended': z.strictObject({
    ...evidence,
    state: z.enum(['DONE', 'EXPIRED', 'CANCELLED', 'FAILED']),
  }),
  'adjudication.requested': z.strictObject({ ...adjudication, status: z.enum(ADJUDICATION_STATUSES) }),
  'adjudication.ended': z.strictObject({ ...adjudication, status: z.enum(ADJUDICATION_STATUSES) }),
  'adjudication.claimed': z.strictObject(adjudication),
  'adjudication.released': z.strictObject(adjudication),
  'adjudication.decided': z.strictObject({
    ...adjudication,
    status: z.enum(ADJUDICATION_STATUSES),
    reason: word,
  }),
  'antifraud.requested': z.strictObject({ types: z.array(z.enum(FRAUD_CHECK_TYPES)) }),
  'antifraud.decided': z.strictObject({
    type: z.enum(FRAUD_CHECK_TYPES),
    status: z.enum(EVIDENCE_STATUSES),
  }),
  'file.added': z.strictObject({ fileId: id }),
  'file.deleted': z.strictObject({ fileId: id }),
  'otp.requested': z.strictObject(evidence),
  'otp.ended': z.strictObject({ ...evidence, status: z.enum(OTP_STATUSES) }),
  'proof.sealed': withFacts({
    ...proof,
    levelOfAssurance,
    test: z.boolean().optional(),
    sha256: sha256.optional(),
  }),
  'proof.retrieved': facts,
  'proof.read': z.strictObject(proof),
  'token.issued': z.strictObject({ tokenId: id, expiresAt: moment }),
  'hold.placed': facts,
  'hold.lifted': facts,
  'outbox.queued': withFacts(outbox),
  'outbox.acknowledged': withFacts(outbox),
  'outbox.refused': withFacts(outbox),
  'outbox.withdrawn': withFacts(outbox),
  'outbox.lost': withFacts(outbox),
  'outbox.deleted': z.strictObject({ ...outbox, receiptSha256: sha256 }),
  'outbox.skipped': z.strictObject({ after: count, to: count }),
  'appliance.started': z.strictObject({ version, schema: count, configurationSha256: sha256 }),
  'appliance.stopped': z.strictObject({ version }),
  'appliance.restored': facts,
  'appliance.frozen': facts,
  'appliance.thawed': facts,
  'backup.made': facts,
  'key.created': withFacts(key),
  'key.activated': withFacts(key),
  'key.retired': withFacts(key),
  'key.revoked': withFacts(key),
  'key.certified': withFacts(key),
  'kek.split': facts,
  'kek.restored': facts,
  'identitykeys.restored': z.strictObject({ generation: count }),
  'identitykeys.loss_accepted': z.strictObject({
    identities: count,
    unsentProofs: count,
    keysGeneration: count,
    databaseGeneration: count,
  }),
  'apikey.asked': z.strictObject({ requestId: id, kind: z.enum(['NEW', 'ROTATION']) }),
  'apikey.declined': z.strictObject({ requestId: id, askedBy: id }),
  'apikey.created': z.strictObject({
    keyIds: z.array(id),
    expiresAt: moment.nullable(),
    /** The second person, if the keys were created at the counter. */
    confirmedBy: id.optional(),
  }),
  'apikey.revoked': z.strictObject({ keyId: id }),
  'apikey.limited': z.strictObject({ keyIds: z.array(id), expiresAt: moment }),
  'staff.created': z.strictObject({ ...staff, roles: z.array(role) }),
  'staff.set_up': z.strictObject({ ...staff, from }),
  'staff.factor_changed': z.strictObject({ ...staff, factor, done: z.enum(['ADDED', 'REMOVED']) }),
  'staff.roles_changed': z.strictObject({ ...staff, before: z.array(role), roles: z.array(role) }),
  'staff.disabled': z.strictObject(staff),
  'staff.enabled': z.strictObject(staff),
  'staff.reset': z.strictObject(staff),
  'staff.unlocked': z.strictObject(staff),
  'staff.removed': z.strictObject(staff),
  'staff.signed_in': z.strictObject({ ...staff, factor, roles: z.array(role), from }),
  'staff.signed_out': z.strictObject({ ...staff, why: z.enum(['PERSON', 'EXPIRED', 'ACCOUNT_CHANGED']) }),
  // An unknown login name may be a password, so it is not recorded
  'staff.sign_in_refused': z.strictObject({ staffId: id.nullable(), factor, from }),
  'staff.locked_out': z.strictObject({ staffId: id.nullable(), until: moment, from }),
  'clock.stepped': z.strictObject({ bySeconds: z.int(), steps: count }),
  'clock.confirmed': z.strictObject({ bySeconds: z.int(), uncertaintyMs: count.nullable() }),
  'sync.enrolled': facts,
  'sync.trusted': z.strictObject({ centreId: id, trustSha256: sha256 }),
  'sync.left': z.strictObject({ centreId: id, waiting: count }),
  'bundle.applied': facts,
  'bundle.refused': facts,
  'packets.exported': facts,
  'receipts.imported': facts,
  'watchlist.imported': z.strictObject({ listId: id, sha256, entries: count }),
  'watchlist.removed': z.strictObject({ listId: id }),
  'register.imported': z.strictObject({ sha256, entries: count }),
  'trust.imported': z.strictObject({
    fileId: id,
    kind: z.enum(TRUST_KINDS),
    sha256,
    certificates: count,
    // False: the same file is in force already, and was checked again.
    isNew: z.boolean(),
    // Two people imported it. Their names are in the trust store only.
    isConfirmed: z.boolean(),
  }),
  'trust.removed': z.strictObject({ fileId: id, kind: z.enum(TRUST_KINDS), sha256 }),
  // A bundle of the central service is in force: how many files it has, brought, left to a newer one by hand, and took out of force.
  'trust.distributed': z.strictObject({
    version: count,
    sha256,
    files: count,
    added: count,
    kept: count,
    removed: count,
  }),
  'trust.distribution_refused': z.strictObject({
    version: count.nullable(),
    fault: z.enum(TRUST_BUNDLE_FAULTS),
  }),
  'device.inspected': z.strictObject({ inspectionId: id, outcome: z.enum(['PASSED', 'FAILED']) }),
  'device.tampered': z.strictObject({ kind: word }),
  'device.cleared': z.strictObject({ inspectionId: id }),
  'webhook.registered': z.strictObject({ webhookId: id, applicationId: id.optional() }),
  'webhook.assigned': z.strictObject({ webhookId: id, applicationId: id }),
  'webhook.rotated': z.strictObject({ webhookId: id }),
  'webhook.disabled': z.strictObject({ webhookId: id }),
  'webhook.enabled': z.strictObject({ webhookId: id }),
  'webhook.removed': z.strictObject({ webhookId: id }),
  'webhook.parked': z.strictObject({ webhookId: id, deliveryId: id }),
  'webhook.resent': z.strictObject({ webhookId: id, deliveryId: id }),
  'audit.checkpointed': z.strictObject({ seq: z.int().min(1) }),
  'audit.exported': z.strictObject({ from: z.int().min(1), to: count, sha256 }),
  'audit.set_back': z.strictObject({ seq: count, anchorSeq: count }),
  'proofing.opened': z.strictObject({}),
  'proofing.portrait_seen': z.strictObject(evidence),
  'proofings.exported': z.strictObject({ rows: count }),
  'charts.exported': z.strictObject({ chart: z.enum(EXPORTED_FIGURES) }),
  'search.refused': z.strictObject({ wrongCodes: count }),
  'help.answered': z.strictObject({ visitId: id, answer: z.enum(HELP_ANSWERS) }),
  'visit.held': z.strictObject({ visitId: id, state: z.enum(HELD_STATES).optional() }),
  'visit.begun': z.strictObject({ visitId: id, channel: z.enum(VISIT_CHANNELS) }),
  'visit.taken_over': z.strictObject({
    visitId: id,
    channel: z.enum(VISIT_CHANNELS),
    // The previous holder: `STAFF:` with this id. Absent if it was no officer.
    from: id.optional(),
  }),
  'visit.ended': z.strictObject({ visitId: id, outcome: z.enum(VISIT_OUTCOMES) }),
  'consent.presented': z.strictObject({
    visitId: id,
    display: z.enum(['SECOND', 'TURNED']),
    language,
    // Time from showing the question to its answer; null if it was never shown. Absent in events of older versions.
    shownSeconds: z.int().min(0).nullable().optional(),
  }),
  'evidence.attended': z.strictObject({
    ...evidence,
    tactile: z.enum(['PASSED', 'FAILED', 'NOT_MADE']),
    exceptions: z.array(word).max(10),
  }),
  'erasure.asked': z.strictObject({ why: word }),
  'desk.answered': z.strictObject(adjudication),
  'desk.confirmed': z.strictObject({ ...adjudication, undoUntil: moment }),
  'desk.undone': z.strictObject(adjudication),
  'desk.dropped': z.strictObject({ ...adjudication, because: z.enum(ERROR_CODES) }),
  'desk.overruled': z.strictObject(adjudication),
  // Records only that there is a note, never its text
  'desk.noted': z.strictObject(adjudication),
  'sync.hurried': z.strictObject({ waiting: count }),
  'device.tested': z.strictObject({ part, passed: z.boolean() }),
  // Which document and how much of it changed, never its contents.
  'settings.changed': z.strictObject({
    setting: z.enum(['journey', 'brand', 'policy', 'messages', 'documents', 'reasons']),
    act: z.enum(['SAVED', 'UNDONE']),
    changes: count,
    sha256,
  }),
} as const satisfies Record<EventType, z.ZodType>

export type EventBody<T extends EventType> = z.input<(typeof EVENT_BODIES)[T]>

/** Throws TypeError, with type and member but never the value, if the body is not allowed for this type. */
export function checkBody(type: EventType, body: unknown): void {
  const result = EVENT_BODIES[type].safeParse(body)
  if (result.success) return
  const members = result.error.issues.map(
    ({ path, code: problem }) => `${path.join('.') || '-'} (${problem})`,
  )
  throw new TypeError(`an event ${type} may not say this: ${members.join(', ')}`)
}
