/** Counts a mutation report by folder. Pure; reads no file and runs nothing. */
import { wilson95 } from '../bench/error-rates.ts'
import { isDrawn, type Draw } from './draw.ts'

/** The members of Stryker's report that are used (mutation-testing-report-schema, version 2). */
export interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

export interface Mutant {
  readonly id: string
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

export interface Counted {
  readonly mutants: number
  /** A test failed, or the mutant did not end. */
  readonly killed: number
  readonly survived: number
  /** No test reached the mutant's place; counts as a survivor. */
  readonly notReached: number
  /** Percentage of killed mutants, rounded down to a tenth; null without a mutant. */
  readonly score: number | null
  /** 95 % Wilson interval of the score, if the mutants are a sample. */
  readonly interval: readonly [number, number] | null
}

const EVERY_ONE: Draw = { percent: 100, seed: 0 }
const percent = (share: number): number => Math.round(share * 1000) / 10

const KILLED: ReadonlySet<string> = new Set(['Killed', 'Timeout'])

/** @param draw the mutants that were tried; the runner reports the others as errors */
export function countedIn(all: readonly Mutant[], draw: Draw = EVERY_ONE): Counted {
  const mutants = all.filter(({ id }) => isDrawn(id, draw))
  const having = (status: string) => mutants.filter((mutant) => mutant.status === status).length
  const killed = mutants.filter(({ status }) => KILLED.has(status)).length
  const survived = having('Survived')
  const notReached = having('NoCoverage')
  const counted = killed + survived + notReached
  const [low, high] = wilson95(killed, counted)
  return {
    mutants: counted,
    killed,
    survived,
    notReached,
    score: counted === 0 ? null : Math.floor((killed / counted) * 1000) / 10,
    interval: draw.percent >= 100 || counted === 0 ? null : [percent(low), percent(high)],
  }
}

/** One row per folder under `root`; files beside the folders form the row `.`. */
export function countByFolder(report: Report, root: string, draw?: Draw): Record<string, Counted> {
  const byFolder = new Map<string, Mutant[]>()
  for (const [path, { mutants }] of Object.entries(report.files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [folder, ...below] = path.slice(root.length).split('/')
    const name = below.length > 0 ? folder : '.'
    byFolder.set(name, [...(byFolder.get(name) ?? []), ...mutants])
  }
  return Object.fromEntries([...byFolder].map(([name, mutants]) => [name, countedIn(mutants, draw)]))
}

export function listSurvivors(report: Report, draw: Draw = EVERY_ONE): string[] {
  return Object.entries(report.files).flatMap(([path, { mutants }]) =>
    mutants
      .filter(({ id, status }) => isDrawn(id, draw) && (status === 'Survived' || status === 'NoCoverage'))
      .map(({ status, mutatorName, replacement = '', location: { start } }) => {
        const instead = replacement.replace(/\s+/g, ' ').slice(0, 100)
        const notReached = status === 'NoCoverage' ? ' (not reached)' : ''
        return `${path}:${start.line}:${start.column} ${mutatorName}${notReached} → ${instead}`
      }),
  )
}
