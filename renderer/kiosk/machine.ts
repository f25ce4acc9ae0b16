/**
 * Runs a visit: carries out the applicant's acts, polls the server, and ends the visit without leaving data
 * behind. It knows no DOM; tests script its parts (api, words, page). It keeps no personal data except the
 * state, which ends with the visit.
 */
import type { LeavingReason, ScreenNotes, VisitView } from '../../server/kiosk/contract/index.ts'
import type { Language } from '../locales/index.ts'
import { toFailure } from './api.ts'
import type { KioskApi } from './api.ts'
import type { Acts, Parting, Questions } from './screen-context.ts'
import { START, nextTask, reduce } from './state.ts'
import type { AppEvent, AppState } from './state.ts'

/** The reason of a reload: `ended` (the server may not know yet that the visit is over) or `expired`. */
export type Afresh = 'ended' | 'expired' | null

interface MachineParts {
  readonly api: KioskApi
  /** Loads the texts and turns the page to the language's direction. */
  readonly speak: (tag: string, state: AppState) => Promise<Language>
  readonly changed: (state: AppState, before: AppState) => void
  /**
   * Reloads the page, so that no memory of the former applicant is left. False: the server does not answer
   * now.
   */
  readonly afresh: (why: Afresh) => Promise<boolean>
  /** The appliance does not accept this window. */
  readonly shutOut: () => void
}

type VisitCall = () => Promise<VisitView | null>

// A reset takes at most 2 s; if the server does not answer in this time, the next page ends the
// visit.
const ENDING_MS = 1200
const NOTES_MS = 3000
const NOTES_MOST = 50

export class Machine {
  #state: AppState = START
  readonly #parts: MachineParts
  #task: ReturnType<typeof setTimeout> | undefined
  /** Numbers the visits: an answer to a former visit is dropped. */
  #visitNumber = 0
  /** An act that got no answer. It is repeated after the next answer if the visit has not changed. */
  #pending: { call: VisitCall; seen: string } | null = null
  #notes: ScreenNotes['notes'] = []
  #notesTask: ReturnType<typeof setTimeout> | undefined
  /** Null: there is no visit to end. False: the server has not confirmed the end yet. */
  #ended: boolean | null = null
  #endFirst = false
  /** The phone number of this visit, kept for another message to it. */
  #number: string | null = null
  /** The page must be reloaded before the next visit may begin. */
  #owed: { why: Afresh } | null = null
  /** The window's secret until it is exchanged for the cookie. */
  #secret: string | null = null

  constructor(parts: MachineParts) {
    this.#parts = parts
  }

  get state(): AppState {
    return this.#state
  }

  /**
   * Starts the page. A visit under way continues, except one that was to end. @param why the reason of a
   * reload @param secret identifies the window to the appliance; null: the window has its cookie already
   */
  async boot(why: Afresh = null, secret: string | null = null): Promise<void> {
    if (this.#owed) return this.#reload(this.#owed.why)
    this.#endFirst ||= why === 'ended'
    this.#secret ??= secret
    const { api, speak } = this.#parts
    const visitNumber = this.#visitNumber
    try {
      await this.#enterWindow()
      if (this.#endFirst) await this.#endFormer()
      const journey = await api.journey()
      const visit = await api.visit().catch((error: unknown) => {
        if (toFailure(error) === 'session-over' || toFailure(error) === 'refused') return null
        throw error
      })
      if (visitNumber !== this.#visitNumber) return
      const language = await speak(visit?.language ?? journey.languages[0] ?? 'en', {
        ...this.#state,
        journey,
      })
      this.#dispatch({ type: 'language-chosen', language })
      this.#dispatch({ type: 'loaded', journey, ...(why === 'expired' ? { trouble: why } : {}) })
      if (visit) this.#dispatch({ type: 'visit', visit })
    } catch (error) {
      const failure = toFailure(error)
      if (visitNumber === this.#visitNumber) this.#dispatch({ type: 'load-failed', failure })
      if (failure === 'shut-out') this.#parts.shutOut()
    }
  }

  /** A secret that is refused is dropped: the cookie of a reloaded page may still be valid. */
  async #enterWindow(): Promise<void> {
    if (this.#secret === null) return
    await this.#parts.api.enterWindow(this.#secret).catch((error: unknown) => {
      if (toFailure(error) === 'offline') throw error
    })
    this.#secret = null
  }

  async #endFormer(): Promise<void> {
    await this.#parts.api.endSession('WALKED_AWAY').catch((error: unknown) => {
      if (toFailure(error) === 'offline') throw error
    })
    this.#endFirst = false
  }

  /** The acts of the screens; the rest of Acts belongs to the page (app.ts). */
  readonly acts: Omit<Acts, 'askHelp' | 'print' | 'showLanguages' | 'moreTime'> = {
    chooseLanguage: (tag) => void this.#chooseLanguage(tag),
    answerConsent: (answer) => {
      if (this.#state.screen !== 'consent') return
      void this.#act(async () => {
        const visit = await this.#parts.api.consent(answer)
        if (!visit || !answer.approved) {
          this.#ended = true
          this.leave('refused', 'STOPPED')
          return null
        }
        return visit
      })
    },
    login: (id) => void this.#act(() => this.#parts.api.login(id)),
    cancelLogin: () => void this.#act(() => this.#parts.api.cancelLogin()),
    sendNumber: (number) => {
      this.#number = number
      void this.#act(() => this.#parts.api.phone(number))
    },
    sendAgain: () => {
      const number = this.#number
      // A reload loses the number, so the applicant has to type it again.
      void this.#act(() => (number === null ? this.#parts.api.otherNumber() : this.#parts.api.phone(number)))
    },
    sendCode: (code) => void this.#act(() => this.#parts.api.code(code)),
    otherNumber: () => void this.#act(() => this.#parts.api.otherNumber()),
    chooseDocument: (choice) => void this.#act(() => this.#parts.api.chooseDocument(choice)),
    letDocumentTell: () => void this.#act(() => this.#parts.api.letDocumentTell()),
    otherDocument: () => void this.#act(() => this.#parts.api.otherDocument()),
    captured: () => void this.#act(() => this.#parts.api.visit()),
    sendFile: (file) => {
      const { screen } = this.#state
      if (screen !== 'document' && screen !== 'portrait') return
      void this.#act(() => this.#parts.api.sendFile(screen, file))
    },
    confirmData: (answer) => void this.#act(() => this.#parts.api.check(answer)),
    readChip: (can) => void this.#act(() => this.#parts.api.chip({ can })),
    sendDetails: (answer) => void this.#act(() => this.#parts.api.details(answer)),
    passAddress: () => void this.#act(() => this.#parts.api.passAddress()),
    retakeDocument: () => void this.#act(() => this.#parts.api.retake()),
    skip: (step) => void this.#act(() => this.#parts.api.skip(step)),
    finish: () => void this.#act(() => this.#parts.api.finish()),
    done: () => {
      if (this.#state.screen === 'goodbye') this.#afresh()
      else if (this.#state.screen === 'result') this.leave('finished', 'FINISHED')
    },
    retryBoot: () => void this.boot(),
    note: (kind, code) => {
      if (!this.#state.visit || this.#notes.length >= NOTES_MOST) return
      this.#notes.push({ kind, code })
      this.#notesTask ??= setTimeout(() => this.#sendNotes(), NOTES_MS)
    },
  }

  readonly ask: Questions = {
    countries: () => this.#asked(() => this.#parts.api.countries()),
    openDocumentCapture: () => this.#asked(() => this.#parts.api.openDocument()),
    openPortraitCapture: (wish) => this.#asked(() => this.#parts.api.openPortrait(wish)),
    fetchCrop: (field) => this.#asked(() => this.#parts.api.crop(field)),
    checkDetails: (answer) => this.#asked(() => this.#parts.api.checkDetails(answer)),
  }

  /** Calls staff, even while another call is under way. False: the call could not be sent. */
  async askHelp(): Promise<boolean> {
    return this.#aside(() => this.#parts.api.askHelp())
  }

  async endHelp(): Promise<boolean> {
    return this.#aside(() => this.#parts.api.endHelp())
  }

  told(): void {
    this.#dispatch({ type: 'told' })
  }

  /** Ends the visit, deletes unfinished data, and says goodbye (null: begins again immediately). */
  leave(parting: Parting | null, why: LeavingReason): void {
    const hadVisit = this.#state.visit !== null
    this.#forget()
    if (hadVisit && this.#ended === null) this.#end(why)
    if (parting) this.#dispatch({ type: 'parted', parting })
    else {
      this.#dispatch({ type: 'cleared' })
      this.#afresh()
    }
  }

  #end(why: LeavingReason): void {
    this.#ended = false
    const over = () => (this.#ended = true)
    this.#parts.api.endSession(why).then(over, (error: unknown) => {
      if (toFailure(error) !== 'offline') over()
    })
  }

  /** Waits briefly for the server to confirm the end of the session, then reloads the page. */
  #afresh(): void {
    const until = performance.now() + ENDING_MS
    const look = () => {
      if (this.#ended !== false) void this.#reload(null)
      else if (performance.now() >= until) void this.#reload('ended')
      else setTimeout(look, 50)
    }
    look()
  }

  /**
   * Waits until the server answers before the reload; otherwise the browser would show its own error page.
   */
  async #reload(why: Afresh): Promise<void> {
    this.#owed = { why }
    if (!(await this.#parts.afresh(why))) this.#dispatch({ type: 'load-failed', failure: 'offline' })
  }

  #forget(): void {
    this.#visitNumber += 1
    this.#pending = null
    this.#number = null
    this.#notes = []
    clearTimeout(this.#task)
    clearTimeout(this.#notesTask)
  }

  async #chooseLanguage(tag: string): Promise<void> {
    if (this.#state.working) return
    const isOuter = this.#state.visit === null
    if (isOuter && this.#state.screen !== 'welcome') return
    try {
      const language = await this.#parts.speak(tag, this.#state)
      this.#dispatch({ type: 'language-chosen', language })
    } catch {
      // The texts cannot be fetched now: the applicant is told and continues in the present language.
      return this.#dispatch({ type: 'call-failed', failure: 'offline' })
    }
    await this.#act(() => (isOuter ? this.#parts.api.startSession(tag) : this.#parts.api.changeLanguage(tag)))
  }

  /** Runs an act of the applicant: one call, one event. A failure is an event too. */
  async #act(call: VisitCall): Promise<void> {
    if (this.#state.working) return
    this.#pending = null
    this.#dispatch({ type: 'act-began' })
    await this.#run(call)
  }

  async #run(call: VisitCall): Promise<void> {
    const visitNumber = this.#visitNumber
    const seen = seenIn(this.#state)
    try {
      const visit = await call()
      if (visitNumber === this.#visitNumber && visit) this.#dispatch({ type: 'visit', visit })
    } catch (error) {
      if (visitNumber !== this.#visitNumber) return
      const failure = toFailure(error)
      // A call without an answer may have arrived or not: the next answer of the server shows it, and only
      // then is the call repeated.
      if (failure === 'offline' && this.#state.visit) this.#pending = { call, seen }
      this.#dispatch({ type: 'call-failed', failure })
      if (failure === 'refused') void this.#poll()
    }
  }

  async #aside(call: VisitCall): Promise<boolean> {
    const visitNumber = this.#visitNumber
    try {
      const visit = await call()
      if (visitNumber === this.#visitNumber && visit) this.#dispatch({ type: 'visit', visit, quiet: true })
      return true
    } catch (error) {
      if (visitNumber === this.#visitNumber)
        this.#dispatch({ type: 'call-failed', failure: toFailure(error), quiet: true })
      return false
    }
  }

  async #poll(): Promise<void> {
    const again = this.#pending
    const answered = await this.#aside(() => this.#parts.api.visit())
    if (!answered || again === null || again !== this.#pending) return
    this.#pending = null
    if (seenIn(this.#state) !== again.seen || this.#state.working) return
    this.#dispatch({ type: 'act-began' })
    await this.#run(again.call)
  }

  async #asked<T>(call: () => Promise<T>): Promise<T> {
    const visitNumber = this.#visitNumber
    try {
      return await call()
    } catch (error) {
      const failure = toFailure(error)
      if (visitNumber === this.#visitNumber && failure !== 'file-refused')
        this.#dispatch({ type: 'call-failed', failure, quiet: true })
      throw error
    }
  }

  #dispatch(event: AppEvent): void {
    const before = this.#state
    this.#state = reduce(before, event)
    if (
      before.visit &&
      !this.#state.visit &&
      this.#state.screen === 'starting' &&
      event.type === 'call-failed'
    ) {
      this.#forget()
      void this.#reload('expired')
    }
    const isTakenOver = this.#state.parting === 'taken-over' && this.#state.screen === 'goodbye'
    if (before.visit && isTakenOver && this.#ended === null) {
      this.#forget()
      this.#end('FINISHED')
    }
    this.#parts.changed(this.#state, before)
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#task)
    const task = nextTask(this.#state)
    if (task) this.#task = setTimeout(() => void this.#carryOut(task.name), task.afterMs)
  }

  async #carryOut(name: 'boot' | 'look' | 'poll' | 'finish'): Promise<void> {
    if (name === 'boot') await this.boot()
    else if (name === 'look') await this.#look()
    else if (name === 'poll') await this.#poll()
    else await this.#act(() => this.#parts.api.finish())
  }

  /**
   * Tells whether staff have changed the settings that a page loads at its start. False if the server does
   * not answer.
   */
  async isOutdated(): Promise<boolean> {
    const journey = await this.#parts.api.journey().catch(() => null)
    return journey !== null && JSON.stringify(journey) !== JSON.stringify(this.#state.journey)
  }

  /** Finds out before a visit begins whether the machine takes visits now. */
  async #look(): Promise<void> {
    const failure = await this.#parts.api.journey().then(() => null, toFailure)
    const { screen, working } = this.#state
    if (screen !== 'welcome' || working) return
    if (failure === 'closed' || failure === 'offline' || failure === 'shut-out')
      this.#dispatch({ type: 'load-failed', failure })
    else this.#schedule()
  }

  #sendNotes(): void {
    this.#notesTask = undefined
    const notes = this.#notes.splice(0)
    // The notes serve only the charts: losing them is acceptable.
    if (notes.length > 0) void this.#parts.api.notes({ notes }).catch(() => undefined)
  }
}

/** Returns the part of the server's view that an act depends on. */
function seenIn({ visit }: AppState): string {
  return visit ? JSON.stringify([visit.position, visit.step]) : ''
}
