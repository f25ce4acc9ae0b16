/** The page that receivers are built by says what is sent. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STANDARD_SCHEDULE_MS } from '../../../server/outgoing/back-off.ts'
import { WEBHOOK_EVENTS } from '../../../server/webhooks/event-types.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../server/webhooks/README.md'), 'utf8')

test('every type stands in the table with its members, and no other', () => {
  const rows = [...PAGE.matchAll(/^\| `([a-z]+\.[a-z_]+)`\s*\|(.*)\|$/gm)]
  const documented = rows.map(([, type, members = '']) => [
    type,
    [...members.matchAll(/`(\w+)`/g)].map(([, member]) => member),
  ])
  expect(Object.fromEntries(documented)).toEqual(WEBHOOK_EVENTS)
})

test('the pauses of the page are those of the schedule', () => {
  const inMinutes = STANDARD_SCHEDULE_MS.slice(1).map((ms) => ms / 60_000)
  expect(inMinutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440])
  expect(PAGE).toContain('after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h')
})
