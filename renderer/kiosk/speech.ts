/** Speaks through the browser's voices, and tells whether a headset is plugged in. It keeps only what it said last. */

export interface SpeechOptions {
  readonly tag: string
  readonly rate: number
  readonly volume: number
}

export class Speech {
  readonly #synth: SpeechSynthesis | undefined
  #last: { sentences: readonly string[]; options: SpeechOptions } | null = null

  constructor(synth: SpeechSynthesis | undefined = globalThis.speechSynthesis) {
    this.#synth = synth
    // Voices arrive late; asking for them makes the browser load them.
    synth?.getVoices()
  }

  /** A voice of another language is none: nobody understands what it says. */
  voiceFor(tag: string): SpeechSynthesisVoice | null {
    const base = tag.toLowerCase().split('-')[0]
    const voices = (this.#synth?.getVoices() ?? []).filter(
      (voice) => voice.lang.toLowerCase().split(/[-_]/)[0] === base,
    )
    // A voice from the network would send what it says to somebody else.
    return (
      voices.find((voice) => voice.localService && voice.default) ??
      voices.find((voice) => voice.localService) ??
      null
    )
  }

  say(sentences: readonly string[], options: SpeechOptions): void {
    const voice = this.voiceFor(options.tag)
    if (!this.#synth || !voice) return
    this.stop()
    this.#last = { sentences, options }
    for (const sentence of sentences) {
      const utterance = new SpeechSynthesisUtterance(sentence)
      utterance.voice = voice
      utterance.lang = voice.lang
      utterance.rate = options.rate
      utterance.volume = options.volume
      this.#synth.speak(utterance)
    }
  }

  repeat(options: SpeechOptions): void {
    if (this.#last) this.say(this.#last.sentences, options)
  }

  get isPaused(): boolean {
    return this.#synth?.paused ?? false
  }

  pause(): void {
    this.#synth?.pause()
  }

  resume(): void {
    this.#synth?.resume()
  }

  stop(): void {
    this.#synth?.resume()
    this.#synth?.cancel()
  }

  /** Nothing of what was said is left. */
  forget(): void {
    this.stop()
    this.#last = null
  }
}

/**
 * One more loudspeaker than before is a headset. A browser that does not list them says nothing, and speech is started by
 * hand.
 */
export async function watchHeadset(plugged: (isPlugged: boolean) => void): Promise<void> {
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
  let without = await outputs()
  let was = false
  devices.addEventListener('devicechange', () => {
    void outputs().then((count) => {
      without = Math.min(without, count)
      const isPlugged = count > without
      if (isPlugged !== was) plugged(isPlugged)
      was = isPlugged
    })
  })
}
