/** WATCHLIST: searches every name of verified evidence in the imported lists, on this machine alone. */
import type { Context } from '../../context.ts'
import { createUnverifiedFinding } from '../../proofing/antifraud/finding.ts'
import { judgeWatchlist, type Screening } from '../../proofing/antifraud/watchlist.ts'
import { statesName } from '../../proofing/assurance/agreement.ts'
import { getToday } from '../../proofing/time.ts'
import { findPerson } from './named-person.ts'
import type { FraudSubjects, FraudCheckResult } from './subjects.ts'

export async function screenPersons(ctx: Context, { verified }: FraudSubjects): Promise<FraudCheckResult> {
  const stating = verified.filter((evidence) => evidence.family === 'ID_CLAIM' || statesName(evidence))
  const persons = stating.flatMap((evidence) => {
    const person = findPerson(evidence)
    return person ? [{ id: evidence.id, person }] : []
  })
  if (persons.length === 0) return { subjects: [], finding: createUnverifiedFinding('WATCHLIST') }
  const screenings: Screening[] = []
  for (const { person } of persons) screenings.push(await ctx.watchlists.screen(person))
  const [, today] = getToday(ctx.time.statement())
  return {
    subjects: persons.map(({ id }) => id),
    finding: judgeWatchlist(findWorst(screenings), ctx.config.antifraud.watchlist, today),
  }
}

/** Returns the closest match, with the entries of all. */
function findWorst(screenings: readonly Screening[]): Screening {
  const worstFirst = ['HIT', 'POSSIBLE', 'UNKNOWN', 'CLEAR'] as const
  const ordered = [...screenings].sort(
    (a, b) =>
      worstFirst.indexOf(a.outcome) - worstFirst.indexOf(b.outcome) || (b.score ?? 0) - (a.score ?? 0),
  )
  return { ...ordered[0], entries: [...new Set(screenings.flatMap(({ entries }) => entries))] }
}
