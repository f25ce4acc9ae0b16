/** The visit as the machine runs it against a scripted server. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { KioskApi } from '../../../renderer/kiosk/api.ts'
import { Machine } from '../../../renderer/kiosk/machine.ts'
import type { Afresh } from '../../../renderer/kiosk/machine.ts'
import { JOURNEY, failed, scriptedApi, visitAt } from './visits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function machineWith(script: Partial<KioskApi>, serverIsThere = () => true) {
  const { api, calls } = scriptedApi({
    journey: async () => JOURNEY,
    visit: () => failed('session-over'),
    ...script,
  })
  const begun: Afresh[] = []
  const spoken: string[] = []
  const machine = new Machine({
    shutOut: () => undefined,
    api,
    speak: async (tag) => {
      spoken.push(tag)
      return { tag, name: tag, dir: 'ltr' }
    },
    changed: () => undefined,
    afresh: async (why) => {
      if (serverIsThere()) begun.push(why)
      return serverIsThere()
    },
  })
  return { machine, calls, begun, spoken }
}
const settle = () => vi.advanceTimersByTimeAsync(10)

describe('beginning', () => {
  test('shows the welcome screen in the first language if no visit is in progress', async () => {
    const { machine, spoken } = machineWith({})
    await machine.boot()
    expect(machine.state.screen).toBe('welcome')
    expect(spoken).toEqual(['en'])
  })

  test('continues a visit in its language after the page was reloaded', async () => {
    const { machine } = machineWith({ visit: async () => visitAt('portrait', { language: 'fr' }) })
    await machine.boot()
    expect(machine.state).toMatchObject({ screen: 'portrait', language: { tag: 'fr' } })
  })

  test('never shows a visit that was to end, even when its end had not arrived', async () => {
    let answers = false
    const { machine, calls } = machineWith({
      endSession: async () => {
        if (!answers) await failed('offline')
      },
      visit: async () => visitAt('portrait'),
    })
    await machine.boot('ended')
    expect(machine.state.screen).toBe('resting')
    expect(calls).not.toContain('visit')
    answers = true
    await machine.boot()
    expect(calls.indexOf('endSession')).toBeLessThan(calls.indexOf('visit'))
  })

  test('says that the time was over', async () => {
    const { machine } = machineWith({})
    await machine.boot('expired')
    expect(machine.state).toMatchObject({ screen: 'welcome', trouble: 'expired' })
  })
})

describe('acts', () => {
  async function visiting(script: Partial<KioskApi>) {
    const made = machineWith({ visit: async () => visitAt('choose'), ...script })
    await made.machine.boot()
    return made
  }

  test('are not done twice while one is under way', async () => {
    const { machine, calls } = await visiting({ chooseDocument: () => new Promise(() => undefined) })
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    await settle()
    expect(calls.filter((name) => name === 'chooseDocument')).toHaveLength(1)
    expect(machine.state.working).toBe(true)
  })

  test('that got no answer are done again by themselves when the server is back', async () => {
    let isThere = true
    const { machine } = await visiting({
      visit: () => (isThere ? Promise.resolve(visitAt('choose')) : failed('offline')),
      chooseDocument: () => (isThere ? Promise.resolve(visitAt('capture')) : failed('offline')),
    })
    isThere = false
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    await settle()
    expect(machine.state).toMatchObject({ screen: 'document', trouble: 'offline', working: false })
    isThere = true
    await vi.advanceTimersByTimeAsync(1500)
    expect(machine.state.visit?.step).toMatchObject({ state: 'CAPTURE' })
    expect(machine.state.trouble).toBe(null)
  })

  test('that arrived although their answer was lost are not done again', async () => {
    let arrived = false
    const { machine, calls } = await visiting({
      visit: async () => visitAt(arrived ? 'capture' : 'choose'),
      chooseDocument: () => {
        arrived = true
        return failed('offline')
      },
    })
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    await vi.advanceTimersByTimeAsync(9000)
    expect(machine.state.visit?.step).toMatchObject({ state: 'CAPTURE' })
    expect(calls.filter((name) => name === 'chooseDocument')).toHaveLength(1)
  })

  test('that come too late show where the visit is', async () => {
    let moved = false
    const { machine } = await visiting({
      visit: async () => visitAt(moved ? 'portrait' : 'choose'),
      chooseDocument: () => {
        moved = true
        return failed('refused')
      },
    })
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    await settle()
    expect(machine.state.screen).toBe('portrait')
  })

  test('a language is changed without losing the step', async () => {
    const { machine, calls, spoken } = await visiting({
      changeLanguage: async (language) => visitAt('choose', { language }),
    })
    machine.acts.chooseLanguage('fr')
    await settle()
    expect(calls).toContain('changeLanguage')
    expect(spoken.at(-1)).toBe('fr')
    expect(machine.state).toMatchObject({ screen: 'document', language: { tag: 'fr' } })
  })

  test('the result is asked for as soon as all is checked', async () => {
    const { machine } = await visiting({
      visit: async () => visitAt('ready'),
      finish: async () => visitAt('result'),
    })
    await settle()
    expect(machine.state.screen).toBe('result')
  })
})

describe('ending', () => {
  async function ending(script: Partial<KioskApi>, serverIsThere?: () => boolean) {
    const made = machineWith({ visit: async () => visitAt('capture'), ...script }, serverIsThere)
    await made.machine.boot()
    return made
  }

  test('reloads the page after the server has ended the session', async () => {
    const { machine, begun, calls } = await ending({ endSession: async () => undefined })
    machine.leave(null, 'WALKED_AWAY')
    expect(machine.state).toMatchObject({ visit: null, screen: 'starting' })
    await vi.advanceTimersByTimeAsync(200)
    expect(calls).toContain('endSession')
    expect(begun).toEqual([null])
  })

  test('takes two seconds at most, and the next page ends what this one could not', async () => {
    const { machine, begun } = await ending({ endSession: () => failed('offline') })
    machine.leave(null, 'WALKED_AWAY')
    await vi.advanceTimersByTimeAsync(2000)
    expect(begun).toEqual(['ended'])
  })

  test('waits at rest while there is no server to load the page from', async () => {
    let isThere = false
    const { machine, begun } = await ending({ endSession: () => failed('offline') }, () => isThere)
    machine.leave(null, 'WALKED_AWAY')
    await vi.advanceTimersByTimeAsync(2000)
    expect(machine.state.screen).toBe('resting')
    isThere = true
    await vi.advanceTimersByTimeAsync(5000)
    expect(begun).toEqual(['ended'])
  })

  test('says goodbye first where something is to be said', async () => {
    const { machine, begun } = await ending({ endSession: async () => undefined })
    machine.leave('stopped', 'STOPPED')
    expect(machine.state).toMatchObject({ screen: 'goodbye', parting: 'stopped', visit: null })
    await vi.advanceTimersByTimeAsync(3000)
    expect(begun).toEqual([])
    machine.acts.done()
    await vi.advanceTimersByTimeAsync(200)
    expect(begun).toEqual([null])
  })

  test('an applicant who goes to the counter ends the session once, as WALKED_AWAY', async () => {
    const why: string[] = []
    const { machine } = await ending({ endSession: async (reason) => void why.push(reason) })
    machine.leave('taken-over', 'WALKED_AWAY')
    expect(machine.state).toMatchObject({ screen: 'goodbye', parting: 'taken-over', visit: null })
    await vi.advanceTimersByTimeAsync(200)
    expect(why).toEqual(['WALKED_AWAY'])
  })

  test('an answer to the former visit changes nothing', async () => {
    let answer: (visit: ReturnType<typeof visitAt>) => void = () => undefined
    const { machine } = await ending({
      endSession: async () => undefined,
      chooseDocument: () => new Promise((resolve) => (answer = resolve)),
    })
    machine.acts.chooseDocument({ country: 'UTO', documentType: 'PASSPORT' })
    machine.leave('stopped', 'STOPPED')
    answer(visitAt('capture'))
    await settle()
    expect(machine.state).toMatchObject({ screen: 'goodbye', visit: null })
  })

  test('an action in a session that the server has ended reloads the page with the reason expired', async () => {
    const { machine, begun } = await ending({ otherDocument: () => failed('session-over') })
    machine.acts.otherDocument()
    await vi.advanceTimersByTimeAsync(200)
    expect(machine.state.visit).toBe(null)
    expect(begun).toEqual(['expired'])
  })

  test('a "no" to the consent deletes and says goodbye', async () => {
    const { machine, calls } = await ending({
      visit: async () => visitAt('consent'),
      consent: async () => null,
    })
    machine.acts.answerConsent({ approved: false })
    await settle()
    expect(machine.state).toMatchObject({ screen: 'goodbye', parting: 'refused' })
    expect(calls).not.toContain('endSession')
  })
})
