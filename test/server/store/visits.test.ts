/** Visits and their notes: counted by the branch, without names, found by a code that is not stored. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Visit } from '../../../server/store/visits.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let held: TestStore
beforeEach(() => {
  held = openTestStore()
})
afterEach(() => held.close())

const later = (ms: number): Date => new Date(AT.getTime() + ms)

function aVisit(over: Partial<Visit> = {}): Visit {
  const visit: Visit = {
    id: 'v1',
    identityId: null,
    channel: 'KIOSK',
    journey: 'default/2',
    language: 'en',
    reference: null,
    step: 'consent',
    startedAt: AT,
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
    ...over,
  }
  held.store.visits.add(visit)
  return visit
}

test('a visit comes back as it was saved', () => {
  const visit = aVisit()
  const saved: Visit = {
    ...visit,
    language: 'ar',
    reference: '7K4P-2M9X',
    step: 'portrait',
    endedAt: later(5),
    outcome: 'PERSON',
    helpAskedAt: later(3),
    helpAnswer: 'COMING',
    takenOverBy: 'staff-1',
    sent: { at: later(2), because: 'CHOSEN' },
    held: { by: 'staff-1', at: later(4) },
    closedAt: later(5),
  }
  held.store.visits.save(saved)
  expect(held.store.visits.find('v1')).toEqual(saved)
  expect(held.store.visits.findByReference('7K4P-2M9X')).toEqual(saved)
  expect(held.store.visits.find('v2')).toBeNull()
})

test('a code finds its visit however it is typed, is no part of the file, and gives way to the next one', () => {
  aVisit()
  held.store.visits.setCode('v1', '10ABC-DEF0Z')
  for (const typed of ['10ABC-DEF0Z', '10abcdef0z', 'lOabc def0z', ' iO-ABC-DEFOZ ']) {
    expect(held.store.visits.findByCode(typed)?.id).toBe('v1')
  }
  expect(held.store.visits.findByCode('10ABC-DEF1Z')).toBeNull()
  for (const file of readdirSync(held.dataDir).filter((name) => name.includes('sqlite'))) {
    expect(readFileSync(join(held.dataDir, file)).toString('latin1')).not.toMatch(/10ABC-?DEF0Z/)
  }
  held.store.visits.setCode('v1', 'ZZZZZ-ZZZZZ')
  expect(held.store.visits.findByCode('10ABC-DEF0Z')).toBeNull()
})

test('what is saved later does not take the code away', () => {
  const visit = aVisit()
  held.store.visits.setCode('v1', '10ABC-DEF0Z')
  held.store.visits.save({ ...visit, step: 'result' })
  expect(held.store.visits.findByCode('10ABC-DEF0Z')?.step).toBe('result')
})

test('of a short reference that comes twice the newest visit is meant', () => {
  aVisit({ reference: '7K4P-2M9X' })
  aVisit({ id: 'v2', reference: '7K4P-2M9X', startedAt: later(1) })
  expect(held.store.visits.findByReference('7K4P-2M9X')?.id).toBe('v2')
})

test('an erased person is forgotten, the visit is counted on', () => {
  const { id } = held.addIdentity()
  aVisit({ identityId: id })
  expect(held.store.visits.findByIdentity(id)?.id).toBe('v1')
  held.store.transaction(() => held.store.erasures.deleteRows(id))
  expect(held.store.visits.find('v1')).toMatchObject({ identityId: null })
})

test('notes stand in the order in which they were made, and go with their visit', () => {
  aVisit({ endedAt: later(10) })
  aVisit({ id: 'v2', startedAt: later(1) })
  const note = (visitId: string, code: string, ms: number) =>
    held.store.visits.note({ visitId, at: later(ms), step: 'document', kind: 'GUIDANCE', code })
  note('v1', 'DOCUMENT_GLARE', 2)
  note('v1', 'DOCUMENT_BLUR', 2)
  note('v2', 'DOCUMENT_DARK', 3)
  expect(held.store.visits.listNotes('v1').map(({ code }) => code)).toEqual([
    'DOCUMENT_GLARE',
    'DOCUMENT_BLUR',
  ])
  expect(held.store.visits.notes({ since: AT, until: later(3) })).toHaveLength(2)
  expect(held.store.visits.dropBefore(later(10))).toBe(0)
  expect(held.store.visits.dropBefore(later(11))).toBe(1)
  expect(held.store.visits.listNotes('v1')).toEqual([])
  expect(held.store.visits.listOpen().map(({ id }) => id)).toEqual(['v2'])
})

test('visits are listed newest first, from a moment on and before another', () => {
  aVisit()
  aVisit({ id: 'v2', startedAt: later(1) })
  aVisit({ id: 'v3', startedAt: later(2) })
  const { visits } = held.store
  expect(visits.list({ since: AT, until: later(2) }).map(({ id }) => id)).toEqual(['v2', 'v1'])
})
