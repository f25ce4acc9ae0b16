/**
 * Speaks through the browser's voices, and detects a headset. It keeps only the last text and the position in
 * it.
 */

import { chooseVoice } from '../voices.ts'

interface SpeechOptions {
  readonly tag: string
  readonly rate: number
  readonly volume: number
}

export class Speech {
  readonly #synth: SpeechSynthesis | undefined
  #last: readonly string[] = []
  /** Index of the sentence in progress, or of the next one. */
  #at = 0
  #isReading = false
  /** Numbers the utterances: the end event of an interrupted one must not advance the position. */
  #run = 0

  /** @param changed the browser has loaded voices, some seconds after its start or after an installation. */
  constructor(
    synth: SpeechSynthesis | undefined = globalThis.speechSynthesis,
    changed: () => void = () => undefined,
  ) {
    this.#synth = synth
    // Asking for the voices makes the browser load them.
    synth?.getVoices()
    // A browser without this event has its voices immediately.
    synth?.addEventListener?.('voiceschanged', changed)
  }

  /** Returns null rather than a voice of another language, which would be incomprehensible. */
  voiceFor(tag: string): SpeechSynthesisVoice | null {
    return chooseVoice(this.#synth?.getVoices() ?? [], tag)
  }

  /** Replaces the text in progress by one that can be repeated, paused and resumed. */
  say(sentences: readonly string[], options: SpeechOptions): void {
    if (!this.voiceFor(options.tag)) return
    this.stop()
    this.#last = sentences
    this.#readFrom(0, options)
  }

  /** Speaks a short remark; the earlier text remains the one to repeat and resume. */
  sayAside(sentences: readonly string[], options: SpeechOptions): void {
    this.stop()
    for (const sentence of sentences) this.#speak(sentence, options)
  }

  /** Speaks after the text in progress. */
  add(sentence: string, options: SpeechOptions): void {
    this.#speak(sentence, options)
  }

  repeat(options: SpeechOptions): void {
    if (this.#last.length > 0) this.say(this.#last, options)
  }

  /** True if a text was begun and not finished. */
  get isPaused(): boolean {
    return !this.#isReading && this.#at < this.#last.length
  }

  /** Resumes at the beginning of the interrupted sentence, with the present speed and volume. */
  goOn(options: SpeechOptions): void {
    if (this.#at >= this.#last.length) return
    this.stop()
    this.#readFrom(this.#at, options)
  }

  stop(): void {
    this.#run += 1
    this.#isReading = false
    this.#synth?.cancel()
  }

  /** Deletes the last text. */
  forget(): void {
    this.stop()
    this.#last = []
    this.#at = 0
  }

  #readFrom(first: number, options: SpeechOptions): void {
    const run = this.#run
    this.#at = first
    this.#isReading = true
    this.#last.slice(first).forEach((sentence, index) =>
      this.#speak(sentence, options, () => {
        if (run !== this.#run) return
        this.#at = first + index + 1
        this.#isReading = this.#at < this.#last.length
      }),
    )
  }

  #speak(sentence: string, { tag, rate, volume }: SpeechOptions, ended?: () => void): void {
    const voice = this.voiceFor(tag)
    if (!this.#synth || !voice) return
    const utterance = new SpeechSynthesisUtterance(sentence)
    utterance.voice = voice
    utterance.lang = voice.lang
    utterance.rate = rate
    utterance.volume = volume
    if (ended) utterance.onend = ended
    this.#synth.speak(utterance)
  }
}

/**
 * Keys by which tactile keypads report that a headset was plugged in or out; the keypads must be configured
 * to them.
 */
const HEADSET_KEYS: Readonly<Record<string, boolean>> = { F18: true, F19: false }

/**
 * Detects a headset by the keypad's keys. If the page may list loudspeakers, one more than before also counts
 * as a headset. Our own pages may not, because that needs the microphone permission; with a socket that sends
 * no key, the applicant starts speech by hand.
 */
export async function watchHeadset(plugged: (isPlugged: boolean) => void): Promise<void> {
  let was = false
  const tell = (isPlugged: boolean) => {
    if (isPlugged !== was) plugged(isPlugged)
    was = isPlugged
  }
  document.addEventListener('keydown', ({ key }) => {
    const isPlugged = HEADSET_KEYS[key]
    if (isPlugged !== undefined) tell(isPlugged)
  })
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (!devices) return
  const outputs = async () => {
    const list = await devices.enumerateDevices().catch(() => [])
    // Chromium lists the default and the communications device in addition to the real ones.
    return list.filter(
      ({ kind, deviceId }) =>
        kind === 'audiooutput' && deviceId !== 'default' && deviceId !== 'communications',
    ).length
  }
  let before = await outputs()
  devices.addEventListener('devicechange', () => {
    void outputs().then((count) => {
      if (count !== before) tell(count > before)
      before = count
    })
  })
}
