/**
 * A small gate on accuracy: the benchmarks on a part of the measurement data, with floors well under the measured
 * figures, so that only a real regression trips it. The figures themselves: npm run bench:mrz and bench:faces.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedData } from '../support/shared-data.ts'

const BENCH_MS = 300_000
const RUN = join(import.meta.dirname, '..', '..', 'server', 'run.mjs')

const mrzManifest = sharedData('mrz.tsv')
const faceManifest = sharedData('faces.tsv')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-gate-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The rows that `keep` lets through, as a manifest of the same shape. */
function part(manifest: string, keep: (row: string, index: number) => boolean): string {
  const [head, ...rows] = readFileSync(manifest, 'utf8').trimEnd().split('\n')
  const path = join(folder, 'part.tsv')
  writeFileSync(path, [head, ...rows.filter(keep), ''].join('\n'))
  return path
}

function bench(name: string, manifest: string, images: string): Record<string, unknown> {
  const argv = [RUN, name, '--manifest', manifest, '--images', images, '--packs', 'core', '--json']
  const { stdout, status } = spawnSync(process.execPath, argv, { encoding: 'utf8', maxBuffer: 1e8 })
  expect(status).toBe(0)
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
}

describe('the core pack', () => {
  test.skipIf(!mrzManifest)(
    'reads most MRZs, accepts no wrong one, and invents none',
    () => {
      const every = part(mrzManifest ?? '', (row, index) => index % 6 === 0 || row.includes('\tNONE\t'))
      const measured = bench('bench-mrz', every, sharedData('mrz') ?? '')
      expect(measured).toMatchObject({
        autoAcceptedWrong: 0,
        invented: 0,
        negatives: 2,
        wrongDigitsReportedValid: 0,
      })
      expect(measured.exactRate).toBeGreaterThanOrEqual(0.85)
      expect(measured.cer).toBeLessThan(0.1)
      const { gated } = measured as { gated: { autoAcceptedRate: number } }
      expect(gated.autoAcceptedRate).toBeGreaterThanOrEqual(0.75)
    },
    BENCH_MS,
  )

  test.skipIf(!faceManifest)(
    'tells people apart at its operating point',
    () => {
      const every = part(faceManifest ?? '', (_row, index) => index % 10 < 4)
      const measured = bench('bench-faces', every, sharedData('faces') ?? '')
      expect(measured).toMatchObject({ people: 10, images: 40 })
      expect(measured.fte).toBeLessThanOrEqual(2)
      const { idSim } = measured as { idSim: { fnmrAtFmr: Record<string, number> } }
      expect(idSim.fnmrAtFmr['1e-2']).toBeLessThan(0.15)
    },
    BENCH_MS,
  )
})
