import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import {
  AUTHENTICITY_FILE,
  loadAuthenticityLimits,
} from '../../../server/verification/authenticity-limits.ts'
import { AUTHENTICITY_SIGNALS } from '../../../server/vision/protocol.ts'

test('every optical signal has a threshold and measured error rates with their source', () => {
  const { measured, thresholds } = loadAuthenticityLimits()
  for (const name of AUTHENTICITY_SIGNALS) {
    expect(thresholds[name]).toBeGreaterThan(0)
    expect(measured[name]?.source, name).toContain('bench:authenticity')
    expect(measured[name]?.falseAlarms.trials, name).toBeGreaterThan(30)
  }
})

test('a kind of document without a rule of its own has the rule for all others, a state its own', () => {
  const { dates } = loadAuthenticityLimits()
  expect(dates('PASSPORT', null).validYears).toBe(15)
  expect(dates('VOTER_CARD', null)).toEqual(dates(null, null))
  expect(dates('DRIVING_LICENSE', 'USA-AZ').validYears).toBeGreaterThan(
    dates('DRIVING_LICENSE', 'USA-CA').validYears,
  )
})

test('a file without a threshold refuses the start by name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'authenticity-'))
  try {
    const file = JSON.parse(readFileSync(AUTHENTICITY_FILE, 'utf8')) as {
      thresholds: Record<string, unknown>
    }
    delete file.thresholds.PHOTOCOPY
    const path = join(folder, 'authenticity.json')
    writeFileSync(path, JSON.stringify(file))
    expect(() => loadAuthenticityLimits(path)).toThrow(AppError)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
