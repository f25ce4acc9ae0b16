/**
 * The wire protocol between kiosk and central service: every body as a schema, untrusted in both directions
 * until parsed. Only ids, states, numbers and hashes; personal data is sent only inside an encrypted packet.
 */
import { z } from 'zod'

/** Part of the path of every kiosk route: a newer protocol gets another. */
export const KIOSK_API = '/kiosk/v1'
export const AUTHORIZATION_SCHEME = 'Counterproof'
/**
 * Header of every answer to a signed request: a nonce of the central service for the kiosk's next signatures.
 * The service refuses a request with 401 `nonce_required` if its nonce has expired or a required one is
 * missing; the kiosk repeats it with the nonce of that answer. A service of an older version sends none.
 */
export const NONCE_HEADER = 'counterproof-nonce'
/** Offset of a chunk within its packet, bytes. */
export const OFFSET_HEADER = 'upload-offset'
/** Maximum size of a chunk. */
export const MAX_CHUNK_BYTES = 4 * 1024 * 1024
const MAX_PACKET_BYTES = 512 * 1024 * 1024
/** Trust bundles: bounds of one file and of all together. */
export const MAX_TRUST_FILE_BYTES = 8 * 1024 * 1024
export const MAX_TRUST_BUNDLE_BYTES = 32 * 1024 * 1024
export const MAX_TRUST_BUNDLE_FILES = 100
/** Files that a kiosk downloads come in pieces: of trust bundles, and of releases. */
export const FILE_PIECE_BYTES = 128 * 1024
/** A release file (updates/manifest.ts). */
const MAX_RELEASE_FILE = 4096

/** Ranges of missing numbers that one statement names; the next statement names further ones. */
export const MAX_MISSING_RANGES = 50
/** Receipts of deletions in one answer. */
export const MAX_DELETIONS = 100

const id = z.uuid()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Milliseconds since 1970, UTC. */
const moment = z.int().min(0)
const pem = z.string().min(1).max(20_000)
const jwk = z.looseObject({ kty: z.string().max(10) })
const jws = z.string().min(1).max(100_000)
const name = z.string().min(1).max(100)

const JwksSchema = z.strictObject({ keys: z.array(jwk).max(100) })
/**
 * Keys that signed proofs, by RFC 7638 thumbprint; their signatures from `since` on do not count (before the
 * year 10000).
 */
const RevokedKeysSchema = z
  .array(
    z.strictObject({ kid: z.string().regex(/^[A-Za-z0-9_-]{43}$/), since: moment.max(253_402_300_799_999) }),
  )
  .max(100)
export type RevokedKeys = z.infer<typeof RevokedKeysSchema>

// Enrolment ---------------------------------------------------------------------------------------------------------

/** POST /enrolments, without a signature: the code authenticates it. Repeatable with the same request. */
export const EnrolmentRequestSchema = z.strictObject({
  code: z.string().min(1).max(100),
  /** The appliance's own id, created at its first start. */
  kioskId: id,
  /** PKCS#10, PEM; P-256. Its signature proves that the kiosk holds the private key. */
  certificateRequest: pem,
  /** Public keys that sign its proofs. */
  proofKeys: JwksSchema,
  name,
  productVersion: z.string().max(40),
})
export type EnrolmentRequest = z.infer<typeof EnrolmentRequestSchema>

/** The public keys of the central service, as a kiosk stores them. */
const CentralTrustSchema = z.strictObject({
  centreId: id,
  /** The CA of the kiosks' certificates, PEM. Its fingerprint is part of the enrolment code. */
  caCertificate: pem,
  /** ES256: receipts, server time, bundles, trust bundles. Signed by the CA as `certificates`. */
  statementKeys: JwksSchema,
  /** ECDH-ES+A256KW, P-256: packets are encrypted to the first one. */
  packetKeys: JwksSchema,
  /**
   * JWS (ES256, by the CA key) over `{centreId, statementKeys, packetKeys}`, because the fingerprint covers
   * only the CA.
   */
  signature: jws,
})
export type CentralTrust = z.infer<typeof CentralTrustSchema>

export const EnrolmentAnswerSchema = z.strictObject({
  kioskId: id,
  tenantId: z.string().regex(/^[a-z0-9-]{1,40}$/),
  /** X.509, PEM, signed by the central service. */
  certificate: pem,
  trust: CentralTrustSchema,
  /** A `server-time` statement. */
  serverTime: jws,
})
export type EnrolmentAnswer = z.infer<typeof EnrolmentAnswerSchema>

// Proofs ------------------------------------------------------------------------------------------------------------

/**
 * PUT /proofs/{proofId}: announces a proof. Repeating the announcement returns the progress of the upload,
 * and a settled proof (STORED, WITHDRAWN, LOST) stays settled whatever is announced. While RECEIVING or
 * REFUSED, the same proof with another `packet` (the kiosk's file was lost, damaged, or is sent again by
 * hand) restarts at offset 0, and with `packet` null it is WITHDRAWN, or LOST with `lost`, which raises an
 * alarm even if the proof is STORED. Announced with another sequence, hash or archive than before: 409.
 */
export const AnnouncementSchema = z.strictObject({
  proofId: id,
  identityId: id,
  sequence: z.int().min(1),
  /** Hashes of the previous outbox entry and of this one: the chain of the kiosk's outbox. */
  previousHash: sha256,
  hash: sha256,
  /** SHA-256 of the decrypted archive. */
  sha256,
  sealedAt: moment,
  /** Null for a proof that was erased before it was sent: the sequence number is accounted for. */
  packet: z.strictObject({ sha256, bytes: z.int().min(1).max(MAX_PACKET_BYTES) }).nullable(),
  /**
   * With `packet` null: the kiosk has lost the key of the identity, and with it the proof; it was not a
   * withdrawal.
   */
  lost: z.literal(true).optional(),
})
export type Announcement = z.infer<typeof AnnouncementSchema>

const UPLOAD_STATES = ['RECEIVING', 'STORED', 'REFUSED', 'WITHDRAWN', 'LOST'] as const
/** Answer to an announcement and to every chunk. */
export const UploadStateSchema = z.strictObject({
  state: z.enum(UPLOAD_STATES),
  /** Bytes that the central service has stored: the next chunk starts here. */
  offset: z.int().min(0),
  /** STORED, WITHDRAWN and LOST: the `receipt` statement. */
  receipt: jws.optional(),
  /** REFUSED: the reasons, as problem codes of the verifier or of the announcement. */
  problems: z.array(z.string().max(200)).max(100).optional(),
})
export type UploadState = z.infer<typeof UploadStateSchema>

/**
 * PATCH /proofs/{proofId} with `upload-offset` and the bytes; POST /proofs/{proofId}/completion without a
 * body. Both answer an upload state. A chunk for another offset than the next one changes nothing and is
 * answered with the present state (200), and so is an early completion. If the bytes do not match
 * `packet.sha256` (a chunk of an earlier packet came late), the upload is RECEIVING again from offset 0, not
 * refused. 404: announce it first.
 */

// Updates of kiosks --------------------------------------------------------------------------------------------------

const version = z.string().min(1).max(100)
const reasonCode = z.string().regex(/^[A-Z][A-Z0-9_]{0,59}$/)

/** How the installation of a release ended. REFUSED: nothing was changed. ROLLED_BACK: the version before runs again. */
export const UPDATE_RESULTS = ['INSTALLED', 'ROLLED_BACK', 'REFUSED', 'FAILED'] as const
export const UpdateResultSchema = z.strictObject({
  /** Id of the rollout; another one if the operator of the machine asked for the update. */
  id: z.string().regex(/^[0-9A-Za-z-]{1,64}$/),
  state: z.enum(UPDATE_RESULTS),
  reason: reasonCode.nullable(),
  from: version.nullable(),
  to: version.nullable(),
  at: z.iso.datetime({ offset: true }).max(40),
})
export type UpdateResult = z.infer<typeof UpdateResultSchema>

/** The updates of a kiosk, as it reports them. */
export const KioskUpdatesSchema = z.strictObject({
  /** The operator of the machine lets the central service update it. */
  enabled: z.boolean(),
  /** Version and architecture of the installed package, which may be more precise than `productVersion`; null: no package. */
  version: version.nullable(),
  architecture: z
    .string()
    .regex(/^[a-z0-9-]{1,20}$/)
    .nullable(),
  /** The last one; null: none. */
  result: UpdateResultSchema.nullable(),
  /** Why an offered release is not downloaded yet, or waits; null: it is not, or none is offered. */
  problem: reasonCode.nullable(),
})
export type KioskUpdates = z.infer<typeof KioskUpdatesSchema>

// Status and server time --------------------------------------------------------------------------------------------

/** POST /status */
export const KioskStatusSchema = z.strictObject({
  /** Increases with each status: an older one never overwrites a newer one. */
  counter: z.int().min(1),
  productVersion: z.string().max(40),
  /** The kiosk's own time. */
  at: moment,
  /** Returned in the server time, so that an old answer cannot be replayed. */
  nonce: z.string().min(16).max(100),
  backlog: z.int().min(0),
  oldestPendingAt: moment.nullable(),
  lastSequence: z.int().min(0),
  audit: z.strictObject({ seq: z.int().min(0), hash: sha256 }),
  bundleVersion: z.int().min(0),
  bundleProblems: z.array(z.string().max(500)).max(50),
  frozen: z.array(z.string().max(60)).max(20),
  health: z.record(z.string().max(40), z.enum(['UP', 'DEGRADED', 'DOWN'])),
  freeDiskBytes: z.number().min(0).nullable(),
  clock: z.strictObject({
    source: z.string().max(20),
    uncertaintyMs: z.number().min(0).nullable(),
    steps: z.int().min(0),
  }),
  proofKeys: JwksSchema,
  revokedKeys: RevokedKeysSchema.optional(),
  /** Time of the last restore of a backup: the sequence may have gone back. */
  restoredAt: moment.nullable(),
  /** Absent: the version of the kiosk has no updates by the central service. */
  updates: KioskUpdatesSchema.optional(),
  /** The newest entry of the outbox; null: it is empty. It distinguishes two machines that use the identity of one kiosk. */
  head: z
    .strictObject({ sequence: z.int().min(1), hash: sha256 })
    .nullable()
    .optional(),
})
export type KioskStatus = z.infer<typeof KioskStatusSchema>

/** Members that a kiosk does not know are ignored, so that a newer service may add some. */
export const StatusAnswerSchema = z.object({
  serverTime: jws,
  /** The version to fetch with GET /bundle; 0: none. */
  bundleVersion: z.int().min(0),
  /** The highest sequence number that the central service has of this kiosk. */
  lastSequence: z.int().min(0),
  /** A `missing-proofs` statement; absent if every number up to the kiosk's last one is accounted for. */
  missing: jws.optional(),
  /** The proof of this kiosk that was deleted last at the central service; absent: none. */
  lastDeletion: id.optional(),
  /** An `update` statement; absent: the kiosk installs nothing now. */
  update: jws.optional(),
  trust: CentralTrustSchema,
})
export type StatusAnswer = z.infer<typeof StatusAnswerSchema>

/** POST /deletions: asks for the receipts of deletions. @member after proof of the last one that the kiosk has; null: none */
export const DeletionQuestionSchema = z.strictObject({ after: id.nullable() })
export const DeletionAnswerSchema = z.object({
  /** `deletion` statements, oldest first; from the beginning if the service does not know `after`. */
  receipts: z.array(jws).max(MAX_DELETIONS),
})

/**
 * Answer to the status of a kiosk that takes no new proofings until the head office decides. Revoked: its status changes
 * nothing, and every other request is answered 401. CLONE: another machine uses its identity; it continues to send its proofs.
 */
export const RevokedAnswerSchema = z.object({
  /** A `kiosk-revoked` statement. */
  revoked: jws,
  trust: CentralTrustSchema,
})
export type RevokedAnswer = z.infer<typeof RevokedAnswerSchema>

/** GET /bundle: `{bundle}`, a `bundle` statement; 404 if there is none. */
export const BundleAnswerSchema = z.strictObject({ bundle: z.string().min(1).max(20_000_000) })

// Trust bundles -----------------------------------------------------------------------------------------------------

/** POST /trust-bundle: asks which bundle of trust lists is the newest. A service of an older version answers 404. */
export const TrustQuestionSchema = z.strictObject({
  /** Returned in the signed answer, so that an old answer cannot be replayed. */
  nonce: z.string().min(16).max(100),
  /** The bundle in force; 0 and null: none. */
  version: z.int().min(0).max(2_147_483_647),
  sha256: sha256.nullable(),
})
export type TrustQuestion = z.infer<typeof TrustQuestionSchema>

export const TrustAnswerSchema = z.strictObject({
  /** A `trust-check` statement. */
  check: jws,
  /** The newest `trust-bundle` statement, if the kiosk has another one in force. */
  bundle: jws.optional(),
})
export type TrustAnswer = z.infer<typeof TrustAnswerSchema>

/**
 * GET /trust-files/{sha256}/{offset}: a piece of a file of the newest bundle; empty at its end. 404: not in the newest bundle.
 * GET /releases/{sha256}/{offset}: the same of the package of a release.
 */
export const FilePieceSchema = z.strictObject({
  content: z
    .string()
    .max(Math.ceil(FILE_PIECE_BYTES / 3) * 4)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/),
})

// Statements of the central service ------------------------------------------------------------------------------------------

export const StatementSchemas = {
  receipt: z.strictObject({
    kioskId: id,
    proofId: id,
    sequence: z.int().min(1),
    sha256,
    /** `WITHDRAWN`, `LOST`: the sequence number is accounted for without a proof. */
    state: z.enum(['STORED', 'WITHDRAWN', 'LOST']),
    storedAt: moment,
  }),
  /** The archive of a stored proof was deleted at the central service; number and hashes stay. */
  deletion: z.strictObject({
    kioskId: id,
    proofId: id,
    identityId: id,
    sequence: z.int().min(1),
    /** Hashes of the archive and of the entry in the chain of the kiosk's outbox. */
    sha256,
    hash: sha256,
    /** RETENTION: its time was over. ERASURE: requested. */
    reason: z.enum(['RETENTION', 'ERASURE']),
    /** No caller could read the archive any more. */
    decidedAt: moment,
    deletedAt: moment,
  }),
  /**
   * Sequence numbers that the central service has not accounted for, first and last of each range. The kiosk sends again
   * those that it has a receipt for: the service was restored to an earlier state.
   */
  'missing-proofs': z.strictObject({
    kioskId: id,
    /** The nonce of the status; empty on a USB stick. */
    nonce: z.string().max(100),
    at: moment,
    ranges: z.array(z.tuple([z.int().min(1), z.int().min(1)])).max(MAX_MISSING_RANGES),
  }),
  /** The nonce is that of the status, so that an old statement cannot be replayed after a new enrolment. */
  'kiosk-revoked': z.strictObject({
    kioskId: id,
    nonce: z.string().max(100),
    revokedAt: moment,
    /** Absent: revoked. */
    reason: z.literal('CLONE').optional(),
  }),
  'server-time': z.strictObject({ kioskId: id, nonce: z.string().max(100), at: moment }),
  bundle: z.strictObject({
    tenantId: z.string().max(40),
    /** Increases: a kiosk never accepts a lower one. A rollback is a higher number with the old content. */
    version: z.int().min(1),
    createdAt: moment,
    /** Parts of config.json that replace the kiosk's own. */
    settings: z.record(z.string(), z.unknown()),
    /** Policies by id, each as a file of resources/policies. */
    policies: z.record(z.string(), z.unknown()),
    /** Watchlists by name. */
    watchlists: z.record(z.string(), z.unknown()),
  }),
  /** The kiosk is to install this release. */
  update: z.strictObject({
    kioskId: id,
    /** The nonce of the status, so that an old statement cannot start an installation that was stopped. */
    nonce: z.string().max(100),
    at: moment,
    rolloutId: id,
    /** The release file, signed by a release key that the central service does not have. */
    release: z.string().max(MAX_RELEASE_FILE),
  }),
  'trust-bundle': z.strictObject({
    tenantId: z.string().max(40),
    /** Increases; not the version of `bundle`. */
    version: z.int().min(1),
    createdAt: moment,
    /** The two people who agreed to each file. */
    publishedBy: name,
    confirmedBy: name,
    /** The complete set. */
    files: z
      .array(z.strictObject({ sha256, bytes: z.int().min(1).max(MAX_TRUST_FILE_BYTES) }))
      .min(1)
      .max(MAX_TRUST_BUNDLE_FILES),
  }),
  /** Version and hash of the newest `trust-bundle`; 0 and null: there is none. */
  'trust-check': z.strictObject({
    kioskId: id,
    nonce: z.string().max(100),
    at: moment,
    version: z.int().min(0),
    sha256: sha256.nullable(),
  }),
} as const
export type StatementKind = keyof typeof StatementSchemas
export type Statement<K extends StatementKind> = z.infer<(typeof StatementSchemas)[K]>
export type Receipt = Statement<'receipt'>
export type Bundle = Statement<'bundle'>

// Packets by hand ---------------------------------------------------------------------------------------------------

export const MANIFEST_FILE = 'counterproof-packets.json'
/** The value of `signRequest` over the manifest's bytes, with method `EXPORT` and the manifest's file name as path. */
export const MANIFEST_SIGNATURE_FILE = 'counterproof-packets.sig'
/** The central service's answer to it. */
export const RECEIPTS_FILE = 'counterproof-receipts.json'

/** `counterproof-packets.json` on a USB stick, from a branch without a network. */
export const ManifestSchema = z.strictObject({
  kioskId: id,
  exportedAt: moment,
  /** File name and announcement of each packet. A withdrawn or lost proof has no file. */
  packets: z.array(
    z.strictObject({ file: z.string().max(200).nullable(), announcement: AnnouncementSchema }),
  ),
  /** As in a status, which such a kiosk never sends: the keys may have been rotated since it joined. */
  proofKeys: JwksSchema.optional(),
  revokedKeys: RevokedKeysSchema.optional(),
  /** Highest number of the kiosk. */
  lastSequence: z.int().min(0).optional(),
  /** As in a status. */
  restoredAt: moment.nullable().optional(),
})
export type Manifest = z.infer<typeof ManifestSchema>

/**
 * Content of `counterproof-receipts.json`: the upload state of every proof of a manifest, as the completion of its
 * upload would return it.
 */
export const ReceiptsSchema = z.strictObject({
  kioskId: id,
  receipts: z.array(z.strictObject({ proofId: id, answer: UploadStateSchema })).max(100_000),
  /**
   * The central service's keys, which may have changed meanwhile. A `server-time` statement would be useless
   * on a USB stick.
   */
  trust: CentralTrustSchema.optional(),
  /** A `missing-proofs` statement, as in the answer to a status. */
  missing: jws.optional(),
})
export type Receipts = z.infer<typeof ReceiptsSchema>
