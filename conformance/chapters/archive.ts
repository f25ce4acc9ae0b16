/** Opens the answer of GET proof: envelope, zip, JSON files. */
import { at, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { readMultipart, readZip } from '../multipart.ts'

export const SEAL = 'GET /v1/identities/{id}/proof'
export const ARCHIVE = { spec: 'Proof archive' }

/** Path below the root folder → bytes; null if it is no archive in a multipart envelope. */
export function openEnvelope(
  kit: Kit,
  id: string,
  contentType: string,
  body: Uint8Array,
): ReadonlyMap<string, Buffer> | null {
  const parts = readMultipart(contentType, body)
  const archive = parts?.find(
    ({ bytes }) => Buffer.from(bytes).subarray(0, 4).toString('latin1') === 'PK\x03\x04',
  )
  kit.claim(
    SEAL,
    'an archive inside a MIME multipart envelope',
    unless(archive !== undefined, 'there is no zip in it'),
  )
  if (!archive) return null
  const all = readZip(archive.bytes)
  const roots = [...new Set([...all.keys()].map((path) => path.split('/')[0] ?? ''))]
  const [root = ''] = roots
  kit.claim(
    SEAL,
    'one root folder, named by id and time',
    unless(
      roots.length === 1 && root.startsWith(`${id}_`) && /_\d{17}$/.test(root),
      'the root folder has another name',
    ),
    ARCHIVE,
  )
  return new Map([...all].map(([path, bytes]) => [path.slice(root.length + 1), bytes]))
}

export interface Archive {
  readonly proof: unknown
  readonly identityDetails: unknown
  /** Entries of verificationAndEvaluationDetails.json. */
  readonly steps: readonly unknown[]
}

/** Seals the identity and reads the JSON files; null if there is no archive. */
export async function sealAndOpen(kit: Kit, id: string): Promise<Archive | null> {
  await untilNothingIsProcessed(kit, id)
  const sealed = await kit.must(SEAL, 'the archive', { params: { id } }, { status: 200 })
  const files = openEnvelope(kit, id, sealed.headers.get('content-type') ?? '', sealed.bytes)
  if (!files) return null
  const steps = parseFile(files.get('verificationAndEvaluationDetails.json'))
  return {
    proof: parseFile(files.get('proof.json')),
    identityDetails: parseFile(files.get('identityDetails.json')),
    steps: Array.isArray(steps) ? (steps as unknown[]) : [],
  }
}

export async function untilNothingIsProcessed(kit: Kit, id: string): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    const answer = await kit.must(
      'GET /v1/identities/{id}/status',
      'before the proof',
      { params: { id } },
      { status: 200 },
    )
    if (at(answer.json, 'globalStatus', 'status') !== 'PROCESSING' || Date.now() > until) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export function parseFile(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse((bytes ?? Buffer.alloc(0)).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
