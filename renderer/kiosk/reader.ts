/**
 * Connects speech to the page: reads what opens, what changes by itself and what has the focus; stops at any
 * touch; speaks personal data only to a headset. A blind applicant can complete a visit with it and the
 * keypad.
 */
import type { Translate } from '../locales/index.ts'
import type { DisplaySettings, ScreenView } from './screen-context.ts'
import { Speech, watchHeadset } from './speech.ts'
import { focusText, readParts, toSentences, stateText } from './speech-text.ts'

interface ReaderParts {
  readonly t: Translate
  readonly settings: () => DisplaySettings
  readonly tag: () => string
  /** The screen with its step line and the message above it. */
  readonly screen: () => { readonly root: Element; readonly view: ScreenView | null } | null
  /** Speech may have become possible or impossible. */
  readonly voicesChanged?: () => void
}

/** Marks a button that pauses and resumes speech: touching it must not count as an interruption. */
export const KEEPS_SPEECH = 'data-keeps-speech'
const LIVE = '[role="status"], [role="alert"], [aria-live="polite"], [aria-live="assertive"]'

export class Reader {
  readonly #parts: ReaderParts
  readonly #speech: Speech
  #headset = false
  /** The last input came from a key, so the focused control was reached by key, not by touch. */
  #byKey = false
  /** The text read last; sentences that it contains are not read again. */
  #read = ''

  constructor(
    parts: ReaderParts,
    speech: Speech = new Speech(globalThis.speechSynthesis, () => parts.voicesChanged?.()),
  ) {
    this.#parts = parts
    this.#speech = speech
  }

  /** @param started called when a headset is plugged in; speech then begins in the current language */
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
      // Speech for the headset must not reach the loudspeaker.
      if (!isPlugged) this.forget()
    })
  }

  /** Reads the topmost question over the screen, or the screen. */
  readPage(): void {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
    if (dialog) return this.#aside(this.#sentencesIn(dialog))
    const screen = this.#parts.screen()
    if (!screen || !this.#isOn) return
    const { root, view } = screen
    const own = view?.spoken
    const choices = readParts(root).filter(({ kind }) => kind === 'choice')
    const sentences = own === undefined ? this.#sentencesIn(root) : [own, ...this.#sentencesOf(choices)]
    this.#read = sentences.join('\n')
    this.#speech.say(sentences, this.#options())
  }

  say(sentence: string, isPersonal: boolean): void {
    if (!this.#isOn) return
    const said = isPersonal && !this.#headset ? this.#t('speech.on-screen') : sentence
    // The live region of the frame contains the same sentence.
    this.#read = sentence
    this.#speech.say([said], this.#options())
  }

  /** Repeats what is in front of the applicant now (a key of the keypad). */
  repeat(): void {
    if (!this.#isOn) return
    if (document.querySelector('dialog[open]')) this.readPage()
    else this.#speech.repeat(this.#options())
  }

  /** Continues from the interruption, with the present speed and volume. */
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

  /** Whether this machine has a voice for the language (default: the present one). */
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

  /** Reads the typed letter, to a headset only. */
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

  /** Reads a changed region after the present speech, and each sentence once. */
  #tell(region: Element): void {
    for (const sentence of this.#sentencesOf(readParts(region).filter(({ kind }) => kind === 'words'))) {
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
    return this.#sentencesOf(readParts(root))
  }
  #sentencesOf(parts: ReturnType<typeof readParts>): string[] {
    return toSentences(parts, this.#t, this.#hearing)
  }
  #options() {
    const { speechRate, volume } = this.#parts.settings()
    return { tag: this.#parts.tag(), rate: speechRate, volume }
  }
}

const INPUT = { capture: true, passive: true }
