/** DOCUMENT_STATUS: asks the imported list and the outside register. Only five digits of a hash leave the appliance. */
import { buildRangeQuestion } from '../../connectors/document-status/range.ts'
import type {
  DocumentStatusRegister,
  RegisterRange,
} from '../../connectors/document-status/document-register.ts'
import { documentStatus } from '../../connectors/document-status/manifest.ts'
import type { Context } from '../../context.ts'
import {
  documentName,
  judgeDocumentStatus,
  type RegisterAnswer,
} from '../../proofing/antifraud/document-status.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { getToday } from '../../proofing/time.ts'
import { includesElected, type FraudSubjects, type FraudCheckResult } from './subjects.ts'

export async function checkDocumentStatus(ctx: Context, subjects: FraudSubjects): Promise<FraudCheckResult> {
  const named = subjects.verified.flatMap(({ id, content: { document } }) => {
    const name = document && documentName(document)
    return name ? [{ id, name }] : []
  })
  const names = named.map(({ name }) => name)
  const lookedAt = named.map(({ id }) => id)
  const calls: OutsideCall[] = []
  const remote =
    ctx.documentRegister && names.length > 0 ? [await askRemote(ctx.documentRegister, names, calls)] : []
  const answers = [...askLocal(ctx, names), ...remote]
  const [, today] = getToday(ctx.time.statement())
  const facts = { asked: names.length, electedWasAsked: includesElected(subjects, lookedAt) }
  return {
    subjects: lookedAt,
    calls,
    finding: judgeDocumentStatus(facts, answers, ctx.config.antifraud.documentStatus, today),
  }
}

function askLocal({ store }: Context, names: readonly string[]): readonly RegisterAnswer[] {
  const register = store.documentRegisters.current()
  if (!register) return []
  const { name, date, sha256, coversDeaths } = register
  const found = names.flatMap((document) => store.documentRegisters.find(document))
  const common = { source: 'LOCAL', outcome: 'ANSWERED', authoritative: false } as const
  return [{ ...common, name, date, sha256, coversDeaths, found }]
}

/** One query per document; if one gets no answer, all count as unanswered. Adds each call to `calls`. */
async function askRemote(
  register: DocumentStatusRegister,
  names: readonly string[],
  calls: OutsideCall[],
): Promise<RegisterAnswer> {
  const found: RegisterRange['entries'][number]['reason'][] = []
  let last: RegisterRange | null = null
  for (const { range, suffix } of names.map(buildRangeQuestion)) {
    const { effort, ...outcome } = await register.ask(range)
    const trouble = outcome.kind === 'unavailable' ? outcome.reason : null
    calls.push({ connector: 'document-status', values: documentStatus.discloses, trouble, ...effort })
    if (outcome.kind === 'unavailable') {
      // A finding about another document still counts.
      if (last && found.length > 0) break
      return { source: 'REMOTE', outcome: 'UNREACHABLE', reason: outcome.reason }
    }
    last = outcome
    found.push(...outcome.entries.filter((entry) => entry.suffix === suffix).map(({ reason }) => reason))
  }
  if (!last) return { source: 'REMOTE', outcome: 'UNREACHABLE', reason: 'unreachable' }
  const { name, date, coversDeaths } = last
  const { authoritative } = register
  return { source: 'REMOTE', outcome: 'ANSWERED', name, date, authoritative, coversDeaths, found }
}
