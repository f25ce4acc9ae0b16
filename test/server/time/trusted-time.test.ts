import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TrustedTime } from '../../../server/clock.ts'
import { systemClock } from '../../../server/clock.ts'
import { acceptClock, openTrustedTime } from '../../../server/time/trusted-time.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'
import { aMachine, DAY_MS, YEAR_MS, type Machine } from './machine.ts'

let t: TestStore
let machine: Machine
let time: TrustedTime
beforeEach(() => {
  t = openTestStore()
  machine = aMachine(AT)
  time = openTrustedTime(machine, t.store)
})
afterEach(() => t.close())

const restart = (): TrustedTime => {
  time = openTrustedTime(machine, t.reopen())
  return time
}
const after = (ms: number) => new Date(AT.getTime() + ms)
const spanOf = () => {
  const { source, earliest, latest } = time.statement()
  return { source, earliest, latest }
}
const events = () => t.store.events.after(0, 1000).map(({ type, body }) => ({ type, ...body }))

describe('while the appliance runs', () => {
  test('nothing is doubted while both clocks continue together', () => {
    machine.pass(DAY_MS)
    time.tick()
    expect(time.now()).toEqual(after(DAY_MS))
    expect(spanOf()).toEqual({ source: 'SYSTEM', earliest: after(DAY_MS), latest: after(DAY_MS) })
    expect(events()).toEqual([])
  })

  test.each([
    ['forward', 10 * YEAR_MS],
    ['back', -10 * YEAR_MS],
    ['forward by a minute', 60_000],
  ])('a clock that is set %s changes nothing, is noticed, and widens the statement', (_, byMs) => {
    machine.pass(1000)
    machine.set(byMs)
    // Before the first check.
    expect(time.now()).toEqual(after(1000))
    expect(spanOf()).toEqual({
      source: 'UNSURE',
      earliest: after(1000 + Math.min(0, byMs)),
      latest: after(1000 + Math.max(0, byMs)),
    })
    time.tick()
    machine.pass(5000)
    time.tick()
    expect(time.now()).toEqual(after(6000))
    expect(time.statement()).toMatchObject({ source: 'UNSURE', uncertaintyMs: null, steps: 1 })
    expect(events()).toEqual([{ type: 'clock.stepped', bySeconds: Math.round(byMs / 1000), steps: 1 }])
  })

  test('a clock that is set back to what it was is believed again, and both times are counted', () => {
    machine.set(YEAR_MS)
    time.tick()
    machine.set(-YEAR_MS)
    time.tick()
    expect(time.statement()).toMatchObject({ source: 'SYSTEM', steps: 2 })
  })

  test('a clock that is set every second leaves one event a minute', () => {
    for (let second = 0; second < 300; second++) {
      machine.set(second % 2 === 0 ? YEAR_MS : -YEAR_MS)
      machine.pass(1000)
      time.tick()
    }
    expect(events().length).toBeGreaterThan(1)
    expect(events().length).toBeLessThanOrEqual(6)
    expect(time.statement().steps).toBe(300)
  })

  test('small corrections are followed without a word, and time never goes back', () => {
    machine.pass(60_000)
    machine.set(1500)
    time.tick()
    expect(time.now()).toEqual(after(61_500))
    machine.set(-1900)
    time.tick()
    expect(time.now()).toEqual(after(61_500))
    machine.pass(5000)
    expect(time.now()).toEqual(after(64_600))
    expect(time.statement()).toMatchObject({ source: 'SYSTEM', steps: 0 })
  })

  test('a clock that is moved on a second at a time does not carry the time away', () => {
    for (let minute = 0; minute < 60; minute++) {
      machine.pass(60_000)
      machine.set(1000)
      time.tick()
    }
    expect(time.statement().source).toBe('UNSURE')
    expect(time.statement().steps).toBeGreaterThanOrEqual(1)
    expect(Math.abs(time.now().getTime() - after(3_600_000).getTime())).toBeLessThan(5000)
  })
})

describe('at a start', () => {
  test.each([
    ['a second after it stopped', 1000, 0],
    ['after a night', DAY_MS / 2, 0],
    ['after two months', 60 * DAY_MS, 0],
    ['with a clock three seconds behind', 0, -3000],
  ])('%s nothing is doubted', (_, offMs, errorMs) => {
    time.keep()
    machine.reboot(offMs, errorMs)
    restart()
    expect(time.statement()).toMatchObject({ source: 'SYSTEM', steps: 0 })
    expect(time.now()).toEqual(after(Math.max(0, offMs + errorMs)))
  })

  test('a clock behind the latest time ever noted is not followed: time continues from there', () => {
    machine.pass(DAY_MS)
    time.keep()
    machine.reboot(0, -10 * YEAR_MS)
    restart()
    expect(time.now()).toEqual(after(DAY_MS))
    expect(spanOf()).toEqual({
      source: 'UNSURE',
      earliest: after(DAY_MS - 10 * YEAR_MS),
      latest: after(DAY_MS),
    })
    expect(events()).toEqual([{ type: 'clock.stepped', bySeconds: (-10 * YEAR_MS) / 1000, steps: 1 }])
  })

  test('a clock years ahead is doubted, and does not move the latest time that is sure', () => {
    time.keep()
    machine.reboot(0, 10 * YEAR_MS)
    restart()
    expect(spanOf()).toEqual({ source: 'UNSURE', earliest: AT, latest: after(10 * YEAR_MS) })
    time.keep()
    machine.reboot(DAY_MS, -10 * YEAR_MS)
    restart()
    expect(time.statement()).toMatchObject({ source: 'SYSTEM', steps: 1 })
    expect(time.now()).toEqual(after(DAY_MS))
  })

  test('a clock that was set while the appliance stood still is noticed as long as the machine ran', () => {
    time.keep()
    machine.pass(60_000)
    machine.set(40 * DAY_MS)
    restart()
    expect(time.now()).toEqual(after(60_000))
    expect(spanOf()).toEqual({
      source: 'UNSURE',
      earliest: after(60_000),
      latest: after(60_000 + 40 * DAY_MS),
    })
  })

  test('what is noted of the time may be lost: the newest event stands in for it', () => {
    t.store.events.append('appliance.stopped', null, { version: '1.0.0' }, after(YEAR_MS))
    t.store.meta.setJson('trusted-time', null)
    restart()
    expect(time.now()).toEqual(after(YEAR_MS))
    expect(time.statement().source).toBe('UNSURE')
  })

  test('an operator who has looked at the clock ends the doubt', () => {
    time.keep()
    machine.reboot(0, YEAR_MS)
    restart()
    acceptClock(t.store, machine.now())
    time.tick()
    expect(time.statement()).toMatchObject({ source: 'SYSTEM' })
    machine.reboot(DAY_MS)
    restart()
    expect(time.statement()).toMatchObject({ source: 'SYSTEM' })
  })
})

describe('a signed time of the central service', () => {
  test('ends the doubt, and is known as well as the way there and the drift since allow', () => {
    machine.set(10 * YEAR_MS)
    time.tick()
    time.confirm(after(3 * DAY_MS), 400)
    expect(time.now()).toEqual(after(3 * DAY_MS + 200))
    expect(time.statement()).toMatchObject({ source: 'CENTRE', uncertaintyMs: 200 })
    machine.pass(10_000_000)
    // 100 ppm of ten thousand seconds is a second.
    const { uncertaintyMs, earliest, latest } = time.statement()
    expect(uncertaintyMs).toBe(1200)
    expect(latest.getTime() - earliest.getTime()).toBe(2400)
  })

  test('is noted when it changed something, and only then', () => {
    time.confirm(after(0), 100)
    machine.pass(60_000)
    time.confirm(after(60_000), 80)
    machine.pass(60_000)
    time.confirm(after(190_000), 80)
    expect(events().filter(({ type }) => type === 'clock.confirmed')).toEqual([
      { type: 'clock.confirmed', bySeconds: 0, uncertaintyMs: 50 },
      { type: 'clock.confirmed', bySeconds: 70, uncertaintyMs: 40 },
    ])
  })

  test('takes back a time that was wrong from the start', () => {
    time.confirm(after(-10 * YEAR_MS), 100)
    expect(time.now()).toEqual(after(50 - 10 * YEAR_MS))
  })

  test('outlives a clock that is set, a restart of the appliance, and not one of the machine', () => {
    time.confirm(after(0), 100)
    machine.set(YEAR_MS)
    time.tick()
    expect(time.statement()).toMatchObject({ source: 'CENTRE', steps: 1 })
    time.keep()
    restart()
    expect(time.statement()).toMatchObject({ source: 'CENTRE', steps: 1 })
    machine.reboot(1000)
    restart()
    expect(time.statement()).toMatchObject({ source: 'UNSURE' })
  })

  test('that took long to come does not replace a better one', () => {
    time.confirm(after(0), 20)
    time.confirm(after(0), 5000)
    expect(time.statement().uncertaintyMs).toBe(10)
  })
})

test('a clock that stands alone is believed, and may jump', () => {
  let at = AT
  const alone = openTrustedTime({ now: () => at }, t.store)
  at = after(YEAR_MS)
  expect(alone.now()).toEqual(at)
  expect(alone.statement()).toMatchObject({ source: 'SYSTEM', earliest: at, latest: at })
})

test('the monotonic clock of this machine runs forward and never back', async () => {
  const read = () => systemClock.monotonicMs?.() ?? NaN
  const [before, first, started] = [performance.now(), read(), performance.now()]
  let last = first
  for (let i = 0; i < 60; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(read()).toBeGreaterThanOrEqual(last)
    last = read()
  }
  // The duration by the other clock, read before and after, because the machine may have been busy in
  // between.
  const [asked, end, answered] = [performance.now(), read(), performance.now()]
  expect(end - first).toBeGreaterThan(asked - started - 50)
  expect(end - first).toBeLessThan(answered - before + 50)
})
