/** Checks the membership of a central service, its bundles, legal holds and restores against the log. */
import { createHash } from 'node:crypto'
import type { AuditView, BundleRow } from '../store/audit-view.ts'
import type { EventFacts, NotedEvent } from './event-facts.ts'
import type { Findings } from './findings.ts'

const last = (facts: EventFacts, ...types: readonly string[]): NotedEvent | undefined =>
  facts.noted.findLast(({ type }) => types.includes(type))

export function checkEnrolment(view: AuditView, facts: EventFacts, findings: Findings): void {
  const add = (problem: 'missing' | 'changed' | 'made_up', message: string): void =>
    findings.add('enrolment', problem, '1', message)
  const row = view.enrolment()
  const joined = last(facts, 'sync.enrolled', 'sync.left')
  if (joined?.type !== 'sync.enrolled') {
    if (row?.state === 'ACTIVE')
      add('made_up', 'The membership of a central service has no event sync.enrolled in the log.')
    if (row && !row.hasPrivateHalf)
      add('changed', 'The key of this kiosk is not the one that was made for the request.')
    return
  }
  if (!row) {
    add('missing', `The membership of a central service, which event ${joined.seq} notes, is missing.`)
    return
  }
  if (joined.body.enrolmentSha256 !== row.enrolmentSha256) {
    add('changed', `The membership of a central service is not what was agreed at event ${joined.seq}.`)
  }
  const trusted = last(facts, 'sync.enrolled', 'sync.trusted') ?? joined
  if (trusted.body.trustSha256 !== row.trustSha256) {
    add(
      'changed',
      `The keys of the central service are not those that event ${trusted.seq} notes: changed, or older ones put back.`,
    )
  }
  if (!row.hasPrivateHalf)
    add('changed', 'The key of this kiosk is not the one that the central service has certified.')
}

interface ToldBundle {
  readonly seq: number
  readonly receivedAt: number
  sha256: unknown
  state: string
  problemsSha256: unknown
  appliedAt: number | null
}

export function checkBundles(view: AuditView, facts: EventFacts, findings: Findings): void {
  const told = toldBundles(facts.noted)
  const rows = view.bundleRows()
  for (const row of rows) {
    const noted = told.get(row.version)
    if (!noted) {
      findings.add('bundles', 'made_up', row.version, `Bundle ${row.version} has no event in the log.`)
      continue
    }
    for (const what of differences(row, noted)) {
      const message = `Bundle ${row.version} has another ${what} than the log notes.`
      findings.add('bundles', 'changed', row.version, message)
    }
  }
  for (const [version, { seq }] of told) {
    if (rows.some((row) => row.version === version)) continue
    findings.add('bundles', 'missing', version, `Bundle ${version}, which event ${seq} notes, is missing.`)
  }
}

function differences(row: BundleRow, noted: ToldBundle): string[] {
  const differs: readonly (readonly [string, boolean])[] = [
    ['content', computeSha256(row.jws) !== noted.sha256],
    ['state', row.state !== noted.state],
    ['list of problems', computeSha256(row.problems) !== noted.problemsSha256],
    ['time of arrival', row.received_at !== noted.receivedAt],
    ['time of use', row.applied_at !== noted.appliedAt],
  ]
  return differs.flatMap(([what, different]) => (different ? [what] : []))
}

function toldBundles(events: readonly NotedEvent[]): ReadonlyMap<number, ToldBundle> {
  const bundles = new Map<number, ToldBundle>()
  for (const { type, seq, at, body } of events) {
    if (!type.startsWith('bundle.')) continue
    const version = Number(body.version)
    const applied = type === 'bundle.applied'
    const before = bundles.get(version)
    if (applied)
      for (const other of bundles.values()) if (other.state === 'APPLIED') other.state = 'SUPERSEDED'
    bundles.set(version, {
      seq,
      receivedAt: before?.receivedAt ?? at,
      sha256: body.sha256,
      state: applied ? 'APPLIED' : 'REFUSED',
      problemsSha256: applied ? computeSha256('[]') : body.problemsSha256,
      appliedAt: applied ? at : (before?.appliedAt ?? null),
    })
  }
  return bundles
}

export function checkHolds(view: AuditView, facts: EventFacts, findings: Findings): void {
  const told = new Map<string, NotedEvent>()
  for (const event of facts.noted) {
    if (event.type === 'hold.placed') told.set(event.identityId ?? '', event)
    if (event.type === 'hold.lifted') told.delete(event.identityId ?? '')
  }
  for (const { identity_id: id, actor, placed_at: placedAt, until_at: until } of view.holdRows()) {
    const noted = told.get(id)
    told.delete(id)
    if (!noted) {
      const message = `The legal hold of identity ${id} is in force without an event hold.placed, or was lifted.`
      findings.add('legal_holds', 'made_up', id, message)
    } else if (noted.actor !== actor || noted.at !== placedAt || (noted.body.untilMs ?? null) !== until) {
      const message = `The legal hold of identity ${id} has another author, time or end than event ${noted.seq} notes.`
      findings.add('legal_holds', 'changed', id, message)
    } else if (!view.isErasedNow(id) && !view.holdOpens(id)) {
      findings.add(
        'legal_holds',
        'changed',
        id,
        `The reference of the legal hold of identity ${id} was changed.`,
      )
    }
  }
  for (const [id, { seq }] of told) {
    if (facts.erased.has(id)) continue
    const message = `The legal hold of identity ${id}, which event ${seq} notes, is missing.`
    findings.add('legal_holds', 'missing', id, message)
  }
}

/** Stored facts of the appliance that an attacker might change. */
export function checkNotes(view: AuditView, facts: EventFacts, findings: Findings): void {
  const restored = last(facts, 'appliance.restored')?.at ?? null
  if (restoredAt(view.note('restored')) !== restored) {
    const message = 'The note that a backup was restored does not say what the log does.'
    findings.add('meta', restored === null ? 'made_up' : 'changed', 'restored', message)
  }
  if (!view.knowsKek()) {
    const message = 'The mark by which this database knows its master key is missing or was changed.'
    findings.add('meta', 'changed', 'kek-check', message)
  }
}

/** Undefined if it cannot be read. */
function restoredAt(note: string | null): unknown {
  if (note === null) return null
  try {
    return (JSON.parse(note) as { readonly at?: unknown } | null)?.at
  } catch {
    return undefined
  }
}

function computeSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
