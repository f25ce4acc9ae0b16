/**
 * The interface between a screen and the page. A screen draws and reports touches; it never decides which
 * screen comes next.
 */
import type {
  CheckAnswer,
  DetailsAnswer,
  DetailsCheck,
  CheckFieldName,
  ConsentAnswer,
  CountryView,
  DocumentChoice,
  JourneyView,
  OpenedCapture,
  PortraitWish,
  SkipStep,
  StepView,
  VisitView,
} from '../../server/kiosk/contract/index.ts'
import type { Language, Translate } from '../locales/index.ts'

/** The reason of the goodbye. */
export type Parting = 'finished' | 'refused' | 'stopped' | 'taken-over'
/**
 * A message about the present screen. The frame shows it (and `visit.notice`) in its own line above the
 * screen; a screen uses it only if its own text depends on it ('closed' at 'resting'). offline: the page
 * retries by itself, all data is kept · busy: all places are taken · expired: the visit is over · closed: no
 * new visits · file: this picture file cannot be used · elsewhere: the act did not fit the present step.
 */
export type Trouble = 'offline' | 'busy' | 'expired' | 'closed' | 'file' | 'elsewhere'

/** Screens outside the steps of a visit. */
type OuterScreen = 'starting' | 'resting' | 'welcome' | 'goodbye'
export type ScreenName = OuterScreen | StepView['kind']

/** The applicant's acts. Each call returns immediately; its result is a new state. */
export interface Acts {
  chooseLanguage(tag: string): void
  answerConsent(answer: ConsentAnswer): void
  login(providerId: string): void
  cancelLogin(): void
  sendNumber(number: string): void
  /** Requests another message to the number that was sent last. */
  sendAgain(): void
  sendCode(code: string): void
  otherNumber(): void
  chooseDocument(choice: DocumentChoice): void
  /** The appliance recognises the kind of document; the applicant does not choose it. */
  letDocumentTell(): void
  otherDocument(): void
  /**
   * The capture component has submitted its pictures, or its session has ended: ask the server for the next
   * step.
   */
  captured(): void
  /** Sends a picture file in place of the camera. */
  sendFile(file: Blob): void
  confirmData(answer: CheckAnswer): void
  retakeDocument(): void
  /** Begins to read the chip. `can`: the card access number that was typed. */
  readChip(can: string | null): void
  /** Answers the present question of a source outside. */
  sendDetails(answer: DetailsAnswer): void
  /** Continues after the answer about the address, or does not wait for it. */
  passAddress(): void
  skip(step: SkipStep): void
  finish(): void
  /** The applicant has finished with the result or the goodbye. */
  done(): void
  askHelp(): void
  /** Opens the list of all languages, each by its own name, as the bar's Language does. */
  showLanguages(): void
  /** "+1 minute": restarts the idle clock. */
  moreTime(): void
  /** False: printing failed. Null: the result is unknown. */
  print(): Promise<boolean | null>
  retryBoot(): void
  /** Counts advice that was shown, or a fault of the machine, for the branch's charts. */
  note(kind: 'GUIDANCE' | 'FAULT', code: string): void
}

/** Questions of an open screen to the server; they reject with CallFailedError. */
export interface Questions {
  countries(): Promise<readonly CountryView[]>
  openDocumentCapture(): Promise<OpenedCapture>
  openPortraitCapture(wish: PortraitWish): Promise<OpenedCapture>
  fetchCrop(field: CheckFieldName): Promise<Blob>
  /** Lists what the applicant should notice before the answer is sent. */
  checkDetails(answer: DetailsAnswer): Promise<DetailsCheck>
}

/**
 * Dates, numbers and names in the applicant's language. Digits of documents, codes and references stay 0-9.
 */
export interface Formats {
  /**
   * yyyy-MM-dd → "5 July 1964". Unknown parts (00) are left out; `withoutYear` hides the year from
   * bystanders.
   */
  date(isoDate: string, options?: { withoutYear?: boolean }): string
  /** ISO 3166-1 alpha-2 → name. */
  country(iso2: string): string
  number(value: number): string
  language(tag: string): string
}

export interface DisplaySettings {
  readonly textSize: 1 | 2 | 3
  readonly highContrast: boolean
  /** Controls at y ≥ 1300 px, for an applicant in a wheelchair. */
  readonly lowerButtons: boolean
  /** No animations. */
  readonly calm: boolean
  readonly speech: boolean
  /** 0.75–2. */
  readonly speechRate: number
  /** 0.25–1. */
  readonly volume: number
  /** For one or two switches: Space continues, Enter chooses. */
  readonly scanning: boolean
}

export interface ScreenState {
  readonly screen: ScreenName
  readonly journey: JourneyView | null
  readonly visit: VisitView | null
  readonly language: Language
  /** An act of the applicant is on its way to the server. */
  readonly working: boolean
  readonly parting: Parting
  readonly trouble: Trouble | null
}

export interface ScreenContext {
  readonly state: ScreenState
  readonly acts: Acts
  readonly ask: Questions
  readonly t: Translate
  readonly formats: Formats
  readonly settings: DisplaySettings
  /** Whether this machine has a voice for the language; without one, speech is not offered. */
  readonly canSpeak: (tag: string) => boolean
  /** Announces through the live region once, and by speech if it is on. `personal`: to a headset only. */
  readonly announce: (sentence: string, options?: { personal?: boolean }) => void
  /** Reports that the camera sees a document or a face: the applicant is there without touching anything. */
  readonly active: () => void
  /** Plays one of the two soft tones: success, attention. */
  readonly tone: (name: Tone) => void
  /** Changes a setting (the welcome screen itself offers "Lower buttons" and contrast). */
  readonly set: (change: Partial<DisplaySettings>) => void
  readonly now: () => number
}

export type Tone = 'got-it' | 'look-here'

export interface ScreenView {
  readonly element: HTMLElement
  /** The text that speech reads when the screen opens, if not title and words. */
  readonly spoken?: string
  /** Whether the camera of a try is open. */
  isCapturing?(): boolean
  /** Applies the new state. False: draw the screen again. */
  update?(state: ScreenState): boolean
  /** Called when the screen is removed: stop timers and cameras, revoke URLs, clear the input. */
  dispose?(): void
}

export type Screen = (context: ScreenContext) => ScreenView
