/** Counts of a mutation report, by folder. Pure; never reads or runs anything. */

/** What is read of Stryker's report (mutation-testing-report-schema, version 2). */
export interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

export interface Mutant {
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

export interface Counted {
  readonly mutants: number
  /** A test failed, or the mutant never came to an end. */
  readonly killed: number
  readonly survived: number
  /** No test ran the mutant's place: counted against us like a survivor. */
  readonly notReached: number
  /** Percent killed of all, rounded down to a tenth; null without a mutant. */
  readonly score: number | null
}

const KILLED: ReadonlySet<string> = new Set(['Killed', 'Timeout'])

export function countedIn(mutants: readonly Mutant[]): Counted {
  const having = (status: string) => mutants.filter((mutant) => mutant.status === status).length
  const killed = mutants.filter(({ status }) => KILLED.has(status)).length
  const survived = having('Survived')
  const notReached = having('NoCoverage')
  const all = killed + survived + notReached
  return {
    mutants: all,
    killed,
    survived,
    notReached,
    score: all === 0 ? null : Math.floor((killed / all) * 1000) / 10,
  }
}

/** One row per folder under `root`; the files beside the folders are the row `.`. */
export function countByFolder(report: Report, root: string): Record<string, Counted> {
  const byFolder = new Map<string, Mutant[]>()
  for (const [path, { mutants }] of Object.entries(report.files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [folder, ...below] = path.slice(root.length).split('/')
    const name = below.length > 0 ? folder : '.'
    byFolder.set(name, [...(byFolder.get(name) ?? []), ...mutants])
  }
  return Object.fromEntries([...byFolder].map(([name, mutants]) => [name, countedIn(mutants)]))
}

export function survivorsOf(report: Report): string[] {
  return Object.entries(report.files).flatMap(([path, { mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ status, mutatorName, replacement = '', location: { start } }) => {
        const instead = replacement.replace(/\s+/g, ' ').slice(0, 100)
        const notReached = status === 'NoCoverage' ? ' (not reached)' : ''
        return `${path}:${start.line}:${start.column} ${mutatorName}${notReached} → ${instead}`
      }),
  )
}
