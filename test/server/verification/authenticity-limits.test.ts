import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseIsoDate } from '../../../server/proofing/date-plausibility.ts'
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

const NOW = new Date('2026-11-21T12:00:00Z')
const yearsOf = (
  type: string | null,
  issuers: readonly string[],
  birth: string | null,
  issue: string | null,
) =>
  loadAuthenticityLimits().dates(
    type,
    issuers,
    { birth: parseIsoDate(birth), issue: parseIsoDate(issue) },
    NOW,
  ).validYears

test('a kind of document is valid as long as its issuer allows, and one without a rule as long as any', () => {
  expect(yearsOf('PASSPORT', ['SWE'], '1974-08-12', '2020-05-05')).toBe(10.75)
  expect(yearsOf('PASSPORT', ['BLR'], '1950-08-12', '2020-05-05')).toBe(65)
  expect(yearsOf('IDENTITY_CARD', ['FRA'], '1974-08-12', '2010-05-05')).toBe(15)
  expect(yearsOf('IDENTITY_CARD', ['ITA'], '1974-08-12', '2020-05-05')).toBe(11)
  expect(yearsOf('IDENTITY_CARD', ['ITA'], '1950-08-12', '2020-05-05')).toBe(100)
  expect(yearsOf('DRIVING_LICENSE', ['DEU'], '1974-08-12', '2020-05-05')).toBe(15)
  expect(yearsOf('DRIVING_LICENSE', ['DEU'], '1974-08-12', '2010-05-05')).toBe(20)
  expect(yearsOf('DRIVING_LICENSE', ['USA', 'USA-AZ'], '1974-08-12', '2020-05-05')).toBe(50)
  expect(yearsOf('VOTER_CARD', [], null, null)).toBe(yearsOf(null, [], null, null))
})

test('where the birth or the day of issue is not known, no rule for them applies', () => {
  expect(yearsOf('PASSPORT', ['SWE'], null, '2020-05-05')).toBe(65)
  expect(yearsOf('DRIVING_LICENSE', ['DEU'], '1974-08-12', null)).toBe(20)
  // Issued before today, the holder was younger than today.
  expect(yearsOf('PASSPORT', ['SWE'], '1974-08-12', null)).toBe(10.75)
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
