/** A complete proof of an invented identity, and ways to damage one. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { type ProofFile, type ProofInput, sealArchive } from '../../../server/proof/archive.ts'
import type { LongTermMaterial } from '../../../server/proof/long-term.ts'
import { publicKeyPem } from '../../support/jwks.ts'
import { createKeySigner, type Signer } from '../../../server/proof/sign.ts'

export const IDENTITY_ID = '01990000-0000-7000-8000-000000000001'
const PASSPORT_ID = '01990000-0000-7000-8000-000000000002'
const PORTRAIT_ID = '01990000-0000-7000-8000-000000000003'
const CONSENT_ID = '01990000-0000-7000-8000-000000000004'
const TIME = '2026-11-20T10:00:00.000'

export const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
export const signer = createKeySigner(privateKey)
export const pem = await publicKeyPem(signer)

export function aProofInput(changes: Partial<ProofInput> = {}): ProofInput {
  return {
    proofId: '01990000-0000-7000-8000-00000000000a',
    identityId: IDENTITY_ID,
    tenantId: 'default',
    tenantRole: 'RELYING_SERVICE',
    transactionId: IDENTITY_ID,
    ips: ['127.0.0.1'],
    startDateTime: TIME,
    endDateTime: '2026-11-20T10:03:12.345',
    componentVersion: 'Counterproof 0.1.0',
    identityDetails: {
      globalStatus: { id: IDENTITY_ID, status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA2' },
      consents: [{ consentId: CONSENT_ID, type: 'PORTRAIT', approved: true }],
      idDocuments: [{ evidenceId: PASSPORT_ID, type: 'PASSPORT' }],
      portrait: { evidenceId: PORTRAIT_ID, type: 'PORTRAIT' },
    },
    verificationAndEvaluationDetails: [
      detailsOf(CONSENT_ID, 'CONSENTS'),
      detailsOf(PASSPORT_ID, 'ID_DOCUMENT_CAPTURE'),
      detailsOf(PORTRAIT_ID, 'PORTRAIT_CAPTURE'),
    ],
    images: [
      aFile('img-2', 'portrait.jpg', Buffer.from('portrait bytes '.repeat(20))),
      aFile('img-1', 'passport.jpg', Buffer.from('passport bytes '.repeat(30))),
    ],
    videos: [],
    additionalFiles: [aFile('file-1', 'receipt.pdf', Buffer.from('%PDF receipt'))],
    ...changes,
  }
}

export function detailsOf(id: string, name: string) {
  return {
    identityOperation: { name, type: 'ADD' },
    participantContextId: id,
    progress: 'DONE',
    startDateTime: TIME,
    verificationDetails: [],
  }
}

export function aFile(id: string, fileName: string, bytes: Uint8Array = Buffer.from('x')): ProofFile {
  return { id, fileName, read: () => [bytes] }
}

/** The archive whole, in memory. */
export type SealedProof = Awaited<ReturnType<typeof aSealedProof>>

export async function aSealedProof(
  changes: Partial<ProofInput> = {},
  longTerm?: LongTermMaterial,
  by: Signer = signer,
) {
  const archive = await sealArchive(aProofInput(changes), by, longTerm)
  const bytes = await buffer(archive.read())
  const { fileName, size, proof, timestamp } = archive
  return { fileName, size, proof, timestamp, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

export interface Unpacked {
  path: string
  bytes: Buffer
}

/** Unpacks with an independent zip reader. */
export async function unpack(zip: Uint8Array): Promise<Unpacked[]> {
  const reader = await fromBufferPromise(Buffer.from(zip), { lazyEntries: true })
  const files: Unpacked[] = []
  for await (const entry of reader.eachEntry()) {
    files.push({ path: entry.fileName, bytes: await buffer(await reader.openReadStreamPromise(entry)) })
  }
  return files
}

/** Packs with an independent zip writer: with the time of day, stored unless `compress` is set. */
export async function repack(
  files: readonly Unpacked[],
  { emptyFolder, compress = false }: { emptyFolder?: string; compress?: boolean } = {},
) {
  const zip = new ZipFile()
  if (emptyFolder !== undefined) zip.addEmptyDirectory(emptyFolder)
  for (const { path, bytes } of files) zip.addBuffer(bytes, path, { compress })
  zip.end()
  return buffer(zip.outputStream)
}

/** A copy with one byte changed. */
export function flip(bytes: Uint8Array, offset: number, mask = 0x01): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[offset] = (copy[offset] ?? 0) ^ mask
  return copy
}
