/**
 * Seals a proof: the files of an identity, their hashes, one signature, one zip. It reads each file twice, one file at a
 * time, and never holds all files in memory. It uses no clock, database or disk, so the same inputs always give the same
 * bytes.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { AppError } from '../errors.ts'
import { longTermFile, type LongTermMaterial, type TimestampOutcome } from './long-term.ts'
import { measureFiles, SAFE_NAME, type MeasuredFile, type ProofFile } from './media.ts'
import { type Signer } from './sign.ts'
import { canonicalBytes, type JsonObject, type JsonValue } from './verify/canonical-json.ts'
import { isReadableJson } from './verify/contents.ts'
import { containerSize, streamContainer, type ContainerSource } from './verify/container.ts'
import {
  LONG_TERM_FILE,
  type Media,
  MEDIA_FOLDERS,
  type MediaFolder,
  type ProofDocument,
} from './verify/document.ts'
import { LIMITS } from './verify/read-zip.ts'

export { canonicalBytes, type JsonObject, type JsonValue, type Media, type ProofDocument, type ProofFile }

/** Version of the archive's form (spec `version`), not of the product. */
export const PROOF_VERSION = '1.1'

/** The appliance's knowledge of the time at sealing; the true time lies between the bounds. */
type ProofTime = {
  readonly source: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  readonly uncertaintyMs: number | null
  readonly earliest: string
  readonly latest: string
}

/** Head of the appliance's audit log: every proof is a checkpoint of this log. */
type AuditHead = { readonly applianceId: string; readonly seq: number; readonly hash: string }

/** Date-times as the spec writes them: `yyyy-MM-ddTHH:mm:ss.SSS`, UTC, no zone. */
export interface ProofInput {
  readonly proofId: string
  readonly identityId: string
  readonly tenantId: string
  readonly tenantRole: 'RELYING_SERVICE' | 'USER_AGENT'
  readonly tenantUsed?: string
  readonly transactionId?: string
  readonly previousProofId?: string
  readonly ips?: readonly string[]
  readonly startDateTime: string
  /** Also names the root folder. */
  readonly endDateTime: string
  readonly componentVersion: string
  /** Marks the proof, under the signature, as proving nothing about a real person. */
  readonly test?: boolean
  readonly correlationId?: string
  readonly time?: ProofTime
  readonly audit?: AuditHead
  /** The rules that gave the level, so that it can be derived again from the archive alone. */
  readonly evaluation?: JsonObject
  readonly identityDetails: JsonValue
  readonly verificationAndEvaluationDetails: readonly JsonValue[]
  readonly images: readonly ProofFile[]
  readonly videos: readonly ProofFile[]
  readonly additionalFiles: readonly ProofFile[]
}

export interface SealedArchive {
  /** `<identity_id>_<yyyyMMddHHmmssSSS>.zip` */
  readonly fileName: string
  /** Archive size in bytes. */
  readonly size: number
  readonly proof: ProofDocument
  readonly test: boolean
  readonly timestamp: TimestampOutcome
  /** The archive in pieces; reads every file again. Throws TypeError if a file has changed in between. */
  read(): AsyncGenerator<Uint8Array>
}

const MILLISECOND_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.(\d{3})$/
const NO_LONG_TERM: LongTermMaterial = { certificateChain: [], timestamper: null }

/**
 * Throws TypeError for a name, date-time or JSON value that no proof can hold, which is a programming error. Throws
 * `proof_not_stored` if the proof exceeds what a verifier reads, and `timestamp_unavailable` if a token is required but
 * cannot be obtained.
 */
export async function sealArchive(
  input: ProofInput,
  signer: Signer,
  longTerm: LongTermMaterial = NO_LONG_TERM,
): Promise<SealedArchive> {
  const root = rootFolder(input)
  const media = {
    images: await measureFiles('images', input.images),
    videos: await measureFiles('videos', input.videos),
    additionalFiles: await measureFiles('additionalFiles', input.additionalFiles),
  }
  const identityDetails = requireReadable(canonicalBytes(input.identityDetails))
  const details = requireReadable(canonicalBytes(input.verificationAndEvaluationDetails))
  const unsigned = unsignedProof(input, {
    identityDetails: sha256(identityDetails),
    verificationAndEvaluationDetails: sha256(details),
    images: listed(media.images),
    videos: listed(media.videos),
    additionalFiles: listed(media.additionalFiles),
  })
  const signature = await signer.sign(canonicalBytes(unsigned))
  const proof: ProofDocument = { ...unsigned, signature }
  const { bytes: lasting, timestamp } = await longTermFile(signature, longTerm)
  const files = [
    inMemory('proof.json', requireReadable(canonicalBytes(proof))),
    inMemory('identityDetails.json', identityDetails),
    inMemory('verificationAndEvaluationDetails.json', details),
    ...(lasting ? [inMemory(LONG_TERM_FILE, lasting)] : []),
    ...MEDIA_FOLDERS.flatMap((folder: MediaFolder) => media[folder].map(({ source }) => source)),
  ].map((source) => ({ ...source, path: `${root}/${source.path}` }))
  const size = requireVerifiable(files)
  return {
    fileName: `${root}.zip`,
    size,
    proof,
    test: input.test === true,
    timestamp,
    read: () => streamContainer(files),
  }
}

/** Returns the archive size. A proof that no verifier would read is useless, so it is not sealed. */
function requireVerifiable(files: readonly ContainerSource[]): number {
  const contents = files.reduce((sum, file) => sum + file.size, 0)
  const fits =
    files.length <= LIMITS.entries &&
    contents <= LIMITS.contentBytes &&
    files.every((file) => file.size <= LIMITS.fileBytes)
  const size = fits ? containerSize(files) : Infinity
  if (size <= LIMITS.archiveBytes) return size
  throw new AppError('proof_not_stored', { reason: 'archive_too_large', files: files.length })
}

/** Throws `proof_not_stored` for a JSON file that a verifier would refuse to read. */
function requireReadable(json: Uint8Array): Uint8Array {
  if (isReadableJson(json)) return json
  throw new AppError('proof_not_stored', { reason: 'archive_too_large', jsonBytes: json.length })
}

function unsignedProof(input: ProofInput, hashes: ProofDocument['hashes']) {
  return withoutUndefined({
    version: PROOF_VERSION,
    proofId: input.proofId,
    identityId: input.identityId,
    tenantId: input.tenantId,
    tenantRole: input.tenantRole,
    tenantUsed: input.tenantUsed,
    transactionId: input.transactionId,
    previousProofId: input.previousProofId,
    ips: input.ips && [...input.ips],
    startDateTime: requireTime(input.startDateTime),
    endDateTime: requireTime(input.endDateTime),
    componentVersion: input.componentVersion,
    counterproof: sealingMembers(input),
    hashes: withoutUndefined(hashes),
  })
}

/** Undefined if there are no members. */
function sealingMembers({ test, correlationId, time, audit, evaluation }: ProofInput) {
  const members = withoutUndefined({
    test: test === true ? true : undefined,
    correlationId,
    time,
    audit,
    evaluation,
  })
  return Object.keys(members).length > 0 ? members : undefined
}

/** `<identity_id>_<yyyyMMddHHmmssSSS>` */
function rootFolder({ identityId, endDateTime }: ProofInput): string {
  if (!SAFE_NAME.test(identityId)) throw new TypeError('identityId cannot name a folder')
  const time = MILLISECOND_TIME.exec(requireTime(endDateTime))?.slice(1)
  return `${identityId}_${time?.join('')}`
}

function requireTime(value: string): string {
  if (!MILLISECOND_TIME.test(value)) throw new TypeError('a date-time of a proof is yyyy-MM-ddTHH:mm:ss.SSS')
  return value
}

/** Undefined if the folder is empty. */
function listed(files: readonly MeasuredFile[]): Media[] | undefined {
  return files.length === 0 ? undefined : files.map(({ media }) => media)
}

function inMemory(path: string, bytes: Uint8Array): ContainerSource {
  return { path, size: bytes.length, crc32: crc32(bytes), read: () => [bytes] }
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
