/** docs/model-cards.md names every model, and its figures of the operating points are those of the manifest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readManifest } from '../../server/vision/manifest.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/model-cards.md'), 'utf8')
const manifest = readManifest()

test('every model of the manifest is on a card', () => {
  expect(manifest.models.map(({ id }) => id).filter((id) => !page.includes(`\`${id}\``))).toEqual([])
})

const toPercent = (rate: number, digits: number): string => (rate * 100).toFixed(digits)

// @clause NIST-63A-4/3.11-published 30107-3/sample
test('the rates of each operating point are on the card with their interval over people', () => {
  const rows = manifest.operatingPoints.map(({ id, threshold, measured }) => {
    if (!measured) throw new Error(`${id} has no measurement`)
    const { fmr, fnmr, ci95ByPerson, frames } = measured
    const interval = (ends: readonly number[] | null | undefined, digits: number) =>
      `[${(ends ?? []).map((end) => toPercent(end, digits)).join(', ')}]`
    const four = frames?.find((one) => one.frames === 4)
    return [
      `| \`${id}\` | ${threshold}`,
      `${toPercent(fmr, 3)} % ${interval(ci95ByPerson?.fmr, 3)}`,
      `${toPercent(fnmr, 1)} % ${interval(ci95ByPerson?.fnmr, 1)}`,
      `${toPercent(four?.fnmr ?? NaN, 1)} % |`,
    ].join(' | ')
  })
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})
