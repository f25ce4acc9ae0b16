/** Whether the appliance may restart by itself: only while no proofing is in progress. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isQuiet } from '../../../server/sync/quiet.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const MINUTE_MS = 60_000

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => t.close())

const quiet = () => isQuiet({ store: t.store, clock: { now: () => NOW } })
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE_MS)
const happens = (identityId: string | null, at: Date) =>
  t.store.transaction(() => {
    if (identityId === null) t.store.events.append('appliance.thawed', null, { reasons: [] }, at)
    else t.store.events.append('identity.created', identityId, { status: 'EXPECTING_INPUT' }, at)
  })

test('an appliance that nothing has happened on is quiet', () => {
  expect(quiet()).toBe(true)
})

test('a job that waits is work', () => {
  const { id } = t.addIdentity()
  t.store.transaction(() => t.store.jobs.add('run-fraud-checks', id, {}, minutesAgo(60)))
  expect(quiet()).toBe(false)
})

test('an open identity keeps the appliance for twenty minutes after what happened to it last', () => {
  const { id } = t.addIdentity()
  happens(id, minutesAgo(21))
  expect(quiet()).toBe(true)
  happens(id, minutesAgo(20))
  expect(quiet()).toBe(false)
})

test('an identity that is closed or erased does not keep the appliance', () => {
  const closed = t.addIdentity()
  t.store.transaction(() => t.store.identities.save({ ...closed, status: 'CLOSED' }))
  happens(closed.id, minutesAgo(1))
  happens('01890a5d-ac96-774b-bcce-b302099a8058', minutesAgo(1))
  happens(null, minutesAgo(1))
  expect(quiet()).toBe(true)
})

test('an open identity is found behind hundreds of later events about others', () => {
  const open = t.addIdentity()
  happens(open.id, minutesAgo(15))
  for (let count = 0; count < 450; count++) happens(null, minutesAgo(10))
  expect(quiet()).toBe(false)
})
