/**
 * Reads the chip of a photographed document with a reader of this machine: waits for the document, reads, continues after a document that
 * was taken away, and saves what was read. One reading at a time for each document. The state is in memory: a restart ends the reading, and
 * loses nothing that is saved.
 */
import type { ReaderFault } from '../../chip-reader/messages.ts'
import type { ChipReaders, ReadersState, ReadProgress } from '../../chip-reader/readers.ts'
import { listMrzKeys } from '../../chip/inspection/key-alternatives.ts'
import { readMrzFields } from '../../chip/inspection/mrz-fields.ts'
import type { AccessKeys } from '../../chip/inspection/open-chip.ts'
import type { Inspection, StepName, StepReason } from '../../chip/inspection/report.ts'
import { listCertificateCountries } from '../../chip/passive/countries.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeError } from '../../log.ts'
import type { ChipProtocols, ChipVerdict } from '../../proofing/chip-evidence.ts'
import { MAX_CHIP_FILE_BYTES, USED_GROUPS, type ChipFiles } from '../../proofing/chip-files.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Caller } from '../../proofing/types.ts'
import { readChipTrust } from '../../trust/chip-trust.ts'
import { requireIdentity } from '../access/reach.ts'
import { createPerContext } from '../per-context.ts'
import { requireReadable, saveReading } from '../evidence/submit-chip.ts'

/**
 * WAITING: for a document on the reader. LOST: the document was taken away too early; the reading continues when it is back. KEY_REFUSED: the
 * chip accepts no key from the MRZ. ENDED: what was read is saved and being verified. FAILED: nothing could be read; `fault` tells why.
 */
type ReadingState = 'WAITING' | 'READING' | 'LOST' | 'KEY_REFUSED' | 'ENDED' | 'FAILED'

/** Parts in the order of reading. */
export type ReadingPart = 'ACCESS' | 'DETAILS' | 'PORTRAIT'

export interface ChipReadingView {
  readonly state: ReadingState
  readonly part: ReadingPart
  /** Share of the files that are read, 0 to 1; a file counts as its bytes. */
  readonly progress: number
  /** Null unless something is wrong with the reader. */
  readonly fault: ReaderFault | null
}

interface Reading {
  view: ChipReadingView
  readonly stop: AbortController
  readonly startedBy: Caller
}

const readingsOf = createPerContext(() => new Map<string, Reading>())
/** A document on the reader is expected within this time; then the screen asks again. */
const WAIT_MS = 90_000
/** A document that is taken away again and again is rather a faulty chip. */
const MAX_CONTINUATIONS = 5
/** The wait for the first progress is a tenth, the portrait the largest part. */
const SHARES: Readonly<Record<ReadingPart, { readonly from: number; readonly to: number }>> = {
  ACCESS: { from: 0, to: 0.15 },
  DETAILS: { from: 0.15, to: 0.4 },
  PORTRAIT: { from: 0.4, to: 1 },
}
const PORTRAIT_FILE = 0x0102
/** Files of the master file, which are read before access, have greater identifiers. */
const MAX_APPLICATION_FILE = 0xffff
/** EF.ATR/INFO and EF.CardAccess. */
const FREE_FILES: readonly number[] = [0x2f01, 0x011c]
const REFUSED_KEYS: readonly StepReason[] = ['access_key_wrong', 'access_key_blocked']
const START: ChipReadingView = { state: 'WAITING', part: 'ACCESS', progress: 0, fault: null }

/** True if a reader is configured and the document has an MRZ that opens its chip. */
export function canReadChip({ chipReaders }: Pick<Context, 'chipReaders'>, evidence: Evidence): boolean {
  return chipReaders !== null && findKeys(evidence, null) !== null
}

/**
 * Begins to read, or continues the reading that runs. `can`: the card access number that the person typed.
 * Throws `feature_disabled` without a reader, `transition_refused` for a document without an MRZ, and the errors of `saveReading`.
 */
export async function beginChipReading(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  { can = null }: { readonly can?: string | null } = {},
): Promise<ChipReadingView> {
  const { chipReaders: readers } = ctx
  if (!readers) throw new AppError('feature_disabled', { feature: 'readers' })
  const { evidence } = requireReadable(ctx, caller, identityId, evidenceId)
  const running = readingsOf(ctx).get(evidenceId)
  if (running && isRunning(running.view)) return running.view
  const keys = findKeys(evidence, can)
  if (!keys) throw new AppError('transition_refused', { reason: 'no_key' })
  const reading: Reading = { view: START, stop: new AbortController(), startedBy: caller }
  readingsOf(ctx).set(evidenceId, reading)
  read(ctx, readers, reading, { identityId, evidence, keys }).catch((error: unknown) => {
    ctx.log.error(describeError(error), 'the chip could not be read')
    reading.view = { ...reading.view, state: 'FAILED' }
  })
  return reading.view
}

/** Null if none was begun since the start of the appliance. */
export async function getChipReading(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): Promise<ChipReadingView | null> {
  const { id } = requireIdentity(ctx, caller, identityId, 'READ')
  ctx.store.evidences.get(id, evidenceId)
  return viewReading(ctx, evidenceId)
}

/** Null if none was begun since the start of the appliance. */
export const viewReading = (ctx: Context, evidenceId: string): ChipReadingView | null =>
  readingsOf(ctx).get(evidenceId)?.view ?? null

/** Ends the reading without saving anything; the applicant continues without the chip. */
export async function stopChipReading(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): Promise<void> {
  const { id } = requireIdentity(ctx, caller, identityId, 'ACT')
  ctx.store.evidences.get(id, evidenceId)
  readingsOf(ctx).get(evidenceId)?.stop.abort()
  readingsOf(ctx).delete(evidenceId)
}

const isRunning = ({ state }: ChipReadingView): boolean => ['WAITING', 'READING', 'LOST'].includes(state)

interface Task {
  readonly identityId: string
  readonly evidence: Evidence
  readonly keys: Keys
}

interface Keys {
  readonly keys: AccessKeys
  readonly printedMrz: readonly string[] | null
}

/** Null without MRZ and CAN. */
function findKeys({ content: { document } }: Evidence, can: string | null): Keys | null {
  const lines = document?.mrz ?? []
  const fields = readMrzFields(lines)
  const mrz = fields === null ? [] : listMrzKeys(fields)
  if (can === null && mrz.length === 0) return null
  // A chip counts wrong numbers, so that a typed one is tried alone.
  return { keys: { mrz: can === null ? mrz : [], can }, printedMrz: mrz.length === 0 ? null : lines }
}

async function read(ctx: Context, readers: ChipReaders, reading: Reading, task: Task): Promise<void> {
  const { signal } = reading.stop
  const note = (view: Partial<ChipReadingView>): void => {
    reading.view = { ...reading.view, ...view }
  }
  const { evidence, keys } = task
  const trust = readChipTrust(ctx.store, listCountries(evidence), ctx.time.statement().latest)
  let progress: Inspection['progress'] | null = null
  for (let times = 0; times <= MAX_CONTINUATIONS; times++) {
    const fault = await waitForCard(readers, signal, note)
    if (signal.aborted) return
    if (fault) return note({ state: 'FAILED', fault })
    note({ state: 'READING', fault: null })
    const readAt = ctx.clock.now()
    const outcome = await readers.inspect({
      ...keys,
      trust,
      at: readAt,
      signal,
      onProgress: (read) => {
        note(computeProgress(read))
      },
      ...(progress ? { progress } : {}),
    })
    if (signal.aborted) return
    if (outcome.kind === 'fault') {
      if (outcome.fault !== 'no_card' && outcome.fault !== 'card_unusable')
        return note({ state: 'FAILED', fault: outcome.fault })
      note({ state: 'LOST' })
      continue
    }
    const { inspection } = outcome
    if (isLost(inspection)) {
      progress = inspection.progress
      note({ state: 'LOST' })
      continue
    }
    const refused = findReason(inspection, 'access')
    if (refused !== null && REFUSED_KEYS.includes(refused)) note({ state: 'KEY_REFUSED' })
    await save(ctx, reading, task, inspection, readAt)
    if (reading.view.state !== 'KEY_REFUSED') note({ state: 'ENDED', progress: 1 })
    return
  }
  note({ state: 'FAILED', fault: 'card_unusable' })
}

/** The caller's call is over; the record of the reading is a call of its own. */
async function save(
  ctx: Context,
  { startedBy }: Reading,
  { identityId, evidence: { id } }: Task,
  inspection: Inspection,
  readAt: Date,
): Promise<void> {
  const reading = {
    source: 'READER',
    readAt: readAt.toISOString(),
    protocols: toProtocols(inspection),
  } as const
  await saveReading(ctx, { ...startedBy, startedAt: readAt }, identityId, id, {
    reading,
    files: toFiles(inspection),
  })
}

/** The authorities of the state that the MRZ names; without one none. */
function listCountries({ content: { document } }: Evidence): readonly string[] {
  const code = document?.mrz?.[0]?.slice(2, 5).replaceAll('<', '') ?? ''
  return listCertificateCountries(code) ?? []
}

/** Resolves with a fault of the reader, or with null when a document lies on one. */
function waitForCard(
  readers: ChipReaders,
  signal: AbortSignal,
  note: (view: Partial<ChipReadingView>) => void,
): Promise<ReaderFault | null> {
  return new Promise((resolve) => {
    let present: ReaderFault = 'no_card'
    const end = (fault: ReaderFault | null): void => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', abort)
      resolve(fault)
    }
    const abort = (): void => end('stopped')
    const look = (state: ReadersState): void => {
      const fault = findFault(state)
      if (fault === null) return end(null)
      present = fault
      note({ fault: fault === 'no_card' ? null : fault })
    }
    const timer = setTimeout(() => end(present), WAIT_MS)
    const unwatch = readers.watch(look)
    signal.addEventListener('abort', abort)
    readers.state().then(look, () => undefined)
  })
}

/** Null if one card lies on one of the chosen readers. */
function findFault(state: ReadersState): ReaderFault | null {
  if (state.kind === 'unavailable') return state.fault
  const chosen = state.readers.filter(({ isChosen }) => isChosen)
  if (chosen.length === 0) return 'no_reader'
  const cards = chosen.filter(({ card }) => card !== null)
  if (cards.length === 0) return 'no_card'
  return cards.length > 1 ? 'several_cards' : null
}

function computeProgress({ fileId, bytes, total }: ReadProgress): Partial<ChipReadingView> {
  const isFree = fileId > MAX_APPLICATION_FILE || FREE_FILES.includes(fileId)
  const part = isFree ? 'ACCESS' : fileId === PORTRAIT_FILE ? 'PORTRAIT' : 'DETAILS'
  const { from, to } = SHARES[part]
  const share = total === null || total === 0 ? 0 : Math.min(1, bytes / total)
  return { part, progress: from + (to - from) * share }
}

const isLost = ({ steps }: Inspection): boolean => steps.some(({ reason }) => reason === 'connection_lost')

const findStep = ({ steps }: Inspection, wanted: StepName) => steps.find(({ name }) => name === wanted)
const findReason = (inspection: Inspection, name: StepName) => findStep(inspection, name)?.reason ?? null

function toProtocols(inspection: Inspection): ChipProtocols {
  const find = (name: StepName): ChipVerdict => findStep(inspection, name)?.verdict ?? 'aborted'
  return {
    access: find('access'),
    chipAuthentication: find('chip_authentication'),
    activeAuthentication: find('active_authentication'),
    mapping: find('mapping_authentication'),
  }
}

/** Null without EF.SOD, by which every other file is judged. A larger file than a proof may hold counts as not read. */
function toFiles({ sod, com, cardSecurityFile, dataGroups }: Inspection): ChipFiles | null {
  const isKept = (file: Uint8Array): boolean => file.byteLength <= MAX_CHIP_FILE_BYTES
  if (sod === null || !isKept(sod)) return null
  const isUsed = (number: number): boolean => USED_GROUPS.some((used) => used === number)
  return {
    sod,
    com: com && isKept(com) ? com : null,
    cardSecurity: cardSecurityFile && isKept(cardSecurityFile) ? cardSecurityFile : null,
    dataGroups: new Map([...dataGroups].filter(([number, file]) => isUsed(number) && isKept(file))),
  }
}
