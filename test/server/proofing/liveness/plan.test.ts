import { describe, expect, test } from 'vitest'
import { drawPlan, isMovement, type PlannedStep } from '../../../../server/proofing/liveness/plan.ts'
import type { LivenessSettings } from '../../../../server/proofing/capture-session.ts'
import type { Draw } from '../../../../server/proofing/liveness/types.ts'
import { drawOf, LIMITS, seeded, settingsOf } from './simulated-subject.ts'

const drawn = (settings: LivenessSettings, seed: number): readonly PlannedStep[] =>
  drawPlan(settings, drawOf(seeded(seed)), LIMITS)
const kinds = (plan: readonly PlannedStep[]): readonly string[] =>
  plan.map(({ kind, colour }) => colour ?? kind)
const movements = (plan: readonly PlannedStep[]): readonly string[] =>
  plan.map(({ kind }) => kind).filter(isMovement)

/** Every answer a draw can give while the order is drawn: how often each order comes out. */
function everyOrder(settings: LivenessSettings, orderDraws: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const walk = (answers: readonly number[]): void => {
    const asked: number[] = []
    const draw: Draw = (below) => {
      asked.push(below)
      return answers[asked.length - 1] ?? 0
    }
    const plan = drawPlan(settings, draw, LIMITS)
    if (answers.length < orderDraws) {
      for (let answer = 0; answer < asked[answers.length]; answer++) walk([...answers, answer])
      return
    }
    const order = kinds(plan).join(' ')
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  walk([])
  return counts
}

describe('what a session asks is drawn', () => {
  test.each([
    ['one direction', settingsOf('LIVENESS_ACTIVE', 'LOW', 1), 1, 2],
    ['two directions', settingsOf('LIVENESS_ACTIVE', 'LOW', 2), 1, 10],
    ['three directions', settingsOf('LIVENESS_ACTIVE', 'LOW', 3), 1, 34],
    ['one direction and the approach', settingsOf('LIVENESS_ACTIVE', 'MEDIUM', 1), 2, 4],
    ['two directions and the approach', settingsOf('LIVENESS_ACTIVE', 'MEDIUM', 2), 2, 30],
    ['three directions and the approach', settingsOf('LIVENESS_ACTIVE', 'HIGH', 3), 2, 136],
    ['all together', settingsOf('LIVENESS_MLC'), 6, 10_800],
  ])(
    '%s: every order comes as often as any other, and there are as many as it is worth',
    (_, settings, draws, orders) => {
      const counts = everyOrder(settings, draws)
      expect(counts.size).toBe(orders)
      expect(new Set(counts.values()).size).toBe(1)
    },
  )

  test('no direction comes twice running, one at least is to a side, and straight looks part them', () => {
    for (let seed = 0; seed < 500; seed++) {
      const plan = drawn(settingsOf('LIVENESS_ACTIVE', 'HIGH', 3), seed)
      const turns = movements(plan).filter((kind) => kind !== 'COME_CLOSER')
      expect(turns).toHaveLength(3)
      expect(turns.some((turn, i) => turn === turns[i + 1])).toBe(false)
      expect(turns.some((turn) => turn === 'TURN_LEFT' || turn === 'TURN_RIGHT')).toBe(true)
      expect(plan.filter((_, i) => i % 2 === 0).every(({ kind }) => kind === 'LOOK_STRAIGHT')).toBe(true)
    }
  })

  test('the approach is asked of active sessions from MEDIUM on, at any place', () => {
    const places = new Set<number>()
    for (let seed = 0; seed < 200; seed++) {
      expect(movements(drawn(settingsOf('LIVENESS_ACTIVE', 'LOW'), seed))).not.toContain('COME_CLOSER')
      places.add(movements(drawn(settingsOf('LIVENESS_ACTIVE', 'MEDIUM'), seed)).indexOf('COME_CLOSER'))
    }
    expect([...places].toSorted()).toEqual([0, 1, 2])
  })

  test('four colours follow at once on the approach, no two alike', () => {
    for (let seed = 0; seed < 500; seed++) {
      const plan = drawn(settingsOf('LIVENESS_MLC'), seed)
      const colours = plan.flatMap(({ colour }) => colour ?? [])
      expect(colours).toHaveLength(4)
      expect(new Set(colours).size).toBe(4)
      const first = plan.findIndex(({ kind }) => kind === 'SHOW_COLOUR')
      expect(plan[first - 1].kind).toBe('COME_CLOSER')
    }
  })

  test('how long a movement is held is drawn from the whole range', () => {
    const { holdAtLeastMs, holdAtMostMs } = LIMITS.course
    const holds = Array.from(
      { length: 400 },
      (_, seed) => drawn(settingsOf('LIVENESS_ACTIVE'), seed)[1].holdMs,
    )
    expect(Math.min(...holds)).toBeGreaterThanOrEqual(holdAtLeastMs)
    expect(Math.max(...holds)).toBeLessThanOrEqual(holdAtMostMs)
    expect(new Set(holds).size).toBeGreaterThan(150)
  })

  test('still pictures and the approach have one order', () => {
    expect(kinds(drawn(settingsOf('LIVENESS_PASSIVE'), 1))).toEqual(['LOOK_STRAIGHT'])
    expect(kinds(drawn(settingsOf('LIVENESS_PASSIVE_VIDEO'), 1))).toEqual(['LOOK_STRAIGHT', 'COME_CLOSER'])
  })
})
