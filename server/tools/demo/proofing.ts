/** Drives one whole proofing as a relying service does, step by step. Times and explains each step. */
import { join } from 'node:path'
import { z } from 'zod'
import { makePlainFolder } from '../../files/folder.ts'
import { readGivenFile } from '../../files/read-file.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { extractArchive } from '../../proof/multipart.ts'
import { verifyProof, type VerificationReport } from '../../proof/verify.ts'
import type { EvidenceView, KeySet, RelyingService, UpgradePaths } from './client.ts'
import { captureLive, LIVENESS_TYPE, type CapturedSession, type Holder } from './live-session.ts'

/** Size of a set of a thousand keys. */
const LARGEST_KEY_SET = 1024 * 1024

export interface DemoInput {
  readonly document: string
  readonly back?: string
  /** A file to upload, which proves no liveness, or a person who comes before the camera. */
  readonly portrait: string | Holder
  /** Folder that receives the archive and jwks.json. */
  readonly keepDir?: string
}

interface EvidenceSummary {
  readonly evidenceId: string
  readonly type: string
  readonly status: string
  readonly strength: string
  readonly score: string
  readonly errors: readonly string[]
  readonly positive: readonly string[]
  readonly warning: readonly string[]
  readonly blocking: readonly string[]
  readonly unverified: readonly string[]
  readonly measured: Readonly<Record<string, Readonly<Record<string, number | string>>>>
}

export interface DemoRecord {
  readonly identityId: string
  readonly document: EvidenceSummary
  readonly portrait: EvidenceSummary
  /** Live sessions of the portrait; empty for an uploaded one. */
  readonly liveSessions: readonly CapturedSession[]
  readonly levelOfAssurance: string
  readonly upgradePaths: UpgradePaths
  readonly proof: {
    readonly valid: boolean
    readonly proofId: string | null
    readonly levelOfAssurance: string | null
    readonly problems: readonly string[]
    readonly archive: string | null
    readonly jwks: string | null
  }
  readonly milliseconds: Readonly<Record<string, number>>
}

/** Even a living person may be refused (npm run bench:liveness counts how often), so the demo tries again. */
export const MAX_SESSIONS = 3

/** `say` receives one line per step, and one for each prompt of a live session. */
export async function runProofing(
  service: RelyingService,
  input: DemoInput,
  say: (line: string) => void,
): Promise<DemoRecord> {
  const milliseconds: Record<string, number> = {}
  const step = async <T>(name: string, work: () => Promise<T>, words: (result: T) => string): Promise<T> => {
    const from = performance.now()
    const result = await work()
    const ms = Math.round(performance.now() - from)
    milliseconds[name] = ms
    say(`${name.padEnd(10)} ${words(result)}  [${ms} ms]`)
    return result
  }

  const context = [
    { key: 'APPLICATION', value: 'demo' },
    { key: 'CHANNEL', value: 'counter' },
  ]
  const { id } = await step(
    'identity',
    () => service.createIdentity(context),
    ({ id }) => `created ${id}`,
  )
  await step(
    'consent',
    () => service.consent(id, ['ID_DOCUMENT', 'PORTRAIT']),
    () => 'ID_DOCUMENT, PORTRAIT recorded',
  )

  const verified = async (
    submit: () => Promise<{ id: string }>,
    portrait: boolean,
  ): Promise<EvidenceSummary> => {
    const submitted = await submit()
    await service.waitForEvidence(id, submitted.id)
    const identity = await service.identity(id)
    const found = portrait
      ? identity.portrait
      : identity.idDocuments.find((item) => item.evidenceId === submitted.id)
    if (!found) throw new Error('the submitted evidence is not in the identity')
    return summarise(found)
  }
  const document = await step(
    'document',
    () => verified(() => service.submitDocument(id, input.document, input.back), false),
    explain,
  )
  const liveSessions: CapturedSession[] = []
  const captured = async (holder: Holder): Promise<EvidenceSummary> => {
    const { evidenceId, sessionId } = await service.openPortraitSession(id, { type: LIVENESS_TYPE })
    const session = await captureLive(service.url, sessionId, await holder(), (prompt) =>
      say(`${''.padEnd(10)} asked: ${prompt}`),
    )
    liveSessions.push(session)
    return verified(() => Promise.resolve({ id: evidenceId }), true)
  }
  const { portrait: shown } = input
  let portrait: EvidenceSummary
  if (typeof shown === 'string')
    portrait = await step('portrait', () => verified(() => service.submitPortrait(id, shown), true), explain)
  else
    do {
      portrait = await step(
        'portrait',
        () => captured(shown),
        (evidence) => `${liveSessions.at(-1)?.pictures ?? 0} live pictures; ${explain(evidence)}`,
      )
    } while (portrait.status !== 'VERIFIED' && liveSessions.length < MAX_SESSIONS)

  const { globalStatus } = await step(
    'decision',
    () => service.identity(id),
    ({ globalStatus: { levelOfAssurance, upgradePaths } }) =>
      [levelOfAssurance, ...wayUp(upgradePaths)].join('; '),
  )

  const sealed = await step(
    'proof',
    () => service.proof(id),
    (body) => `sealed, ${body.length} bytes`,
  )
  const archive = extractArchive(sealed)
  const jwks = await service.jwks()
  const kept =
    input.keepDir === undefined ? null : await keepProof(input.keepDir, sealed, archive ?? sealed, jwks)
  const report = await step(
    'verify',
    () => verifyWithPublicKey(archive, jwks),
    (result) =>
      result.valid ? `${result.files} files, signature by ${result.signedBy}` : 'the proof is NOT valid',
  )
  return {
    identityId: id,
    document,
    portrait,
    liveSessions,
    levelOfAssurance: globalStatus.levelOfAssurance,
    upgradePaths: globalStatus.upgradePaths,
    proof: {
      valid: report.valid,
      proofId: report.proofId,
      levelOfAssurance: report.levelOfAssurance,
      problems: report.problems.map((problem) => problem.message),
      archive: kept?.archive ?? null,
      jwks: kept?.jwks ?? null,
    },
    milliseconds,
  }
}

async function verifyWithPublicKey(archive: Uint8Array | null, jwks: KeySet): Promise<VerificationReport> {
  if (!archive) throw new Error('the answer to GET proof holds no archive')
  return verifyProof(archive, { jwks })
}

/** Writes the archive under the API's name, and the key set that verifies it and earlier archives. Returns both paths. */
export async function keepProof(folder: string, sealed: Uint8Array, archive: Uint8Array, jwks: KeySet) {
  await makePlainFolder(folder)
  const paths = { archive: join(folder, archiveName(sealed)), jwks: join(folder, 'jwks.json') }
  const keys = [...(await keptKeys(paths.jwks)), ...jwks.keys]
  writeFileWhole(paths.archive, archive)
  writeFileWhole(paths.jwks, `${JSON.stringify({ keys }, null, 2)}\n`)
  return paths
}

/** Reads the part's Content-Disposition. The name is checked although our own server sent it. */
function archiveName(sealed: Uint8Array): string {
  const head = Buffer.from(sealed.subarray(0, 1000)).toString('latin1')
  return /filename="([A-Za-z0-9_-]+\.zip)"/.exec(head)?.[1] ?? 'proof.zip'
}

/** Every demo runs on a new appliance with a new key. Earlier keys are kept, so that earlier archives still verify. */
async function keptKeys(path: string): Promise<KeySet['keys']> {
  const content = await readGivenFile(path, { mostBytes: LARGEST_KEY_SET }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{"keys":[]}'
    throw error
  })
  return z.object({ keys: z.array(z.unknown()) }).parse(JSON.parse(content.toString())).keys
}

function summarise(evidence: EvidenceView): EvidenceSummary {
  const { evidenceStatus: state } = evidence
  const measurements = (evidence.verificationDetails ?? []).flatMap((detail) => detail.measurements)
  return {
    evidenceId: evidence.evidenceId,
    type: evidence.type,
    status: state.status,
    strength: state.strength ?? 'unknown',
    score: state.score,
    errors: state.errors.map((error) => error.code),
    positive: state.positiveIndicators,
    warning: state.warningIndicators,
    blocking: state.blockingIndicators,
    unverified: state.unverifiedIndicators,
    measured: Object.fromEntries(measurements.map(({ check, measured }) => [check, measured])),
  }
}

/** `LOA2 takes …` for the next level, if there is one. */
function wayUp(paths: UpgradePaths): readonly string[] {
  const [next] = Object.entries(paths)
  if (!next) return []
  const [level, ways] = next
  const words = ways.map((steps) =>
    steps
      .map(({ evidence, types, checks }) => {
        const kind = types ? types.join(' or ') : evidence
        return checks.length > 0 ? `${kind} with ${checks.join(' and ')}` : kind
      })
      .join(' and '),
  )
  return words.length > 0 ? [`${level} takes ${words.join(', or ')}`] : [`nothing here leads to ${level}`]
}

/** `PASSPORT VERIFIED, score LEVEL2 of LEVEL4 …`: the decision with every indicator and number behind it. */
function explain(evidence: EvidenceSummary): string {
  const lists = [
    ['errors', evidence.errors],
    ['blocking', evidence.blocking],
    ['warning', evidence.warning],
    ['unverified', evidence.unverified],
    ['ok', evidence.positive],
  ] as const
  const shown = lists
    .filter(([, names]) => names.length > 0)
    .map(([label, names]) => `${label}: ${names.join(', ')}`)
  const match = evidence.measured.BIOMETRIC_MATCHING_CHECK
  const scores =
    match === undefined
      ? []
      : [
          `${match.measure} ${Number(match.score).toFixed(3)} against threshold ${match.threshold} ` +
            `(FMR ${match.fmr}, FNMR ${match.fnmr}, ${match.operatingPoint})`,
        ]
  const head = `${evidence.type} ${evidence.status}, score ${evidence.score} of at most ${evidence.strength}`
  return [head, ...scores, ...shown].join('; ')
}
