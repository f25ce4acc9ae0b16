/** Speech: only voices of the language that are on the machine, one sentence at a time, and nothing kept at the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Speech } from '../../../renderer/kiosk/speech.ts'

const voice = (lang: string, localService = true) => ({ lang, localService, default: false, name: lang })
const spoken: { text: string; lang?: string; rate?: number; volume?: number }[] = []
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
    paused: false,
    getVoices: () => voices,
    speak: (utterance: { text: string }) => spoken.push(utterance),
    cancel: () => (stopped += 1),
    pause: () => undefined,
    resume: () => undefined,
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

test('what is said stops what was being said, at the speed and loudness that were chosen', () => {
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
