/**
 * Chart of failed visits at the kiosk: per step and reason the attempts, abandoned visits, times, and the next action.
 * Pure and anonymous. Days with few visits count only together with other such days of their week, so that two spans
 * never differ by a single visit. A row may come from one visit, but identifies no person.
 */
import { groupBy } from './assurance/grouped.ts'
import { MIN_TO_SPLIT, LEFT, percentile, type CountedNote, type CountedVisit } from './branch-charts.ts'
import { DAY_MS, getLocalDay } from './time.ts'
import { CAMERA_ENDS } from './visit-words.ts'

/** The act after a failed attempt, or the end of the visit if no act followed. */
export const NEXT_ACTS = [
  'TRIED_AGAIN',
  'WENT_ON',
  'HELP',
  'BY_HAND',
  'LEFT_OUT',
  'TO_PERSON',
  'TAKEN_OVER',
  'STOPPED',
  'WALKED_AWAY',
  'UNATTENDED',
  'REFUSED',
  'INTERRUPTED',
  'STILL_HERE',
] as const
export type NextAct = (typeof NEXT_ACTS)[number]

/** The visit ended without a failed attempt at its last step. */
export const NO_FAILED_TRY = 'NONE'

interface VisitToExplain extends CountedVisit {
  readonly id: string
}

interface Failure {
  readonly step: string
  readonly reason: string
  /** Time since the start of the step or the previous attempt; null without an attempt. */
  readonly seconds: number | null
  readonly next: NextAct
  /** The visit ended at this step without a later success. */
  readonly isLast: boolean
}

/** Data of one visit for the chart. */
export interface VisitHistory {
  readonly startedAt: Date
  readonly isLeft: boolean
  readonly lastStep: string
  /** Steps that were started, with attempts and seconds spent there. */
  readonly steps: readonly {
    readonly step: string
    readonly tries: number
    readonly seconds: number | null
  }[]
  readonly failures: readonly Failure[]
}

const GOOD = 'GOOD'
/** A camera that could not be used is a failed try, without an END of its own. */
const isCameraFault = ({ kind, code }: Pick<CountedNote, 'kind' | 'code'>): boolean =>
  kind === 'FAULT' && CAMERA_ENDS.some((end) => end === code)
/** The session that the camera could not serve ends without a picture: that is no second try. */
const isEndOfUnserved = (failed: string | undefined, code: string): boolean =>
  code === 'GIVEN_UP' && CAMERA_ENDS.some((end) => end === failed)
const isNextAct = (code: string): code is NextAct => NEXT_ACTS.some((act) => act === code)

/** @param notes of this visit, oldest first. */
export function readHistory(visit: VisitToExplain, notes: readonly CountedNote[]): VisitHistory {
  const isLeft = visit.outcome !== null && LEFT.includes(visit.outcome)
  const steps = new Map<string, { tries: number; seconds: number | null }>()
  const failures: Failure[] = []
  /** Last failed attempt per step. */
  const open = new Map<string, Failure>()
  const entered = new Map<string, number>()
  let present: string | null = null
  for (const [index, note] of notes.entries()) {
    const at = note.at.getTime()
    if (note.kind === 'STEP') {
      if (present !== null) addSeconds(steps, present, at - (entered.get(`stay ${present}`) ?? at))
      present = note.step
      entered.set(present, at).set(`stay ${present}`, at)
      steps.set(present, steps.get(present) ?? { tries: 0, seconds: null })
    } else if (note.kind === 'END' || isCameraFault(note)) {
      if (isEndOfUnserved(open.get(note.step)?.reason, note.code)) continue
      const found = steps.get(note.step) ?? { tries: 0, seconds: null }
      steps.set(note.step, { ...found, tries: found.tries + 1 })
      const since = entered.get(note.step) ?? visit.startedAt.getTime()
      entered.set(note.step, at)
      open.delete(note.step)
      if (note.code === GOOD) continue
      const next = findNextAct(visit, note, notes.slice(index + 1))
      const seconds = toSeconds(at - since)
      const failure = { step: note.step, reason: note.code, seconds, next, isLast: false }
      failures.push(failure)
      open.set(note.step, failure)
    }
  }
  const lastStep = present ?? visit.step
  const end = visit.endedAt?.getTime()
  if (present !== null && end !== undefined) {
    addSeconds(steps, present, end - (entered.get(`stay ${present}`) ?? end))
  }
  if (isLeft) {
    const last = open.get(lastStep)
    const next = visit.outcome !== null && isNextAct(visit.outcome) ? visit.outcome : 'STILL_HERE'
    if (last) failures[failures.indexOf(last)] = { ...last, isLast: true }
    else failures.push({ step: lastStep, reason: NO_FAILED_TRY, seconds: null, next, isLast: true })
  }
  return {
    startedAt: visit.startedAt,
    isLeft,
    lastStep,
    steps: [...steps].map(([step, figures]) => ({ step, ...figures })),
    failures,
  }
}

function findNextAct(visit: VisitToExplain, failed: CountedNote, after: readonly CountedNote[]): NextAct {
  for (const { kind, code, step } of after) {
    if (kind === 'ACT' && isNextAct(code)) return code
    if (isEndOfUnserved(failed.code, code)) continue
    if ((kind === 'END' || isCameraFault({ kind, code })) && step === failed.step) return 'TRIED_AGAIN'
    if (kind === 'STEP' && step !== failed.step) {
      return failed.code === 'CHECK_RETAKEN' ? 'TRIED_AGAIN' : 'WENT_ON'
    }
  }
  const { outcome } = visit
  if (outcome !== null && isNextAct(outcome)) return outcome
  return outcome === null ? 'STILL_HERE' : 'WENT_ON'
}

function addSeconds(
  steps: Map<string, { tries: number; seconds: number | null }>,
  step: string,
  ms: number,
): void {
  const found = steps.get(step) ?? { tries: 0, seconds: null }
  steps.set(step, { ...found, seconds: (found.seconds ?? 0) + toSeconds(ms) })
}

const toSeconds = (ms: number): number => Math.max(0, Math.round(ms / 1000))

export interface FailureDay {
  /** First day: yyyy-MM-dd. */
  readonly day: string
  /** All days of its week with too few visits, combined. */
  readonly isQuietDays: boolean
  readonly visits: number
  readonly withFailedTry: number
  readonly left: number
}

export interface FailureStep {
  readonly step: string
  readonly visits: number
  readonly tries: number
  readonly failed: number
  readonly left: number
  /** Median; null for too few visits. */
  readonly medianSeconds: number | null
}

export interface FailureReason {
  readonly step: string
  readonly reason: string
  readonly tries: number
  readonly visits: number
  readonly left: number
  readonly medianSeconds: number | null
  readonly next: Readonly<Partial<Record<NextAct, number>>>
}

export interface Failures {
  readonly visits: number
  /** Visits of days with too few visits, which are in no figure. */
  readonly uncounted: number
  readonly days: readonly FailureDay[]
  /** Sorted in the order of the journey. */
  readonly steps: readonly FailureStep[]
  /** Most frequent first. */
  readonly reasons: readonly FailureReason[]
}

export interface Span {
  readonly since: Date
  readonly until: Date
}

export function whyPeopleFail(
  histories: readonly VisitHistory[],
  span: Span,
  now: Date,
  stepOrder: readonly string[],
): Failures {
  const bundles = bundleDays(histories, span, now)
  const counted = bundles.flatMap((bundle) => bundle.histories)
  return {
    visits: counted.length,
    uncounted: histories.length - counted.length,
    days: bundles.map((bundle) => ({
      day: bundle.day,
      isQuietDays: bundle.isQuietDays,
      visits: bundle.histories.length,
      withFailedTry: bundle.histories.filter(hasFailedTry).length,
      left: bundle.histories.filter(({ isLeft }) => isLeft).length,
    })),
    steps: summariseSteps(counted, stepOrder),
    reasons: summariseReasons(counted, stepOrder),
  }
}

const hasFailedTry = ({ failures }: VisitHistory): boolean =>
  failures.some(({ reason }) => reason !== NO_FAILED_TRY)

interface Bundle {
  readonly day: string
  readonly isQuietDays: boolean
  readonly histories: readonly VisitHistory[]
}

/**
 * Days with enough visits; the others combined per week, if the span covers the whole week and they are enough together.
 */
function bundleDays(
  histories: readonly VisitHistory[],
  { since, until }: Span,
  now: Date,
): readonly Bundle[] {
  const days = groupBy(histories, ({ startedAt }) => getLocalDay(startedAt))
  const busy = [...days].filter(([, all]) => all.length >= MIN_TO_SPLIT)
  const quiet = [...days].filter(([, all]) => all.length < MIN_TO_SPLIT).flatMap(([, all]) => all)
  const weeks = [...groupBy(quiet, ({ startedAt }) => getLocalDay(findMonday(startedAt)))].filter(
    ([monday, all]) => {
      const first = new Date(`${monday}T00:00:00`)
      const end = new Date(first)
      end.setDate(end.getDate() + 7)
      const isWhole = since <= first && (until >= end || until > now)
      return isWhole && all.length >= MIN_TO_SPLIT
    },
  )
  return [
    ...busy.map(([day, all]) => ({ day, isQuietDays: false, histories: all })),
    ...weeks.map(([day, all]) => ({ day, isQuietDays: true, histories: all })),
  ].sort((a, b) => (a.day === b.day ? Number(b.isQuietDays) - Number(a.isQuietDays) : a.day < b.day ? -1 : 1))
}

function summariseSteps(
  histories: readonly VisitHistory[],
  order: readonly string[],
): readonly FailureStep[] {
  const stays = histories.flatMap((history) => history.steps.map((stay) => ({ ...stay, history })))
  return [...groupBy(stays, ({ step }) => step)]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([step, all]) => {
      const times = all.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]))
      return {
        step,
        visits: all.length,
        tries: all.reduce((sum, { tries }) => sum + tries, 0),
        failed: all.reduce((sum, { history }) => sum + failedAt(history, step), 0),
        left: all.filter(({ history }) => history.isLeft && history.lastStep === step).length,
        medianSeconds: computeMedian(times, times.length),
      }
    })
}

const failedAt = ({ failures }: VisitHistory, step: string): number =>
  failures.filter((failure) => failure.step === step && failure.reason !== NO_FAILED_TRY).length

function summariseReasons(
  histories: readonly VisitHistory[],
  order: readonly string[],
): readonly FailureReason[] {
  const failures = histories.flatMap((history) =>
    history.failures.map((failure) => ({ ...failure, history })),
  )
  return [...groupBy(failures, ({ step, reason }) => `${step} ${reason}`).values()]
    .map((all): FailureReason => {
      const [{ step, reason } = { step: '', reason: '' }] = all
      const visits = new Set(all.map(({ history }) => history)).size
      const times = all.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]))
      const next: Partial<Record<NextAct, number>> = {}
      for (const act of NEXT_ACTS) {
        const count = all.filter((failure) => failure.next === act).length
        if (count > 0) next[act] = count
      }
      return {
        step,
        reason,
        tries: reason === NO_FAILED_TRY ? 0 : all.length,
        visits,
        left: all.filter(({ isLast }) => isLast).length,
        medianSeconds: computeMedian(times, visits),
        next,
      }
    })
    .sort(
      (a, b) =>
        b.left - a.left ||
        b.tries - a.tries ||
        order.indexOf(a.step) - order.indexOf(b.step) ||
        (a.reason < b.reason ? -1 : 1),
    )
}

/** Hides the median of few visits, because it could identify a visit. */
const computeMedian = (times: readonly number[], visits: number): number | null =>
  visits < MIN_TO_SPLIT ? null : percentile(times, 0.5)

/** Weeks begin on Monday (ISO 8601). */
function findMonday(at: Date): Date {
  const noon = new Date(at.getFullYear(), at.getMonth(), at.getDate(), 12)
  return new Date(noon.getTime() - ((noon.getDay() + 6) % 7) * DAY_MS)
}
