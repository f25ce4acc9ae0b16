import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { readManifest } from '../../../server/vision/manifest.ts'
import { LIVENESS_FILE, loadLivenessLimits } from '../../../server/verification/liveness-limits.ts'

test('the challenge sequence asks for more than the decision needs, so that a completed prompt is always enough', () => {
  const { course, approachAtLeastLog, pad } = loadLivenessLimits()
  expect(course.approachAtLeastLog).toBeGreaterThan(approachAtLeastLog)
  expect(course.calmFramesAtLeast + course.returnFramesAtLeast).toBeGreaterThanOrEqual(pad.framesAtLeast)
  expect(course.stillFramesAtLeast).toBeGreaterThanOrEqual(pad.framesAtLeast)
  expect(course.returnWithinDeg).toBeLessThan(Math.min(course.turnAtLeastDeg, course.tiltAtLeastDeg))
  expect(course.noiseDeg).toBeLessThan(course.returnWithinDeg)
})

test('the extended pack has the depth limits of the core pack and requires no greater depth', () => {
  const { depth } = loadLivenessLimits()
  for (const { core, extended } of Object.values(depth)) {
    expect(Object.keys(extended)).toEqual(Object.keys(core))
    expect(extended.depthAtLeast).toBeLessThanOrEqual(core.depthAtLeast)
  }
})

test('the extended pack is told by its own face networks alone', () => {
  const { pad } = loadLivenessLimits()
  const faces = readManifest().models.filter(
    ({ role }) => role === 'presentation-attack' || role === 'face-embedding',
  )
  const extended = faces.filter(({ pack }) => pack === 'extended').map(({ id }) => id)
  expect(pad.models.toSorted()).toEqual(extended.toSorted())
})

type Section = Record<string, Record<string, unknown>>

function broken(change: (file: Section) => void): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'liveness-'))
  try {
    const file = JSON.parse(readFileSync(LIVENESS_FILE, 'utf8')) as Section
    change(file)
    const path = join(folder, 'liveness.json')
    writeFileSync(path, JSON.stringify(file))
    loadLivenessLimits(path)
    return null
  } catch (error) {
    return error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a file with faults refuses the start, and names them all', () => {
  const error = broken((file) => {
    delete file.course.turnAtLeastDeg
    file.methods.LIVENESS_ACTIVE = { require: ['DEPTH'], requireExtended: [], reject: [], origin: 'a test' }
    file.continuity.jumpsAtMost = { value: -1, unit: 'jumps', origin: 'a test' }
    file.pad.unknown = 1
  })
  expect(error).toBeInstanceOf(AppError)
  const { problems } = error as AppError
  expect(problems?.map(({ field }) => field)).toEqual([
    'course.turnAtLeastDeg',
    'methods.LIVENESS_ACTIVE',
    'continuity.jumpsAtMost.value',
    'pad',
  ])
})

test.each([
  ['a number without an origin', (file: Section) => (file.course.noiseDeg = { value: 5, unit: 'degrees' })],
  [
    'a misspelt limit',
    (file: Section) => (file.course.noiseDegree = { value: 5, unit: 'degrees', origin: 'a test' }),
  ],
  ['a type without a table', (file: Section) => delete file.methods.LIVENESS_MLC],
])('%s refuses the start', (_, change) => {
  expect(broken((file) => void change(file))).toBeInstanceOf(AppError)
})
