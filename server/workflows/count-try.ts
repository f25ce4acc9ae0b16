/** Counts the tries of a visit where they happen: each capture that was handed in and each passcode that was typed. */
import type { Context } from '../context.ts'

const STEP_OF = { DOCUMENT: 'document', PORTRAIT: 'portrait', PASSCODE: 'phone' } as const

/** Inside a transaction. An identity without a running visit (of a relying service) is not counted. */
export function countTry({ store, clock }: Context, identityId: string, code: keyof typeof STEP_OF): void {
  const visit = store.visits.findByIdentity(identityId)
  if (!visit || visit.endedAt !== null) return
  store.visits.note({ visitId: visit.id, at: clock.now(), step: STEP_OF[code], kind: 'TRY', code })
}
