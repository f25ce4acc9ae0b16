import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Played } from '../../../../../server/tools/bench/liveness/play.ts'
import { isSamePlan, openPlayedSessions } from '../../../../../server/tools/bench/liveness/played-sessions.ts'

const newFile = () => join(mkdtempSync(join(tmpdir(), 'played-')), 'sessions.jsonl')
const played = (index: number): Played => ({
  type: 'LIVENESS_MLC',
  species: 'flat',
  index,
  seed: 1,
  person: 3,
  variant: 'matt',
  frames: 90,
  durationMs: 8000,
  prompts: ['1 LOOK_STRAIGHT 1'],
  hints: {},
  verdict: {
    isLive: false,
    status: 'NOT_VERIFIED',
    reasons: ['DEPTH_TOO_FLAT'],
    measured: {},
    record: null,
    elapsedMs: 3,
  },
})

describe('a file of played sessions', () => {
  test('gives an interrupted bench the sessions that it has, without the one that was cut off', () => {
    const file = newFile()
    const first = openPlayedSessions(file, { noise: 'high' })
    first.add(played(0))
    first.add(played(1))
    appendFileSync(file, JSON.stringify(played(2)).slice(0, 40))
    const second = openPlayedSessions(file, { noise: 'high' })
    expect(second.earlier).toEqual([played(0), played(1)])
    second.add(played(2))
    expect(openPlayedSessions(file, { noise: 'high' }).earlier).toHaveLength(3)
  })

  test('is refused for sessions of other settings', () => {
    const file = newFile()
    openPlayedSessions(file, { noise: 'high' })
    expect(() => openPlayedSessions(file, { noise: 'low' })).toThrow('other options')
  })

  test('tells sessions apart by type, species, index and seed', () => {
    expect(isSamePlan(played(0), { ...played(0), person: 9 } as Played)).toBe(true)
    for (const other of [
      { index: 1 },
      { seed: 2 },
      { species: 'bent' },
      { type: 'LIVENESS_ACTIVE' },
    ] as const)
      expect(isSamePlan(played(0), { ...played(0), ...other })).toBe(false)
  })
})
