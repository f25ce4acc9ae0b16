/** The console has words for whatever the server may name: nobody reads a code where a sentence belongs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TAMPER_KINDS } from '../../../server/proofing/antifraud/ledger.ts'
import { FREEZE_REASONS } from '../../../server/proofing/freeze.ts'
import { DOCUMENT_TYPES, IDENTITY_STATUSES } from '../../../server/proofing/types.ts'
import { EVENT_TYPES } from '../../../server/store/events.ts'
import { CHART_NAMES, VISIT_OUTCOMES } from '../../../server/store/visits.ts'
import en from '../../../renderer/locales/en.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../../..')
const words: Readonly<Record<string, string>> = en.counter

const missing = (family: string, codes: Iterable<string>): readonly string[] =>
  [...codes].map((code) => `${family}.${code}`).filter((key) => !words[key])

test.each([
  ['event', EVENT_TYPES],
  ['outcome', VISIT_OUTCOMES],
  ['tamper', TAMPER_KINDS],
  ['freeze', FREEZE_REASONS],
  ['chart', CHART_NAMES],
  ['evidence', DOCUMENT_TYPES],
  ['identity', IDENTITY_STATUSES],
] as const)('every %s has words', (family, codes) => expect(missing(family, codes)).toEqual([]))

test('so has every fault that evidence may carry', () => {
  const file = readFileSync(join(ROOT, 'resources/degraded.json'), 'utf8')
  const { faults } = JSON.parse(file) as { faults: { fault: string }[] }
  expect(missing('fault', new Set(faults.map(({ fault }) => fault)))).toEqual([])
})

test('so has every check of a document and a portrait', () => {
  const file = readFileSync(join(ROOT, 'resources/pipelines/default.json'), 'utf8')
  const { pipelines } = JSON.parse(file) as { pipelines: Record<string, { checks: Record<string, unknown> }> }
  const checks = ['IDDOCUMENT', 'PORTRAIT'].flatMap((name) => Object.keys(pipelines[name]?.checks ?? {}))
  // Of a card that one country has; it is spelled out from its code.
  const rare = new Set(['MEDICARE_NUMBER'])
  expect(
    missing(
      'check',
      checks.filter((check) => !rare.has(check)),
    ),
  ).toEqual([])
})
