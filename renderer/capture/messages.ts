/** Maps an advice's code to its shown and spoken text. Pure; the texts come from the language file. */
import type { TextKey, Translate } from '../locales/index.ts'
import type {
  DocumentGuidanceCode,
  GuidanceDetail,
  GuidanceIcon,
  PortraitGuidanceCode,
  PromptDetail,
} from './events.ts'
import type { Advice } from './document/advice.ts'

const DOCUMENT_ICONS: Readonly<Record<DocumentGuidanceCode, GuidanceIcon>> = {
  NO_DOC: 'show',
  FACE: 'show',
  FILE_UNREADABLE: 'attention',
  WRONG_SIDE: 'turn-over',
  DARK: 'light',
  BRIGHT: 'less-light',
  NEAR: 'farther',
  CUT: 'corners',
  KEYSTONE: 'flat',
  FAR: 'nearer',
  GLARE: 'tilt',
  TILT_SLOWLY: 'tilt',
  MOVING: 'still',
  BLUR: 'farther',
  READY: 'good',
  TAKEN: 'good',
  HARD_TO_READ: 'attention',
  LOOKING: 'wait',
  NOT_A_DOCUMENT: 'show',
  CHANGE: 'show',
  FRONT_AGAIN: 'turn-over',
  BACK_AGAIN: 'turn-over',
  OTHER_KIND: 'attention',
  SENDING: 'wait',
  OFFLINE: 'attention',
}
const PORTRAIT_ICONS: Readonly<Record<PortraitGuidanceCode, GuidanceIcon>> = {
  NO_FACE: 'face',
  SEVERAL: 'one-person',
  FAR: 'nearer',
  NEAR: 'farther',
  OFF: 'corners',
  DARK: 'light',
  BRIGHT: 'less-light',
  UNEVEN: 'light',
  LOOK: 'straight',
  ROLL: 'straight',
  COVER: 'uncover',
  EYES: 'eyes',
  MOUTH: 'mouth',
  MOVE: 'still',
  COME_CLOSER: 'nearer',
  TURN_TO_DOT: 'right',
  HOLD_THERE: 'good',
  COLOURS: 'colours',
  STRAIGHT: 'straight',
  READY: 'good',
}
const GOOD = ['READY', 'TAKEN', 'HOLD_THERE']
const NOTES = ['LOOKING', 'SENDING', 'COLOURS', 'HARD_TO_READ', 'OFFLINE']

type HasText = (key: string) => key is TextKey<'capture'>

export function documentMessage(
  { code, direction }: Advice,
  t: Translate<'capture'>,
  hasText: HasText,
): GuidanceDetail<DocumentGuidanceCode> {
  return {
    code,
    ...words(`document.${code}`, direction, t, hasText),
    icon: direction ?? DOCUMENT_ICONS[code],
    tone: chooseTone(code),
  }
}

export function portraitMessage(
  code: PortraitGuidanceCode,
  /** The place of the dot; for OFF the direction to the middle. */
  screenSide: PromptDetail['screenSide'],
  t: Translate<'capture'>,
  hasText: HasText,
): GuidanceDetail<PortraitGuidanceCode> {
  const side = code === 'TURN_TO_DOT' || code === 'OFF' ? screenSide : null
  return {
    code,
    ...words(`portrait.${code}`, side, t, hasText),
    icon: side ?? PORTRAIT_ICONS[code],
    tone: chooseTone(code),
  }
}

/** Chooses the most specific text; the spoken one may say a little more. */
function words(key: string, direction: string | null, t: Translate<'capture'>, hasText: HasText) {
  const first = (keys: readonly string[]) => keys.find(hasText)
  const exact = direction ? [`${key}.${direction}`] : []
  const shown = first([...exact, key])
  const spoken = first([...exact.map((one) => `${one}.spoken`), ...exact, `${key}.spoken`, key])
  const text = shown ? t(shown) : ''
  return { text, spoken: spoken ? t(spoken) : text }
}

function chooseTone(code: string): GuidanceDetail['tone'] {
  if (GOOD.includes(code)) return 'good'
  return NOTES.includes(code) ? 'note' : 'do'
}
