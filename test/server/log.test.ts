/** The log for journald: each line begins with its priority, which journald takes off. */
import { expect, test } from 'vitest'
import { createLog, withPriorities } from '../../server/log.ts'

test('each line has the priority of its level, and the rest of the line is JSON with an ISO time', () => {
  const lines: string[] = []
  const log = createLog(withPriorities({ write: (line) => void lines.push(line) }))
  log.info({}, 'the appliance is ready')
  log.warn({ jobs: 1 }, 'a job failed')
  log.error({}, 'a job is parked')
  expect(lines.map((line) => line.slice(0, 4))).toEqual(['<6>{', '<4>{', '<3>{'])
  const parsed = JSON.parse(lines[1]?.slice(3) ?? '') as { time: string }
  expect(parsed).toMatchObject({ msg: 'a job failed', jobs: 1 })
  expect(parsed.time).toBe(new Date(parsed.time).toISOString())
})
