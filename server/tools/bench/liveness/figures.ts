/** Computes the printed error rates from played sessions. Pure. */
import type { LivenessType } from '../../../proofing/types.ts'
import { median, wilson95 } from '../error-rates.ts'
import { NOT_STAGED, REPLAY_PAI_SPECIES, type BenchPaiSpecies } from './actors.ts'
import type { Played } from './play.ts'

/** How often a species passed as live. */
export interface Rate {
  readonly accepted: number
  readonly sessions: number
  /** Null without a session. */
  readonly rate: number | null
  /** Wilson interval of the rate, assuming independent sessions; sessions of one person are not independent. */
  readonly ci95: readonly [number, number]
}

interface TypeFigures {
  /** Share of live persons who did not pass. */
  readonly bpcer: number | null
  readonly bpcerCi95: readonly [number, number]
  /** Share of attacks that passed; `replay` is the worse of the two kinds of replay. */
  readonly apcer: Readonly<Record<string, number | null>>
  /** Live sessions. */
  readonly n: number
  readonly replayIs: string | null
  readonly species: Readonly<Partial<Record<BenchPaiSpecies, Rate & PaiSpeciesDetails>>>
  /** Time from the last picture to the verdict, and the simulated duration of sessions of live persons. */
  readonly verdictMs: Quantiles | null
  readonly sessionMs: Quantiles | null
}

interface PaiSpeciesDetails {
  /** Sessions that ended before the attack could be staged; not counted. */
  readonly notStaged: number
  readonly variants: Readonly<Record<string, { readonly accepted: number; readonly sessions: number }>>
  /** Codes and reasons of sessions that did not pass → number of sessions. */
  readonly reasons: Readonly<Record<string, number>>
}

export interface Quantiles {
  readonly median: number
  readonly p95: number
}

export function computeFigures(sessions: readonly Played[]): Readonly<Record<string, TypeFigures>> {
  const types = [...new Set(sessions.map(({ type }) => type))]
  return Object.fromEntries(types.map((type) => [type, typeFigures(sessions, type)]))
}

function typeFigures(all: readonly Played[], type: LivenessType): TypeFigures {
  const sessions = all.filter((played) => played.type === type)
  const names = [...new Set(sessions.map(({ species }) => species))]
  const species = Object.fromEntries(
    names.map((name) => [name, speciesFigures(sessions.filter((played) => played.species === name))]),
  ) as Partial<Record<BenchPaiSpecies, Rate & PaiSpeciesDetails>>
  const live = species.live
  const rejected = live ? live.sessions - live.accepted : 0
  const findRate = (name: BenchPaiSpecies): number => species[name]?.rate ?? -1
  const replays = REPLAY_PAI_SPECIES.filter((name) => findRate(name) >= 0)
  const worst = [...replays].sort((a, b) => findRate(b) - findRate(a))[0] ?? null
  const attacks = names.filter((name) => name !== 'live' && !replays.some((replay) => replay === name))
  const liveSessions = sessions.filter((played) => played.species === 'live')
  return {
    bpcer: live?.rate === undefined || live.rate === null ? null : rejected / live.sessions,
    bpcerCi95: wilson95(rejected, live?.sessions ?? 0),
    apcer: {
      ...Object.fromEntries(attacks.map((name) => [name, species[name]?.rate ?? null])),
      ...(worst ? { replay: findRate(worst) } : {}),
    },
    n: live?.sessions ?? 0,
    replayIs: worst,
    species,
    verdictMs: quantiles(liveSessions.map(({ verdict }) => verdict.elapsedMs)),
    sessionMs: quantiles(liveSessions.map(({ durationMs }) => durationMs)),
  }
}

function speciesFigures(all: readonly Played[]): Rate & PaiSpeciesDetails {
  const sessions = all.filter(isStaged)
  const accepted = sessions.filter(({ verdict }) => verdict.isLive).length
  const variants: Record<string, { accepted: number; sessions: number }> = {}
  const reasons: Record<string, number> = {}
  for (const { variant, verdict } of sessions) {
    const counts = (variants[variant] ??= { accepted: 0, sessions: 0 })
    counts.sessions++
    if (verdict.isLive) counts.accepted++
    else for (const reason of new Set(verdict.reasons)) reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  return {
    accepted,
    sessions: sessions.length,
    rate: sessions.length === 0 ? null : accepted / sessions.length,
    ci95: wilson95(accepted, sessions.length),
    notStaged: all.length - sessions.length,
    variants,
    reasons,
  }
}

function isStaged({ variant, verdict }: Played): boolean {
  return variant !== NOT_STAGED && verdict.status !== NOT_STAGED
}

const P95 = 0.95

export function quantiles(values: readonly number[]): Quantiles | null {
  const middle = median(values)
  if (middle === null) return null
  const sorted = [...values].sort((a, b) => a - b)
  return { median: Math.round(middle), p95: Math.round(sorted[Math.ceil(P95 * sorted.length) - 1]) }
}

/** Formats the figures as a table. */
export function describeFigures(types: Readonly<Record<string, TypeFigures>>): string {
  const lines = Object.entries(types).flatMap(([type, figures]) => [
    type,
    ...Object.entries(figures.species).map(([name, rate]) => describeRate(name, rate)),
    ...(figures.replayIs ? [`  replay in the figures is ${figures.replayIs}`] : []),
    `  verdict after ${describe(figures.verdictMs)} ms, a live session lasts ${describe(figures.sessionMs)} ms`,
  ])
  return `${lines.join('\n')}\n`
}

function describeRate(name: string, { accepted, sessions, notStaged, reasons }: Rate & PaiSpeciesDetails) {
  const errors = name === 'live' ? sessions - accepted : accepted
  const [low, high] = wilson95(errors, sessions).map((bound) => (100 * bound).toFixed(1))
  const share = sessions === 0 ? '-' : ((100 * errors) / sessions).toFixed(1)
  const why = Object.entries(reasons)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ')
  const unstaged = notStaged > 0 ? ` (${notStaged} not staged)` : ''
  return `  ${name.padEnd(15)} ${errors}/${sessions} = ${share} % [${low}, ${high}]${unstaged}  ${why}`
}

function describe(values: Quantiles | null): string {
  return values ? `${values.median} (95 %: ${values.p95})` : '-'
}
