/**
 * <kiosk-app>: draws the screen that the machine's state asks for, and connects what all screens share: bar,
 * dialogs, settings, speech, keys and idle clock. It decides no step and keeps no personal data once the
 * screen is gone.
 */
import { englishTexts, getLanguage } from '../locales/index.ts'
import type { Language, Translate } from '../locales/index.ts'
import { KIOSK } from '../locales/kiosk.ts'
import { fetchAhead } from './ahead.ts'
import { createKioskApi } from './api.ts'
import { closeAllDialogs } from './dialog.ts'
import { DEFAULTS, applyScale, applySettings, keptSettings, needsTime } from './display.ts'
import { collectDrafts, giveBack } from './drafts.ts'
import { createFormats } from './formats.ts'
import { createFrame } from './frame.ts'
import type { Frame } from './frame.ts'
import { IdleWatch } from './idle-watch.ts'
import { watchKeys } from './keys.ts'
import { loadLanguage } from './languages.ts'
import { Machine } from './machine.ts'
import type { Afresh } from './machine.ts'
import { openHelp, openIdle, openLanguages, openStop } from './overlays.ts'
import type { HelpDialog } from './overlays.ts'
import { PAGE_TURNED, watchPaging } from './paging.ts'
import { printPage } from './printing.ts'
import { Reader } from './reader.ts'
import type { Acts, DisplaySettings, Formats, ScreenContext, ScreenView } from './screen-context.ts'
import { fetchScreens, SCREENS } from './screens/index.ts'
import { surround } from './screens/surround.ts'
import { openDisplay, openSound } from './settings-dialogs.ts'
import { Sounds } from './sounds.ts'
import { hasCalled, hasVisit, isCalledAway } from './state.ts'
import type { AppState } from './state.ts'

/** The reason of a reload, as it is passed in the address. */
const MARKS: Readonly<Record<string, Afresh>> = { '#ended': 'ended', '#expired': 'expired' }

/**
 * The appliance does not know this window: the window closes, and its launcher opens another one with a fresh
 * secret. This delay exceeds the minute after which the launcher considers a window healthy
 * (server/launch/keep-window.ts), so that the launcher never gives up.
 */
const SHUT_OUT_MS = 70_000

export class KioskApp extends HTMLElement {
  readonly #machine = new Machine({
    api: createKioskApi(new URL('api/', document.baseURI).href),
    speak: (tag, state) => this.#speak(tag, state),
    changed: (state, before) => this.#changed(state, before),
    afresh: (why) => this.#afresh(why),
    shutOut: () => {
      // Each retry reports it again.
      if (this.#isShutOut) return
      this.#isShutOut = true
      setTimeout(() => window.close(), SHUT_OUT_MS)
    },
  })
  #texts: Translate = englishTexts(KIOSK)
  #formats: Formats = createFormats('en')
  #settings: DisplaySettings = DEFAULTS
  #frame: Frame | null = null
  #view: ScreenView | null = null
  #drawn: AppState | null = null
  #help: HelpDialog | null = null
  /** The last announced state of the call for help; it is announced again only after a change. */
  #helpTold: string | null = null
  #isShutOut = false
  readonly #sounds = new Sounds()
  readonly #t: Translate = (key, slots) => this.#texts(key, slots)
  readonly #reader = new Reader({
    t: this.#t,
    settings: () => this.#settings,
    tag: () => this.#state.language.tag,
    screen: () => (this.#frame ? { root: this.#frame.element, view: this.#view } : null),
    voicesChanged: () => this.#voicesChanged(),
  })
  readonly #idle = new IdleWatch({
    state: () => this.#state,
    slow: () => needsTime(this.#settings),
    warn: () => this.#warn(),
    offer: (isOffered) => this.#offerHelp(isOffered),
    clear: () => this.#clear(),
    isWaiting: () => this.#help !== null,
    staff: () => void this.#callStaff(),
  })

  get #state(): AppState {
    return this.#machine.state
  }

  connectedCallback(): void {
    const frame = createFrame(this.#t, {
      help: () => void this.#callStaff(),
      sound: () => this.#openSound(),
      display: () => openDisplay(this.#settingsParts),
      language: () => this.#openLanguages(),
      stop: () => this.#openStop(),
    })
    this.#frame = frame
    this.append(frame.element)
    document.addEventListener('contextmenu', (event) => event.preventDefault())
    document.addEventListener('dragstart', (event) => event.preventDefault())
    window.addEventListener('resize', () => this.#scale())
    this.addEventListener(PAGE_TURNED, () => this.#reader.readPage())
    watchPaging(this, this.#t)
    watchKeys({
      scanning: () => this.#settings.scanning,
      help: () => void this.#callStaff(),
      repeat: () => this.#reader.repeat(),
    })
    this.#reader.start(() => this.#set({ speech: true }))
    this.#idle.start()
    // A page that is reloaded during a visit restores its settings; a new visit begins with the defaults.
    this.#settings = keptSettings(history.state) ?? DEFAULTS
    applySettings(this.#settings)
    this.#scale()
    this.#draw(this.#state)
    const why = MARKS[location.hash] ?? null
    const secret = new URLSearchParams(location.hash.slice(1)).get('window')
    // Remove both from the address: the secret is valid once, and the reason must not apply to the next
    // reload.
    history.replaceState(
      this.#settings === DEFAULTS ? null : this.#settings,
      '',
      location.pathname + location.search,
    )
    void this.#machine.boot(why, secret)
  }

  get #acts(): Acts {
    return {
      ...this.#machine.acts,
      askHelp: () => void this.#callStaff(),
      showLanguages: () => this.#openLanguages(),
      moreTime: () => this.#idle.active(),
      print: printPage,
    }
  }

  #changed(state: AppState, before: AppState): void {
    if (state.screen === 'starting' || state.screen === 'goodbye') closeAllDialogs()
    if (state.journey !== before.journey) {
      this.#scale()
      fetchAhead([fetchScreens, ...(state.journey?.languages ?? []).map((tag) => () => loadLanguage(tag))])
    }
    // A repeated answer of the server without a change does not count as activity.
    if (state.screen !== before.screen || !isSameStep(before, state)) this.#idle.active()
    // The screens draw a retry; the frame shows that a picture cannot be used.
    this.#syncHelp(state)
    this.#draw(state)
  }

  #draw(state: AppState): void {
    const frame = this.#frame
    if (!frame) return
    frame.update(state)
    const before = this.#drawn
    this.#drawn = state
    // The next person here must not see the data of the applicant who goes to the counter.
    if (this.#help !== null && isCalledAway(state)) return this.#clearScreen()
    const isSame = before?.screen === state.screen && before.language.tag === state.language.tag
    if (isSame && this.#view && (this.#view.update?.(state) ?? isSameStep(before, state))) return
    const drafts = before?.screen === state.screen ? collectDrafts(frame.main) : []
    this.#view?.dispose?.()
    // Reset the theme before the new screen, which may set another one.
    surround('paper')
    this.#view = SCREENS[state.screen](this.#context(state))
    frame.main.replaceChildren(this.#view.element)
    giveBack(frame.main, drafts)
    if (before === null) return
    // The speech output follows the focus.
    if (document.querySelector('dialog[open]') === null)
      frame.main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }

  #clearScreen(): void {
    this.#view?.dispose?.()
    this.#view = null
    this.#frame?.main.replaceChildren()
  }

  #context(state: AppState): ScreenContext {
    return {
      state,
      acts: this.#acts,
      ask: this.#machine.ask,
      t: this.#t,
      formats: this.#formats,
      settings: this.#settings,
      canSpeak: (tag) => this.#reader.canSpeak(tag),
      announce: (sentence, options) => {
        this.#frame?.announce(sentence)
        this.#reader.say(sentence, options?.personal === true)
      },
      active: () => this.#idle.active(),
      tone: (name) => this.#sounds.play(name, this.#settings.volume),
      set: (change) => this.#set(change, true),
      now: () => performance.now(),
    }
  }

  async #speak(tag: string, { journey }: AppState): Promise<Language> {
    this.#texts = await loadLanguage(tag, journey?.texts[tag])
    this.#formats = createFormats(tag)
    const language = getLanguage(tag)
    document.documentElement.lang = tag
    document.documentElement.dir = language.dir
    return language
  }

  /** @param fromScreen true if the present screen shows settings and must be drawn again. */
  #set(change: Partial<DisplaySettings>, fromScreen = false): void {
    // Speech stays silent if the machine has no voice, so the dialog says it.
    if (change.speech === true && !this.#reader.canSpeak()) return this.#openSound()
    const wasSpeaking = this.#settings.speech
    this.#settings = { ...this.#settings, ...change }
    applySettings(this.#settings)
    history.replaceState(this.#settings, '')
    if (fromScreen) this.#redraw()
    if (wasSpeaking && !this.#settings.speech) this.#reader.stop()
    else if (!wasSpeaking && this.#settings.speech) this.#reader.readPage()
    else if (change.speechRate !== undefined || change.volume !== undefined) this.#reader.goOn()
  }

  /** Draws the screen again. The button that was touched keeps the focus. */
  #redraw(): void {
    const buttons = () => [...(this.#frame?.main.querySelectorAll('button') ?? [])]
    const at = buttons().indexOf(document.activeElement as HTMLButtonElement)
    this.#view?.dispose?.()
    this.#view = null
    this.#draw(this.#state)
    if (at >= 0) buttons()[at]?.focus({ preventScroll: true })
  }

  /**
   * The browser loads its voices some seconds after its start: screens that offer speech are drawn again
   * then.
   */
  #voicesChanged(): void {
    if (['welcome', 'consent'].includes(this.#state.screen)) this.#redraw()
  }

  #scale(): void {
    applyScale(this.#state.journey?.display.diagonalInch ?? 27)
  }

  get #settingsParts() {
    return {
      t: this.#t,
      settings: () => this.#settings,
      set: (change: Partial<DisplaySettings>) => this.#set(change),
    }
  }

  #openSound(): void {
    const { repeat, isPaused, pause, resume, canSpeak } = this.#reader.controls()
    openSound({ ...this.#settingsParts, canSpeak, repeat, isPaused, pause, resume })
  }

  #openLanguages(): void {
    const { journey, language } = this.#state
    openLanguages(this.#t, journey?.languages ?? [], language.tag, (tag) =>
      this.#machine.acts.chooseLanguage(tag),
    )
  }

  #openStop(): void {
    if (!hasVisit(this.#state)) return
    openStop(this.#t, {
      stop: () => this.#machine.leave('stopped', 'STOPPED'),
      again: () => this.#machine.leave(null, 'RESTARTED'),
    })
  }

  async #callStaff(): Promise<void> {
    const { visit, screen } = this.#state
    if (screen === 'starting') return
    const help = this.#openHelp()
    if (!visit) return help.show(this.#state, 'alone')
    help.show(this.#state, hasCalled(this.#state) ? 'asked' : 'calling')
    const isReached = await this.#machine.askHelp()
    this.#help?.show(this.#state, isReached ? 'asked' : 'unreached')
  }

  #openHelp(): HelpDialog {
    this.#help ??= openHelp(this.#t, {
      closed: () => {
        this.#help = null
        this.#idle.active()
        if (this.#view === null) this.#draw(this.#state)
      },
      withdraw: () => void this.#endHelp(),
      leave: () => this.#machine.leave('taken-over', 'WALKED_AWAY'),
    })
    return this.#help
  }

  async #endHelp(): Promise<void> {
    if (await this.#machine.endHelp()) this.#context(this.#state).announce(this.#t('help.withdrawn'))
  }

  /** Opens the help dialog by itself for a call made before a reload, and for an answer. */
  #syncHelp({ visit }: AppState): void {
    const told = visit?.help.asked ? (visit.help.answer ?? 'ASKED') : null
    const isNews = told !== null && told !== this.#helpTold
    this.#helpTold = told
    if (isNews) this.#openHelp()
    if (told !== null) this.#help?.show(this.#state, 'asked')
  }

  #offerHelp(isOffered: boolean): void {
    this.#frame?.offerHelp(isOffered)
    if (isOffered) this.#context(this.#state).announce(this.#t('help.offer'))
  }

  #warn(): ReturnType<typeof openIdle> {
    const { screen } = this.#state
    this.#sounds.play('look-here', this.#settings.volume)
    return openIdle(this.#t, this.#state, {
      more: () => this.#idle.active(),
      end: () => {
        if (screen === 'result') this.#machine.leave('finished', 'FINISHED')
        else this.#machine.leave('stopped', 'STOPPED')
      },
    })
  }

  /**
   * The applicant has left. The welcome screen holds only settings, so it is cleared only if some are set.
   */
  #clear(): void {
    const { screen, trouble } = this.#state
    const isTouched =
      this.#settings !== DEFAULTS || trouble !== null || document.querySelector('dialog') !== null
    const isOther = this.#state.language.tag !== this.#state.journey?.languages[0]
    if (screen === 'welcome' && !isTouched && !isOther) return void this.#takeNewSettings()
    if (screen === 'result') this.#machine.leave(null, 'FINISHED')
    else this.#machine.leave(null, 'WALKED_AWAY')
  }

  /** Reloads if staff have changed texts, steps or the brand meanwhile. */
  async #takeNewSettings(): Promise<void> {
    const isOutdated = await this.#machine.isOutdated()
    if (!(isOutdated && (await this.#afresh(null)))) this.#idle.again()
  }

  /**
   * Deletes all data of the applicant: camera and URLs with the screen, texts, settings, and finally the page
   * itself.
   */
  async #afresh(why: Afresh): Promise<boolean> {
    closeAllDialogs()
    this.#reader.forget()
    getSelection()?.removeAllRanges()
    const isThere = await fetch(location.pathname, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (!isThere) return false
    this.#clearScreen()
    history.replaceState(null, '')
    location.replace(location.pathname + location.search + (why ? `#${why}` : ''))
    // An address that differs only in its fragment does not load the page: reload explicitly.
    location.reload()
    return true
  }
}

function isSameStep(before: AppState | null, state: AppState): boolean {
  return JSON.stringify(before?.visit?.step) === JSON.stringify(state.visit?.step)
}
