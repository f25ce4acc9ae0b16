/** What a screen is given and what it gives back. A screen draws and reports touches; it decides nothing. */
import type { Slots, TextKey } from '../locales/index.ts'
import type { JourneyState } from './journey.ts'

export interface Acts {
  chooseLanguage(tag: string): void
  agree(): void
  refuse(): void
  /** Sends the photo of the present step. */
  sendPhoto(image: Blob): void
  leaveEarly(): void
  done(): void
  retryBoot(): void
}

export interface ScreenContext {
  readonly state: JourneyState
  readonly acts: Acts
  readonly t: (key: TextKey, slots?: Slots) => string
  /** Says a sentence through the live region, once. */
  readonly announce: (sentence: string) => void
  readonly now: () => number
}

export interface ScreenView {
  readonly element: HTMLElement
  /** Called for every new state as long as the screen stays. */
  update?(state: JourneyState): void
  /** Called when the screen goes: stop timers, revoke URLs. */
  dispose?(): void
}

export type Screen = (context: ScreenContext) => ScreenView
