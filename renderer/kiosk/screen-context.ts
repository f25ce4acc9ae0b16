/** What a screen is given and what it gives back. A screen draws and reports touches; which screen comes, it never decides. */
import type {
  CheckAnswer,
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

/** Why the last screen is a goodbye. */
export type Parting = 'finished' | 'refused' | 'stopped' | 'taken-over'
/**
 * Something to tell on the present screen. The frame tells it (and `visit.notice`) in a line of its own above the screen; a
 * screen only needs it where its own words follow from it ('closed' at 'resting').
 * offline: we try again by ourselves, nothing is lost · busy: all places are taken · expired: the visit is over ·
 * closed: no new visits · file: this picture file cannot be used · elsewhere: that did not go, and this is where we are.
 */
export type Trouble = 'offline' | 'busy' | 'expired' | 'closed' | 'file' | 'elsewhere'

/** Screens outside the steps of a visit. */
export const OUTER_SCREENS = ['starting', 'resting', 'welcome', 'goodbye'] as const
export type OuterScreen = (typeof OUTER_SCREENS)[number]
export type ScreenName = OuterScreen | StepView['kind']

/** What the person can do. Each call answers at once; what comes of it is a new state. */
export interface Acts {
  chooseLanguage(tag: string): void
  answerConsent(answer: ConsentAnswer): void
  login(providerId: string): void
  cancelLogin(): void
  sendNumber(number: string): void
  /** Another message to the number that was sent last. */
  sendAgain(): void
  sendCode(code: string): void
  otherNumber(): void
  chooseDocument(choice: DocumentChoice): void
  /** Its kind is recognised, not chosen. */
  letDocumentTell(): void
  otherDocument(): void
  /** The capture component has handed its pictures in, or its session has ended: ask what comes next. */
  captured(): void
  /** A picture file in place of the camera. */
  sendFile(file: Blob): void
  confirmData(answer: CheckAnswer): void
  retakeDocument(): void
  skip(step: SkipStep): void
  finish(): void
  /** The person is done with the result, or with the goodbye. */
  done(): void
  askHelp(): void
  /** Also what the bar's Language does: all languages, each by its own name. */
  showLanguages(): void
  /** "+1 minute": the idle clock starts again. */
  moreTime(): void
  /** False: nothing was printed. Null: nobody can tell. */
  print(): Promise<boolean | null>
  retryBoot(): void
  /** For the branch's charts: advice that was shown, a fault of the machine. */
  note(kind: 'GUIDANCE' | 'FAULT', code: string): void
}

/** Asked for by a screen while it stands; rejects with CallFailedError. */
export interface Questions {
  countries(): Promise<readonly CountryView[]>
  openDocumentCapture(): Promise<OpenedCapture>
  openPortraitCapture(wish: PortraitWish): Promise<OpenedCapture>
  cropOf(field: CheckFieldName): Promise<Blob>
}

/** Dates, numbers and names in the person's language. Digits of documents, codes and references stay 0-9. */
export interface Formats {
  /** yyyy-MM-dd → "5 July 1964"; unknown parts (00) are left out; `withoutYear` for what others may read over a shoulder. */
  date(isoDate: string, options?: { withoutYear?: boolean }): string
  /** ISO 3166-1 alpha-2 → name. */
  country(iso2: string): string
  number(value: number): string
  language(tag: string): string
}

export interface DisplaySettings {
  readonly textSize: 1 | 2 | 3
  readonly highContrast: boolean
  /** Controls at y ≥ 1300 px for a seated person. */
  readonly lowerButtons: boolean
  /** No moving pictures. */
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
  /** An act of the person is on its way to the server. */
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
  /** Whether a voice of this machine speaks the language; what cannot be heard is not offered. */
  readonly canSpeak: (tag: string) => boolean
  /** Through the live region, once; spoken too, where speech is on. `personal`: to a headset only. */
  readonly announce: (sentence: string, options?: { personal?: boolean }) => void
  /** A document or a face is seen: somebody is there, even if nobody touches anything. */
  readonly active: () => void
  /** One of the two soft tones: got it, look here. */
  readonly tone: (name: Tone) => void
  /** Changes one of the settings (the welcome screen offers "Lower buttons" and contrast itself). */
  readonly set: (change: Partial<DisplaySettings>) => void
  readonly now: () => number
}

export type Tone = 'got-it' | 'look-here'

export interface ScreenView {
  readonly element: HTMLElement
  /** What speech reads when the screen opens, if not title and words. */
  readonly spoken?: string
  /** The camera of a try is open on it. */
  isCapturing?(): boolean
  /** True when the new state was taken in; false: draw the screen again. */
  update?(state: ScreenState): boolean
  /** Called when the screen goes: stop timers and cameras, revoke URLs, empty what was typed. */
  dispose?(): void
}

export type Screen = (context: ScreenContext) => ScreenView
