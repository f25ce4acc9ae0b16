/** Joins speech to the page: reads a screen when it opens, stops at any touch, keeps personal data to the headset. */
import type { Translate } from '../locales/index.ts'
import type { DisplaySettings, ScreenView } from './screen-context.ts'
import { Speech, watchHeadset } from './speech.ts'
import { partsOf, sentencesOf } from './speech-text.ts'

export class Reader {
  readonly #speech = new Speech()
  readonly #t: Translate
  readonly #settings: () => DisplaySettings
  readonly #tag: () => string
  #headset = false

  constructor(t: Translate, settings: () => DisplaySettings, tag: () => string) {
    this.#t = t
    this.#settings = settings
    this.#tag = tag
  }

  /** @param started a headset was plugged in: speech begins in the present language. */
  start(started: () => void): void {
    for (const name of ['pointerdown', 'keydown'] as const) {
      document.addEventListener(name, () => this.#speech.stop(), { capture: true, passive: true })
    }
    void watchHeadset((isPlugged) => {
      this.#headset = isPlugged
      if (isPlugged && this.#speech.voiceFor(this.#tag())) started()
      // What was meant for two ears is not for the room.
      if (!isPlugged) this.#speech.forget()
    })
  }

  read(root: Element, view: ScreenView | null): void {
    if (!this.#settings().speech) return
    const parts = partsOf(root)
    const spoken = view?.spoken
    const sentences = sentencesOf(parts, this.#t, { headset: this.#headset })
    const choices = sentencesOf(
      parts.filter(({ kind }) => kind === 'choice'),
      this.#t,
      { headset: this.#headset },
    )
    this.#speech.say(spoken === undefined ? sentences : [spoken, ...choices], this.#options())
  }

  say(sentence: string, isPersonal: boolean): void {
    if (!this.#settings().speech) return
    this.#speech.say([isPersonal && !this.#headset ? this.#t('speech.on-screen') : sentence], this.#options())
  }

  repeat(): void {
    this.#speech.repeat(this.#options())
  }

  stop(): void {
    this.#speech.stop()
  }

  forget(): void {
    this.#speech.forget()
  }

  controls() {
    return {
      canSpeak: this.#speech.voiceFor(this.#tag()) !== null,
      repeat: () => this.repeat(),
      isPaused: () => this.#speech.isPaused,
      pause: () => this.#speech.pause(),
      resume: () => this.#speech.resume(),
    }
  }

  #options() {
    const { speechRate, volume } = this.#settings()
    return { tag: this.#tag(), rate: speechRate, volume }
  }
}
