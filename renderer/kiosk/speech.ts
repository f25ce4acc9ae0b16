/**
 * Speaks through the browser's voices, and tells whether a headset is plugged in. It keeps only what it said last, and how far
 * it came with it.
 */

import { chooseVoice } from '../voices.ts'

export interface SpeechOptions {
  readonly tag: string
  readonly rate: number
  readonly volume: number
}

export class Speech {
  readonly #synth: SpeechSynthesis | undefined
  #last: readonly string[] = []
  /** The sentence of them that is said, or would be next. */
  #at = 0
  #isReading = false
  /** Counts what was begun: the end of a sentence that was cut short moves nothing. */
  #run = 0

  /** @param changed the browser has found voices: some seconds after it has started, or when one is installed. */
  constructor(
    synth: SpeechSynthesis | undefined = globalThis.speechSynthesis,
    changed: () => void = () => undefined,
  ) {
    this.#synth = synth
    // Asking for the voices makes the browser load them.
    synth?.getVoices()
    // A browser without the event has its voices at once.
    synth?.addEventListener?.('voiceschanged', changed)
  }

  /** A voice of another language is none: nobody understands what it says. */
  voiceFor(tag: string): SpeechSynthesisVoice | null {
    return chooseVoice(this.#synth?.getVoices() ?? [], tag)
  }

  /** To be repeated, paused and gone on with, in place of what was said before. */
  say(sentences: readonly string[], options: SpeechOptions): void {
    if (!this.voiceFor(options.tag)) return
    this.stop()
    this.#last = sentences
    this.#readFrom(0, options)
  }

  /** A word on what the person does just now; what was read before stays what is repeated and gone on with. */
  sayAside(sentences: readonly string[], options: SpeechOptions): void {
    this.stop()
    for (const sentence of sentences) this.#speak(sentence, options)
  }

  /** When everything else has been said. */
  add(sentence: string, options: SpeechOptions): void {
    this.#speak(sentence, options)
  }

  repeat(options: SpeechOptions): void {
    if (this.#last.length > 0) this.say(this.#last, options)
  }

  /** Something was begun and not read to its end. */
  get isPaused(): boolean {
    return !this.#isReading && this.#at < this.#last.length
  }

  /** From the beginning of the sentence that was cut short, also at another speed or loudness. */
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

  /** Nothing of what was said is left. */
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

/** Tactile keypads with a socket tell by a key that something was plugged in or out; theirs are set to these. */
const HEADSET_KEYS: Readonly<Record<string, boolean>> = { F18: true, F19: false }

/**
 * A keypad's socket tells by a key. Where the page may see loudspeakers at all, one more than before is a headset; our own
 * pages may not, because that takes the right to a microphone, and a socket without a key is started by hand.
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
    // Chromium lists the default and the communications device beside the real ones.
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
