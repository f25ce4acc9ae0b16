/**
 * The overlays of a screen: help, stop, more time, the settings of the bar, and the pages of the keyboard.
 */
import { openHelp, openIdle, openLanguages, openStop } from '../../../renderer/kiosk/overlays.ts'
import type { HelpDialog } from '../../../renderer/kiosk/overlays.ts'
import type { DisplaySettings, ScreenContext, ScreenState } from '../../../renderer/kiosk/screen-context.ts'
import { openDisplay, openSound } from '../../../renderer/kiosk/settings-dialogs.ts'

export interface OverParts {
  readonly t: ScreenContext['t']
  readonly state: ScreenState
  readonly settings: () => DisplaySettings
  readonly set: (change: Partial<DisplaySettings>) => void
}
/** Opens over the scene what app.ts would open. */
export type Over = (parts: OverParts) => void

type Call = Parameters<HelpDialog['show']>[1]
type Answer = NonNullable<ScreenState['visit']>['help']['answer']

const nothing = () => undefined

function help(call: Call, answer: Answer = null): Over {
  return ({ t, state }) => {
    const { visit } = state
    const asked = visit
      ? { ...visit, help: { asked: call === 'asked', seen: true, answer, minutes: answer && 0 } }
      : null
    openHelp(t, { closed: nothing, withdraw: nothing, leave: nothing }).show({ ...state, visit: asked }, call)
  }
}
const more: Over = ({ t, state }) => openIdle(t, state, { more: nothing, end: nothing }).show(0.6)
const languages: Over = ({ t, state }) => {
  openLanguages(t, state.journey?.languages ?? [], state.language.tag, nothing)
}
const sound =
  (canSpeak: boolean): Over =>
  ({ t, settings, set }) => {
    const parts = { repeat: nothing, isPaused: () => false, pause: nothing, resume: nothing }
    openSound({ t, settings, set, canSpeak, ...parts })
  }

/** Keyed by the name of the scene below it. */
export const OVERLAYS: Readonly<Record<string, readonly (readonly [name: string, over: Over])[]>> = {
  welcome: [
    ['help-alone', help('alone')],
    ['settings', (parts) => openDisplay(parts)],
  ],
  consent: [
    ['help-calling', help('calling')],
    ['languages', languages],
    ['sound', sound(true)],
  ],
  check: [
    ['help-asked', help('asked')],
    ['stop', ({ t }) => openStop(t, { stop: nothing, again: nothing })],
    ['more-time', more],
    ['settings', (parts) => openDisplay(parts)],
  ],
  'document/guidance': [
    ['help-coming', help('asked', 'COMING')],
    ['help-unreached', help('unreached')],
    ['more-time', more],
    ['sound-without-voice', sound(false)],
  ],
  'portrait/before': [
    ['help-two-minutes', help('asked', 'TWO_MINUTES')],
    ['stop', ({ t }) => openStop(t, { stop: nothing, again: nothing })],
  ],
  'result/person': [
    ['help-go-to-counter', help('asked', 'GO_TO_COUNTER')],
    ['more-time', more],
  ],
}
