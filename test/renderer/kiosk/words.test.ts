/** Texts, speech and input: dates and names, digits, keys, speech, pages and sizes. */
import { describe, expect, test } from 'vitest'
import { toCallFailure } from '../../../renderer/kiosk/api.ts'
import { digitsOnly, plainDigits } from '../../../renderer/kiosk/digits.ts'
import { DEFAULTS, needsTime, computeScale } from '../../../renderer/kiosk/display.ts'
import { createFormats } from '../../../renderer/kiosk/formats.ts'
import { findAct, isOfTheBrowser } from '../../../renderer/kiosk/keys.ts'
import { cut } from '../../../renderer/kiosk/paging.ts'
import { toSentences } from '../../../renderer/kiosk/speech-text.ts'
import { loadTexts } from '../../../renderer/locales/index.ts'
import { KIOSK } from '../../../renderer/locales/kiosk.ts'
import type { SpokenPart } from '../../../renderer/kiosk/speech-text.ts'

describe('formats', () => {
  const english = createFormats('en')

  test('a date has its month in words, and only the parts that are known', () => {
    expect(createFormats('fr').date('1964-10-01')).toBe('1er octobre 1964')
    expect(createFormats('fr').date('1964-10-11')).toBe('11 octobre 1964')
    expect(createFormats('fr').date('1964-10-01', { withoutYear: true })).toBe('1er octobre')
    expect(createFormats('en-GB').date('1964-07-05')).toBe('5 July 1964')
    expect(createFormats('fr').date('1964-07-05')).toBe('5 juillet 1964')
    expect(english.date('1964-07-00')).toBe('July 1964')
    expect(english.date('1964-00-00')).toBe('1964')
    expect(english.date('1964-00-05')).toBe('1964')
    expect(english.date('')).toBe('')
  })

  test('a date without the year shows only day and month', () => {
    expect(createFormats('de').date('1964-07-05', { withoutYear: true })).toBe('5. Juli')
    expect(english.date('2000-02-29', { withoutYear: true })).toBe('29 February')
  })

  test('a country without a name is shown by its code', () => {
    expect(english.country('FR')).toBe('France')
    expect(english.country('UT')).toBe('UT')
    expect(english.country('not a code')).toBe('not a code')
  })

  test('years are counted the Gregorian way in every language', () => {
    expect(createFormats('ar').date('1964-07-05')).toMatch(/1964|١٩٦٤/)
    expect(createFormats('th').date('1964-07-05')).toMatch(/1964/)
  })
})

test.each([
  [
    'en',
    'The operator of this machine asks who you are.',
    '24 hours after the operator of this machine has it.',
  ],
  [
    'de',
    'Der Betreiber dieses Geräts möchte wissen, wer Sie sind.',
    'nachdem der Betreiber dieses Geräts es hat.',
  ],
])('in %s the words for an unnamed organisation fit into the sentence', async (tag, start, end) => {
  const t = await loadTexts(KIOSK, tag)
  const organisation = t('organisation.unnamed')
  expect(t('consent.lead', { organisation })).toBe(start)
  expect(t('consent.kept.after', { organisation, period: '24 hours' })).toContain(end)
  // Also at the start of a later sentence, and never in the name of an organisation.
  expect(t('consent.full.3', { organisation })).toContain(organisation)
  expect(t('consent.kept.after', { organisation: 'The Bank', period: '' })).toContain('The Bank')
})

describe('digits', () => {
  test('Arabic-Indic, Persian and Devanagari digits are taken like 0-9', () => {
    expect(plainDigits('٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹ ०१२३४५६७८९')).toBe('0123456789 0123456789 0123456789')
    expect(digitsOnly('(٠٦) 12-34')).toBe('061234')
  })
})

describe('keys', () => {
  const press = (key: string, more: Partial<Parameters<typeof findAct>[0]> = {}) =>
    findAct({ key, isTyping: false, isRtl: false, scanning: false, ...more })

  test('arrows move as the page is read, and the caret while typing', () => {
    expect([press('ArrowRight'), press('ArrowLeft')]).toEqual(['next', 'back'])
    expect([press('ArrowRight', { isRtl: true }), press('ArrowLeft', { isRtl: true })]).toEqual([
      'back',
      'next',
    ])
    expect(press('ArrowRight', { isTyping: true })).toBe(null)
  })

  test('a keypad has next, back, OK, help and repeat', () => {
    expect(['F13', 'F14', 'F15', 'F16', 'F17'].map((key) => press(key))).toEqual([
      'next',
      'back',
      'choose',
      'help',
      'repeat',
    ])
  })

  test('a browser’s own chords open nothing over the page, and editing in a field continues', () => {
    const chord = (name: string) => {
      const parts = name.split('+')
      return isOfTheBrowser({
        key: parts.at(-1) ?? '',
        ctrlKey: parts.includes('Ctrl'),
        shiftKey: parts.includes('Shift'),
        altKey: parts.includes('Alt'),
        metaKey: parts.includes('Meta'),
      })
    }
    const opening = ['F12', 'Ctrl+Shift+I', 'Ctrl+Shift+J', 'Ctrl+Shift+C', 'Meta+Alt+i', 'Ctrl+u', 'Ctrl+p']
    expect(opening.filter((name) => !chord(name))).toEqual([])
    expect(['Ctrl+r', 'Ctrl+f', 'Ctrl+s', 'Alt+ArrowLeft', 'F5'].filter((name) => !chord(name))).toEqual([])
    const ours = [
      'a',
      'Shift+A',
      'Ctrl+a',
      'Ctrl+v',
      'Ctrl+ArrowLeft',
      'Ctrl+Alt+@',
      'F1',
      'F9',
      'F13',
      'Tab',
    ]
    expect(ours.filter(chord)).toEqual([])
  })

  test('with switches Space continues and Enter chooses', () => {
    expect(press(' ')).toBe(null)
    expect(press(' ', { scanning: true })).toBe('next')
    expect(press('Enter', { scanning: true })).toBe(null)
  })
})

describe('speech', () => {
  const part = (kind: SpokenPart['kind'], text: string, personal = false): SpokenPart => ({
    kind,
    text,
    personal,
  })
  const t = (key: string) => `[${key}]`
  const parts = [part('words', 'Is this right?'), part('words', 'SAMPLE, ANNA', true), part('choice', 'Yes')]

  test('reads title and words, then what can be chosen', () => {
    expect(toSentences([part('choice', 'Yes'), part('words', 'Title')], t, { headset: false })).toEqual([
      'Title',
      '[speech.choices]',
      'Yes',
    ])
  })

  test('says data of the person to a headset only', () => {
    expect(toSentences(parts, t, { headset: true })).toContain('SAMPLE, ANNA')
    const loud = toSentences(parts, t, { headset: false })
    expect(loud).not.toContain('SAMPLE, ANNA')
    expect(loud).toContain('[speech.on-screen]')
  })
})

describe('pages', () => {
  test('hold as many blocks as fit, in their order', () => {
    expect(cut([100, 100, 100], 20, 220)).toEqual([[0, 1], [2]])
    expect(cut([100, 100, 100], 20, 340)).toEqual([[0, 1, 2]])
    expect(cut([], 20, 340)).toEqual([])
  })

  test('give a block that is too high one of its own', () => {
    expect(cut([50, 900, 50], 20, 220)).toEqual([[0], [1], [2]])
  })

  test('a last page is not left nearly empty: the rows are shared out over as many pages', () => {
    expect(cut([100, 100, 100, 100, 40], 20, 460)).toEqual([
      [0, 1],
      [2, 3, 4],
    ])
    expect(cut([60, 60, 60, 60, 60, 60, 60], 10, 410)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
    ])
  })
})

describe('sizes', () => {
  const upright = (diagonalInch: number) => computeScale({ widthPx: 1080, heightPx: 1920, diagonalInch })

  test('are the same in millimetres on every screen', () => {
    expect(upright(27)).toBeCloseTo(1, 2)
    expect(upright(24)).toBeCloseTo(1.124, 2)
    expect(upright(21.5)).toBeCloseTo(1.255, 2)
    expect(upright(32)).toBeCloseTo(0.844, 2)
  })

  test('fit on a small screen', () => {
    expect(computeScale({ widthPx: 1366, heightPx: 768, diagonalInch: 14 }) * 860).toBeLessThanOrEqual(768)
  })

  test('large text, speech and switches give more time; contrast does not', () => {
    expect(needsTime(DEFAULTS)).toBe(false)
    expect(needsTime({ ...DEFAULTS, highContrast: true })).toBe(false)
    expect(needsTime({ ...DEFAULTS, textSize: 2 })).toBe(true)
    expect(needsTime({ ...DEFAULTS, speech: true })).toBe(true)
    expect(needsTime({ ...DEFAULTS, scanning: true })).toBe(true)
  })
})

describe('failures of calls', () => {
  test('are distinguished by their code, or by the status if there is no code', () => {
    expect(toCallFailure(503, 'proofings_frozen')).toBe('closed')
    expect(toCallFailure(400, 'sides_mismatch')).toBe('file-refused')
    expect(toCallFailure(409, 'visit_taken_over')).toBe('taken-over')
    expect(toCallFailure(400, 'unsupported_image')).toBe('file-refused')
    expect(toCallFailure(413, null)).toBe('file-refused')
    expect(toCallFailure(401, null)).toBe('session-over')
    expect(toCallFailure(429, null)).toBe('full')
    expect(toCallFailure(502, null)).toBe('offline')
    expect(toCallFailure(409, 'transition_refused')).toBe('refused')
  })
})
