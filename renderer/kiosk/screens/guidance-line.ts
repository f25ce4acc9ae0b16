/** The one most useful message: 56 px, with its movement as an icon, beside the picture and never over it. */
import type { GuidanceDetail, GuidanceIcon } from '../../capture/index.ts'
import { icon } from '../../design/art.ts'
import type { IconName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import type { ScreenContext } from '../screen-context.ts'

// The same message is spoken at most every 6 s.
const SPEAK_AGAIN_MS = 6000

const ICON_OF: Readonly<Record<GuidanceIcon, IconName>> = {
  show: 'document',
  'turn-over': 'flip',
  light: 'light',
  'less-light': 'contrast',
  nearer: 'nearer',
  farther: 'farther',
  left: 'left',
  right: 'right',
  up: 'up',
  down: 'down',
  corners: 'corners',
  flat: 'flat',
  tilt: 'tilt',
  still: 'pause',
  face: 'portrait',
  'one-person': 'person',
  straight: 'portrait',
  uncover: 'portrait',
  eyes: 'eye',
  mouth: 'mouth',
  colours: 'contrast',
  good: 'done',
  attention: 'attention',
  wait: 'waiting',
}

/** Codes that show no sign of an applicant in front of the camera. */
const EMPTY: readonly string[] = ['NO_DOC', 'NO_FACE', 'OFFLINE', 'LOOKING', 'SENDING']

interface GuidanceLine {
  readonly element: HTMLElement
  readonly code: string
  show(detail: GuidanceDetail): void
  /** Shows the screen's own text, for example while the camera starts. */
  say(text: string, iconName?: IconName): void
}

export function createGuidanceLine(
  {
    announce,
    active,
    note,
    now,
  }: Pick<ScreenContext, 'announce' | 'active' | 'now'> & { note: (code: string) => void },
  first: string,
): GuidanceLine {
  const words = h('span', {}, first)
  const sign = h('span', { class: 'guidance-icon' }, icon('waiting'))
  const element = h('p', { class: 'guidance', 'data-tone': 'note' }, sign, words)
  let code = ''
  let spokenAt = -Infinity
  const draw = (text: string, iconName: IconName) => {
    words.textContent = text
    sign.replaceChildren(icon(iconName))
  }
  return {
    element,
    get code() {
      return code
    },
    show(detail) {
      if (!EMPTY.includes(detail.code)) active()
      const isNew = detail.code !== code
      if (isNew || words.textContent !== detail.text) {
        element.dataset.tone = detail.tone
        draw(detail.text, ICON_OF[detail.icon])
      }
      if (isNew && detail.tone === 'do') note(detail.code)
      code = detail.code
      element.dataset.code = code
      if (!isNew && now() - spokenAt < SPEAK_AGAIN_MS) return
      spokenAt = now()
      announce(detail.spoken)
    },
    say(text, iconName = 'waiting') {
      code = ''
      element.dataset.code = code
      element.dataset.tone = 'note'
      draw(text, iconName)
    },
  }
}
