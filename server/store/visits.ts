/**
 * Visits at a kiosk or counter, as far as the branch may count them: times, steps, outcomes, guidance. Contains nothing
 * about the person; the link to the identity is removed when the identity is erased.
 */
import type { Db } from './db.ts'

export const VISIT_CHANNELS = ['KIOSK', 'COUNTER'] as const
export type VisitChannel = (typeof VISIT_CHANNELS)[number]

/** How a visit ended. The first four appear on the receipt; the others have no receipt. */
export const VISIT_OUTCOMES = [
  'CONFIRMED',
  'NOT_CONFIRMED', // finished at the counter below the LOA that confirms a person
  'PERSON',
  'LATER',
  'REFUSED', // the consent
  'STOPPED',
  'WALKED_AWAY',
  'UNATTENDED', // the applicant called for help, and left before an officer came
  'TAKEN_OVER',
  'INTERRUPTED',
] as const
export type VisitOutcome = (typeof VISIT_OUTCOMES)[number]

/** Answers of an officer to a call for help. */
export const HELP_ANSWERS = ['COMING', 'TWO_MINUTES', 'GO_TO_COUNTER'] as const
/** How the officer's care for an applicant whom a kiosk sent here ended. */
export const SENT_ENDS = ['DONE', 'DID_NOT_COME'] as const
/** REOPENED: the officer took the end back. */
export const HELD_STATES = [...SENT_ENDS, 'REOPENED'] as const
export type HelpAnswer = (typeof HELP_ANSWERS)[number]

/**
 * Why a kiosk sent the applicant to the counter. CHOSEN: the applicant asked for an officer at a step. NO_CAMERA: the same
 * where the camera of the step could not be used. CANNOT_TURN and
 * NO_COLOURS: the same at the face, because of the head's movement or the colours. NO_CONSENT: the applicant declined
 * automatic processing. RESULT: not everything could be confirmed, as the receipt states. CALLED: an officer answered a
 * call for help with "come to the counter", and the applicant left the kiosk. UNATTENDED: the applicant called for help,
 * and the visit ended before an officer came.
 */
export type SentReason =
  | 'CHOSEN'
  | 'NO_CAMERA'
  | 'CANNOT_TURN'
  | 'NO_COLOURS'
  | 'NO_CONSENT'
  | 'RESULT'
  | 'CALLED'
  | 'UNATTENDED'

/**
 * STEP: started. GUIDANCE: shown. TRY: capture submitted or passcode typed. FAULT: technical failure. EXCEPTION: why an
 * officer captures in an unusual way. END: result of an attempt at the kiosk, and a refused face (TRY_ENDS). ACT: other actions of the
 * applicant (VISIT_ACTS).
 */
export type VisitNoteKind = 'STEP' | 'GUIDANCE' | 'TRY' | 'FAULT' | 'EXCEPTION' | 'END' | 'ACT'

/** Charts of the branch, each with its own table. */
export const CHART_NAMES = [
  'proofings-per-hour',
  'leaving-by-step',
  'guidance-per-day',
  'time-to-finish',
  'time-per-step',
  'tries-per-step',
  'desk-waiting-age',
  'outbox-age',
  'outcome-share',
] as const
/** Figures that officers can export. */
export const EXPORTED_FIGURES = [...CHART_NAMES, 'why-people-fail'] as const

export interface Visit {
  readonly id: string
  readonly identityId: string | null
  readonly channel: VisitChannel
  /** `id/version` of the journey. */
  readonly journey: string
  readonly language: string
  /** Shown on the receipt and on the officers' screens, like 7K4P-2M9X. Identifies the case but grants no access. */
  readonly reference: string | null
  /** Current or last step. */
  readonly step: string
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly outcome: VisitOutcome | null
  readonly helpAskedAt: Date | null
  readonly helpAnswer: HelpAnswer | null
  /** Id of the officer. */
  readonly takenOverBy: string | null
  /** The applicant was sent to the counter. */
  readonly sent?: { readonly at: Date; readonly because: SentReason } | null
  /** An officer closed the wait of the sent applicant. */
  readonly closedAt?: Date | null
  /** Id of the officer who handles, or has closed, the call for help or the sent applicant. */
  readonly held?: { readonly by: string; readonly at: Date } | null
}

export interface VisitNote {
  readonly visitId: string
  readonly at: Date
  readonly step: string
  readonly kind: VisitNoteKind
  /** A code of a closed list: a step, a guidance code, a result. Never free text. */
  readonly code: string
}

export interface Visits {
  add(visit: Visit): void
  /** Saves everything except the code. */
  save(visit: Visit): void
  find(id: string): Visit | null
  /** The newest visit with this reference, because references are short and may repeat. */
  findByReference(reference: string): Visit | null
  findByIdentity(identityId: string): Visit | null
  /** Stores a hash of the code. A second call replaces it. */
  setCode(visitId: string, code: string): void
  /** Tolerates lower case, a missing hyphen, O for 0, and I or L for 1. */
  findByCode(code: string): Visit | null
  /** Visits started from `since` to before `until`, newest first. */
  list(span: { readonly since: Date; readonly until: Date }): readonly Visit[]
  /** Open visits, oldest first. */
  listOpen(): readonly Visit[]
  /** Visits sent to the counter that no officer has taken over or closed, oldest first. */
  listSent(): readonly Visit[]
  note(note: VisitNote): void
  /** Oldest first. */
  notes(span: { readonly since: Date; readonly until: Date }): readonly VisitNote[]
  listNotes(visitId: string): readonly VisitNote[]
  /** STEP, END, ACT and FAULT of visits started in the span, including later notes; oldest first. */
  tryNotes(span: { readonly since: Date; readonly until: Date }): readonly VisitNote[]
  /** Deletes visits that ended earlier. Returns their number. */
  dropBefore(before: Date): number
}

interface Row {
  id: string
  identity_id: string | null
  channel: VisitChannel
  journey: string
  language: string
  reference: string | null
  step: string
  started_at: number
  ended_at: number | null
  outcome: VisitOutcome | null
  help_asked_at: number | null
  help_answer: HelpAnswer | null
  taken_over_by: string | null
  sent_at: number | null
  sent_because: SentReason | null
  held_by: string | null
  held_at: number | null
  closed_at: number | null
}

interface NoteRow {
  visit_id: string
  at: number
  step: string
  kind: VisitNoteKind
  code: string
}

export function createVisits(db: Db, lookupHash: (value: string) => Buffer): Visits {
  const insert = db.prepare(
    `INSERT INTO visits (id, identity_id, channel, journey, language, reference, step, started_at, ended_at, outcome,
       help_asked_at, help_answer, taken_over_by, sent_at, sent_because, held_by, held_at, closed_at)
     VALUES (@id, @identity_id, @channel, @journey, @language, @reference, @step, @started_at, @ended_at, @outcome,
       @help_asked_at, @help_answer, @taken_over_by, @sent_at, @sent_because, @held_by, @held_at,
       @closed_at)`,
  )
  const update = db.prepare(
    `UPDATE visits SET identity_id = @identity_id, language = @language, reference = @reference, step = @step,
       ended_at = @ended_at, outcome = @outcome, help_asked_at = @help_asked_at, help_answer = @help_answer,
       taken_over_by = @taken_over_by, sent_at = @sent_at, sent_because = @sent_because, held_by = @held_by,
       held_at = @held_at, closed_at = @closed_at
     WHERE id = @id`,
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM visits WHERE id = ?')
  const byReference = db.prepare<[string], Row>(
    'SELECT * FROM visits WHERE reference = ? ORDER BY started_at DESC, id DESC LIMIT 1',
  )
  const byIdentity = db.prepare<[string], Row>(
    'SELECT * FROM visits WHERE identity_id = ? ORDER BY started_at DESC, id DESC LIMIT 1',
  )
  const putCode = db.prepare('UPDATE visits SET code_hash = ? WHERE id = ?')
  const byCode = db.prepare<[Buffer], Row>('SELECT * FROM visits WHERE code_hash = ?')
  const between = db.prepare<[number, number], Row>(
    'SELECT * FROM visits WHERE started_at >= ? AND started_at < ? ORDER BY started_at DESC, id DESC',
  )
  const open = db.prepare<[], Row>('SELECT * FROM visits WHERE ended_at IS NULL ORDER BY started_at, id')
  const sent = db.prepare<[], Row>(
    `SELECT * FROM visits WHERE sent_at IS NOT NULL AND taken_over_by IS NULL AND closed_at IS NULL
     ORDER BY sent_at, id`,
  )
  const insertNote = db.prepare(
    'INSERT INTO visit_notes (visit_id, at, step, kind, code) VALUES (?, ?, ?, ?, ?)',
  )
  const notesBetween = db.prepare<[number, number], NoteRow>(
    'SELECT * FROM visit_notes WHERE at >= ? AND at < ? ORDER BY at, rowid',
  )
  const notesOfVisit = db.prepare<[string], NoteRow>(
    'SELECT * FROM visit_notes WHERE visit_id = ? ORDER BY at, rowid',
  )
  const coursesBetween = db.prepare<[number, number], NoteRow>(
    `SELECT n.* FROM visit_notes n JOIN visits v ON v.id = n.visit_id
     WHERE v.started_at >= ? AND v.started_at < ? AND n.kind IN ('STEP', 'END', 'ACT', 'FAULT') ORDER BY n.at, n.rowid`,
  )
  const removeBefore = db.prepare('DELETE FROM visits WHERE ended_at < ?')
  const hashCode = (code: string): Buffer => lookupHash(`visit-code\n${plainCode(code)}`)
  const found = (row: Row | undefined): Visit | null => (row ? fromRow(row) : null)
  return {
    add: (visit) => void insert.run(toRow(visit)),
    save: (visit) => void update.run(toRow(visit)),
    find: (id) => found(byId.get(id)),
    findByReference: (reference) => found(byReference.get(reference)),
    findByIdentity: (identityId) => found(byIdentity.get(identityId)),
    setCode: (visitId, code) => void putCode.run(hashCode(code), visitId),
    findByCode: (code) => found(byCode.get(hashCode(code))),
    list: ({ since, until }) => between.all(since.getTime(), until.getTime()).map(fromRow),
    listOpen: () => open.all().map(fromRow),
    listSent: () => sent.all().map(fromRow),
    note: ({ visitId, at, step, kind, code }) => void insertNote.run(visitId, at.getTime(), step, kind, code),
    notes: ({ since, until }) => notesBetween.all(since.getTime(), until.getTime()).map(fromNoteRow),
    listNotes: (visitId) => notesOfVisit.all(visitId).map(fromNoteRow),
    tryNotes: ({ since, until }) => coursesBetween.all(since.getTime(), until.getTime()).map(fromNoteRow),
    dropBefore: (before) => removeBefore.run(before.getTime()).changes,
  }
}

/** Crockford's base 32: maps commonly confused characters. */
function plainCode(code: string): string {
  return code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

function fromRow(row: Row): Visit {
  return {
    id: row.id,
    identityId: row.identity_id,
    channel: row.channel,
    journey: row.journey,
    language: row.language,
    reference: row.reference,
    step: row.step,
    startedAt: new Date(row.started_at),
    endedAt: toDate(row.ended_at),
    outcome: row.outcome,
    helpAskedAt: toDate(row.help_asked_at),
    helpAnswer: row.help_answer,
    takenOverBy: row.taken_over_by,
    sent:
      row.sent_at !== null && row.sent_because !== null
        ? { at: new Date(row.sent_at), because: row.sent_because }
        : null,
    held:
      row.held_by !== null && row.held_at !== null ? { by: row.held_by, at: new Date(row.held_at) } : null,
    closedAt: toDate(row.closed_at),
  }
}

function toRow(visit: Visit): Row {
  return {
    id: visit.id,
    identity_id: visit.identityId,
    channel: visit.channel,
    journey: visit.journey,
    language: visit.language,
    reference: visit.reference,
    step: visit.step,
    started_at: visit.startedAt.getTime(),
    ended_at: visit.endedAt?.getTime() ?? null,
    outcome: visit.outcome,
    help_asked_at: visit.helpAskedAt?.getTime() ?? null,
    help_answer: visit.helpAnswer,
    taken_over_by: visit.takenOverBy,
    sent_at: visit.sent?.at.getTime() ?? null,
    sent_because: visit.sent?.because ?? null,
    held_by: visit.held?.by ?? null,
    held_at: visit.held?.at.getTime() ?? null,
    closed_at: visit.closedAt?.getTime() ?? null,
  }
}

function fromNoteRow(row: NoteRow): VisitNote {
  return { visitId: row.visit_id, at: new Date(row.at), step: row.step, kind: row.kind, code: row.code }
}
