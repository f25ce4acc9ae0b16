/** Two soft tones: got it, look here. Made by the browser, so that nothing has to be loaded; 6 dB under speech. */
import type { Tone } from './screen-context.ts'

// A fifth upwards says done; a falling third, twice, asks to look. Hertz and seconds; starting values.
const TONES: Readonly<Record<Tone, readonly { hertz: number; at: number; lasts: number }[]>> = {
  'got-it': [
    { hertz: 523.25, at: 0, lasts: 0.14 },
    { hertz: 783.99, at: 0.11, lasts: 0.24 },
  ],
  'look-here': [
    { hertz: 659.25, at: 0, lasts: 0.2 },
    { hertz: 523.25, at: 0.22, lasts: 0.28 },
  ],
}
/** Half the amplitude is 6 dB less. */
const UNDER_SPEECH = 0.5

export class Sounds {
  #context: AudioContext | null = null

  /** Before the first touch the browser may refuse; then there is silence, and the picture says the same. */
  play(tone: Tone, volume: number): void {
    try {
      this.#context ??= new AudioContext()
      void this.#context.resume().catch(() => undefined)
      for (const note of TONES[tone]) this.#note(this.#context, note, volume)
    } catch {
      // No loudspeaker.
    }
  }

  #note(
    context: AudioContext,
    { hertz, at, lasts }: { hertz: number; at: number; lasts: number },
    volume: number,
  ): void {
    const from = context.currentTime + at
    const oscillator = new OscillatorNode(context, { type: 'sine', frequency: hertz })
    const gain = new GainNode(context, { gain: 0 })
    gain.gain.setValueAtTime(0, from)
    gain.gain.linearRampToValueAtTime(volume * UNDER_SPEECH, from + 0.02)
    gain.gain.exponentialRampToValueAtTime(0.001, from + lasts)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(from)
    oscillator.stop(from + lasts)
  }
}
