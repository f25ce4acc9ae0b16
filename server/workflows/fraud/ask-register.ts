/** Asks one register about several documents and persons. Only five digits of each hash leave the appliance. */
import { buildRangeQuestion, hashName } from '../../connectors/service/range.ts'
import type { RangeRegister, RegisterEntry, RegisterRange } from '../../connectors/service/range-register.ts'
import type { Unavailable } from '../../connectors/service/json-answer.ts'
import type { ConnectorId, OutsideCall, ValueName } from '../../proofing/disclosure.ts'

interface Question {
  /** Canonical name of a document or person. */
  readonly name: string
  readonly value: ValueName
  /** The person's name with all given names. */
  readonly wholeName?: string
}

interface FoundEntry<Reason extends string> {
  readonly reason: Reason
  /** The entry is about a person of the name that was asked, with other given names or none. */
  readonly isNamesake: boolean
}

type RegisterAnswer<Reason extends string> =
  | (Omit<RegisterRange<Reason>, 'entries'> & { readonly found: readonly FoundEntry<Reason>[] })
  | Pick<Unavailable, 'kind' | 'reason'>

const NEVER_ASKED = { kind: 'unavailable', reason: 'unreachable' } as const

/** One query per name; if one gets no answer, all count as unanswered. Adds each call to `calls`. */
export async function askRegister<Reason extends string>(
  connector: ConnectorId,
  register: RangeRegister<Reason>,
  questions: readonly Question[],
  calls: OutsideCall[],
): Promise<RegisterAnswer<Reason>> {
  const found: FoundEntry<Reason>[] = []
  let last: RegisterRange<Reason> | null = null
  for (const { name, value, wholeName = name } of questions) {
    const { range, suffix } = buildRangeQuestion(name)
    const { effort, ...outcome } = await register.ask(range)
    const trouble = outcome.kind === 'unavailable' ? outcome.reason : null
    calls.push({ connector, values: [value], trouble, ...effort })
    if (outcome.kind === 'unavailable') {
      // A finding about another name still counts.
      if (last && found.length > 0) break
      return { kind: 'unavailable', reason: outcome.reason }
    }
    last = outcome
    const isOther = ({ wholeName: known }: RegisterEntry<Reason>): boolean =>
      (known ?? hashName(name)) !== hashName(wholeName)
    found.push(
      ...outcome.entries
        .filter((entry) => entry.suffix === suffix)
        .map((entry) => ({ reason: entry.reason, isNamesake: isOther(entry) })),
    )
  }
  return last ? { ...last, found } : NEVER_ASKED
}
