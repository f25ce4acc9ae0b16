/** The kiosk's state machine: what is shown follows from what happened. */
import { describe, expect, test } from 'vitest'
import type { CaptureState, JourneyView, Progress } from '../../../server/kiosk/contract.ts'
import { idleness, warningLeft } from '../../../renderer/kiosk/idle.ts'
import { START, hasVisit, isChecking, nextTask, reduce, stepOf } from '../../../renderer/kiosk/journey.ts'
import type { JourneyEvent, JourneyState } from '../../../renderer/kiosk/journey.ts'
import { waitingWords } from '../../../renderer/kiosk/waiting.ts'

const JOURNEY: JourneyView = {
  id: 'test',
  version: 1,
  organisation: 'Example Bank',
  languages: [
    { tag: 'en', name: 'English', dir: 'ltr' },
    { tag: 'fr', name: 'Français', dir: 'ltr' },
  ],
  document: { uploadAllowed: true, maxSubmissions: 3 },
  portrait: { uploadAllowed: false, maxSubmissions: 3 },
  idleSeconds: { welcome: 30, reading: 90, capture: 120, result: 60, goodbye: 8, warning: 30 },
  mode: 'test',
}
const progress = (document: CaptureState, portrait: CaptureState): Progress => ({
  document: { state: document, guidance: document === 'AGAIN' ? ['DOCUMENT_DARK'] : [], left: 2 },
  portrait: { state: portrait, guidance: portrait === 'AGAIN' ? ['PORTRAIT_FAR'] : [], left: 2 },
  ready: document === 'DONE' && portrait === 'DONE',
})
const run = (...events: JourneyEvent[]): JourneyState => events.reduce(reduce, START)

const LOADED: JourneyEvent = { type: 'loaded', journey: JOURNEY }
const TO_DOCUMENT: JourneyEvent[] = [LOADED, { type: 'session-started' }, { type: 'agreed' }]
const progressed = (document: CaptureState, portrait: CaptureState): JourneyEvent => ({
  type: 'progressed',
  progress: progress(document, portrait),
})
const RECEIPT = { reference: '7K4P-2M9X', outcome: 'CONFIRMED' } as const

describe('the straight way', () => {
  test('leads from welcome over consent, document, portrait and waiting to the result', () => {
    const way: [JourneyEvent, string][] = [
      [LOADED, 'welcome'],
      [{ type: 'session-started' }, 'consent'],
      [{ type: 'agreed' }, 'document'],
      [progressed('CHECKING', 'NONE'), 'document'],
      [progressed('DONE', 'NONE'), 'portrait'],
      [progressed('DONE', 'CHECKING'), 'waiting'],
      [progressed('DONE', 'DONE'), 'waiting'],
      [{ type: 'finished', receipt: RECEIPT }, 'result'],
      [{ type: 'parted', parting: 'finished' }, 'goodbye'],
      [{ type: 'reset' }, 'welcome'],
    ]
    let state = START
    for (const [event, screen] of way) {
      state = reduce(state, event)
      expect([event.type, state.screen]).toEqual([event.type, screen])
    }
  })

  test('numbers the five steps and nothing else', () => {
    expect(stepOf('document')).toEqual({ name: 'document', n: 2, total: 5 })
    expect(stepOf('result')).toEqual({ name: 'result', n: 5, total: 5 })
    expect([stepOf('welcome'), stepOf('goodbye'), stepOf('resting')]).toEqual([null, null, null])
  })

  test('polls while something is checked, then finishes once', () => {
    expect(nextTask(run(...TO_DOCUMENT))).toBeNull()
    expect(nextTask(run(...TO_DOCUMENT, progressed('CHECKING', 'NONE')))).toBe('poll')
    expect(nextTask(run(...TO_DOCUMENT, progressed('DONE', 'NONE')))).toBeNull()
    expect(nextTask(run(...TO_DOCUMENT, progressed('DONE', 'CHECKING')))).toBe('poll')
    const ready = run(...TO_DOCUMENT, progressed('DONE', 'DONE'))
    expect(nextTask(ready)).toBe('finish')
    expect(nextTask(reduce(ready, { type: 'finished', receipt: RECEIPT }))).toBeNull()
  })
})

describe('another photo', () => {
  test('of the document is asked for with the reason, before the face is shown', () => {
    const state = run(...TO_DOCUMENT, progressed('CHECKING', 'NONE'), progressed('AGAIN', 'NONE'))
    expect([state.screen, state.guidance, isChecking(state)]).toEqual(['document', ['DOCUMENT_DARK'], false])
  })

  test('of the face leads back from waiting to the portrait, the document untouched', () => {
    const state = run(...TO_DOCUMENT, progressed('DONE', 'CHECKING'), progressed('DONE', 'AGAIN'))
    expect([state.screen, state.guidance]).toEqual(['portrait', ['PORTRAIT_FAR']])
  })

  test('starts its screen anew each time, also for the same reason', () => {
    const first = run(...TO_DOCUMENT, progressed('AGAIN', 'NONE'))
    expect(reduce(first, progressed('AGAIN', 'NONE')).round).toBe(first.round + 1)
  })

  test('forgets the old reason once the step is done', () => {
    expect(run(...TO_DOCUMENT, progressed('AGAIN', 'NONE'), progressed('DONE', 'NONE')).guidance).toEqual([])
  })

  test('is asked for when a file is no picture', () => {
    const state = run(
      ...TO_DOCUMENT,
      { type: 'act-began' },
      { type: 'call-failed', failure: 'image-refused' },
    )
    expect([state.screen, state.guidance, state.working]).toEqual(['document', ['FILE_UNREADABLE'], false])
  })
})

describe('trouble', () => {
  test('a lost line is told on the same screen and loses nothing', () => {
    const before = run(...TO_DOCUMENT, progressed('DONE', 'CHECKING'))
    const after = reduce(before, { type: 'call-failed', failure: 'offline' })
    expect(after).toEqual({ ...before, notice: 'offline' })
    expect(nextTask(after)).toBe('poll')
  })

  test('a session that ended leads to the welcome, with the reason and nothing of the person', () => {
    const state = run(...TO_DOCUMENT, progressed('DONE', 'NONE'), {
      type: 'call-failed',
      failure: 'session-over',
    })
    expect(state).toEqual({ ...START, screen: 'welcome', journey: JOURNEY, notice: 'expired' })
  })

  test('a server that does not answer at the start puts the machine out of use', () => {
    expect(run({ type: 'load-failed', failure: 'offline' })).toEqual({ ...START, screen: 'resting' })
  })

  test.each([
    ['at the start', []],
    ['at the welcome', [LOADED]],
    ['at the consent, before anything of the person is there', [LOADED, { type: 'session-started' }]],
  ] as [string, JourneyEvent[]][])('a machine that takes no visits says so %s', (_, events) => {
    const closed = { ...START, screen: 'resting', notice: 'closed' }
    const isLoaded = events.length > 0
    expect(run(...events, { type: isLoaded ? 'call-failed' : 'load-failed', failure: 'closed' })).toEqual(
      closed,
    )
    expect(run({ type: 'load-failed', failure: 'closed' }, LOADED).screen).toBe('welcome')
  })

  test('a visit that is under way is never closed', () => {
    const before = run(...TO_DOCUMENT)
    expect(reduce(before, { type: 'call-failed', failure: 'closed' })).toEqual({
      ...before,
      notice: 'offline',
    })
  })
})

describe('leaving', () => {
  test.each(['stopped', 'refused', 'finished'] as const)('%s keeps nothing of the person', (parting) => {
    const state = run(...TO_DOCUMENT, progressed('DONE', 'AGAIN'), { type: 'parted', parting })
    expect(state).toEqual({ ...START, screen: 'goodbye', journey: JOURNEY, parting })
  })

  test.each([
    progressed('DONE', 'DONE'),
    { type: 'agreed' },
    { type: 'finished', receipt: RECEIPT },
    { type: 'session-started' },
  ] satisfies JourneyEvent[])('an answer that comes too late changes nothing: $type', (late) => {
    const goodbye = run(...TO_DOCUMENT, { type: 'parted', parting: 'stopped' })
    expect(reduce(goodbye, late)).toEqual(goodbye)
  })

  test('can be chosen from the consent to the end of the checks', () => {
    expect(hasVisit(run(LOADED))).toBe(false)
    expect(hasVisit(run(...TO_DOCUMENT))).toBe(true)
    expect(hasVisit(run(...TO_DOCUMENT, progressed('DONE', 'DONE')))).toBe(true)
    expect(
      hasVisit(run(...TO_DOCUMENT, progressed('DONE', 'DONE'), { type: 'finished', receipt: RECEIPT })),
    ).toBe(false)
  })

  test('the next person starts in the first language again', () => {
    const state = run(LOADED, { type: 'language-chosen', language: 'fr' }, { type: 'reset' })
    expect(state.language).toBe('en')
  })
})

describe('idle time', () => {
  const times = JOURNEY.idleSeconds
  test.each([
    ['welcome', 29, 'active'],
    ['welcome', 30, 'clear'],
    ['consent', 89, 'active'],
    ['consent', 90, 'warn'],
    ['consent', 119, 'warn'],
    ['consent', 120, 'clear'],
    ['document', 120, 'warn'],
    ['waiting', 100_000, 'active'],
    ['result', 60, 'warn'],
    ['goodbye', 8, 'clear'],
  ] as const)('%s after %d s: %s', (screen, seconds, expected) => {
    expect(idleness(screen, seconds * 1000, times, false)).toBe(expected)
  })

  test('large text doubles every time but the goodbye', () => {
    expect(idleness('consent', 179_000, times, true)).toBe('active')
    expect(idleness('consent', 239_000, times, true)).toBe('warn')
    expect(idleness('consent', 240_000, times, true)).toBe('clear')
    expect(idleness('goodbye', 8_000, times, true)).toBe('clear')
  })

  test('the ring empties over the warning', () => {
    expect(warningLeft('consent', 90_000, times, false)).toBe(1)
    expect(warningLeft('consent', 105_000, times, false)).toBe(0.5)
    expect(warningLeft('consent', 130_000, times, false)).toBe(0)
  })
})

describe('waiting', () => {
  test.each([
    [progress('CHECKING', 'NONE'), 'waiting.document'],
    [progress('DONE', 'CHECKING'), 'waiting.both'],
    [progress('DONE', 'DONE'), 'waiting.sealing'],
  ] as const)('names what is being done %#', (state, words) => {
    expect(waitingWords(state, 2_000).doing).toBe(words)
  })

  test('says nothing in the first second and calms after twenty', () => {
    expect(waitingWords(progress('DONE', 'CHECKING'), 900)).toEqual({
      doing: null,
      calm: null,
      mayLeave: false,
    })
    expect(waitingWords(progress('DONE', 'CHECKING'), 21_000).calm).toBe('waiting.still')
  })

  test('lets nobody wait more than 45 seconds, but only once both photos are there', () => {
    expect(waitingWords(progress('DONE', 'CHECKING'), 46_000).mayLeave).toBe(true)
    expect(waitingWords(progress('CHECKING', 'NONE'), 46_000).mayLeave).toBe(false)
  })
})
