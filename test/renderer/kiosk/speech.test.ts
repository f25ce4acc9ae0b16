/** Speech: only voices of the language that are on the machine, one sentence at a time, and nothing kept at the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Speech } from '../../../renderer/kiosk/speech.ts'

const voice = (lang: string, localService = true) => ({ lang, localService, default: false, name: lang })
interface Utterance {
  readonly text: string
  readonly lang?: string
  readonly rate?: number
  readonly volume?: number
  readonly onend?: () => void
}
const spoken: Utterance[] = []
let stopped = 0

beforeEach(() => {
  spoken.splice(0)
  stopped = 0
  vi.stubGlobal(
    'SpeechSynthesisUtterance',
    class {
      readonly text: string
      constructor(text: string) {
        this.text = text
      }
    },
  )
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function speechWith(...voices: object[]) {
  const synth = {
    getVoices: () => voices,
    speak: (utterance: Utterance) => spoken.push(utterance),
    cancel: () => (stopped += 1),
  }
  return new Speech(synth as unknown as SpeechSynthesis)
}
const options = (tag: string) => ({ tag, rate: 1.25, volume: 0.5 })

test('a voice of another language, or one from the network, is no voice', () => {
  expect(speechWith(voice('fr-FR')).voiceFor('ar')).toBe(null)
  expect(speechWith(voice('ar-SA', false)).voiceFor('ar')).toBe(null)
  expect(speechWith(voice('fr-FR'), voice('ar_SA')).voiceFor('ar')?.lang).toBe('ar_SA')
  const silent = speechWith(voice('fr-FR'))
  silent.say(['Hello'], options('en'))
  expect(spoken).toEqual([])
})

test('of many voices the plain one of the language is chosen, not a variant or a dialect', () => {
  const named = (name: string, lang: string, isDefault = false) => ({
    ...voice(lang),
    name,
    default: isDefault,
  })
  const many = [
    named('English+Demonic espeak-ng', 'en-GB'),
    named('English (Caribbean) espeak-ng', 'en-029'),
    named('English (Great Britain) espeak-ng', 'en-GB'),
    named('Spanish (Latin America) espeak-ng', 'es-419'),
    named('Spanish (Spain) espeak-ng', 'es'),
  ]
  const chosen = (tag: string, ...more: object[]) => speechWith(...many, ...more).voiceFor(tag)?.name
  expect(chosen('en')).toBe('English (Great Britain) espeak-ng')
  expect(chosen('es')).toBe('Spanish (Spain) espeak-ng')
  expect(chosen('de')).toBe(undefined)
  expect(chosen('en', named('Chosen by the system', 'en-US', true))).toBe('Chosen by the system')
})

test('voices that the browser finds later are used, and are told', () => {
  const found: object[] = []
  let changed: () => void = () => undefined
  let told = 0
  const synth = {
    getVoices: () => found,
    addEventListener: (_: string, listener: () => void) => (changed = listener),
  }
  const speech = new Speech(synth as unknown as SpeechSynthesis, () => (told += 1))
  expect(speech.voiceFor('en')).toBe(null)
  found.push(voice('en-GB'))
  changed()
  expect(speech.voiceFor('en')?.lang).toBe('en-GB')
  expect(told).toBe(1)
})

test('a new message stops the one before, and uses the chosen speed and loudness', () => {
  const speech = speechWith(voice('en-GB'))
  speech.say(['One.', 'Two.'], options('en'))
  expect(spoken.map(({ text, lang, rate, volume }) => ({ text, lang, rate, volume }))).toEqual([
    { text: 'One.', lang: 'en-GB', rate: 1.25, volume: 0.5 },
    { text: 'Two.', lang: 'en-GB', rate: 1.25, volume: 0.5 },
  ])
  speech.repeat({ ...options('en'), rate: 0.75 })
  expect(spoken.slice(2).map(({ text, rate }) => [text, rate])).toEqual([
    ['One.', 0.75],
    ['Two.', 0.75],
  ])
  expect(stopped).toBe(2)
})

test('nothing that was said can be said again after the visit', () => {
  const speech = speechWith(voice('en-GB'))
  speech.say(['Anna Maria'], options('en'))
  speech.forget()
  speech.repeat(options('en'))
  expect(spoken).toHaveLength(1)
})

test('speech that was interrupted continues with the sentence that was cut short, as fast as is wanted by then', () => {
  const speech = speechWith(voice('en-GB'))
  speech.say(['One.', 'Two.', 'Three.'], options('en'))
  expect(speech.isPaused).toBe(false)
  spoken[0]?.onend?.()
  speech.stop()
  expect(speech.isPaused).toBe(true)
  // The browser tells the end of what was cut short, too.
  spoken[1]?.onend?.()
  speech.goOn({ ...options('en'), rate: 2 })
  expect(spoken.slice(3).map(({ text, rate }) => [text, rate])).toEqual([
    ['Two.', 2],
    ['Three.', 2],
  ])
  expect(speech.isPaused).toBe(false)
  spoken[3]?.onend?.()
  spoken[4]?.onend?.()
  speech.stop()
  expect(speech.isPaused).toBe(false)
  speech.goOn(options('en'))
  expect(spoken).toHaveLength(5)
})

test('a word aside interrupts, but what is repeated and gone on with is the page', () => {
  const speech = speechWith(voice('en-GB'))
  speech.say(['Title.', 'Words.'], options('en'))
  speech.sayAside(['Help.'], options('en'))
  expect(speech.isPaused).toBe(true)
  speech.goOn(options('en'))
  expect(spoken.slice(3).map(({ text }) => text)).toEqual(['Title.', 'Words.'])
  speech.sayAside(['Stop.'], options('en'))
  speech.repeat(options('en'))
  expect(spoken.slice(6).map(({ text }) => text)).toEqual(['Title.', 'Words.'])
  // Automatic changes wait for the end.
  const before = stopped
  speech.add('The line is down.', options('en'))
  expect(stopped).toBe(before)
})
