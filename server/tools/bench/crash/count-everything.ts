/** Counts every proof after a bench: at the kiosk with the kiosk's own store, at the central service as head office sees it. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Book } from './applicant.ts'
import { inspectCentralService, type CentralFindings } from './inspect-central-service.ts'
import { inspectKiosk, type KioskFindings } from './inspect-kiosk.ts'
import type { Installation } from './installation.ts'
import { runCommand } from './processes.ts'

const DRAIN_MS = 300_000
const MAX_LISTED = 50

/** Each list has a sentence for each finding. */
export interface Findings {
  readonly lost: readonly string[]
  readonly duplicated: readonly string[]
  readonly half: readonly string[]
  readonly changed: readonly string[]
  readonly unverified: readonly string[]
  readonly auditFindings: readonly string[]
}

export type FindingCounts = Readonly<Record<keyof Findings, number>>

export interface Counted {
  readonly findings: Findings
  /** Sealed by the kiosk. */
  readonly proofs: number
  readonly alarms: readonly string[]
}

/** Waits until every proof has reached the central service, stops both servers and counts. */
export async function countEverything(installation: Installation, book: Book): Promise<Counted> {
  const { kiosk, central, kioskDir, consumerKey } = installation
  await settle(installation)
  const jwks: unknown = await (await fetch(`${kiosk.url}/.well-known/jwks.json`)).json()
  await kiosk.stop()
  const atKiosk = inspectKiosk(kioskDir)
  const atCentralService = await inspectCentralService(central.url, consumerKey, jwks)
  await central.stop()
  return {
    findings: compare(atKiosk, atCentralService, book),
    proofs: atKiosk.sealed.length,
    alarms: atCentralService.alarms,
  }
}

/** Waits without further faults until every sealed proof has reached the central service. */
async function settle({ kiosk, central, kioskDir }: Installation): Promise<void> {
  if (!kiosk.isUp()) await kiosk.start()
  if (!central.isUp()) await central.start()
  const until = Date.now() + DRAIN_MS
  for (;;) {
    const status = JSON.parse(await runCommand(['sync', 'status', '--data', kioskDir, '--json'])) as {
      backlog: number
    }
    if (status.backlog === 0) return
    if (Date.now() > until)
      throw new Error(`${status.backlog} proofs did not reach the central service in ${DRAIN_MS} ms`)
    await wait(500)
  }
}

/** Pure. */
export function compare(
  kiosk: Omit<KioskFindings, 'unacknowledged'>,
  central: CentralFindings,
  book: Book,
): Findings {
  const sealedHashes = new Set(kiosk.sealed.map(({ sha256 }) => sha256))
  const known = new Set(kiosk.sealed.map(({ proofId }) => proofId))
  const lostAtCentralService = kiosk.sealed.filter(
    ({ proofId, sha256 }) => central.proofs.get(proofId) !== sha256,
  )
  const lostAtKiosk = [...book.proofs].filter(([, sha256]) => !sealedHashes.has(sha256))
  const made = [...central.proofs.keys()].filter((proofId) => !known.has(proofId))
  const { lost, changed } = compareResults(kiosk.results, book)
  return {
    lost: [
      ...lostAtCentralService.map(({ proofId }) => `proof ${proofId} is not at the central service`),
      ...lostAtKiosk.map(([id]) => `the proof handed out for ${id} is not known to the kiosk`),
      ...lost,
    ],
    duplicated: [
      ...kiosk.duplicated,
      ...central.duplicated,
      ...made.map((id) => `proof ${id} was never sealed`),
    ],
    half: kiosk.half,
    changed: [...book.changed.map((id) => `the proof of ${id} was delivered with other bytes`), ...changed],
    unverified: central.unverified,
    auditFindings: kiosk.auditFindings,
  }
}

/** An answer that named an identity, an evidence or its verdict must still hold. */
function compareResults(results: KioskFindings['results'], { acknowledged }: Book) {
  const [lost, changed]: [string[], string[]] = [[], []]
  for (const [id, evidence] of acknowledged) {
    const kept = results.get(id)
    if (!kept) {
      lost.push(`identity ${id} was acknowledged and does not exist`)
      continue
    }
    for (const [evidenceId, status] of evidence) {
      const keptStatus = kept.get(evidenceId)
      if (keptStatus === undefined) lost.push(`evidence ${evidenceId} was acknowledged and does not exist`)
      else if (status !== 'PROCESSING' && keptStatus !== status)
        changed.push(`evidence ${evidenceId} was ${status} and is ${keptStatus}`)
    }
  }
  return { lost, changed }
}

export function countFindings(findings: Findings): FindingCounts {
  const counts = Object.entries(findings).map(([kind, list]: [string, readonly string[]]) => [
    kind,
    list.length,
  ])
  return Object.fromEntries(counts) as FindingCounts
}

export function listFindings(findings: Findings): readonly string[] {
  return Object.values(findings)
    .flatMap((list: readonly string[]) => list)
    .slice(0, MAX_LISTED)
}
