/**
 * Seals a proof: the files of an identity, their hashes, one signature, one zip. Pure given bytes and a signer.
 * It never reads a clock, a database or a disk: same inputs, same bytes.
 */
import { createHash } from 'node:crypto'
import { type Signer } from './sign.ts'
import { canonicalBytes, type JsonObject, type JsonValue } from './verify/canonical-json.ts'
import { type ContainerFile, writeContainer } from './verify/container.ts'
import { type Media, MEDIA_FOLDERS, type MediaFolder, type ProofDocument } from './verify/document.ts'

export { canonicalBytes, type JsonObject, type JsonValue, type Media, type ProofDocument }

/** Version of the archive's form (spec `version`), not of the product. */
export const PROOF_VERSION = '1.0'

export interface ProofFile {
  readonly id: string
  /** Made of ids, not of anything a person typed: `[A-Za-z0-9._-]`, starts with a letter or digit. */
  readonly fileName: string
  readonly bytes: Uint8Array
}

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
  readonly endDateTime: string
  /** Names the file and the root folder; repeat it to repeat the bytes. */
  readonly generatedAt: string
  readonly componentVersion: string
  /** The tenant is in test mode: says so in the proof, under the signature. */
  readonly test?: boolean
  readonly identityDetails: JsonValue
  readonly verificationAndEvaluationDetails: readonly JsonValue[]
  readonly images: readonly ProofFile[]
  readonly videos: readonly ProofFile[]
  readonly additionalFiles: readonly ProofFile[]
}

export interface SealedProof {
  /** `<identity_id>_<yyyyMMddHHmmssSSS>.zip` */
  readonly fileName: string
  readonly bytes: Uint8Array
  /** Of the archive: lower-case hex. */
  readonly sha256: string
  readonly proof: ProofDocument
}

const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/
const MILLISECOND_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.(\d{3})$/

/** Throws TypeError for a name, date-time or JSON value that no proof can hold: a defect of ours, never of the data. */
export async function sealArchive(input: ProofInput, signer: Signer): Promise<SealedProof> {
  const root = rootFolder(input)
  const identityDetails = canonicalBytes(input.identityDetails)
  const details = canonicalBytes(input.verificationAndEvaluationDetails)
  const unsigned = withoutUndefined({
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
    test: input.test === true ? true : undefined,
    hashes: withoutUndefined({
      identityDetails: sha256(identityDetails),
      verificationAndEvaluationDetails: sha256(details),
      images: listMedia('images', input.images),
      videos: listMedia('videos', input.videos),
      additionalFiles: listMedia('additionalFiles', input.additionalFiles),
    }),
  })
  const signature = await signer.sign(canonicalBytes(unsigned))
  const proof: ProofDocument = { ...unsigned, signature }
  const files: ContainerFile[] = [
    { path: 'proof.json', bytes: canonicalBytes(proof) },
    { path: 'identityDetails.json', bytes: identityDetails },
    { path: 'verificationAndEvaluationDetails.json', bytes: details },
    ...MEDIA_FOLDERS.flatMap((folder) =>
      input[folder].map(({ fileName, bytes }) => ({ path: `${folder}/${fileName}`, bytes })),
    ),
  ]
  const bytes = writeContainer(
    files.map(({ path, bytes: content }) => ({ path: `${root}/${path}`, bytes: content })),
  )
  return { fileName: `${root}.zip`, bytes, sha256: sha256(bytes), proof }
}

/** `<identity_id>_<yyyyMMddHHmmssSSS>` */
function rootFolder({ identityId, generatedAt }: ProofInput): string {
  if (!SAFE_NAME.test(identityId)) throw new TypeError('identityId cannot name a folder')
  const time = MILLISECOND_TIME.exec(requireTime(generatedAt))?.slice(1)
  return `${identityId}_${time?.join('')}`
}

function requireTime(value: string): string {
  if (!MILLISECOND_TIME.test(value)) throw new TypeError('a date-time of a proof is yyyy-MM-ddTHH:mm:ss.SSS')
  return value
}

/** Sorted by path, so that the order in which images were added does not show. Undefined for an empty folder. */
function listMedia(folder: MediaFolder, files: readonly ProofFile[]): Media[] | undefined {
  const names = new Set<string>()
  for (const { fileName } of files) {
    if (!SAFE_NAME.test(fileName))
      throw new TypeError(`a file of ${folder} has a name that no proof can hold`)
    if (names.has(fileName.toLowerCase())) throw new TypeError(`two files of ${folder} have the same name`)
    names.add(fileName.toLowerCase())
  }
  if (files.length === 0) return undefined
  return files
    .map(({ id, fileName, bytes }) => ({ id, path: `${folder}/${fileName}`, hash: sha256(bytes) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
