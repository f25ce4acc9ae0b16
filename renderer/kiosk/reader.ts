/**
 * Joins speech to the page: reads what opens, what changes by itself and what has the focus, stops at any touch, keeps
 * personal data to the headset. Whoever sees nothing gets through a visit with it and the keypad alone.
 */
import type { Translate } from '../locales/index.ts'
import type { DisplaySettings, ScreenView } from './screen-context.ts'
import { Speech, watchHeadset } from './speech.ts'
import { focusText, partsOf, sentencesOf, stateText } from './speech-text.ts'

export interface ReaderParts {
  readonly t: Translate
  readonly settings: () => DisplaySettings
  readonly tag: () => string
  /** The screen with its step line and what is told above it. */
  readonly screen: () => { readonly root: Element; readonly view: ScreenView | null } | null
  /** Speech may have become possible, or impossible. */
  readonly voicesChanged?: () => void
}

/** A button that itself pauses speech and continues with it: its touch must not be the interruption. */
export const KEEPS_SPEECH = 'data-keeps-speech'
const LIVE = '[role="status"], [role="alert"], [aria-live="polite"], [aria-live="assertive"]'

export class Reader {
  readonly #parts: ReaderParts
  readonly #speech: Speech
  #headset = false
  /** The last input came from a key: what has the focus now was gone to, not touched. */
  #byKey = false
  /** What was read last: what stands in it is not told once more. */
  #read = ''

  constructor(
    parts: ReaderParts,
    speech: Speech = new Speech(globalThis.speechSynthesis, () => parts.voicesChanged?.()),
  ) {
    this.#parts = parts
    this.#speech = speech
  }

  /** @param started a headset was plugged in: speech begins in the present language. */
  start(started: () => void): void {
    document.addEventListener('pointerdown', (event) => this.#input(event, false), INPUT)
    document.addEventListener('keydown', (event) => this.#input(event, true), INPUT)
    document.addEventListener('focusin', ({ target }) => this.#focused(target as HTMLElement))
    document.addEventListener('input', (event) => this.#typed(event))
    const changes = new MutationObserver((records) => this.#changed(records))
    changes.observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['aria-pressed'],
    })
    void watchHeadset((isPlugged) => {
      this.#headset = isPlugged
      if (isPlugged && this.canSpeak()) started()
      // What was meant for two ears is not for the room.
      if (!isPlugged) this.forget()
    })
  }

  /** What stands on top: a question over the screen, else the screen. */
  readPage(): void {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
    if (dialog) return this.#aside(this.#sentencesIn(dialog))
    const screen = this.#parts.screen()
    if (!screen || !this.#isOn) return
    const { root, view } = screen
    const own = view?.spoken
    const choices = partsOf(root).filter(({ kind }) => kind === 'choice')
    const sentences = own === undefined ? this.#sentencesIn(root) : [own, ...this.#sentencesOf(choices)]
    this.#read = sentences.join('\n')
    this.#speech.say(sentences, this.#options())
  }

  say(sentence: string, isPersonal: boolean): void {
    if (!this.#isOn) return
    const said = isPersonal && !this.#headset ? this.#t('speech.on-screen') : sentence
    // The live region that the frame keeps for others holds the same.
    this.#read = sentence
    this.#speech.say([said], this.#options())
  }

  /** A key of the keypad: what is before the person now. */
  repeat(): void {
    if (!this.#isOn) return
    if (document.querySelector('dialog[open]')) this.readPage()
    else this.#speech.repeat(this.#options())
  }

  /** At another speed or loudness, from where it was cut short. */
  goOn(): void {
    if (this.#isOn) this.#speech.goOn(this.#options())
  }

  stop(): void {
    this.#speech.stop()
  }

  forget(): void {
    this.#read = ''
    this.#speech.forget()
  }

  /** Whether a voice of this machine speaks it: the present language, unless another is named. */
  canSpeak(tag = this.#parts.tag()): boolean {
    return this.#speech.voiceFor(tag) !== null
  }

  controls() {
    return {
      canSpeak: this.canSpeak(),
      repeat: () => this.#speech.repeat(this.#options()),
      isPaused: () => this.#speech.isPaused,
      pause: () => this.#speech.stop(),
      resume: () => this.goOn(),
    }
  }

  #input({ target }: Event, byKey: boolean): void {
    this.#byKey = byKey
    if (!(target instanceof Element && target.closest(`[${KEEPS_SPEECH}]`))) this.#speech.stop()
  }

  #focused(element: HTMLElement): void {
    // Pages and questions give the focus to their title when they open.
    if (element.matches('h1, h2')) this.readPage()
    else if (this.#byKey && this.#isOn) this.#aside([focusText(element, this.#t, this.#hearing)])
  }

  /** The letter that was typed, for two ears alone. */
  #typed(event: Event): void {
    const { target } = event
    if (!this.#isOn || !this.#headset || !(target instanceof HTMLInputElement)) return
    const isErased = event instanceof InputEvent && event.inputType.startsWith('delete')
    const before = target.value.slice(0, target.selectionStart ?? target.value.length)
    const letter = [...new Intl.Segmenter().segment(before)].at(-1)?.segment
    this.#aside([isErased || letter === undefined ? this.#t('speech.erased') : letter])
  }

  #changed(records: readonly MutationRecord[]): void {
    if (!this.#isOn) return
    const regions = new Set<Element>()
    for (const { type, target } of records) {
      const element = target instanceof Element ? target : target.parentElement
      if (type === 'attributes' && this.#byKey && element === document.activeElement) {
        this.#aside([stateText(element as Element, this.#t)])
        continue
      }
      const region = type === 'attributes' ? null : element?.closest(LIVE)
      if (region) regions.add(region)
    }
    const open = [...document.querySelectorAll('dialog[open]')].at(-1)
    for (const region of regions) if (!open || open.contains(region)) this.#tell(region)
  }

  /** What changes by itself waits until the rest has been said, and is not said twice. */
  #tell(region: Element): void {
    for (const sentence of this.#sentencesOf(partsOf(region).filter(({ kind }) => kind === 'words'))) {
      if (this.#read.includes(sentence)) continue
      this.#read += `\n${sentence}`
      this.#speech.add(sentence, this.#options())
    }
  }

  #aside(sentences: readonly string[]): void {
    if (!this.#isOn) return
    this.#read = sentences.join('\n')
    this.#speech.sayAside(sentences, this.#options())
  }

  get #isOn(): boolean {
    return this.#parts.settings().speech
  }
  get #t(): Translate {
    return this.#parts.t
  }
  get #hearing(): { headset: boolean } {
    return { headset: this.#headset }
  }
  #sentencesIn(root: Element): string[] {
    return this.#sentencesOf(partsOf(root))
  }
  #sentencesOf(parts: ReturnType<typeof partsOf>): string[] {
    return sentencesOf(parts, this.#t, this.#hearing)
  }
  #options() {
    const { speechRate, volume } = this.#parts.settings()
    return { tag: this.#parts.tag(), rate: speechRate, volume }
  }
}

const INPUT = { capture: true, passive: true }
