/**
 * <kiosk-app>: runs the journey. It dispatches events to the pure reducer, draws the screen the state asks for,
 * calls the server, and watches the clock. It keeps nothing of a person once the screen is gone.
 */
import { CallFailedError, createKioskApi } from '../api-client.ts'
import type { CallFailure, KioskApi } from '../api-client.ts'
import { ENGLISH, fill, loadTexts } from '../locales/index.ts'
import type { Texts } from '../locales/index.ts'
import type { Acts, ScreenContext, ScreenView } from './context.ts'
import { closeAllDialogs } from './dialog.ts'
import { createFrame } from './frame.ts'
import type { Frame } from './frame.ts'
import { idleness, warningLeft } from './idle.ts'
import { START, hasVisit, isChecking, nextTask, reduce } from './journey.ts'
import type { JourneyEvent, JourneyState, Parting } from './journey.ts'
import { openDisplay, openHelp, openIdle, openLanguages, openRestart, openStop } from './overlays.ts'
import type { DisplaySettings } from './overlays.ts'
import { CHECKING_SCREEN, SCREEN_OF } from './screens/index.ts'

// The checks take about a second; asking more often than this tells nobody anything.
const POLL_MS = 600
const IDLE_TICK_MS = 1000
/** Out of use: look again by itself whether the server is back. */
const BOOT_RETRY_MS = 5000
/** Nobody is here: look whether a visit may still begin. */
const LOOK_MS = 15_000
const ACTIVITY_EVENTS = ['pointerdown', 'keydown', 'wheel'] as const
/** Screens that hold a dark surround, because a bright screen reflects in a laminated document. */
const DARK_SCREEN = 'document'

export class KioskApp extends HTMLElement {
  readonly #api: KioskApi = createKioskApi(new URL('api/', document.baseURI).href)
  #state: JourneyState = START
  #texts: Texts = ENGLISH
  #settings: DisplaySettings = { textSize: 1, highContrast: false }
  #frame: Frame | null = null
  #view: ScreenView | null = null
  #viewKey = ''
  #task: ReturnType<typeof setTimeout> | undefined
  #lastActivity = 0
  #idleDialog: ReturnType<typeof openIdle> | null = null
  /** Counts visits: an answer that belongs to a former visit is dropped. */
  #visit = 0
  /** The former visit's end; the next one starts after it. */
  #ending: Promise<void> = Promise.resolve()

  readonly #t: ScreenContext['t'] = (key, slots) => fill(this.#texts[key], slots)

  connectedCallback(): void {
    this.#frame = createFrame(this.#t, {
      help: () => openHelp(this.#t, this.#state.screen),
      display: () => openDisplay(this.#t, this.#settings, () => this.#applySettings()),
      language: () =>
        openLanguages(this.#t, this.#state.journey?.languages ?? [], (tag) => void this.#speak(tag)),
      restart: () => openRestart(this.#t, () => this.#leave(null)),
      stop: () => openStop(this.#t, () => this.#leave('stopped')),
    })
    this.append(this.#frame.element)
    for (const name of ACTIVITY_EVENTS) {
      document.addEventListener(name, (event) => this.#touched(event), { capture: true, passive: true })
    }
    document.addEventListener('contextmenu', (event) => event.preventDefault())
    setInterval(() => this.#watchIdle(), IDLE_TICK_MS)
    this.#active()
    this.#draw()
    void this.#boot()
  }

  readonly #acts: Acts = {
    chooseLanguage: (tag) =>
      void this.#act(async () => {
        await this.#speak(tag)
        await this.#ending
        await this.#api.startSession(tag)
        return { type: 'session-started' }
      }),
    agree: () =>
      void this.#act(async () => {
        await this.#api.consent(true)
        return { type: 'agreed' }
      }),
    refuse: () =>
      void this.#act(async () => {
        await this.#api.consent(false)
        return { type: 'parted', parting: 'refused' }
      }),
    sendPhoto: (image) => {
      const document = this.#state.screen === 'document'
      void this.#act(async () => ({
        type: 'progressed',
        progress: await (document ? this.#api.sendDocument(image) : this.#api.sendPortrait(image)),
      }))
    },
    leaveEarly: () => void this.#act(async () => ({ type: 'finished', receipt: await this.#api.finish() })),
    done: () => this.#leave(this.#state.screen === 'result' ? 'finished' : null),
    retryBoot: () => void this.#boot(),
  }

  /** An act of the person: one call, one event; a failure is an event too. */
  async #act(call: () => Promise<JourneyEvent>): Promise<void> {
    if (this.#state.working) return
    this.#dispatch({ type: 'act-began' })
    await this.#run(call)
  }

  async #run(call: () => Promise<JourneyEvent>): Promise<void> {
    const visit = this.#visit
    const event = await call().catch((error: unknown): JourneyEvent => {
      return { type: 'call-failed', failure: failureOf(error) }
    })
    if (visit === this.#visit) this.#dispatch(event)
  }

  #dispatch(event: JourneyEvent): void {
    this.#state = reduce(this.#state, event)
    this.#draw()
    this.#schedule()
  }

  /** Polls or finishes when the state asks for it; between visits, looks whether the next one may begin. */
  #schedule(): void {
    clearTimeout(this.#task)
    const { screen } = this.#state
    if (screen === 'resting') this.#task = setTimeout(() => void this.#boot(), BOOT_RETRY_MS)
    if (screen === 'welcome') this.#task = setTimeout(() => void this.#look(), LOOK_MS)
    const task = nextTask(this.#state)
    if (!task || this.#state.working) return
    const run = () =>
      void this.#run(async () =>
        task === 'poll'
          ? { type: 'progressed', progress: await this.#api.progress() }
          : { type: 'finished', receipt: await this.#api.finish() },
      )
    this.#task = setTimeout(run, task === 'poll' || this.#state.notice === 'offline' ? POLL_MS : 0)
  }

  async #boot(): Promise<void> {
    const visit = this.#visit
    try {
      const journey = await this.#api.journey()
      if (visit !== this.#visit) return
      await this.#speak(journey.languages[0]?.tag ?? 'en')
      this.#dispatch({ type: 'loaded', journey })
    } catch (error) {
      if (visit !== this.#visit) return
      this.#dispatch({ type: 'load-failed', failure: failureOf(error) })
    }
  }

  /** A machine that takes no visits now says so before somebody begins one. */
  async #look(): Promise<void> {
    const failure = await this.#api.journey().then(() => null, failureOf)
    const { screen, working } = this.#state
    if (screen !== 'welcome' || working) return
    if (failure === 'closed') this.#dispatch({ type: 'load-failed', failure })
    else this.#schedule()
  }

  /** Ends the visit, deletes what was not finished, and shows a goodbye (null: the welcome). */
  #leave(parting: Parting | null): void {
    this.#visit += 1
    clearTimeout(this.#task)
    closeAllDialogs()
    // When the server does not answer now, its own clock ends the session.
    this.#ending = this.#api.endSession().catch(() => undefined)
    this.#dispatch(parting ? { type: 'parted', parting } : { type: 'reset' })
    if (parting !== null) return
    this.#settings = { textSize: 1, highContrast: false }
    this.#applySettings()
    void this.#speak(this.#state.language)
  }

  async #speak(language: string): Promise<void> {
    this.#texts = await loadTexts(language)
    const chosen = this.#state.journey?.languages.find(({ tag }) => tag === language)
    document.documentElement.lang = language
    document.documentElement.dir = chosen?.dir ?? 'ltr'
    if (this.#state.language !== language) this.#dispatch({ type: 'language-chosen', language })
  }

  #draw(): void {
    const state = this.#state
    const frame = this.#frame
    if (!frame) return
    frame.update(state, hasVisit(state))
    const checking = isChecking(state)
    const told = state.screen === 'welcome' || state.screen === 'resting' ? state.notice : ''
    const key = [state.screen, checking, state.round, told, state.language].join('|')
    if (key === this.#viewKey) {
      this.#view?.update?.(state)
      return
    }
    const first = this.#viewKey === ''
    this.#viewKey = key
    this.#view?.dispose?.()
    const screen = checking ? CHECKING_SCREEN : SCREEN_OF[state.screen]
    document.documentElement.dataset.surround = state.screen === DARK_SCREEN ? 'ink' : 'paper'
    this.#view = screen({
      state,
      acts: this.#acts,
      t: this.#t,
      announce: (sentence) => frame.announce(sentence),
      now: () => performance.now(),
    })
    frame.main.replaceChildren(this.#view.element)
    this.#active()
    if (!first) this.#view.element.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    const reason = state.guidance[0]
    if (reason) frame.announce(this.#t(`guidance.${reason}`))
  }

  #applySettings(): void {
    document.documentElement.dataset.text = String(this.#settings.textSize)
    document.documentElement.dataset.contrast = this.#settings.highContrast ? 'high' : 'standard'
  }

  /** Any touch or key gives more time, except on the warning's own buttons, which say themselves what they mean. */
  #touched(event: Event): void {
    const onWarning = event.target instanceof Element && event.target.closest('button')
    if (!this.#idleDialog || !onWarning) this.#active()
  }

  #active(): void {
    this.#lastActivity = performance.now()
    const warning = this.#idleDialog
    this.#idleDialog = null
    warning?.close()
  }

  #watchIdle(): void {
    const { journey, screen } = this.#state
    if (!journey) return
    const idleMs = performance.now() - this.#lastActivity
    const slow = this.#settings.textSize > 1
    const now = idleness(screen, idleMs, journey.idleSeconds, slow)
    if (now === 'clear' && (screen !== 'welcome' || this.#isTouched())) this.#leave(null)
    else if (now === 'warn') {
      this.#idleDialog ??= openIdle(
        this.#t,
        () => this.#active(),
        () => this.#leave(screen === 'result' ? 'finished' : 'stopped'),
      )
      this.#idleDialog.show(warningLeft(screen, idleMs, journey.idleSeconds, slow))
    }
  }

  /** The welcome screen holds nothing but settings; it clears only when there are some. */
  #isTouched(): boolean {
    const { textSize, highContrast } = this.#settings
    return (
      textSize > 1 || highContrast || this.#state.notice !== null || document.querySelector('dialog') !== null
    )
  }
}

function failureOf(error: unknown): CallFailure {
  return error instanceof CallFailedError ? error.failure : 'offline'
}
