/** The consent. Without it the appliance stores nothing about the applicant but a count. */
import { fieldProblem } from '../../errors.ts'
import type { ConsentType, KeyValue } from '../../proofing/types.ts'
import type { ConsentAnswer } from '../contract/visit.ts'
import { requireStep, change, type Turn } from '../kit.ts'
import { listOptionalConsents, listRequiredConsents } from '../step-views.ts'
import type { z } from 'zod'

type Consented = z.output<typeof ConsentAnswer>

/** Records the answer. False after a refusal: the visit is over. */
export async function answerConsent(turn: Turn, answer: Consented): Promise<boolean> {
  const { kit, session, caller } = turn
  const { workflows, log, journey } = kit.deps
  const known = await requireStep(turn, 'consent')
  if (!answer.approved) {
    log.info({ sessionId: session.id }, 'an applicant refused consent; nothing is stored')
    return false
  }
  const optional = listOptionalConsents(known)
  if (!answer.optional.every((type) => optional.some((asked) => asked === type))) {
    throw fieldProblem('unknown', 'optional', 'was not asked')
  }
  const required = listRequiredConsents(known)
  const declined = optional.filter((type) => !answer.optional.includes(type))
  const says = (approved: boolean) => (type: ConsentType) => ({ type, approved })
  const context: KeyValue[] = [
    { key: 'CHANNEL', value: 'KIOSK' },
    { key: 'JOURNEY', value: `${journey.id}/${journey.version}` },
    ...describePresentation(answer, session.language),
  ]
  session.identityId ??= (await workflows.createIdentity(caller, { context })).id
  await workflows.recordConsents(caller, session.identityId, [
    ...required.map(says(true)),
    ...optional.filter((type) => !declined.includes(type)).map(says(true)),
    ...declined.map(says(false)),
  ])
  change(turn, { consented: true })
  kit.record.bind(session, session.identityId)
  return true
}

/** Records the language of the question and how it was presented, as evidence of the consent. */
function describePresentation({ presentation }: Consented, language: string): readonly KeyValue[] {
  const shown = presentation ?? { language, readAll: false, listened: false }
  const how = ['SCREEN', ...(shown.readAll ? ['READ_IN_FULL'] : []), ...(shown.listened ? ['LISTENED'] : [])]
  return [
    { key: 'CONSENT_LANGUAGE', value: shown.language },
    { key: 'CONSENT_PRESENTATION', value: how.join('+') },
  ]
}
