import { expect, test } from 'vitest'
import { isWithinLimit, MAX_ASKED } from '../../../server/proofing/asked-limit.ts'
import { createEvidence, type Evidence } from '../../../server/proofing/evidence.ts'

const anAddress = (id: string, content: Evidence['content'] = {}) =>
  createEvidence({
    id,
    identityId: 'i1',
    family: 'ADDRESS',
    type: 'ADDRESS',
    strength: 'LEVEL1',
    submittedAt: new Date(0),
    content,
  })

test('a source is asked about the first five of a kind, and about one more only if fewer were submitted', () => {
  const submitted = Array.from({ length: MAX_ASKED + 1 }, (_, at) => anAddress(`e${at}`))
  const allowed = submitted.map((one) => isWithinLimit(one, submitted))
  expect(allowed).toEqual([true, true, true, true, true, false])
  const next = { family: 'ADDRESS', id: null } as const
  expect(isWithinLimit(next, submitted.slice(0, 4))).toBe(true)
  expect(isWithinLimit(next, submitted.slice(0, 5))).toBe(false)
  expect(isWithinLimit({ family: 'ID_CLAIM', id: null }, submitted)).toBe(true)
})

test('an address that the appliance derived does not count, and a deleted one does', () => {
  const derived = Array.from({ length: 9 }, (_, at) => anAddress(`d${at}`, { derived: true }))
  const deleted = { ...anAddress('e0'), deletedAt: new Date(1) }
  const last = anAddress('e1')
  expect(isWithinLimit(last, [...derived, deleted, last])).toBe(true)
  const four = Array.from({ length: 4 }, (_, at) => ({ ...anAddress(`f${at}`), deletedAt: new Date(1) }))
  expect(isWithinLimit(last, [deleted, ...four, last])).toBe(false)
})
