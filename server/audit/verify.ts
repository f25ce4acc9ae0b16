/**
 * Verifies the audit log itself, against all signed statements, and against the rows and files that it describes. Owns
 * the judgement "nothing was deleted, changed, swapped or restored". Writes nothing and reads a snapshot of the database,
 * so that it can run beside a server.
 */
import type { JWK } from 'jose'
import { KeyError, type KeySource } from '../proof/verify.ts'
import type { ChainHead } from '../store/event-chain.ts'
import { compareKeysWithDatabase, type KeysComparison } from '../store/identity-keys.ts'
import { openAuditView, type AuditView } from '../store/audit-view.ts'
import { readAnchor } from '../store/anchor.ts'
import { checkErasures, receiptIn } from './check-erasures.ts'
import {
  checkAnchor,
  checkCheckpoints,
  checkHead,
  type ReadCheckpoint,
  type StatedHead,
} from './check-heads.ts'
import { checkIdentityKeys } from './check-identity-keys.ts'
import { checkKeys } from './check-keys.ts'
import { checkBundles, checkEnrolment, checkHolds, checkNotes } from './check-membership.ts'
import { checkOutbox } from './check-outbox.ts'
import { checkProofs } from './check-proofs.ts'
import { walkEvents } from './event-facts.ts'
import { collectFindings, type Finding } from './findings.ts'
import { readGivenFiles, type GivenHead } from './given-files.ts'
import { checkpointReader, isAsEncoded } from './statement.ts'

export interface AuditOptions {
  readonly dataDir: string
  readonly kek: Uint8Array
  /** Files with checkpoints or exports stored elsewhere. */
  readonly checkpointFiles?: readonly string[]
  /** Folder of proof archives stored elsewhere. */
  readonly proofsDir?: string
  /** Keys to trust instead of those in the database. */
  readonly keys?: KeySource
  /** Proof archives are decrypted and hashed unless skipped. */
  readonly files?: 'read' | 'skip'
}

export interface AuditReport {
  readonly valid: boolean
  readonly applianceId: string
  readonly head: ChainHead
  readonly checked: Readonly<
    Record<'events' | 'checkpoints' | 'proofs' | 'outbox' | 'erasures' | 'given', number>
  >
  readonly elapsedMs: number
  readonly findings: readonly Finding[]
}

/** Throws `configuration_invalid` if there is no database, and KeyError for unusable keys. */
export async function verifyAudit(options: AuditOptions): Promise<AuditReport> {
  const started = performance.now()
  // Read before the database: beside a running server it can only be older than what is read afterwards.
  const kept = readAnchor(options.dataDir)
  const keysLook = compareKeysWithDatabase(options.dataDir)
  const view = openAuditView(options.dataDir, options.kek)
  try {
    const checked = await check(view, kept, keysLook, options)
    return { ...checked, elapsedMs: Math.round(performance.now() - started) }
  } finally {
    view.close()
  }
}

async function check(
  view: AuditView,
  kept: unknown,
  keysLook: KeysComparison | null,
  options: AuditOptions,
): Promise<Omit<AuditReport, 'elapsedMs'>> {
  const findings = collectFindings()
  const { applianceId } = view
  const keys: KeySource = options.keys ?? { jwks: { keys: view.signingKeys() as JWK[] } }
  const checkpoints = await readCheckpoints(view, keys, options.keys !== undefined)
  const given = await readGivenFiles(options, keys, findings)
  const erasures = view.erasures()
  const receipts = statedByReceipts(erasures, keys)
  const anchor = kept === undefined ? undefined : view.readHead(kept)
  const stated: readonly (StatedHead | null | undefined)[] = [
    ...checkpoints.map(({ statement }) => statement),
    ...given.heads,
    ...receipts.values(),
    anchor ? { ...anchor, applianceId } : null,
  ]
  const wanted = new Set(stated.flatMap((head) => (head ? [head.seq] : [])))

  const facts = walkEvents(view, wanted, findings)
  checkCheckpoints(checkpoints, applianceId, facts, findings)
  checkAnchor(anchor, applianceId, facts, findings)
  for (const [identityId, head] of receipts) {
    const name = `The deletion receipt of identity ${identityId}`
    checkHead(head, { table: 'erasures', row: identityId, name }, applianceId, facts, findings)
  }
  for (const head of given.heads) checkGiven(head, applianceId)
  const byIdentity = new Map(erasures.map((erasure) => [erasure.identityId, erasure]))
  const proofs = await checkProofs(view, facts, byIdentity, options.files ?? 'read', findings)
  const outbox = await checkOutbox(view, facts, findings)
  checkErasures(view, erasures, facts, keys, findings)
  checkKeys(view, facts, findings)
  checkIdentityKeys(keysLook, findings)
  checkEnrolment(view, facts, findings)
  checkBundles(view, facts, findings)
  checkHolds(view, facts, findings)
  checkNotes(view, facts, findings)
  return {
    valid: findings.list.length === 0,
    applianceId,
    head: facts.head,
    checked: {
      events: facts.events,
      checkpoints: checkpoints.length,
      proofs,
      outbox,
      erasures: erasures.length,
      given: given.heads.length,
    },
    findings: findings.list,
  }

  function checkGiven(head: GivenHead, id: string): void {
    checkHead(head, { table: 'file', row: head.file, name: head.name }, id, facts, findings)
    if (head.proof === undefined || head.applianceId !== id) return
    const sealed = facts.sealed.get(head.proof.id)
    if (sealed && (sealed.sha256 === undefined || sealed.sha256 === head.proof.sha256)) return
    const message = `${head.name} is signed, but the log knows no such proof: its event is gone, or the log is older.`
    findings.add('file', 'made_up', head.file, message)
  }
}

function readCheckpoints(
  view: AuditView,
  keys: KeySource,
  isGiven: boolean,
): Promise<readonly ReadCheckpoint[]> {
  const rows = view.checkpoints()
  if (rows.length === 0) return Promise.resolve([])
  const reader = openCheckpointReader(keys, isGiven)
  return Promise.all(
    rows.map(async (checkpoint) => {
      const { jws } = checkpoint
      return { checkpoint, statement: isAsEncoded(jws) ? ((await reader?.read(jws)) ?? null) : null }
    }),
  )
}

/** Null if the database contains no key that could have signed; that is reported elsewhere. */
function openCheckpointReader(keys: KeySource, isGiven: boolean) {
  try {
    return checkpointReader(keys)
  } catch (error) {
    if (isGiven || !(error instanceof KeyError)) throw error
    return null
  }
}

/** Deletion receipts also state the head of the log. Invalid ones are reported elsewhere. */
function statedByReceipts(
  erasures: readonly { readonly identityId: string; readonly receipt: string | null }[],
  keys: KeySource,
): ReadonlyMap<string, StatedHead> {
  const heads = new Map<string, StatedHead>()
  for (const { identityId, receipt } of erasures) {
    const stated = receiptIn(receipt, keys)
    if (stated) heads.set(identityId, { ...stated.audit, applianceId: stated.applianceId })
  }
  return heads
}
