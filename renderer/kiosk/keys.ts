/**
 * Control by keys: a plugged-in keyboard, the tactile keypad under the screen, one or two switches. This
 * module moves the focus and presses the focused control; the controls define their meaning.
 */

type KeyAct = 'next' | 'back' | 'choose' | 'help' | 'repeat'

/**
 * Keys of tactile keypads (which report as USB keyboards) in addition to the arrows. No office keyboard has
 * F13 to F17; F1 to F4 and F9 serve keypads that cannot send those.
 */
const KEYPAD: Readonly<Record<string, KeyAct>> = {
  ArrowDown: 'next',
  ArrowUp: 'back',
  F13: 'next',
  F14: 'back',
  F15: 'choose',
  F16: 'help',
  F17: 'repeat',
  F1: 'help',
  F2: 'back',
  F3: 'next',
  F4: 'choose',
  F9: 'repeat',
}

export interface KeyFacts {
  readonly key: string
  readonly isTyping: boolean
  readonly isRtl: boolean
  /** Switches: Space continues, Enter chooses. */
  readonly scanning: boolean
}

/** Null: the browser handles the key. */
export function findAct({ key, isTyping, isRtl, scanning }: KeyFacts): KeyAct | null {
  if (scanning && key === ' ') return 'next'
  // Inside a field these keys move the caret.
  if (!isTyping && key === 'ArrowRight') return isRtl ? 'back' : 'next'
  if (!isTyping && key === 'ArrowLeft') return isRtl ? 'next' : 'back'
  return KEYPAD[key] ?? null
}

/**
 * The only chords that are allowed: editing in a field. The kiosk blocks the browser's other chords (print,
 * save, search, tools).
 */
const EDITING = [
  'a',
  'c',
  'v',
  'x',
  'z',
  'y',
  'arrowleft',
  'arrowright',
  'backspace',
  'delete',
  'home',
  'end',
]
const OF_THE_BROWSER = [
  'f5',
  'f6',
  'f7',
  'f10',
  'f11',
  'f12',
  'browserback',
  'browserforward',
  'browserrefresh',
]

interface Chord {
  readonly key: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}

/**
 * Detects the browser's own chords: in Chromium's kiosk mode some of them open boxes over the page
 * (Ctrl+Shift+I, F12).
 */
export function isOfTheBrowser({ key, ctrlKey, altKey, metaKey, shiftKey }: Chord): boolean {
  const name = key.toLowerCase()
  if (OF_THE_BROWSER.includes(name)) return true
  if (['control', 'meta', 'shift', 'alt', 'altgraph'].includes(name)) return false
  // AltGr, which types characters on many keyboards, arrives as Control and Alt with a character.
  if (altKey && !metaKey) return name.length > 1 || (ctrlKey && shiftKey && /^[a-z]$/.test(name))
  if (!ctrlKey && !metaKey) return false
  return altKey || !EDITING.includes(name) || (shiftKey && name.length === 1)
}

const FOCUSABLE = 'button, [href], input, select, textarea, summary, [tabindex="0"]'

/** Lists the controls that can be reached now, in the topmost dialog or on the page. */
function reachable(): HTMLElement[] {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  return [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) =>
      !element.matches(':disabled, [tabindex="-1"]') && element.checkVisibility({ visibilityProperty: true }),
  )
}

/** Moves the focus; after the last control comes the first. */
function moveFocus(by: 1 | -1): void {
  const elements = reachable()
  const at = elements.indexOf(document.activeElement as HTMLElement)
  const start = at < 0 ? (by === 1 ? 0 : elements.length - 1) : (at + by + elements.length) % elements.length
  elements[start]?.focus()
}

/**
 * A page gives its title the focus, so that reading starts there. Who begins to type means its one field: the browser then puts the
 * character there.
 */
function typeInto(key: string): void {
  if ([...key].length === 1)
    reachable()
      .find((element) => element.matches('input.typed'))
      ?.focus()
}

interface KeyTarget {
  scanning(): boolean
  help(): void
  repeat(): void
}

/**
 * Reads the direction of the control's surroundings, because the on-screen keyboard keeps its order in every
 * language.
 */
function runsFromTheRight(target: EventTarget | null): boolean {
  const around = target instanceof Element ? target.parentElement : null
  return getComputedStyle(around ?? document.documentElement).direction === 'rtl'
}

export function watchKeys(target: KeyTarget): void {
  document.addEventListener('keydown', (event) => {
    if (isOfTheBrowser(event)) return event.preventDefault()
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
    const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    const act = findAct({
      key: event.key,
      isTyping: field,
      isRtl: runsFromTheRight(event.target),
      scanning: target.scanning(),
    })
    if (!act) return field || event.key === ' ' ? undefined : typeInto(event.key)
    event.preventDefault()
    if (act === 'next') moveFocus(1)
    else if (act === 'back') moveFocus(-1)
    else if (act === 'choose') (document.activeElement as HTMLElement | null)?.click()
    else target[act]()
  })
}
