/** Speaks a sentence of advice if the element has the attribute `speech`. It never gets personal data. */
import { chooseVoice } from '../voices.ts'
import { CAPTURE_LIMITS } from './limits.ts'

interface Speaker {
  say(sentence: string, lang: string): void
  stop(): void
}

export function speaker(now: () => number = () => performance.now()): Speaker {
  const synthesis = (globalThis as { speechSynthesis?: SpeechSynthesis }).speechSynthesis
  let last = { sentence: '', atMs: -Infinity }
  return {
    say: (sentence, lang) => {
      const isRepeat = sentence === last.sentence
      if (!synthesis || (isRepeat && now() - last.atMs < CAPTURE_LIMITS.guidance.spokenAgainAfterMs)) return
      last = { sentence, atMs: now() }
      // An outdated sentence is cut off.
      synthesis.cancel()
      const utterance = new SpeechSynthesisUtterance(sentence)
      utterance.lang = lang
      const voice = chooseVoice(synthesis.getVoices(), lang)
      if (voice) utterance.voice = voice
      synthesis.speak(utterance)
    },
    stop: () => {
      last = { sentence: '', atMs: -Infinity }
      synthesis?.cancel()
    },
  }
}
