/**
 * What a kiosk and the central service say to each other: every body as a schema, in both directions hostile until parsed.
 * Ids, states, numbers and hashes only; personal data travels nowhere but inside a sealed packet.
 */
import { z } from 'zod'

/** In the path of every kiosk route: a newer protocol gets another. */
export const KIOSK_API = '/kiosk/v1'
export const AUTHORIZATION_SCHEME = 'Counterproof'
/**
 * Header of every answer to a signed request: a nonce of the central service for the kiosk's next signatures. The service
 * refuses a request with 401 `nonce_required` when its nonce has expired or is missing where one is needed; the kiosk
 * repeats it with the nonce of that answer. A service of an older version sends none.
 */
export const NONCE_HEADER = 'counterproof-nonce'
/** Offset of a chunk within its packet, bytes. */
export const OFFSET_HEADER = 'upload-offset'
/** The largest body of one chunk. */
export const MAX_CHUNK_BYTES = 4 * 1024 * 1024
export const MAX_PACKET_BYTES = 512 * 1024 * 1024

const id = z.uuid()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Milliseconds since 1970, UTC. */
const moment = z.int().min(0)
const pem = z.string().min(1).max(20_000)
const jwk = z.looseObject({ kty: z.string().max(10) })
const jws = z.string().min(1).max(100_000)
const name = z.string().min(1).max(100)

export const JwksSchema = z.strictObject({ keys: z.array(jwk).max(100) })
/** Keys that signed proofs, by RFC 7638 thumbprint; nothing they signed counts from `since` on (before the year 10000). */
export const RevokedKeysSchema = z
  .array(
    z.strictObject({ kid: z.string().regex(/^[A-Za-z0-9_-]{43}$/), since: moment.max(253_402_300_799_999) }),
  )
  .max(100)
export type RevokedKeys = z.infer<typeof RevokedKeysSchema>

// Enrolment ---------------------------------------------------------------------------------------------------------

/** POST /enrolments, without a signature: the code stands for it. Repeatable with the same request. */
export const EnrolmentRequestSchema = z.strictObject({
  code: z.string().min(1).max(100),
  /** The appliance's own id, made at its first start. */
  kioskId: id,
  /** PKCS#10, PEM; P-256. Its signature proves that the kiosk holds the private key. */
  certificateRequest: pem,
  /** Public keys that sign its proofs. */
  proofKeys: JwksSchema,
  name,
  productVersion: z.string().max(40),
})
export type EnrolmentRequest = z.infer<typeof EnrolmentRequestSchema>

/** The public keys of the central service, as a kiosk keeps them. */
export const CentreTrustSchema = z.strictObject({
  centreId: id,
  /** The CA of the kiosks' certificates, PEM. Its fingerprint is part of the enrolment code. */
  caCertificate: pem,
  /** ES256: receipts, server time, bundles. Signed by the CA as `certificates`. */
  statementKeys: JwksSchema,
  /** ECDH-ES+A256KW, P-256: packets are encrypted to the first one. */
  packetKeys: JwksSchema,
  /** JWS (ES256, by the CA key) over `{centreId, statementKeys, packetKeys}`: what a fingerprint reaches is the CA alone. */
  signature: jws,
})
export type CentreTrust = z.infer<typeof CentreTrustSchema>

export const EnrolmentAnswerSchema = z.strictObject({
  kioskId: id,
  tenantId: z.string().regex(/^[a-z0-9-]{1,40}$/),
  /** X.509, PEM, signed by the central service. */
  certificate: pem,
  trust: CentreTrustSchema,
  /** A `server-time` statement. */
  serverTime: jws,
})
export type EnrolmentAnswer = z.infer<typeof EnrolmentAnswerSchema>

// Proofs ------------------------------------------------------------------------------------------------------------

/**
 * PUT /proofs/{proofId}: announces it. The same announcement again answers where the upload stands, and what was settled
 * (STORED, WITHDRAWN, LOST) stays settled whatever is announced. While RECEIVING or REFUSED, the same proof with another
 * `packet` (the kiosk's file was lost, damaged, or is sent again by hand) starts over at offset 0, and with `packet` null
 * it is WITHDRAWN, or LOST with `lost`, which raises an alarm also when the proof is STORED. Announced with another sequence, hash or archive than before: 409.
 */
export const AnnouncementSchema = z.strictObject({
  proofId: id,
  identityId: id,
  sequence: z.int().min(1),
  /** Of the outbox entry before this one and of this one: the chain of the kiosk's outbox. */
  previousHash: sha256,
  hash: sha256,
  /** Of the archive in clear. */
  sha256,
  sealedAt: moment,
  /** What was erased before it was sent has no packet: the sequence number is accounted for. */
  packet: z.strictObject({ sha256, bytes: z.int().min(1).max(MAX_PACKET_BYTES) }).nullable(),
  /** With `packet` null: the kiosk has lost the key of the identity, and with it the proof. The person withdrew nothing. */
  lost: z.literal(true).optional(),
})
export type Announcement = z.infer<typeof AnnouncementSchema>

export const UPLOAD_STATES = ['RECEIVING', 'STORED', 'REFUSED', 'WITHDRAWN', 'LOST'] as const
/** Answer to an announcement and to every chunk. */
export const UploadStateSchema = z.strictObject({
  state: z.enum(UPLOAD_STATES),
  /** Bytes that are safe at the central service: the next chunk starts here. */
  offset: z.int().min(0),
  /** STORED, WITHDRAWN and LOST: the `receipt` statement. */
  receipt: jws.optional(),
  /** REFUSED: why, problem codes of the verifier or of the announcement. */
  problems: z.array(z.string().max(200)).max(100).optional(),
})
export type UploadState = z.infer<typeof UploadStateSchema>

/**
 * PATCH /proofs/{proofId} with `upload-offset` and the bytes; POST /proofs/{proofId}/completion with no body. Both answer
 * an upload state. A chunk for another offset than the next one changes nothing and is answered with the state as it is
 * (200). A completion before all is there does likewise; where the bytes are not those of `packet.sha256` (a chunk of an
 * earlier packet came late), the upload is RECEIVING again from offset 0, not refused. 404: announce it first.
 */

// Status and server time --------------------------------------------------------------------------------------------

/** POST /status */
export const KioskStatusSchema = z.strictObject({
  /** Counts up with each status: an older one never overwrites a newer one. */
  counter: z.int().min(1),
  productVersion: z.string().max(40),
  /** Kiosk's own time. */
  at: moment,
  /** Sent back in the server time, so that an old answer cannot be played again. */
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
  /** A backup was restored since the last status: the sequence may have gone back. */
  restoredAt: moment.nullable(),
})
export type KioskStatus = z.infer<typeof KioskStatusSchema>

export const StatusAnswerSchema = z.strictObject({
  serverTime: jws,
  /** The version to fetch with GET /bundle; 0: none. */
  bundleVersion: z.int().min(0),
  /** The highest sequence number the central service has of this kiosk. */
  lastSequence: z.int().min(0),
  trust: CentreTrustSchema,
})
export type StatusAnswer = z.infer<typeof StatusAnswerSchema>

/** GET /bundle: `{bundle}`, a `bundle` statement; 404 when there is none. */
export const BundleAnswerSchema = z.strictObject({ bundle: z.string().min(1).max(20_000_000) })

// Statements of the central service ------------------------------------------------------------------------------------------

export const StatementSchemas = {
  receipt: z.strictObject({
    kioskId: id,
    proofId: id,
    sequence: z.int().min(1),
    sha256,
    /** `WITHDRAWN`, `LOST`: the sequence number is accounted for, there was nothing to store. */
    state: z.enum(['STORED', 'WITHDRAWN', 'LOST']),
    storedAt: moment,
  }),
  'server-time': z.strictObject({ kioskId: id, nonce: z.string().max(100), at: moment }),
  bundle: z.strictObject({
    tenantId: z.string().max(40),
    /** Counts up: a kiosk never takes a lower one than it has. Going back is a higher number with the old content. */
    version: z.int().min(1),
    createdAt: moment,
    /** Parts of config.json that replace the kiosk's own. */
    settings: z.record(z.string(), z.unknown()),
    /** Policies by id, each as a file of resources/policies. */
    policies: z.record(z.string(), z.unknown()),
    /** Watchlists by name. */
    watchlists: z.record(z.string(), z.unknown()),
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
/** What the central service hands back for it. */
export const RECEIPTS_FILE = 'counterproof-receipts.json'

/** `counterproof-packets.json` on a stick: what a branch with no line hands over. */
export const ManifestSchema = z.strictObject({
  kioskId: id,
  exportedAt: moment,
  /** File name and its announcement. A withdrawn or lost one has no file. */
  packets: z.array(
    z.strictObject({ file: z.string().max(200).nullable(), announcement: AnnouncementSchema }),
  ),
  /** As in a status, which a kiosk without a line never sends: they may have been rotated since it joined. */
  proofKeys: JwksSchema.optional(),
  revokedKeys: RevokedKeysSchema.optional(),
})
export type Manifest = z.infer<typeof ManifestSchema>

/** `counterproof-receipts.json`: the upload state of every proof of a manifest, as its completion would have answered. */
export const ReceiptsSchema = z.strictObject({
  kioskId: id,
  receipts: z.array(z.strictObject({ proofId: id, answer: UploadStateSchema })).max(100_000),
  /** A `server-time` statement is no use on a stick; the central service's keys may have changed meanwhile. */
  trust: CentreTrustSchema.optional(),
})
export type Receipts = z.infer<typeof ReceiptsSchema>
