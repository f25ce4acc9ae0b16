/** DOCUMENT_STATUS: asks the imported list, the outside register of documents and the register of known fraud. */
import type { Context } from '../../context.ts'
import {
  documentName,
  judgeDocumentStatus,
  type RegisterAnswer,
} from '../../proofing/antifraud/document-status.ts'
import type { Finding } from '../../proofing/antifraud/finding.ts'
import { combineFindings, judgeKnownFraud, namePerson } from '../../proofing/antifraud/known-fraud.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { getToday } from '../../proofing/time.ts'
import { askRegister } from './ask-register.ts'
import { findPerson } from './named-person.ts'
import { includesElected, type FraudSubjects, type FraudCheckResult } from './subjects.ts'

export async function checkDocumentStatus(ctx: Context, subjects: FraudSubjects): Promise<FraudCheckResult> {
  const documents = subjects.verified.flatMap(({ id, content: { document } }) => {
    const name = document && documentName(document)
    return name ? [{ id, name }] : []
  })
  const calls: OutsideCall[] = []
  const [, today] = getToday(ctx.time.statement())
  const status = await askDocumentRegisters(ctx, subjects, documents, today, calls)
  const fraud = await askFraudRegister(ctx, subjects, documents, today, calls)
  return {
    subjects: documents.map(({ id }) => id),
    calls,
    finding: fraud ? combineFindings(status, fraud) : status,
  }
}

/** Evidence by the name of what it shows. */
interface Named {
  readonly id: string
  readonly name: string
}

async function askDocumentRegisters(
  ctx: Context,
  subjects: FraudSubjects,
  documents: readonly Named[],
  today: string,
  calls: OutsideCall[],
): Promise<Finding> {
  const names = documents.map(({ name }) => name)
  const remote = ctx.documentRegister && names.length > 0 ? [await askRemote(ctx, names, calls)] : []
  const facts = {
    asked: names.length,
    electedWasAsked: includesElected(
      subjects,
      documents.map(({ id }) => id),
    ),
  }
  return judgeDocumentStatus(
    facts,
    [...askLocal(ctx, names), ...remote],
    ctx.config.antifraud.documentStatus,
    today,
  )
}

function askLocal({ store }: Context, names: readonly string[]): readonly RegisterAnswer[] {
  const register = store.documentRegisters.current()
  if (!register) return []
  const { name, date, sha256, coversDeaths } = register
  const found = names.flatMap((document) => store.documentRegisters.find(document))
  const common = { source: 'LOCAL', outcome: 'ANSWERED', authoritative: false } as const
  return [{ ...common, name, date, sha256, coversDeaths, found }]
}

async function askRemote(
  { documentRegister: register }: Context,
  names: readonly string[],
  calls: OutsideCall[],
): Promise<RegisterAnswer> {
  if (!register) return { source: 'REMOTE', outcome: 'UNREACHABLE', reason: 'unreachable' }
  const questions = names.map((name) => ({ name, value: 'documentHashRange' as const }))
  const answer = await askRegister('document-status', register, questions, calls)
  if (answer.kind === 'unavailable')
    return { source: 'REMOTE', outcome: 'UNREACHABLE', reason: answer.reason }
  const { name, date, coversDeaths, found } = answer
  const { authoritative } = register
  const reasons = found.map(({ reason }) => reason)
  return { source: 'REMOTE', outcome: 'ANSWERED', name, date, authoritative, coversDeaths, found: reasons }
}

/** Null without a register of known fraud. A person whose name no register can have leaves the question open. */
async function askFraudRegister(
  ctx: Context,
  subjects: FraudSubjects,
  documents: readonly Named[],
  today: string,
  calls: OutsideCall[],
): Promise<Finding | null> {
  if (!ctx.fraudRegister) return null
  const persons = subjects.verified.flatMap((evidence) => {
    // Nothing of a claim goes to this register.
    const person = evidence.family === 'ID_CLAIM' ? null : findPerson(evidence)
    const names = person && namePerson(person)
    return names ? [{ id: evidence.id, ...names }] : []
  })
  const questions = [
    ...documents.map(({ name }) => ({ name, value: 'documentHashRange' as const })),
    ...[...new Map(persons.map(({ name, wholeName }) => [wholeName, name]))].map(([wholeName, name]) => ({
      name,
      wholeName,
      value: 'personHashRange' as const,
    })),
  ]
  const isElectedIn = (named: readonly Named[]): boolean =>
    named.length > 0 &&
    includesElected(
      subjects,
      named.map(({ id }) => id),
    )
  const answer =
    questions.length > 0 ? await askRegister('fraud-register', ctx.fraudRegister, questions, calls) : null
  return judgeKnownFraud(
    { electedWasAsked: isElectedIn(documents) && isElectedIn(persons) },
    answer === null
      ? { outcome: 'NOT_ASKED' }
      : answer.kind === 'unavailable'
        ? { outcome: 'UNREACHABLE', reason: answer.reason }
        : { ...answer, outcome: 'ANSWERED' },
    ctx.config.antifraud.documentStatus,
    today,
  )
}
