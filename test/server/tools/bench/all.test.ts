/** The bench of all benches: what it makes of their figures, and one real part of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { run, type Results } from '../../../../server/tools/bench/all.ts'
import {
  combineRepetitions,
  computeRatio,
  describeFigures,
  meetsGoal,
} from '../../../../server/tools/bench/all/figure.ts'
import { findNumber, PARTS, runPart } from '../../../../server/tools/bench/all/parts.ts'
import { collectOutput } from '../../../support/output.ts'

afterEach(() => void vi.restoreAllMocks())

test('a figure that was not measured meets no goal, and one without a goal is neither met nor missed', () => {
  expect(meetsGoal(null, { atMost: 5 })).toBe(false)
  expect(meetsGoal(5, { atMost: 5 })).toBe(true)
  expect(meetsGoal(5.1, { atMost: 5 })).toBe(false)
  expect(meetsGoal(0.96, { atLeast: 0.97 })).toBe(false)
  expect(meetsGoal(5, undefined)).toBeNull()
})

test('the ratio to a floor is unknown if one of the two is', () => {
  expect(computeRatio(30, 10)).toBe(3)
  expect(computeRatio(null, 10)).toBeNull()
  expect(computeRatio(30, null)).toBeNull()
  expect(computeRatio(30, 0)).toBeNull()
})

test('the table has the median of the repetitions, the goal and the ratio to the floor', () => {
  const runs = [12, 30, 18].map((value) => [
    { name: 'reads', value, unit: 'ms', goal: { atMost: 10 }, floor: { value: 6 } },
    { name: 'lost', value: 0, unit: '1', goal: { atMost: 0 } },
  ])
  const figures = combineRepetitions('api', runs)
  expect(figures.map(({ name, median, values }) => [name, median, values])).toEqual([
    ['reads', 18, [12, 30, 18]],
    ['lost', 0, [0, 0, 0]],
  ])
  const [, reads, lost] = describeFigures(figures)
    .split('\n')
    .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))
  expect(reads).toEqual(['api', 'reads', '18', 'ms', '≤ 10', 'missed', '6', '3'])
  expect(lost).toEqual(['api', 'lost', '0', '≤ 0', 'met'])
})

test('a figure that one repetition could not measure is not known', () => {
  const runs = [12, null].map((value) => [{ name: 'wall', value, unit: 'ms' }])
  expect(combineRepetitions('documents', runs)[0].median).toBeNull()
})

test('a number is found by its path, a table counts its entries, and a missing one is not known', () => {
  const result = { costs: [{ ms: 4 }], failures: { a: 1, b: 2 }, none: [], word: 'x' }
  expect(findNumber(result, 'costs.0.ms')).toBe(4)
  expect(findNumber(result, 'failures')).toBe(2)
  expect(findNumber(result, 'none')).toBe(0)
  expect(findNumber(result, 'costs.1.ms')).toBeNull()
  expect(findNumber(result, 'word')).toBeNull()
  expect(findNumber(result, 'constructor')).toBeNull()
})

test('a part whose bench prints no figures fails with the name of the bench', async () => {
  const part = { name: 'of-nothing', argv: [], figures: [] }
  const settings = { kept: 1, say: () => undefined, signal: new AbortController().signal }
  await expect(runPart(part, settings)).rejects.toThrow(/^bench-of-nothing ended with/)
})

test('every part has a name of its own', () => {
  const names = PARTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the figures of a part are printed and written with machine, versions and command', async () => {
  const out = mkdtempSync(join(tmpdir(), 'counterproof-bench-'))
  onTestFinished(() => rmSync(out, { recursive: true }))
  const output = collectOutput()
  expect(await run(['--only', 'aamva', '--out', out])).toBe(0)
  expect(output.text).toMatch(/^aamva +plausible +1$/m)
  const [file] = readdirSync(out)
  const written = JSON.parse(readFileSync(join(out, file), 'utf8')) as Results
  expect(written).toMatchObject({
    repetitions: 1,
    machine: { architecture: process.arch },
    versions: { node: process.version },
    parts: [{ name: 'aamva', failed: null }],
    figures: [{ bench: 'aamva', name: 'plausible', values: [1] }],
  })
  expect(written.versions.commit).toMatch(/^[0-9a-f]{40}/)
  expect(written.parts[0].command).toMatch(/^npm run bench:aamva/)
})

test('a selection without a part measured nothing', async () => {
  collectOutput()
  expect(await run(['--only', 'nothing of this name'])).toBe(2)
})
