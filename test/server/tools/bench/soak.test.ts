/** The soak: its judgement of growth, its books, and one short run of a whole appliance. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { acknowledge, createBook } from '../../../../server/tools/bench/crash/applicant.ts'
import { compare, countFindings } from '../../../../server/tools/bench/crash/count-everything.ts'
import { seeded } from '../../../../server/tools/bench/crash/random.ts'
import { run } from '../../../../server/tools/bench/soak.ts'
import { judgeDrift, type Point } from '../../../../server/tools/bench/soak/drift.ts'
import { listPossibleFaults, SOAK_FAULTS } from '../../../../server/tools/bench/soak/faults.ts'
import { drawPlot } from '../../../../server/tools/bench/soak/plot.ts'
import type { SoakResult } from '../../../../server/tools/bench/soak/result.ts'
import { judgeSeries, type Sample } from '../../../../server/tools/bench/soak/series.ts'
import { collectOutput } from '../../../support/output.ts'

afterEach(() => void vi.restoreAllMocks())

const LIMIT = { perProofing: 0.25, total: 40 }
const seriesOf = (count: number, measure: (proofings: number) => number): Point[] =>
  Array.from({ length: count }, (_, proofings) => ({ proofings, value: measure(proofings) }))

describe('growth', () => {
  const random = seeded(1)
  const noise = (): number => 60 * (random.next() - 0.5)

  test('a leak in noise is drift', () => {
    const drift = judgeDrift(
      seriesOf(400, (n) => 300 + 0.5 * n + noise()),
      LIMIT,
    )
    expect(drift.verdict).toBe('DRIFT')
    expect(drift.slope).toBeCloseTo(0.5, 1)
    expect(drift.slopeAtLeast).toBeLessThan(drift.slope ?? 0)
  })

  test.each<[string, (proofings: number) => number]>([
    ['a process that grows until it is warm', (n) => 200 + 150 * Math.min(1, n / 100)],
    ['a collector that frees from time to time', (n) => 250 + (n % 50)],
    ['noise', () => 300 + noise()],
    ['a few samples far away', (n) => (n % 40 === 39 ? 3000 : 300)],
    ['a size that the process had before it freed much', (n) => (n < 100 ? 420 : 240 + 0.5 * (n - 100))],
    ['one step of a cache', (n) => (n < 300 ? 300 : 330)],
    ['a process that becomes smaller', (n) => 600 - n],
  ])('%s is no drift', (_, measure) => {
    expect(judgeDrift(seriesOf(400, measure), LIMIT).verdict).toBe('STEADY')
  })

  test('a few proofings tell nothing', () => {
    expect(
      judgeDrift(
        seriesOf(35, (n) => 100 * n),
        LIMIT,
      ),
    ).toMatchObject({
      verdict: 'TOO_SHORT',
      slope: null,
    })
    expect(judgeDrift([], LIMIT).verdict).toBe('TOO_SHORT')
  })

  test('a restart begins a new series: the longest life is judged, and files are judged over all lives', () => {
    const samples = Array.from({ length: 300 }, (_, n): Sample => {
      const server = n < 100 ? 1 : 2
      return {
        seconds: n,
        proofings: n,
        pids: { server, worker1: null, worker2: null },
        values: { serverMemory: server === 1 ? 900 : 200 + n, otherFiles: n },
      }
    })
    const judged = new Map(judgeSeries(samples).map((each) => [each.series, each]))
    expect(judged.get('serverMemory')).toMatchObject({ verdict: 'DRIFT', slope: 1 })
    expect(judged.get('serverMemory')?.proofings).toBeLessThan(150)
    expect(judged.get('otherFiles')).toMatchObject({ verdict: 'DRIFT', slope: 1 })
    expect(judged.get('otherFiles')?.proofings).toBeGreaterThan(200)
    expect(judged.get('worker1Memory')?.verdict).toBe('TOO_SHORT')
  })
})

test('the second half of a run ends no process, and a machine without a disk of its own has no fault of the disk', () => {
  expect(listPossibleFaults(0, true)).toEqual(SOAK_FAULTS)
  expect(listPossibleFaults(0.6, true).filter(({ ends }) => ends)).toEqual([])
  expect(listPossibleFaults(0, false).filter(({ name }) => name.startsWith('disk'))).toEqual([])
})

test('an answer that the store does not hold any more is lost, and another verdict is a change', () => {
  const book = createBook()
  acknowledge(book, 'kept', 'e1', 'VERIFIED')
  acknowledge(book, 'kept', 'e2')
  acknowledge(book, 'changed', 'e3', 'VERIFIED')
  acknowledge(book, 'gone')
  acknowledge(book, 'without-evidence', 'e4')
  book.proofs.set('kept', 'hash')
  const kiosk = {
    sealed: [{ proofId: 'p', identityId: 'kept', sha256: 'hash' }],
    half: [],
    duplicated: [],
    auditFindings: [],
    results: new Map([
      [
        'kept',
        new Map([
          ['e1', 'VERIFIED'],
          ['e2', 'INVALID'],
        ]),
      ],
      ['changed', new Map([['e3', 'INVALID']])],
      ['without-evidence', new Map()],
    ]),
  }
  const central = { proofs: new Map([['p', 'hash']]), duplicated: [], unverified: [], alarms: [] }
  const findings = compare(kiosk, central, book)
  expect(countFindings(findings)).toEqual({
    lost: 2,
    duplicated: 0,
    half: 0,
    changed: 1,
    unverified: 0,
    auditFindings: 0,
  })
  expect(countFindings(compare(kiosk, { ...central, proofs: new Map() }, book)).lost).toBe(3)
})

test('a plot breaks its line where a process ended, and escapes its words', () => {
  const svg = drawPlot({
    title: 'A & <B>',
    unit: 'MB',
    minutes: 10,
    marks: [{ minutes: 5, label: 'killed' }],
    lines: [
      {
        label: 'server',
        points: [
          [0, 1],
          [4, 2],
          [5, null],
          [6, 1],
        ],
      },
    ],
  })
  expect(svg).toContain('A &amp; &lt;B&gt;, MB')
  expect(/ d="([^"]+)"/.exec(svg)?.[1].match(/M/g)).toHaveLength(2)
})

test('a wrong number is refused before anything starts', async () => {
  const output = collectOutput()
  expect(await run(['--minutes', 'many'])).toBe(2)
  expect(output.text).toContain('numbers above 0')
})

test('a short soak loses nothing, and its report shows every series', { timeout: 400_000 }, async () => {
  const out = mkdtempSync(join(tmpdir(), 'counterproof-soak-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  const output = collectOutput()
  const settings = ['--minutes', '5', '--proofings', '2', '--fault-every', '2', '--sample-every', '1']
  // This seed begins with the fault that takes least time: a killed worker, then a hostile picture.
  const argv = [...settings, '--seed', '3', '--out', out]
  expect(await run(argv)).toBe(0)
  expect(output.text).toMatch(/Well: \d+ proofs, 0 lost, 0 twice, 0 other findings, no drift/)
  const [html, json] = readdirSync(out)
    .toSorted()
    .map((name) => readFileSync(join(out, name), 'utf8'))
  const result = JSON.parse(json) as SoakResult
  expect(result.counts.received).toBeGreaterThanOrEqual(1)
  expect(result.faults.length).toBeGreaterThan(0)
  const seen = new Set(result.samples.flatMap(({ values }) => Object.keys(values)))
  expect([...seen]).toEqual(
    expect.arrayContaining(['serverMemory', 'worker1Memory', 'worker2Memory', 'heap', 'database', 'backlog']),
  )
  expect(html).toContain('Memory in use (resident)')
  expect(html).not.toMatch(/https?:\/\//)
})
