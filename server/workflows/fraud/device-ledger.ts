/**
 * Records inspections of the device and tampering that was found. The signing key of the proofs signs each entry, and the
 * audit log holds it, so that no entry can be forged, changed or removed later. `proofing/antifraud/ledger` decides what
 * follows.
 */
import { compactVerify } from 'jose'
import { z } from 'zod'
import type { TimeStatement } from '../../clock.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { readKeys } from '../../proof/verify.ts'
import { canonicalBytes } from '../../proof/verify/canonical-json.ts'
import {
  deviceState,
  inspectionState,
  type LedgerEntry,
  type TamperKind,
} from '../../proofing/antifraud/ledger.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Author } from '../../store/events.ts'
import { timeView } from '../proof/time-view.ts'

const STATEMENT_TYPE = 'counterproof-device-statement'

type LedgerContext = Pick<Context, 'store' | 'signer'> & {
  readonly time: TimeStatement
  readonly author: Author
  newId(): string
}

type Happened<Entry = LedgerEntry> = Entry extends LedgerEntry ? Omit<Entry, 'id' | 'at'> : never

export async function recordInspection(
  ctx: LedgerContext,
  outcome: 'PASSED' | 'FAILED',
): Promise<LedgerEntry> {
  return write(ctx, { entry: 'INSPECTED', outcome })
}

export async function recordTampering(ctx: LedgerContext, kind: TamperKind): Promise<LedgerEntry> {
  return write(ctx, { entry: 'TAMPERED', kind })
}

/** Throws `transition_refused` if there is nothing to clear, or no inspection was passed since. */
export async function clearTampering(ctx: LedgerContext): Promise<LedgerEntry> {
  const { open, clearableBy } = deviceState(ctx.store.deviceLedger.list())
  if (open.length === 0) throw new AppError('transition_refused', { reason: 'nothing_to_clear' })
  if (clearableBy === null) throw new AppError('transition_refused', { reason: 'no_inspection_passed_since' })
  return write(ctx, { entry: 'CLEARED', inspectionId: clearableBy })
}

/** Signs first: an entry that cannot be signed is not written. */
async function write(ctx: LedgerContext, happened: Happened): Promise<LedgerEntry> {
  // The latest possible time, so that no entry is dated before an earlier one.
  const entry = { ...happened, id: ctx.newId(), at: ctx.time.latest } as LedgerEntry
  const statement = await ctx.signer.sign(encodeStatement(ctx.store.applianceId, entry, ctx.time))
  ctx.store.transaction(() => {
    ctx.store.deviceLedger.add(entry, statement)
    noteEvent(ctx, entry)
  })
  return entry
}

/** Must run inside a transaction. */
function noteEvent({ store, author }: LedgerContext, entry: LedgerEntry): void {
  const { events } = store
  switch (entry.entry) {
    case 'INSPECTED':
      events.append(
        'device.inspected',
        null,
        { inspectionId: entry.id, outcome: entry.outcome },
        entry.at,
        author,
      )
      return
    case 'TAMPERED':
      events.append('device.tampered', null, { kind: entry.kind }, entry.at, author)
      return
    case 'CLEARED':
      events.append('device.cleared', null, { inspectionId: entry.inspectionId }, entry.at, author)
  }
}

function encodeStatement(
  applianceId: string,
  { at, ...entry }: LedgerEntry,
  time: TimeStatement,
): Uint8Array {
  return canonicalBytes({
    type: STATEMENT_TYPE,
    version: '1',
    applianceId,
    ...entry,
    at: formatSpecDateTime(at),
    time: { ...timeView(time) },
  })
}

const Statement = z.object({ type: z.literal(STATEMENT_TYPE), applianceId: z.string(), at: z.string() })

/** Returns the ids of entries whose statement was not signed by a key of this appliance, or differs. */
export async function doubtfulEntries({ store }: Pick<Context, 'store'>): Promise<readonly string[]> {
  const entries = store.deviceLedger.list()
  if (entries.length === 0) return []
  const keys = readKeys({ jwks: { keys: [...store.signingKeys.publicKeys()] } })
  const doubtful: string[] = []
  for (const entry of entries) {
    const said = await read(store.deviceLedger.statement(entry.id) ?? '', keys)
    if (!said || !says(said, store.applianceId, entry)) doubtful.push(entry.id)
  }
  return doubtful
}

async function read(jws: string, keys: ReturnType<typeof readKeys>): Promise<unknown> {
  for (const { key } of keys) {
    try {
      const { payload } = await compactVerify(jws, key, { algorithms: ['RS256'] })
      return JSON.parse(Buffer.from(payload).toString('utf8')) as unknown
    } catch {
      // Signed by another key, or not at all.
    }
  }
  return null
}

function says(said: unknown, applianceId: string, { at, ...entry }: LedgerEntry): boolean {
  const parsed = Statement.safeParse(said)
  if (!parsed.success) return false
  const members = said as Record<string, unknown>
  const expected = { ...entry, applianceId, at: formatSpecDateTime(at) }
  return Object.entries(expected).every(([name, value]) => members[name] === value)
}

/** A component of the health report. */
export function inspectionHealth({ config, store, time }: Pick<Context, 'config' | 'store' | 'time'>) {
  const state = deviceState(store.deviceLedger.list())
  const { latest } = time.statement()
  const inspection = inspectionState(state, config.environment.inspection?.everyDays, latest)
  const words = [
    state.open.length > 0 ? `tampering not cleared: ${state.open.join(', ')}` : 'no open tampering',
    inspection === 'NOT_DEMANDED'
      ? 'no inspection is demanded'
      : inspection === 'OVERDUE'
        ? 'an inspection is due'
        : '',
    state.lastPassedAt ? `last passed ${formatSpecDateTime(state.lastPassedAt)} UTC` : '',
  ]
  const isWell = state.open.length === 0 && inspection !== 'OVERDUE'
  return {
    status: isWell ? ('UP' as const) : ('DEGRADED' as const),
    detail: words.filter((word) => word !== '').join('; '),
  }
}
