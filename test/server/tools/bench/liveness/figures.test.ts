/** The figures of the liveness bench: what counts as an error, and what is not counted. */
import { describe, expect, test } from 'vitest'
import { listPlans, readOptions } from '../../../../../server/tools/bench/liveness/options.ts'
import { computeFigures } from '../../../../../server/tools/bench/liveness/figures.ts'
import type { BenchPaiSpecies } from '../../../../../server/tools/bench/liveness/actors.ts'
import type { Played } from '../../../../../server/tools/bench/liveness/play.ts'

function played(species: BenchPaiSpecies, isLive: boolean, more: Partial<Played> = {}): Played {
  const reasons = isLive ? [] : ['1611', 'DEPTH_TOO_FLAT']
  const status = isLive ? 'NOT_VERIFIED' : 'INVALID'
  return {
    type: 'LIVENESS_ACTIVE',
    species,
    index: 0,
    seed: 1,
    person: 1,
    variant: species,
    frames: 100,
    durationMs: 9000,
    prompts: [],
    hints: {},
    verdict: { isLive, status, reasons, measured: {}, record: null, elapsedMs: 300 },
    ...more,
  }
}

const many = (times: number, one: Played): Played[] => Array.from({ length: times }, () => one)

describe('the figures', () => {
  test('count living people who were turned away, and attacks that were not', () => {
    const { LIVENESS_ACTIVE: figures } = computeFigures([
      ...many(19, played('live', true)),
      played('live', false),
      ...many(9, played('flat', false)),
      played('flat', true),
    ])
    expect(figures).toMatchObject({ bpcer: 0.05, n: 20, apcer: { flat: 0.1 } })
    expect(figures.bpcerCi95[0]).toBeCloseTo(0.0089, 3)
    expect(figures.species.flat).toMatchObject({ accepted: 1, sessions: 10, reasons: { DEPTH_TOO_FLAT: 9 } })
    expect(figures.apcer).not.toHaveProperty('live')
  })

  test('name the worse of the two kinds of replay', () => {
    const { LIVENESS_ACTIVE: figures } = computeFigures([
      ...many(4, played('replayRecorded', false)),
      ...many(3, played('replayOperator', true)),
      played('replayOperator', false),
    ])
    expect(figures).toMatchObject({ apcer: { replay: 0.75 }, replayIs: 'replayOperator', bpcer: null, n: 0 })
    expect(Object.keys(figures.apcer)).toEqual(['replay'])
  })

  test('leave out what could not be staged, and say how often', () => {
    const notStaged = played('swap', true, { variant: 'NOT_STAGED' })
    const { LIVENESS_ACTIVE: figures } = computeFigures([notStaged, played('swap', false)])
    expect(figures.species.swap).toMatchObject({ accepted: 0, sessions: 1, notStaged: 1, rate: 0 })
    expect(computeFigures([notStaged]).LIVENESS_ACTIVE.apcer).toEqual({ swap: null })
  })

  test('keep the types apart', () => {
    const figures = computeFigures([
      played('live', true),
      played('live', false, { type: 'LIVENESS_PASSIVE_VIDEO' }),
    ])
    expect([figures.LIVENESS_ACTIVE.bpcer, figures.LIVENESS_PASSIVE_VIDEO.bpcer]).toEqual([0, 1])
  })
})

describe('the plans', () => {
  const of = {
    types: ['LIVENESS_ACTIVE'] as const,
    species: ['live', 'oldSession'] as const,
    per: 2,
    seed: 7,
  }

  test('run through all species before they begin again, with as many living people as are wanted', () => {
    const plans = listPlans({ ...of, live: 3, isInProcess: false })
    expect(plans.map(({ species, index }) => `${species} ${index}`)).toEqual([
      'live 0',
      'oldSession 0',
      'live 1',
      'oldSession 1',
      'live 2',
    ])
  })

  test('leave to HTTP what only the protocol can refuse', () => {
    const plans = listPlans({ ...of, live: 2, isInProcess: true })
    expect(new Set(plans.map(({ species }) => species))).toEqual(new Set(['live']))
  })
})

describe('the options', () => {
  test.each([
    ['an unknown type', ['--types', 'LIVENESS_HIGH']],
    ['an unknown species', ['--species', 'live,ghost']],
    ['no sessions', ['--per', '0']],
    ['an unknown set of people', ['--people', 'everybody']],
  ])('%s is wrong use', (_, argv) => {
    expect(readOptions(argv)).toBeNull()
  })

  test('are the unseen people, over HTTP, both video types, unless others are named', () => {
    const options = readOptions(['--per', '2', '--live', '3'])
    expect(options).toMatchObject({
      measures: 'RATES',
      types: ['LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE'],
      settings: { isInProcess: false, people: 'test', noise: 'nominal', packs: 'all' },
    })
  })
})
