/** The page's state follows from events; the server decides the next step. */
import { describe, expect, test } from 'vitest'
import { hasVisit, nextTask, reduce, START } from '../../../renderer/kiosk/state.ts'
import type { AppEvent, AppState } from '../../../renderer/kiosk/state.ts'
import { listMarks, findPlace, chooseMessage } from '../../../renderer/kiosk/frame.ts'
import { JOURNEY, visitAt } from './visits.ts'

const run = (...events: AppEvent[]): AppState => events.reduce(reduce, START)
const LOADED: AppEvent = { type: 'loaded', journey: JOURNEY }
const at = (...parameters: Parameters<typeof visitAt>): AppEvent => ({
  type: 'visit',
  visit: visitAt(...parameters),
})

describe('screens', () => {
  test('follow the step that the server names', () => {
    expect(run(LOADED).screen).toBe('welcome')
    expect(run(LOADED, at('consent')).screen).toBe('consent')
    expect(run(LOADED, at('consent'), at('capture')).screen).toBe('document')
    expect(run(LOADED, at('portrait')).screen).toBe('portrait')
    expect(run(LOADED, at('result')).screen).toBe('result')
  })

  test('a goodbye holds nothing of the visit, and a late answer does not bring it back', () => {
    const state = run(LOADED, at('result'), { type: 'parted', parting: 'finished' }, at('result'))
    expect(state).toMatchObject({ screen: 'goodbye', visit: null, trouble: null })
  })

  test('a visit that staff have taken over ends here', () => {
    expect(run(LOADED, at('capture', { takenOver: true }))).toMatchObject({
      screen: 'goodbye',
      parting: 'taken-over',
      visit: null,
    })
    expect(run(LOADED, at('capture'), { type: 'call-failed', failure: 'taken-over' })).toMatchObject({
      screen: 'goodbye',
      parting: 'taken-over',
    })
  })

  test('only what was not finished can be deleted', () => {
    expect(hasVisit(run(LOADED))).toBe(false)
    expect(hasVisit(run(LOADED, at('capture')))).toBe(true)
    expect(hasVisit(run(LOADED, at('result')))).toBe(false)
  })

  test('the step line counts from one and names the step', () => {
    const state = run(
      LOADED,
      at('capture', { position: { steps: ['consent', 'document', 'result'], index: 1, undone: [] } }),
    )
    expect(findPlace(state)).toEqual({ n: 2, total: 3, key: 'step.document' })
    expect(findPlace(run(LOADED))).toBe(null)
  })

  test('the marks beside it are filled for what was done, not for what a person is to finish', () => {
    const steps = ['consent', 'document', 'portrait', 'result'] as const
    expect(listMarks({ steps, index: 1, undone: [] })).toEqual(['past', 'now', 'ahead', 'ahead'])
    expect(listMarks({ steps, index: 3, undone: ['portrait'] })).toEqual(['past', 'past', 'undone', 'now'])
  })
})

describe('failures', () => {
  const during = run(LOADED, at('capture'))
  const failing = (failure: Parameters<typeof reduce>[1] & { type: 'call-failed' }) => reduce(during, failure)

  test('a server that does not answer takes nothing from the person', () => {
    const state = failing({ type: 'call-failed', failure: 'offline' })
    expect(state).toMatchObject({
      screen: 'document',
      visit: during.visit,
      trouble: 'offline',
      working: false,
    })
    expect(reduce(state, at('capture')).trouble).toBe(null)
  })

  test('a session that is over leaves nothing on the screen', () => {
    expect(failing({ type: 'call-failed', failure: 'session-over' })).toMatchObject({
      screen: 'starting',
      visit: null,
      trouble: 'expired',
    })
  })

  test('a closed kiosk ends no visit, and begins none', () => {
    expect(failing({ type: 'call-failed', failure: 'closed' }).screen).toBe('document')
    expect(run(LOADED, { type: 'call-failed', failure: 'closed' })).toMatchObject({
      screen: 'resting',
      trouble: 'closed',
    })
  })

  test('have a message for each kind, and a failed background call shows none', () => {
    expect(chooseMessage(failing({ type: 'call-failed', failure: 'file-refused' }))).toBe('trouble.file')
    expect(chooseMessage(failing({ type: 'call-failed', failure: 'full' }))).toBe('trouble.busy')
    expect(chooseMessage(failing({ type: 'call-failed', failure: 'full', quiet: true }))).toBe(null)
    expect(chooseMessage(run(LOADED, at('portrait', { notice: 'DOCUMENT_TO_PERSON' })))).toBe(
      'notice.DOCUMENT_TO_PERSON',
    )
  })

  test('the answer to a background call does not end a running action', () => {
    const working = reduce(during, { type: 'act-began' })
    expect(reduce(working, { type: 'visit', visit: visitAt('capture'), quiet: true }).working).toBe(true)
    expect(reduce(working, at('capture')).working).toBe(false)
  })
})

describe('what the page does by itself', () => {
  test('asks often while something is checked, seldom otherwise, and not while an act is under way', () => {
    const often = nextTask(run(LOADED, at('checking')))
    const seldom = nextTask(run(LOADED, at('capture')))
    expect(often?.name).toBe('poll')
    expect(seldom?.name).toBe('poll')
    expect(often?.afterMs ?? 0).toBeLessThan((seldom?.afterMs ?? 0) / 4)
    expect(nextTask(run(LOADED, at('checking'), { type: 'act-began' }))).toBe(null)
  })

  test('finishes when nothing is checked any more', () => {
    expect(nextTask(run(LOADED, at('waiting')))?.name).toBe('poll')
    expect(nextTask(run(LOADED, at('ready')))).toEqual({ name: 'finish', afterMs: 0 })
  })

  test('waits longer after each question that got no answer, up to a limit', () => {
    const waits = [1, 2, 3, 4, 5].map((times) => {
      const failures = Array.from({ length: times }, (): AppEvent => ({
        type: 'call-failed',
        failure: 'offline',
      }))
      return nextTask(run(LOADED, at('checking'), ...failures))?.afterMs
    })
    expect(waits).toEqual([1000, 2000, 4000, 8000, 8000])
  })

  test('a machine at rest looks again by itself', () => {
    expect(nextTask(run({ type: 'load-failed', failure: 'offline' }))?.name).toBe('boot')
    expect(nextTask(run(LOADED))?.name).toBe('look')
    expect(nextTask(run(LOADED, { type: 'parted', parting: 'finished' }))).toBe(null)
  })
})
