/**
 * The contract with head-office systems, as schemas: the source of types, validation and the OpenAPI text.
 * Ids, states, numbers and hashes; a correlation id is accepted in a body and never returned.
 */
import { z } from 'zod'

export const SCOPES = [
  'proofs:read',
  'proofs:search',
  'proofs:acknowledge',
  'proofs:erase',
  'proofs:hold',
  'fleet:read',
  'fleet:write',
  'webhooks:manage',
  'bundles:publish',
  'access:read',
] as const
export type Scope = (typeof SCOPES)[number]

export const EVENT_TYPES = [
  'proof.stored',
  'proof.deleted',
  'proof.marked',
  'alarm.raised',
  'kiosk.revoked',
  'kiosk.offline',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const KIOSK_STATES = ['OK', 'ATTENTION', 'LATE', 'FROZEN', 'ALARM', 'REVOKED'] as const
export type KioskState = (typeof KIOSK_STATES)[number]
/** Why a kiosk is not OK, or needs attention. */
export const KIOSK_REASONS = [
  'not_seen', // no status for longer than the service allows
  'backlog_old', // the oldest proof that waits there is too old
  'frozen', // it accepts no new proofings; `frozen` has the reasons
  'health_down', // one of its parts is DOWN
  'bundle_refused', // it has problems with the newest bundle
  'bundle_behind', // its bundle is older than the newest one
  'alarm_integrity', // an unresolved alarm puts its identity or its history in doubt
  'alarm_open', // an alarm that is neither acknowledged nor resolved
  'newest_is_test', // its newest proof proves nothing about a real person
  'revoked',
] as const
export type KioskReason = (typeof KIOSK_REASONS)[number]

export const ROLLOUT_STATES = ['PLANNED', 'RUNNING', 'PAUSED', 'DONE', 'STOPPED'] as const
export const ROLLOUT_WAITS = ['INSTALL', 'SOAK', 'UNWELL', 'OFFLINE', 'NO_KIOSK'] as const
export const ROLLOUT_OBSTACLES = ['UNKNOWN', 'DISABLED', 'ARCHITECTURE', 'TOO_OLD'] as const
const UPDATE_RESULTS = ['INSTALLED', 'ROLLED_BACK', 'REFUSED', 'FAILED'] as const

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'PARKED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The largest page of the feed. */
export const MAX_PAGE = 500
/** Maximum wait of a long poll; load balancers cut idle connections after about a minute. */
const MAX_WAIT_SECONDS = 30
const MAX_SETTINGS = 100
const MAX_ENTRIES = 200

const id = z.uuid().meta({ description: 'UUID' })
const moment = z.iso.datetime().meta({ description: 'RFC 3339, UTC' })
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256, hexadecimal' })
const cursor = z.uuid().meta({ description: 'Opaque; as given in `next`' })
const count = z.int().min(0)
/** A whole number in a URL. */
const inUrl = (least: number, most: number, otherwise: number) =>
  z.coerce.number().int().min(least).max(most).default(otherwise)
/** PostgreSQL rejects U+0000; control characters and changes of direction would make a list show another text. */
export const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'must not have control characters')

/** Filter and order of a list of the fleet page. */
const search = (columns: string) =>
  text(100)
    .optional()
    .meta({ description: `Only rows whose ${columns} contains this text` })
const sortedBy = <S extends string>(columns: readonly [S, ...S[]], order: 'asc' | 'desc') => ({
  sort: z
    .enum(columns)
    .default(columns[0] as never)
    .meta({ description: 'The cursor is valid for the same order' }),
  order: z.enum(['asc', 'desc']).default(order),
})

// Proofs ------------------------------------------------------------------------------------------------------------

export const Proof = z.object({
  proofId: id,
  kioskId: id,
  /** Increases per kiosk and line, without a gap. */
  sequence: z.int().min(1),
  /** 0: the history that the kiosk continues with. Others are of another machine, which used the identity of the kiosk. */
  line: count,
  /**
   * IN_DOUBT: the feed had the proof before an operator decided that another machine continues as the kiosk. DELIVERED: an
   * operator decided that you get this proof of the other machine. Null: neither.
   */
  mark: z.enum(['IN_DOUBT', 'DELIVERED']).nullable(),
  identityId: id,
  /** SHA-256 of the archive: the ETag of `/archive`. */
  sha256,
  levelOfAssurance: z.string(),
  /**
   * Made in test mode, with a specimen document or with a simulated camera: it proves nothing about a real
   * person.
   */
  test: z.boolean(),
  sealedAt: moment,
  storedAt: moment,
  /** Acknowledged by the requesting consumer. */
  acknowledgedAt: moment.nullable(),
  /** Since when no archive of it can be fetched; null: it is kept. */
  deletedAt: moment.nullable(),
})
export type Proof = z.infer<typeof Proof>

export const ProofFeed = z.object({
  /** Sorted in the order in which they became visible. A proof comes again when its `mark` has changed. */
  proofs: z.array(Proof),
  /** The next call's `after`. Store it together with the proofs, in one transaction. */
  next: cursor.nullable(),
  /** True: there are more proofs. */
  more: z.boolean(),
})
export const FeedQuery = z.object({
  after: cursor.optional().meta({ description: '`next` of the page before; absent: from the beginning' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Proofs in one answer' }),
  wait: inUrl(0, MAX_WAIT_SECONDS, 0).meta({
    description: 'Seconds to wait for a proof when there is none yet (long poll)',
  }),
  acknowledged: z
    .enum(['false'])
    .optional()
    .meta({ description: '`false`: without those that this consumer has acknowledged' }),
})
export const ProofSearch = z
  .strictObject({
    proofId: id.optional(),
    identityId: id.optional(),
    /** Given by the relying service of the branch. Stored only as a keyed hash. */
    correlationId: z.string().min(1).max(1000).optional(),
  })
  .refine((search) => Object.values(search).filter((value) => value !== undefined).length === 1, {
    message: 'give exactly one of proofId, identityId, correlationId',
  })
export const ProofList = z.object({ proofs: z.array(Proof) })
export const Acknowledgement = z.object({ proofId: id, acknowledgedAt: moment })

// Deletion ----------------------------------------------------------------------------------------------------------

const reference = text(200).meta({ description: 'Name of the case or of the request, not of a person' })

export const DeletedProof = z.object({
  proofId: id,
  kioskId: id,
  sequence: z.int().min(1),
  identityId: id,
  /** RETENTION: its time was over. ERASURE: requested. */
  reason: z.enum(['RETENTION', 'ERASURE']),
  deletedAt: moment,
  /** Compact JWS (ES256) with the type `counterproof-deletion`, by a statement key of the central service. */
  receipt: z.string(),
})
export type DeletedProof = z.infer<typeof DeletedProof>
export const DeletionFeed = z.object({
  deletions: z.array(DeletedProof),
  /** The next call's `after`. */
  next: cursor.nullable(),
  more: z.boolean(),
})
export const DeletionQuery = z.object({
  after: cursor.optional().meta({
    description: '`next` of the page before; absent, or of a state before a restore: from the beginning',
  }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Deletions in one answer' }),
})
export const ErasureOrder = z
  .strictObject({
    proofId: id.optional(),
    identityId: id.optional(),
    reference,
    /** As the first call returned it; absent: only shows the proofs. */
    confirmation: z.string().max(100).optional(),
  })
  .refine(({ proofId, identityId }) => (proofId === undefined) !== (identityId === undefined), {
    message: 'give exactly one of proofId, identityId',
  })
export const Erasure = z.object({
  proofs: z.array(
    z.object({
      proofId: id,
      kioskId: id,
      sequence: z.int().min(1),
      storedAt: moment,
      isOnHold: z.boolean(),
    }),
  ),
  /** Null: a legal hold forbids the erasure, or it is done. */
  confirmation: z.string().nullable(),
  isErased: z.boolean(),
})
export type Erasure = z.infer<typeof Erasure>
export const LegalHoldOrder = z
  .strictObject({ proofId: id.optional(), kioskId: id.optional(), reference })
  .refine(({ proofId, kioskId }) => proofId === undefined || kioskId === undefined, {
    message: 'give proofId or kioskId, or neither for the whole tenant',
  })
export const LegalHoldRelease = z.strictObject({ reference })
export const LegalHold = z.object({
  holdId: id,
  /** Both null: every proof of the tenant. */
  proofId: id.nullable(),
  kioskId: id.nullable(),
  reference: z.string(),
  placedAt: moment,
  /** `consumer:ID` or `operator:NAME`. */
  placedBy: z.string(),
  releasedAt: moment.nullable(),
  releasedBy: z.string().nullable(),
  releaseReference: z.string().nullable(),
  /** Name of the held kiosk. */
  kioskName: z.string().nullable(),
})
export type LegalHold = z.infer<typeof LegalHold>
export const LegalHoldList = z.object({ holds: z.array(LegalHold), next: cursor.nullable() })
const holdChoice = {
  state: z.enum(['open', 'all']).default('open').meta({ description: '`open`: not released' }),
  search: search('reference'),
  ...sortedBy(['placed', 'reference'], 'desc'),
}
export const LegalHoldExportQuery = z.object(holdChoice)
export const LegalHoldQuery = z.object({
  ...holdChoice,
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, MAX_PAGE).meta({ description: 'Legal holds in one answer' }),
})

// Fleet -------------------------------------------------------------------------------------------------------------

export const Kiosk = z.object({
  kioskId: id,
  name: z.string(),
  state: z.enum(KIOSK_STATES),
  reasons: z.array(z.enum(KIOSK_REASONS)),
  enrolledAt: moment,
  revokedAt: moment.nullable(),
  /** Time of the last status; null before the first. */
  lastSeenAt: moment.nullable(),
  productVersion: z.string().nullable(),
  /** Number of unsent proofs at the kiosk. */
  backlog: count.nullable(),
  oldestPendingAt: moment.nullable(),
  /** The highest sequence number stored here. */
  lastSequence: count,
  frozen: z.array(z.string()),
  health: z.record(z.string(), z.enum(['UP', 'DEGRADED', 'DOWN'])),
  freeDiskBytes: z.number().nullable(),
  /** 0: none. */
  bundleVersion: count.nullable(),
  newestBundleVersion: count,
  bundleProblems: z.array(z.string()),
  alarmsOpen: count,
  /** Kinds of the alarms that are not resolved, acknowledged or not. */
  alarmKinds: z.array(z.string()),
  /** Number of histories beside its own: its data folder was copied. `/lines` has them. */
  otherLines: count,
  /** Updates by rollouts, as the kiosk reports them; null: its version does not. */
  updates: z
    .object({
      enabled: z.boolean(),
      /** Version of the installed package; null: no package. */
      version: z.string().nullable(),
      architecture: z.string().nullable(),
      /** The last installation that ended; `reason` is a code of the kiosk. */
      result: z
        .object({
          state: z.enum(UPDATE_RESULTS),
          reason: z.string().nullable(),
          to: z.string().nullable(),
          at: z.string(),
        })
        .nullable(),
      /** Code: why an offered release is not installed yet. */
      problem: z.string().nullable(),
    })
    .nullable(),
})
export type Kiosk = z.infer<typeof Kiosk>
export const KioskList = z.object({
  kiosks: z.array(Kiosk),
  next: cursor.nullable(),
  /** Number of kiosks by state, with no filter; only on the first page. */
  counts: z.record(z.enum(KIOSK_STATES), count).nullable(),
})
const kioskChoice = {
  search: search('name'),
  state: z.enum(KIOSK_STATES).optional(),
  ...sortedBy(['name', 'urgency', 'backlog', 'oldest', 'seen', 'version'], 'asc'),
}
export const KioskExportQuery = z.object(kioskChoice)
export const KioskQuery = z.object({
  ...kioskChoice,
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, MAX_PAGE).meta({ description: 'Kiosks in one answer' }),
})
/** The histories of a kiosk whose data folder was copied. */
export const KioskLines = z.object({
  kioskId: id,
  name: z.string(),
  /** Both machines are frozen since; null: none waits for a decision. */
  frozenAt: moment.nullable(),
  /** Empty: the kiosk has one history. Line 0 from the first number on that another line has. */
  lines: z.array(
    z.object({
      line: count,
      /** Numbers of its first and last proof. */
      from: count.nullable(),
      to: count.nullable(),
      /** Names the line: a proof that only this line has, usually its first one. `line` is a number that changes with a decision. */
      firstProofId: id.nullable(),
      /** Number of proofs that the feed has, and that it does not have. */
      inFeed: count,
      quarantined: count,
      sealedFrom: moment.nullable(),
      sealedTo: moment.nullable(),
      /** Last status of the machine whose newest proof is on this line, while it was frozen. `backlog`: its unsent proofs. */
      machine: z.object({ seenAt: moment, productVersion: z.string(), backlog: count }).nullable(),
    }),
  ),
  /** Newest first. CHOOSE: the line became line 0. DELIVER: the head office got its proofs, marked. */
  decisions: z.array(
    z.object({
      at: moment,
      act: z.enum(['CHOOSE', 'DELIVER']),
      /** Proof that names the line; null: a decision of an earlier version. */
      firstProofId: id.nullable(),
      /** Number of the line before a decision of an earlier version. */
      line: count.nullable(),
      decidedBy: z.string(),
      reason: z.string(),
    }),
  ),
})
export type KioskLines = z.infer<typeof KioskLines>
export const Reason = z.strictObject({ reason: text(200) })
export const Revocation = z.object({ kioskId: id, revokedAt: moment })

export const EnrolmentCodeOrder = z.strictObject({
  /** The kiosk's future name: a place, not a person. */
  name: text(100),
  /** Validity of the code. */
  validHours: z
    .int()
    .min(1)
    .max(24 * 30)
    .default(24),
})
export const EnrolmentCode = z.object({
  /** Shown only now; the service stores its hash. */
  code: z.string(),
  name: z.string(),
  expiresAt: moment,
})
export type EnrolmentCode = z.infer<typeof EnrolmentCode>

export const Alarm = z.object({
  alarmId: id,
  kioskId: id,
  kioskName: z.string(),
  kind: z.string(),
  /** The subject within the kiosk: a proof id, a sequence number, or empty. */
  subject: z.string(),
  /** Ids, numbers and codes. */
  details: z.record(z.string(), z.unknown()),
  raisedAt: moment,
  /** Time of the last observation, and the number of observations. */
  seenAt: moment,
  times: z.int().min(1),
  /** When the cause ended; null while it lasts. */
  resolvedAt: moment.nullable(),
  /** `consumer:ID`, `person:SUBJECT` or `operator:NAME`; null: the service itself. */
  resolvedBy: z.string().nullable(),
  /** The reason that was given. */
  resolution: z.string().nullable(),
  acknowledgedAt: moment.nullable(),
})
export type Alarm = z.infer<typeof Alarm>
export const AlarmList = z.object({ alarms: z.array(Alarm), next: cursor.nullable() })
export const ALARM_STATES = ['open', 'acknowledged', 'resolved', 'all'] as const
export type AlarmState = (typeof ALARM_STATES)[number]
const alarmChoice = {
  state: z
    .enum(ALARM_STATES)
    .default('open')
    .meta({ description: '`open`: neither resolved nor acknowledged; `acknowledged`: and not resolved' }),
  kind: z
    .string()
    .regex(/^[A-Z_]{1,40}$/)
    .optional(),
  kioskId: id.optional(),
  search: search('name of the kiosk, or subject,'),
  ...sortedBy(['raised', 'seen', 'kiosk', 'kind', 'times'], 'desc'),
}
export const AlarmExportQuery = z.object(alarmChoice)
export const AlarmQuery = z.object({
  ...alarmChoice,
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Alarms in one answer, newest first' }),
})
export const AlarmAcknowledgement = z.object({ alarmId: id, acknowledgedAt: moment })
export const AlarmResolution = z.object({ alarmId: id, resolvedAt: moment })

export const FiguresQuery = z.object({
  days: inUrl(1, 30, 7).meta({ description: 'Today and the days before, in UTC' }),
  kioskId: id.optional().meta({ description: 'Only of this kiosk' }),
})
/** Counts the proofs that were stored in the span. Proofs in quarantine count when they are released. */
export const Figures = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  proofs: count,
  tests: count,
  /** `OTHER`: another name than LOA0 to LOA4. */
  levels: z.array(z.object({ level: z.string(), test: z.boolean(), proofs: count })),
  /** Number of proofs by the time from the sealing to the storage. */
  delays: z.object({ minute: count, tenMinutes: count, hour: count, day: count, later: count }),
  /** Time from the first call of the proofing to the sealing; null: no proof states it. */
  averageDurationMs: count.nullable(),
  /** Failed checks by the number of proofs, the most frequent first. */
  failures: z.array(z.object({ indicator: z.string(), proofs: count })),
  /** Time of the verification of a step, as the proofs state it. */
  steps: z.array(z.object({ step: z.string(), proofs: count, averageMs: count })),
  days: z.array(z.object({ day: z.iso.date(), proofs: count })),
})
export type Figures = z.infer<typeof Figures>
/** A release goes to the kiosks of the tenant, ring after ring. */
export const Rollout = z.object({
  rolloutId: id,
  version: z.string(),
  state: z.enum(ROLLOUT_STATES),
  /**
   * Why the next ring does not begin: INSTALL (a kiosk has not answered), SOAK (the time is not over), UNWELL (a kiosk that
   * installed it is not well, or silent), OFFLINE (every kiosk of the ring), NO_KIOSK (no kiosk has shown that the release
   * works). Null: it may begin, or the rollout does not run.
   */
  waits: z.enum(ROLLOUT_WAITS).nullable(),
  soakMinutes: z.int().min(1),
  /** Share of failed kiosks of a ring at which the rollout pauses by itself. */
  maxFailedPercent: z.int().min(1).max(100),
  startsAt: moment,
  /** The last change of state or ring. */
  changedAt: moment,
  /** `consumer:ID`, `person:SUBJECT` or `operator:NAME`; null: the service itself. */
  changedBy: z.string().nullable(),
  reason: z.string().nullable(),
  rings: z.array(
    z.object({
      name: z.string(),
      /** Percent of the kiosks in this ring and the ones before. */
      share: count,
      /** The ring gets the release. */
      isReached: z.boolean(),
      /** Kiosks of the ring, and those of them that cannot take the release; null: the rollout has ended. */
      kiosks: count.nullable(),
      unable: count.nullable(),
      /**
       * Why kiosks of the ring cannot take it: UNKNOWN (not installed from a package, or no report yet), DISABLED (`updates.enabled` is
       * off), ARCHITECTURE (no package for its processor), TOO_OLD (its version is older than the release accepts).
       */
      obstacles: z.array(z.enum(ROLLOUT_OBSTACLES)),
      offered: count,
      installed: count,
      failed: count,
    }),
  ),
})
export type Rollout = z.infer<typeof Rollout>
export const RolloutList = z.object({ rollouts: z.array(Rollout), next: cursor.nullable() })
const rolloutChoice = {
  state: z.enum(ROLLOUT_STATES).optional(),
  search: search('version'),
  ...sortedBy(['starts', 'version', 'state'], 'desc'),
}
export const RolloutExportQuery = z.object(rolloutChoice)
export const RolloutQuery = z.object({
  ...rolloutChoice,
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Rollouts in one answer' }),
})

const PublicKey = z.record(z.string(), z.unknown())
export const Jwks = z.object({
  keys: z.array(PublicKey),
  /**
   * Not among `keys`: their signatures from `since` on do not count, unless a time stamp proves that a
   * signature is older.
   */
  revoked: z.array(z.object({ kid: z.string(), since: moment, key: PublicKey })),
})
export const Me = z.object({
  consumerId: id,
  name: z.string(),
  tenantId: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  keyExpiresAt: moment.nullable(),
})
export type Me = z.infer<typeof Me>

// Staff -------------------------------------------------------------------------------------------------------------

/** A row of the access log, without searched values, which may be about an applicant. */
export const Access = z.object({
  accessId: id,
  at: moment,
  /** Name of the head-office system. */
  consumer: z.string().nullable(),
  keyId: id.nullable(),
  /** Subject and name of a person of the staff, as the OpenID provider told them. */
  person: z.string().nullable(),
  personName: z.string().nullable(),
  /** Name of the person at the command line. */
  operator: z.string().nullable(),
  operation: z.string(),
  /** An id or a version. */
  subject: z.string().nullable(),
  /** OK, or the code of the refusal. */
  result: z.string(),
  /** Reason or reference of the caller, who may name a person in it. */
  reason: z.string().nullable(),
})
export type Access = z.infer<typeof Access>
export const AccessList = z.object({ accesses: z.array(Access), next: cursor.nullable() })
export const AccessExportQuery = z.object({
  from: moment.optional().meta({ description: 'Inclusive' }),
  to: moment.optional().meta({ description: 'Exclusive' }),
})
export const AccessQuery = AccessExportQuery.extend({
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Rows in one answer, newest first' }),
})

/** Answer of `/staff/session` for the page; not part of the API. */
export interface StaffSessionView {
  /** False: no OpenID provider is configured, and staff sign in with a key. */
  readonly hasProvider: boolean
  /** Null: no person is signed in. */
  readonly person: {
    readonly name: string
    readonly endsAt: string
    readonly tenants: readonly { readonly tenantId: string; readonly scopes: readonly Scope[] }[]
  } | null
}
/** Header by which a person's page names the tenant. */
export const TENANT_HEADER = 'x-counterproof-tenant'
/** Header of a request that a touch or key of the person caused: it postpones the end of an idle session. */
export const ACTIVE_HEADER = 'x-counterproof-active'
/** How a sign-in ended, after `#` in the address of the page; other ends are a fault of the service. */
export const SIGN_IN_ENDS = ['denied', 'not-authenticated', 'unavailable', 'stale', 'no-role'] as const
export type SignInEnd = (typeof SIGN_IN_ENDS)[number]

// Webhooks ----------------------------------------------------------------------------------------------------------

export const WebhookOrder = z.strictObject({
  /** https only; user information and fragments are refused, and so are private addresses. */
  url: z.string().min(1).max(2000),
  events: z.array(z.enum(EVENT_TYPES)).min(1).max(EVENT_TYPES.length),
})
export const Webhook = z.object({
  webhookId: id,
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  createdAt: moment,
  /** Until then deliveries also carry a signature with the former secret. */
  previousSecretValidUntil: moment.nullable(),
  pending: count,
  parked: count,
})
export type Webhook = z.infer<typeof Webhook>
export const NewWebhook = Webhook.extend({
  /** `whsec_…`, shown only now. */
  secret: z.string(),
})
export const WebhookList = z.object({ webhooks: z.array(Webhook) })
export const SecretOrder = z.strictObject({
  /** How long the former secret also signs. */
  overlapHours: z
    .int()
    .min(0)
    .max(24 * 30)
    .default(24),
})
export const Delivery = z.object({
  deliveryId: id,
  /** The header `webhook-id`: the same for every try. */
  eventId: id,
  type: z.enum(EVENT_TYPES),
  state: z.enum(DELIVERY_STATES),
  attempts: count,
  /** HTTP status of the last try; null: no answer. */
  lastStatus: z.int().nullable(),
  /** Why the last try failed: `status`, `gone`, `redirect`, `timeout`, `certificate`, `connection`, `address_refused`. */
  lastError: z.string().nullable(),
  createdAt: moment,
  nextTryAt: moment.nullable(),
  deliveredAt: moment.nullable(),
})
export const DeliveryList = z.object({ deliveries: z.array(Delivery), next: cursor.nullable() })
export const DeliveryQuery = z.object({
  state: z.enum(DELIVERY_STATES).optional(),
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: 'Deliveries in one answer, newest first' }),
})

// Lists of the fleet page: proofs, deletions, webhooks ---------------------------------------------------------------

const describePage = (rows: string) => ({
  after: cursor.optional().meta({ description: '`next` of the page before' }),
  limit: inUrl(1, MAX_PAGE, 100).meta({ description: `${rows} in one answer` }),
})
export const ListedProof = Proof.omit({ sha256: true, acknowledgedAt: true }).extend({
  kioskName: z.string(),
})
export type ListedProof = z.infer<typeof ListedProof>
export const ListedProofs = z.object({ proofs: z.array(ListedProof), next: cursor.nullable() })
const proofChoice = {
  state: z.enum(['all', 'kept', 'deleted', 'in-doubt']).default('all'),
  search: search('kiosk, or its id or the id of the identity,'),
  ...sortedBy(['stored'], 'desc'),
}
export const ListedProofExportQuery = z.object(proofChoice)
export const ListedProofQuery = z.object({ ...proofChoice, ...describePage('Proofs') })

export const ListedDeletion = z.object({
  proofId: id,
  kioskId: id,
  kioskName: z.string(),
  sequence: z.int().min(1),
  reason: z.enum(['RETENTION', 'ERASURE']),
  /** `retention`, `receipt`, `consumer:ID`, `person:SUBJECT` or `operator:NAME`. */
  deletedBy: z.string(),
  /** Name of the request; null for a retention. */
  reference: z.string().nullable(),
  deletedAt: moment,
})
export type ListedDeletion = z.infer<typeof ListedDeletion>
export const ListedDeletions = z.object({ deletions: z.array(ListedDeletion), next: cursor.nullable() })
const deletionChoice = {
  state: z.enum(['all', 'RETENTION', 'ERASURE']).default('all'),
  search: search('reference, or the id of the proof,'),
  ...sortedBy(['deleted'], 'desc'),
}
export const ListedDeletionExportQuery = z.object(deletionChoice)
export const ListedDeletionQuery = z.object({ ...deletionChoice, ...describePage('Deletions') })

export const ListedWebhook = z.object({
  webhookId: id,
  /** Name of the head-office system. */
  system: z.string(),
  /** The path may be a secret, so it is left out. */
  origin: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  createdAt: moment,
  /** Deliveries; at most 100 are counted. */
  pending: count.max(100),
  parked: count.max(100),
})
export type ListedWebhook = z.infer<typeof ListedWebhook>
export const ListedWebhooks = z.object({ webhooks: z.array(ListedWebhook), next: cursor.nullable() })
const webhookChoice = {
  state: z.enum(['all', 'parked']).default('all').meta({ description: '`parked`: with parked deliveries' }),
  search: search('system'),
  ...sortedBy(['system', 'created', 'pending', 'parked'], 'asc'),
}
export const ListedWebhookExportQuery = z.object(webhookChoice)
export const ListedWebhookQuery = z.object({ ...webhookChoice, ...describePage('Webhooks') })

// Bundles -----------------------------------------------------------------------------------------------------------

const entryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be a name of letters, digits, . _ -')
const policy = z.looseObject({ id: entryName })
/** A schema of its own, so that the OpenAPI text can refer to it. */
export const JsonValue = z.json()
const fewerThan = (most: number) => (value: object) => Object.keys(value).length <= most

/** Absent: publishes over any version. 0: the tenant has none yet. */
const expectedVersion = z
  .int()
  .min(0)
  .optional()
  .meta({ description: 'Newest version that the caller knows; 409 if another one is the newest. 0: none' })
export const BundleOrder = z.strictObject({
  /** Parts of config.json that replace a kiosk's own. */
  settings: z
    .record(entryName, JsonValue)
    .refine(fewerThan(MAX_SETTINGS), { message: 'has too many entries' })
    .default({}),
  /** Keyed by id, each as a file of resources/policies. */
  policies: z
    .record(entryName, policy)
    .refine(fewerThan(MAX_ENTRIES), { message: 'has too many entries' })
    .refine((policies) => Object.entries(policies).every(([name, { id: own }]) => own === name), {
      message: 'the key of each policy must be its id',
    })
    .default({}),
  /** Keyed by name. */
  watchlists: z
    .record(entryName, JsonValue)
    .refine(fewerThan(MAX_ENTRIES), { message: 'has too many entries' })
    .default({}),
  expectedVersion,
})
export type BundleOrder = z.infer<typeof BundleOrder>
export type BundleContent = Omit<BundleOrder, 'expectedVersion'>
export const BundleRollback = z.strictObject({ expectedVersion })
export const BundleSummary = z.object({
  version: z.int().min(1),
  createdAt: moment,
  /** The version whose content it restored; null for new content. */
  rolledBackTo: z.int().nullable(),
  settings: z.array(z.string()),
  policies: z.array(z.string()),
  watchlists: z.array(z.string()),
  /** Number of kiosks that report this version. */
  kiosks: count,
})
/** `content` may be published again as it is. */
export const PublishedBundle = BundleSummary.pick({
  version: true,
  createdAt: true,
  rolledBackTo: true,
}).extend({
  content: BundleOrder,
})
export const BundleList = z.object({ bundles: z.array(BundleSummary) })

// Failures and verification -----------------------------------------------------------------------------------------

export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  errors: z.array(z.object({ code: z.string(), message: z.string(), field: z.string().optional() })),
  correlationId: z.string(),
})
export const VerificationReport = z.object({
  valid: z.boolean(),
  proofId: z.string().nullable(),
  identityId: z.string().nullable(),
  levelOfAssurance: z.string().nullable(),
  problems: z.array(z.object({ code: z.string(), message: z.string(), file: z.string().optional() })),
})

export const CONTRACT = {
  Me,
  Proof,
  ProofFeed,
  ProofSearch,
  ProofList,
  Acknowledgement,
  DeletionFeed,
  ErasureOrder,
  Erasure,
  LegalHoldOrder,
  LegalHoldRelease,
  LegalHold,
  LegalHoldList,
  Kiosk,
  KioskList,
  KioskLines,
  Reason,
  Revocation,
  EnrolmentCodeOrder,
  EnrolmentCode,
  Alarm,
  AlarmList,
  AlarmAcknowledgement,
  AlarmResolution,
  Figures,
  Rollout,
  RolloutList,
  AccessList,
  Jwks,
  WebhookOrder,
  Webhook,
  NewWebhook,
  WebhookList,
  SecretOrder,
  Delivery,
  DeliveryList,
  ListedProofs,
  ListedDeletions,
  ListedWebhooks,
  JsonValue,
  BundleOrder,
  BundleRollback,
  BundleSummary,
  PublishedBundle,
  BundleList,
  Problem,
  VerificationReport,
} as const
export type ContractName = keyof typeof CONTRACT
