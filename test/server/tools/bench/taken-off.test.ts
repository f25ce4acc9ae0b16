/** Tests what each method takes off a replay, counted alone and together. */
import { describe, expect, test } from 'vitest'
import { simulateOrder, takenOff, type ReplayedSession } from '../../../../server/tools/bench/pad/replays.ts'

const session = (accepts: Partial<ReplayedSession['accepts']>): ReplayedSession => ({
  species: 'replayOperator',
  accepts: {
    depth: true,
    course: true,
    networks: true,
    scene: true,
    colours: true,
    product: false,
    ...accepts,
  },
})

describe('methods against a replay', () => {
  const { replayOperator: rates } = takenOff([
    session({}),
    session({ scene: false }),
    session({ colours: null }),
    session({ colours: false, scene: null }),
  ])

  test('alone count those sessions that they could measure', () => {
    expect(rates['empty scene alone']).toMatchObject({ errors: 2, trials: 3 })
    expect(rates['colours alone']).toMatchObject({ errors: 2, trials: 3 })
    expect(rates['depth alone']).toMatchObject({ errors: 4, trials: 4 })
  })

  test('together count all sessions and accept nothing that one of them could not measure', () => {
    expect(rates['all']).toMatchObject({ errors: 1, trials: 4 })
    expect(rates['depth, order, timing, colours']).toMatchObject({ errors: 2, trials: 4 })
  })
})

test('order and timing stop a recording that plays by itself, but not one that an attacker plays on each prompt', () => {
  const order = simulateOrder(25, 7)
  for (const turns of ['2', '3']) {
    expect(order.replayRecorded[turns].rate).toBeLessThan(0.2)
    expect(order.replayOperator[turns].rate).toBeGreaterThan(0.5)
  }
})
