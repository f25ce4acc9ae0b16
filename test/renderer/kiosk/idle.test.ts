/** Idle time: the page offers help, asks about more time, and never deletes input that is in use. */
import { describe, expect, test } from 'vitest'
import { EXTENSIONS, createIdleTimer, warningLeft } from '../../../renderer/kiosk/idle.ts'
import type { IdleFacts } from '../../../renderer/kiosk/idle.ts'
import { IdleWatch } from '../../../renderer/kiosk/idle-watch.ts'
import { START, reduce } from '../../../renderer/kiosk/state.ts'
import type { AppState } from '../../../renderer/kiosk/state.ts'
import { JOURNEY, visitAt } from './visits.ts'

const TIMES = JOURNEY.idleSeconds
const welcome = reduce(START, { type: 'loaded', journey: JOURNEY })
const at = (...parameters: Parameters<typeof visitAt>): AppState =>
  reduce(welcome, { type: 'visit', visit: visitAt(...parameters) })
const CALLED = at('consent', { help: { asked: true, seen: true, answer: null, minutes: null } })
const after = (state: AppState, seconds: number, more: Partial<IdleFacts> = {}) =>
  createIdleTimer(state, TIMES, {
    idleMs: seconds * 1000,
    slow: false,
    waiting: false,
    extensions: 0,
    ...more,
  })

describe('idle time', () => {
  test('the welcome clears without asking; a visit asks first', () => {
    expect(after(welcome, 29.9)).toBe('active')
    expect(after(welcome, 30)).toBe('clear')
    expect(after(at('consent'), 89.9)).toBe('active')
    expect(after(at('consent'), 90)).toBe('warn')
    expect(after(at('consent'), 119.9)).toBe('warn')
    expect(after(at('consent'), 120)).toBe('clear')
  })

  test('at the camera, help is offered after half of the time', () => {
    expect(after(at('capture'), 59.9)).toBe('active')
    expect(after(at('capture'), 60)).toBe('offer')
    expect(after(at('portrait'), 60)).toBe('offer')
    expect(after(at('capture'), 120)).toBe('warn')
  })

  test('stands still while the machine works, while help is called, and while the applicant signs in on a phone', () => {
    expect(after(at('checking'), 10_000)).toBe('active')
    expect(after(at('waiting'), 10_000)).toBe('active')
    expect(after(at('loggingIn'), 10_000)).toBe('active')
    expect(after(CALLED, 10_000, { waiting: true })).toBe('active')
  })

  test('of an applicant whom an officer called to the counter is counted, without a question', () => {
    const called = at('consent', { help: { asked: true, seen: true, answer: 'GO_TO_COUNTER', minutes: 0 } })
    expect(after(called, 89.9, { waiting: true })).toBe('active')
    expect(after(called, 90, { waiting: true })).toBe('clear')
    expect(after(called, 90)).toBe('warn')
  })

  test('is counted again if the applicant continues during the call for help', () => {
    expect(after(CALLED, 10_000)).toBe('clear')
  })

  test('is doubled for an applicant who uses large text, speech or switches', () => {
    expect(after(at('consent'), 179.9, { slow: true })).toBe('active')
    expect(after(at('consent'), 180, { slow: true })).toBe('warn')
    expect(after(at('consent'), 239.9, { slow: true })).toBe('warn')
    expect(after(at('consent'), 240, { slow: true })).toBe('clear')
  })

  test('after ten times more time a person comes, and nothing is wiped', () => {
    expect(after(at('consent'), 10_000, { extensions: EXTENSIONS - 1 })).toBe('clear')
    expect(after(at('consent'), 90, { extensions: EXTENSIONS })).toBe('staff')
    expect(after(at('consent'), 10_000, { extensions: EXTENSIONS })).toBe('staff')
  })

  test('the ring empties over the whole warning', () => {
    const left = (seconds: number) =>
      warningLeft(at('consent'), TIMES, {
        idleMs: seconds * 1000,
        slow: false,
        waiting: false,
        extensions: 0,
      })
    expect([left(90), left(105), left(120)]).toEqual([1, 0.5, 0])
  })
})

describe('the watch', () => {
  function watched(state: AppState) {
    const told: string[] = []
    let now = 0
    const watch = new IdleWatch({
      state: () => state,
      slow: () => false,
      isWaiting: () => false,
      warn: () => {
        told.push('warn')
        return { show: () => undefined, close: () => told.push('close') }
      },
      offer: (isOffered) => told.push(isOffered ? 'offer' : 'no offer'),
      clear: () => told.push('clear'),
      staff: () => told.push('staff'),
      now: () => now,
    })
    const pass = (seconds: number) => {
      now += seconds * 1000
      watch.tick()
    }
    return { watch, told, pass }
  }

  test('asks once, and a touch closes the question', () => {
    const { watch, told, pass } = watched(at('consent'))
    pass(91)
    pass(1)
    watch.active()
    pass(89)
    expect(told).toEqual(['warn', 'close'])
  })

  test('a visible document or face counts as activity', () => {
    const { watch, told, pass } = watched(at('capture'))
    pass(61)
    watch.active()
    pass(59)
    expect(told).toEqual(['offer', 'no offer'])
  })

  test('ends the visit once if the applicant does not answer', () => {
    const { told, pass } = watched(at('consent'))
    pass(91)
    pass(40)
    pass(40)
    expect(told).toEqual(['warn', 'clear'])
  })

  test('calls staff at the eleventh time', () => {
    const { watch, told, pass } = watched(at('consent'))
    for (let times = 0; times < EXTENSIONS; times++) {
      pass(91)
      watch.active()
    }
    pass(91)
    expect(told.filter((what) => what === 'warn')).toHaveLength(EXTENSIONS)
    expect(told.at(-1)).toBe('staff')
  })
})
