/**
 * Maps an answer of the appliance to the drawing and the texts. Pure. Left and right are the applicant's own,
 * as in a mirror.
 */
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import type { PortraitGuidanceCode, PromptDetail, PromptKind, ScreenColour } from '../events.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>
type Hint = Capturing['hint']

const SIDES: Readonly<Record<PromptKind, PromptDetail['screenSide']>> = {
  LOOK_STRAIGHT: null,
  COME_CLOSER: null,
  TURN_LEFT: 'left',
  TURN_RIGHT: 'right',
  LOOK_UP: 'up',
  LOOK_DOWN: 'down',
  SHOW_COLOUR: null,
}
export const getScreenSide = (kind: PromptKind): PromptDetail['screenSide'] => SIDES[kind]

/** Hints that prevent every prompt, and therefore precede it. */
const HINTS: Readonly<Partial<Record<Hint, PortraitGuidanceCode>>> = {
  SHOW_FACE: 'NO_FACE',
  ONE_PERSON_ONLY: 'SEVERAL',
  COME_CLOSER: 'FAR',
  MOVE_BACK: 'NEAR',
  CENTRE_FACE: 'OFF',
  MORE_LIGHT: 'DARK',
  LESS_LIGHT: 'BRIGHT',
  EVEN_LIGHT: 'UNEVEN',
  LOOK_STRAIGHT: 'LOOK',
  HOLD_HEAD_UPRIGHT: 'ROLL',
  UNCOVER_FACE: 'COVER',
  OPEN_EYES: 'EYES',
  CLOSE_MOUTH: 'MOUTH',
  HOLD_STILL: 'MOVE',
}
const TASKS: Readonly<Record<PromptKind, PortraitGuidanceCode>> = {
  LOOK_STRAIGHT: 'STRAIGHT',
  COME_CLOSER: 'COME_CLOSER',
  TURN_LEFT: 'TURN_TO_DOT',
  TURN_RIGHT: 'TURN_TO_DOT',
  LOOK_UP: 'TURN_TO_DOT',
  LOOK_DOWN: 'TURN_TO_DOT',
  SHOW_COLOUR: 'COLOURS',
}
/** Gives no advice about light while the screen changes its own light. */
const ABOUT_LIGHT: readonly Hint[] = ['MORE_LIGHT', 'LESS_LIGHT', 'EVEN_LIGHT']

export function guidanceFor({ prompt, hint }: Pick<Capturing, 'prompt' | 'hint'>): PortraitGuidanceCode {
  const isHidden = prompt.kind === 'SHOW_COLOUR' && ABOUT_LIGHT.includes(hint)
  // "Come closer" is then the prompt itself, with its own text.
  const isTheTask = prompt.kind === 'COME_CLOSER' && hint === 'COME_CLOSER'
  const code = HINTS[hint]
  if (code && !isHidden && !isTheTask) return code
  if (prompt.isHolding && prompt.kind !== 'SHOW_COLOUR') return 'HOLD_THERE'
  // The first straight view is not a return to the middle.
  if (prompt.kind !== 'LOOK_STRAIGHT' || prompt.index > 1) return TASKS[prompt.kind]
  return hint === 'ALL_GOOD' ? 'READY' : 'LOOK'
}

/**
 * The direction, as the applicant sees it in the mirror, until the face is in the middle; null: it is, or
 * there is no face.
 */
export function wayToMiddle(face: Capturing['face']): PromptDetail['screenSide'] {
  if (!face) return null
  const [x, y] = [face.x + face.width / 2 - 0.5, face.y + face.height / 2 - 0.5]
  if (Math.max(Math.abs(x), Math.abs(y)) < MIDDLE_SHARE) return null
  if (Math.abs(x) >= Math.abs(y)) return x < 0 ? 'left' : 'right'
  return y < 0 ? 'down' : 'up'
}
/** ux screen 8, OFF: the face is off-centre by more than 8 %. */
const MIDDLE_SHARE = 0.08

/** A changed key means that the applicant is told immediately. */
export function promptKey({ prompt }: Capturing): string {
  const { kind, index, isHolding, attempt, colour } = prompt
  return [kind, index, isHolding, attempt, colour].join(' ')
}

/**
 * calm: nearly equal luminance (0.489 to 0.501 of 1), so that a change is no flash by any definition; four
 * colours come from the design of the screens, yellow and cyan were computed in the same way. Blue is #B4B4FF (0.496) and not
 * #00CBFF, which is too close to cyan. The changes follow those of the pure colours with a correlation of at
 * least 0.98 over all orders of four, at 0.6 of their strength (computed).
 */
const COLOURS: Readonly<Record<'calm' | 'full', Readonly<Record<ScreenColour, string>>>> = {
  calm: {
    RED: '#ffa0a0',
    GREEN: '#00da00',
    BLUE: '#b4b4ff',
    YELLOW: '#c1c100',
    CYAN: '#00d0d0',
    MAGENTA: '#e7a0ff',
  },
  full: {
    RED: '#ff0000',
    GREEN: '#00ff00',
    BLUE: '#0000ff',
    YELLOW: '#ffff00',
    CYAN: '#00ffff',
    MAGENTA: '#ff00ff',
  },
}
export const getColour = (name: ScreenColour, set: 'calm' | 'full'): string => COLOURS[set][name]
