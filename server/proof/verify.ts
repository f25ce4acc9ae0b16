/**
 * Verifies a proof archive with only public keys or a CA: structure, hashes, signature, time stamp, and the consistency
 * of its parts. Decides whether a proof is complete and ours. It trusts no key, certificate, name or size from the
 * archive. It imports nothing of this product outside ./verify/, so that a relying service can take it and run it alone.
 */
import { canonicalJson, type JsonObject } from './verify/canonical-json.ts'
import { findAlteration, type ContainerFile } from './verify/container.ts'
import { checkContents, checkHashes, type Files, isCanonical } from './verify/contents.ts'
import { parseJson, parseShape, PROOF, readLongTerm } from './verify/contents.ts'
import { ProofSchema, sealingMembers, type ProofDocument, type SealingMembers } from './verify/document.ts'
import { KeyError, readAuthorities, readKeys, readTrust, type KeySource, type Trust } from './verify/keys.ts'
import type { ProofFigures } from './verify/figures.ts'
import { timeNotes } from './verify/notes.ts'
import { printable, problem, type Problem } from './verify/problems.ts'
import { readZip, withoutRoot } from './verify/read-zip.ts'
import { judgeSealing, type Sealing } from './verify/sealing.ts'

export { KeyError, readAuthorities, readKeys, readTrust, type KeySource, type Problem }

/** Only a valid report carries facts; claims of a refused archive about a person are not repeated. */
export type VerificationReport = ValidReport | InvalidReport

export interface ValidReport extends Sealing {
  readonly valid: true
  readonly proofId: string
  readonly identityId: string
  readonly levelOfAssurance: string
  readonly figures: ProofFigures
  /** Made in test mode, with a specimen document or with a simulated camera; it proves nothing about a real person. */
  readonly test: boolean
  readonly tenantId: string
  readonly tenantUsed: string | null
  readonly correlationId: string | null
  /** Id of the policy that the level was evaluated by; null: the archive does not state it. */
  readonly policyId: string | null
  /** The proof that closed the same identity before it was resumed. */
  readonly previousProofId: string | null
  /** The appliance's clock: UTC, `yyyy-MM-ddTHH:mm:ss.SSS`. */
  readonly sealedAt: string
  /** Accuracy of the appliance's time; null in older archives, which do not state it. */
  readonly time: NonNullable<SealingMembers['time']> | null
  /** Head of the appliance's audit chain at sealing; null in older archives. */
  readonly audit: NonNullable<SealingMembers['audit']> | null
  readonly componentVersion: string
  readonly files: number
  readonly problems: readonly []
}

export interface InvalidReport {
  readonly valid: false
  readonly proofId: null
  readonly identityId: null
  readonly levelOfAssurance: null
  readonly problems: readonly Problem[]
}

const MAX_PROBLEMS = 100

const ROOT_NAME = /^[A-Za-z0-9._-]+_\d{17}$/ // <identity_id>_<yyyyMMddHHmmssSSS>

/**
 * Never throws for a bad archive or a bad key; the report lists every problem found.
 * @param bytes the bare zip
 */
export async function verifyProof(bytes: Uint8Array, keySource: KeySource): Promise<VerificationReport> {
  const problems: Problem[] = []
  const trust = usableTrust(keySource, problems)
  const zip = readZip(bytes)
  problems.push(...zip.problems)
  if (zip.files.length === 0) {
    if (zip.problems.length === 0) problems.push(problem('archive_unreadable', 'The archive holds no file.'))
    return invalid(problems)
  }
  const root = commonRoot(zip.files, problems)
  const files: Files = new Map(zip.files.map(({ path, bytes: content }) => [withoutRoot(path), content]))

  const opened = openProof(files, problems)
  if (opened === null) return invalid(problems)
  const { proof, signed } = opened
  const longTerm = readLongTerm(files, problems)
  const sealing = trust && longTerm && judgeSealing(proof, signed, longTerm, trust, problems)
  if (root !== null && root !== rootName(proof)) {
    const message = 'The root folder does not bear the identity id and the time of proof.json.'
    problems.push(problem('identity_mismatch', message))
  }
  checkHashes(files, proof, problems)
  const contents = checkContents(files, proof, problems)
  if (problems.length === 0) checkContainer(bytes, zip.files, problems)
  if (problems.length > 0 || sealing === null || contents === null) return invalid(problems)
  const { test, correlationId, time, audit, evaluation } = sealingMembers(proof)
  return {
    valid: true,
    proofId: proof.proofId,
    identityId: proof.identityId,
    ...contents,
    test: test === true,
    tenantId: proof.tenantId,
    tenantUsed: proof.tenantUsed ?? null,
    correlationId: correlationId ?? null,
    policyId: readPolicyId(evaluation),
    previousProofId: proof.previousProofId ?? null,
    sealedAt: proof.endDateTime,
    time: time ?? null,
    audit: audit ?? null,
    ...sealing,
    notes: [
      ...sealing.notes,
      ...timeNotes({ endDateTime: proof.endDateTime, time }, sealing.timestamp?.time ?? null),
    ],
    componentVersion: proof.componentVersion,
    files: files.size,
    problems: [],
  }
}

/** The evaluation is an object of any form. */
function readPolicyId(evaluation: SealingMembers['evaluation']): string | null {
  const policy = evaluation?.policy
  const id = typeof policy === 'object' && policy !== null && 'id' in policy ? policy.id : null
  return typeof id === 'string' ? id : null
}

function usableTrust(source: KeySource, problems: Problem[]): Trust | null {
  try {
    return readTrust(source)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    problems.push(problem('key_unusable', error.message))
    return null
  }
}

/** Returns the one folder that contains all files. Returns null and adds a problem if there is none. */
function commonRoot(files: readonly ContainerFile[], problems: Problem[]): string | null {
  const roots = new Map(files.map(({ path }) => [path.split('/', 1)[0] ?? '', path]))
  const [root, ...others] = roots.keys()
  if (others.length === 0 && root !== undefined && ROOT_NAME.test(root)) return root
  const odd = [...roots].filter(([name]) => !ROOT_NAME.test(name) || others.length > 0)
  const named = odd.map(([name]) => printable(name)).join(', ')
  const message = `Everything must lie in one folder <identity id>_<time stamp>, but this archive has: ${named}.`
  problems.push(problem('entry_refused', message))
  return null
}

/**
 * Reads proof.json and checks its form and fields; `signed` is the signed text. Null if it is too damaged to continue.
 */
function openProof(files: Files, problems: Problem[]): { proof: ProofDocument; signed: string } | null {
  const json = parseJson(files, PROOF, problems)
  const proof = parseShape(ProofSchema, json, PROOF, problems)
  if (proof === null) return null
  try {
    if (!isCanonical(json, files, PROOF)) {
      problems.push(
        problem('proof_not_minimised', 'proof.json is not in the minimised form that is signed.', PROOF),
      )
    }
    return { proof, signed: canonicalJson({ ...(json as JsonObject), signature: undefined }) }
  } catch {
    problems.push(problem('json_malformed', 'proof.json is nested too deeply.', PROOF))
    return null
  }
}

function checkContainer(bytes: Uint8Array, files: readonly ContainerFile[], problems: Problem[]): void {
  const alteration = findAlteration(bytes, files)
  if (alteration === null) return
  const { offset, part, path } = alteration
  const where = path === null ? `${part} of the zip` : `zip ${part} of ${withoutRoot(path)}`
  const message = `The files are intact, but the ${where} is not as it was sealed (byte ${offset}).`
  problems.push(problem('container_altered', message, path === null ? undefined : withoutRoot(path)))
}

/** Lists at most MAX_PROBLEMS, because a hostile archive can have as many problems as its JSON has elements. */
function invalid(all: readonly Problem[]): InvalidReport {
  const omitted = all.length - MAX_PROBLEMS
  const problems =
    omitted > 0
      ? [...all.slice(0, MAX_PROBLEMS), problem('more_problems', `${omitted} more problems are not listed.`)]
      : all
  return { valid: false, proofId: null, identityId: null, levelOfAssurance: null, problems }
}

/** `<identity_id>_<yyyyMMddHHmmssSSS>` */
function rootName({ identityId, endDateTime }: Pick<ProofDocument, 'identityId' | 'endDateTime'>): string {
  return `${identityId}_${endDateTime.replace(/\D/g, '')}`
}
