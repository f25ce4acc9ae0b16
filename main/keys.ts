/**
 * Decides which keys reach a page, and detects the chord that opens the officers' prompt. Pure. A kiosk needs
 * a keyboard only for typing, the Tab key and tactile keys; all shortcuts of browser and desktop are blocked.
 */

/** A key in the format of Electron's `before-input-event`. */
export interface KeyInput {
  readonly type: string
  readonly key: string
  readonly control?: boolean
  readonly alt?: boolean
  readonly shift?: boolean
  readonly meta?: boolean
  readonly isAutoRepeat?: boolean
}

/** Editing in a field only: no printing, saving, searching, opening, zooming, reloading. */
const WITH_CONTROL = [
  'a',
  'c',
  'v',
  'x',
  'z',
  'arrowleft',
  'arrowright',
  'backspace',
  'delete',
  'home',
  'end',
  'control',
]
/** The tactile keypad may send them (next, back, OK, help, repeat); Chromium does not use them. */
const FUNCTION_KEYS = ['f13', 'f14', 'f15', 'f16', 'f17', 'f18', 'f19', 'f20', 'f21', 'f22', 'f23', 'f24']

export function isAllowedKey(input: KeyInput): boolean {
  const key = input.key.toLowerCase()
  if (input.meta || key === 'meta') return false
  // AltGr, which types characters on many keyboards, arrives as Control and Alt with a character.
  if (input.alt) return input.control === true && [...key].length === 1
  // Shift with a letter is the browser's: Ctrl+Shift+C opens its tools.
  if (input.control) return WITH_CONTROL.includes(key) && !(input.shift && key.length === 1)
  if (/^f\d{1,2}$/.test(key)) return FUNCTION_KEYS.includes(key)
  return !/^(browser|launch|print|contextmenu|zoom)/.test(key)
}

/** Five keys, held: not pressed by accident, and used by no page or desktop. */
export const CHORD_WORDS = 'Ctrl+Alt+Shift+End, held for three seconds'
const CHORD_KEY = 'End'
const HELD_MS = 3000
/** A held key repeats about 30 times a second; a longer gap means that it was released. */
const MAX_GAP_MS = 1000

/** True for the key event that completes the chord. @param now milliseconds of a monotonic clock. */
export function createChord(now: () => number = () => performance.now()): (input: KeyInput) => boolean {
  let since: number | null = null
  let last = 0
  return ({ type, key, control, alt, shift, meta }) => {
    const isHeld = type === 'keyDown' && key === CHORD_KEY && control && alt && shift && !meta
    const at = now()
    if (!isHeld) {
      since = null
      return false
    }
    if (since === null || at - last > MAX_GAP_MS) since = at
    last = at
    if (at - since < HELD_MS) return false
    since = null
    return true
  }
}
