/** Checks that rows of `proofs`, events and files correspond. */
import { createHash } from 'node:crypto'
import type { AuditView } from '../store/audit-view.ts'
import type { Erasure } from '../store/erasures.ts'
import type { StoredProof } from '../store/proofs.ts'
import type { EventFacts, SealedFact } from './event-facts.ts'
import type { Findings } from './findings.ts'

const TABLE = 'proofs'

export async function checkProofs(
  view: AuditView,
  facts: EventFacts,
  erasures: ReadonlyMap<string, Erasure>,
  files: 'read' | 'skip',
  findings: Findings,
): Promise<number> {
  const rows = view.proofs()
  for (const proof of rows) {
    const sealed = facts.sealed.get(proof.id)
    if (!sealed) {
      const message = `Proof ${proof.id} has no event proof.sealed in the log: its row was made up, or the event is gone.`
      findings.add(TABLE, 'made_up', proof.id, message)
      continue
    }
    if (facts.erased.has(proof.identityId)) {
      const message = `Proof ${proof.id} is of an identity that was erased: its row was put back.`
      findings.add(TABLE, 'replayed', proof.id, message)
      continue
    }
    for (const what of differences(view, proof, sealed, facts)) {
      const message = `Proof ${proof.id} has another ${what} than the log notes at event ${sealed.seq}.`
      findings.add(TABLE, 'changed', proof.id, message)
    }
    // A pending erasure destroys the key before the row.
    if (files === 'skip' || erasures.has(proof.identityId)) continue
    const problem = await fileProblem(view, proof, sealed.sha256 ?? proof.sha256)
    if (problem !== null && !view.isErasedNow(proof.identityId)) {
      findings.add(TABLE, problem.code, proof.id, problem.message)
    }
  }
  const present = new Set(rows.map(({ id }) => id))
  for (const [id, { seq, identityId }] of facts.sealed) {
    if (present.has(id) || facts.erased.has(identityId)) continue
    const message = `Proof ${id}, sealed by event ${seq}, has no row, and no erasure explains it.`
    findings.add(TABLE, 'missing', id, message)
  }
  return rows.length
}

function differences(view: AuditView, proof: StoredProof, sealed: SealedFact, facts: EventFacts): string[] {
  const differs: readonly (readonly [string, boolean])[] = [
    ['identity', proof.identityId !== sealed.identityId],
    ['SHA-256', sealed.sha256 !== undefined && proof.sha256 !== sealed.sha256],
    ['size', sealed.bytes !== undefined && proof.bytes !== sealed.bytes],
    [
      'level of assurance',
      sealed.levelOfAssurance !== undefined && proof.levelOfAssurance !== sealed.levelOfAssurance,
    ],
    ['time of sealing', proof.sealedAt.getTime() !== sealed.at],
    ['end of its window', sealed.expiresAt !== undefined && proof.expiresAt.getTime() !== sealed.expiresAt],
    ['file name', proof.fileName !== buildFileName(proof.identityId, sealed.at)],
    // A version before 0.3 recorded neither.
    [
      'time of retrieval',
      sealed.sha256 !== undefined &&
        (view.retrievedAt(proof.id)?.getTime() ?? null) !== (facts.retrieved.get(proof.id) ?? null),
    ],
  ]
  return differs.flatMap(([what, different]) => (different ? [what] : []))
}

/** Spec "Proof archive": `<identity_id>_<yyyyMMddHHmmssSSS>.zip` */
function buildFileName(identityId: string, at: number): string {
  return `${identityId}_${new Date(at).toISOString().replace(/\D/g, '')}.zip`
}

type FileProblem = { readonly code: 'missing' | 'changed' | 'unreadable'; readonly message: string }

async function fileProblem(view: AuditView, proof: StoredProof, sha256: string): Promise<FileProblem | null> {
  const hash = createHash('sha256')
  try {
    for await (const piece of view.readProof(proof)) hash.update(piece)
  } catch {
    const message = `The file of proof ${proof.id} is missing, does not decrypt, or its identity's key is gone.`
    return { code: 'unreadable', message }
  }
  if (hash.digest('hex') === sha256) return null
  return { code: 'changed', message: `The file of proof ${proof.id} does not hold what was sealed.` }
}
