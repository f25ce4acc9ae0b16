import { describe, expect, test } from 'vitest'
import { isAdjudicable, isAwaited, moveAdjudication } from '../../../server/proofing/adjudication.ts'
import { NOT_YET_EVALUATED, type EvidenceFamily } from '../../../server/proofing/evidence.ts'
import {
  ADJUDICATION_STATUSES,
  EVIDENCE_STATUSES,
  type AdjudicationStatus,
} from '../../../server/proofing/types.ts'

/** Who gives it back leaves it to the next; who is unsure hands on to a second person, whose time runs out likewise. */
const ALLOWED = new Set([
  'TO_PROCESS → PROCESSING',
  'TO_PROCESS → TIME_OUT',
  'PROCESSING → TO_PROCESS',
  'PROCESSING → ACCEPTED',
  'PROCESSING → REJECTED',
  'PROCESSING → UNSURE',
  'PROCESSING → ERROR',
  'PROCESSING → TIME_OUT',
  'UNSURE → PROCESSING',
  'UNSURE → TIME_OUT',
])

function isAllowed(from: AdjudicationStatus, to: AdjudicationStatus): boolean {
  try {
    return moveAdjudication({ status: from }, to).status === to
  } catch (error) {
    expect(error).toMatchObject({ code: 'transition_refused', details: { from, to } })
    return false
  }
}

describe('a request for adjudication', () => {
  test('moves by the table and in no other way', () => {
    const moves = ADJUDICATION_STATUSES.flatMap((from) =>
      ADJUDICATION_STATUSES.filter((to) => isAllowed(from, to)).map((to) => `${from} → ${to}`),
    )
    expect(new Set(moves)).toEqual(ALLOWED)
  })

  test('awaits an answer until it is accepted, rejected, in error or out of time', () => {
    expect(ADJUDICATION_STATUSES.filter(isAwaited)).toEqual(['TO_PROCESS', 'PROCESSING', 'UNSURE'])
  })
})

test('only a document or a portrait without a verdict can be sent to a person', () => {
  const families: readonly EvidenceFamily[] = [
    'IDDOCUMENT',
    'PORTRAIT',
    'ATTRIBUTES',
    'ADDRESS',
    'TRUSTED_ID_CLAIM',
    'ID_CLAIM',
    'CONTACT',
  ]
  const sendable = families.flatMap((family) =>
    EVIDENCE_STATUSES.filter((status) =>
      isAdjudicable({ family, status, evaluation: NOT_YET_EVALUATED }),
    ).map((status) => `${family} ${status}`),
  )
  expect(sendable).toEqual(['IDDOCUMENT NOT_VERIFIED', 'PORTRAIT NOT_VERIFIED'])
})
