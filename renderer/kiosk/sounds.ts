/**
 * Two soft tones: success and attention. The browser synthesises them, so that no file is loaded; 6 dB below
 * speech.
 */
import type { Tone } from './screen-context.ts'

// A rising fifth means success; a falling third, twice, asks for attention. Hertz and seconds; starting
// values.
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

  /**
   * Plays a tone. Before the first touch the browser may refuse; the picture says the same, so silence is
   * acceptable.
   */
  play(tone: Tone, volume: number): void {
    try {
      this.#context ??= new AudioContext()
      void this.#context.resume().catch(() => undefined)
      for (const note of TONES[tone]) this.#note(this.#context, note, volume)
    } catch {
      // The machine has no loudspeaker.
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
