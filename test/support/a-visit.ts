/** A visit at the kiosk that has just begun; tests override its members. */
import { v7 as uuidv7 } from 'uuid'
import type { Visit } from '../../server/store/visits.ts'

export function buildVisit(startedAt: Date, over: Partial<Visit> = {}): Visit {
  return {
    id: uuidv7(),
    identityId: null,
    channel: 'KIOSK',
    journey: 'default/1',
    language: 'en',
    reference: null,
    step: 'document',
    startedAt,
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
    ...over,
  }
}
