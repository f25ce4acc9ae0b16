/** Inspects the kiosk's folder after all kills, with the real store and no server running. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadKek } from '../../../config/kek.ts'
import { openStore, type Store } from '../../../store/open.ts'
import { APPLIANCE } from '../../../store/scope.ts'

export interface KioskFindings {
  /** Proofs that the log reports as sealed. */
  readonly sealed: readonly {
    readonly proofId: string
    readonly identityId: string
    readonly sha256: string
  }[]
  /** Identities in neither the old nor the new state, each with the fault. */
  readonly half: readonly string[]
  /** Identities with several seals, and duplicate rows of one proof. */
  readonly duplicated: readonly string[]
  readonly unacknowledged: number
  /** Identity id → evidence id → status. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly auditFindings: readonly string[]
}

const EVENTS_AT_ONCE = 1_000

export function inspectKiosk(dataDir: string): KioskFindings {
  const store = openStore(dataDir, loadKek({ dataDir, kek: { source: 'key-file' } }))
  try {
    const sealed = sealedProofs(store)
    const outbox = store.outbox.list(0, 1_000_000)
    return {
      sealed,
      half: [...halfIdentities(store), ...halfProofs(store, sealed), ...orphanFiles(store, dataDir)],
      duplicated: [
        ...twice(sealed.map(({ identityId }) => identityId)).map((id) => `identity ${id} was sealed twice`),
        ...twice(outbox.map(({ proofId }) => proofId)).map((id) => `proof ${id} stands twice in the outbox`),
      ],
      unacknowledged: store.outbox.pending().length,
      results: new Map(
        store.identities
          .listIds()
          .map((id) => [
            id,
            new Map(store.evidences.list(id).map((evidence) => [evidence.id, evidence.status])),
          ]),
      ),
      auditFindings: [
        ...store.checkIntegrity(),
        ...store.auditEvents().map(({ seq, problem }) => `event ${seq}: ${problem}`),
        ...store.outbox.audit().map(({ sequence, problem }) => `outbox ${sequence}: ${problem}`),
      ],
    }
  } finally {
    store.close()
  }
}

function sealedProofs(store: Store): { proofId: string; identityId: string; sha256: string }[] {
  const found = []
  for (let seq = 0; ;) {
    const events = store.events.after(seq, EVENTS_AT_ONCE)
    for (const { type, identityId, body } of events) {
      if (type !== 'proof.sealed' || identityId === null) continue
      found.push({ identityId, proofId: String(body.proofId), sha256: String(body.sha256) })
    }
    seq = events.at(-1)?.seq ?? seq
    if (events.length < EVENTS_AT_ONCE) return found
  }
}

function halfIdentities(store: Store): string[] {
  return store.identities.listIds().flatMap((id) => {
    const identity = store.identities.find(APPLIANCE, id)
    if (!identity) return []
    const problems: string[] = []
    if (!store.vault.has(id)) problems.push('has no data key')
    const proof = store.proofs.find(id)
    if ((identity.status === 'CLOSED') !== (proof !== null))
      problems.push(`is ${identity.status} with${proof ? '' : 'out'} a proof`)
    for (const evidence of store.evidences.list(id)) {
      if (evidence.status === 'PROCESSING' && !evidence.deletedAt)
        problems.push('has undecided evidence without a job or a case')
    }
    for (const image of store.images.listByIdentity(id)) {
      if (!canRead(() => store.images.read(image))) problems.push('has a picture that cannot be read')
    }
    return problems.map((problem) => `identity ${id} ${problem}`)
  })
}

function halfProofs(store: Store, sealed: readonly { proofId: string }[]): string[] {
  const rows = store.proofs.list()
  const known = new Set(sealed.map(({ proofId }) => proofId))
  const withoutEvent = rows.filter(({ id }) => !known.has(id)).map(({ id }) => `proof ${id} has no event`)
  const withoutOutbox = rows
    .filter(({ id }) => store.outbox.findByProof(id) === null)
    .map(({ id }) => `proof ${id} has no row in the outbox`)
  const pending = store.erasures
    .listOpen()
    .map(({ identityId }) => `the erasure of ${identityId} is not ended`)
  return [...withoutEvent, ...withoutOutbox, ...pending]
}

function orphanFiles(store: Store, dataDir: string): string[] {
  const ids = store.identities.listIds()
  const wanted = {
    images: new Set(
      ids.flatMap((id) => store.images.listByIdentity(id).map((image) => `${image.id}.sealed`)),
    ),
    proofs: new Set(store.proofs.list().map(({ id }) => `${id}.sealed`)),
  }
  return Object.entries(wanted).flatMap(([folder, names]) =>
    readdirSync(join(dataDir, folder))
      .filter((name) => !names.has(name))
      .map((name) => `${folder}/${name} belongs to nothing`),
  )
}

function canRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function twice(items: readonly string[]): string[] {
  const seen = new Set<string>()
  return items.filter((item) => seen.size === seen.add(item).size)
}
