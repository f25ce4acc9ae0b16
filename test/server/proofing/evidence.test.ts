/** The states of one piece of evidence, and which kind it is. */
import { describe, expect, test } from 'vitest'
import {
  findCurrent,
  isUndecided,
  deriveKind,
  moveEvidence,
  NOT_YET_EVALUATED,
} from '../../../server/proofing/evidence.ts'
import type { EvidenceStatus } from '../../../server/proofing/types.ts'
import { anEvidence } from '../../support/store.ts'

const STATES = ['PROCESSING', 'ADJUDICATION', 'VERIFIED', 'INVALID', 'NOT_VERIFIED'] as const

describe('a state', () => {
  test.each<readonly [EvidenceStatus, readonly EvidenceStatus[]]>([
    ['PROCESSING', ['ADJUDICATION', 'VERIFIED', 'INVALID', 'NOT_VERIFIED']],
    ['ADJUDICATION', ['ADJUDICATION', 'VERIFIED', 'INVALID', 'NOT_VERIFIED']],
    ['VERIFIED', ['PROCESSING']],
    ['INVALID', ['PROCESSING']],
    ['NOT_VERIFIED', ['PROCESSING', 'ADJUDICATION']],
  ])('%s may become %j and nothing else', (status, next) => {
    const evidence = anEvidence('i', { status })
    for (const to of STATES) {
      if (next.includes(to)) expect(moveEvidence(evidence, to), to).toEqual({ ...evidence, status: to })
      else expect(() => moveEvidence(evidence, to), to).toThrow('transition_refused')
    }
  })

  test('of what was deleted changes no more, and the refusal names both states', () => {
    const deleted = anEvidence('i', { status: 'PROCESSING', deletedAt: new Date(0) })
    try {
      moveEvidence(deleted, 'VERIFIED')
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ details: { from: 'PROCESSING', to: 'VERIFIED' } })
    }
  })

  test('is undecided while a machine or a person is at it', () => {
    expect(STATES.filter(isUndecided)).toEqual(['PROCESSING', 'ADJUDICATION'])
  })
})

test('a document is of another kind when it came as text, or is a Medicare card', () => {
  const document = { family: 'IDDOCUMENT', type: 'PASSPORT', content: {} } as const
  expect(deriveKind(document)).toBe('IDDOCUMENT')
  expect(deriveKind({ ...document, content: { submittedAsText: true } })).toBe('IDDOCUMENT_TEXT')
  expect(deriveKind({ ...document, type: 'MEDICARE', content: { submittedAsText: true } })).toBe('MEDICARE')
  expect(deriveKind({ family: 'PORTRAIT', type: 'PORTRAIT', content: {} } as never)).toBe('PORTRAIT')
})

test('the last of its family that was not deleted is the one that counts', () => {
  const [first, second] = [anEvidence('i'), anEvidence('i')]
  const deleted = anEvidence('i', { deletedAt: new Date(0) })
  const portrait = anEvidence('i', { family: 'PORTRAIT' })
  expect(findCurrent([first, second, deleted, portrait], 'IDDOCUMENT')).toBe(second)
  expect(findCurrent([deleted, portrait], 'IDDOCUMENT')).toBeUndefined()
})

test('evidence that was just made says nothing of itself yet', () => {
  expect(NOT_YET_EVALUATED).toEqual({
    positiveIndicators: [],
    warningIndicators: [],
    blockingIndicators: [],
    unverifiedIndicators: [],
    errors: [],
    mandatoryMissing: [],
    strengthRule: '',
    scoreRule: '',
  })
  expect(anEvidence('i')).toMatchObject({
    status: 'PROCESSING',
    score: 'LEVEL0',
    evaluatedAt: null,
    deletedAt: null,
    matchedReferenceId: null,
    revision: 1,
  })
})
