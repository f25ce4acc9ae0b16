/** The questions that can come over any screen: help, text and contrast, start again, stop, more time, language. */
import type { JourneyView } from '../../server/kiosk/contract.ts'
import { openDialog } from './dialog.ts'
import type { OpenDialog } from './dialog.ts'
import { h, svg } from './dom.ts'
import type { ScreenContext } from './context.ts'
import { stepOf } from './journey.ts'
import type { ScreenName } from './journey.ts'
import { button } from './layout.ts'

type T = ScreenContext['t']

export const TEXT_SIZES = [1, 2, 3] as const
export type TextSize = (typeof TEXT_SIZES)[number]
export interface DisplaySettings {
  textSize: TextSize
  highContrast: boolean
}

export function openHelp(t: T, screen: ScreenName): OpenDialog {
  const step = stepOf(screen)
  const stepName = step ? t(`step.${step.name}`) : t('welcome.title')
  return openDialog({
    title: t('help.title'),
    content: [
      h('p', {}, t(`help.${step?.name ?? 'welcome'}`)),
      h('p', {}, t('help.counter', { step: stepName })),
    ],
    choices: [{ text: t('help.close'), kind: 'primary' }],
  })
}

export function openRestart(t: T, act: () => void): OpenDialog {
  return openDialog({
    title: t('restart.title'),
    content: [h('p', {}, t('restart.text'))],
    choices: [
      { text: t('stop.no'), kind: 'equal' },
      { text: t('restart.yes'), kind: 'equal', act },
    ],
  })
}

export function openStop(t: T, act: () => void): OpenDialog {
  return openDialog({
    title: t('stop.title'),
    content: [h('p', {}, t('stop.text'))],
    choices: [
      { text: t('stop.no'), kind: 'equal' },
      { text: t('stop.yes'), kind: 'equal', act },
    ],
  })
}

export function openLanguages(
  t: T,
  languages: JourneyView['languages'],
  act: (tag: string) => void,
): OpenDialog {
  return openDialog({
    title: t('welcome.language'),
    choices: languages.map(({ tag, name }) => ({ text: name, kind: 'equal', act: () => act(tag) })),
  })
}

export function openDisplay(
  t: T,
  settings: DisplaySettings,
  changed: (settings: DisplaySettings) => void,
): OpenDialog {
  const choose = (
    label: string,
    options: readonly { text: string; on: () => boolean; set: () => void }[],
  ) => {
    const buttons = options.map(({ text, set }) =>
      button('secondary', text, () => {
        set()
        changed(settings)
        mark()
      }),
    )
    const mark = () => options.forEach(({ on }, i) => buttons[i]?.setAttribute('aria-pressed', String(on())))
    mark()
    return h('div', { class: 'setting', role: 'group', 'aria-label': label }, h('h3', {}, label), ...buttons)
  }
  return openDialog({
    title: t('display.title'),
    content: [
      choose(
        t('display.size'),
        TEXT_SIZES.map((size) => ({
          text: t(`display.size.${size}`),
          on: () => settings.textSize === size,
          set: () => (settings.textSize = size),
        })),
      ),
      choose(
        t('display.contrast'),
        ([false, true] as const).map((high) => ({
          text: t(high ? 'display.contrast.high' : 'display.contrast.standard'),
          on: () => settings.highContrast === high,
          set: () => (settings.highContrast = high),
        })),
      ),
    ],
    choices: [{ text: t('display.close'), kind: 'primary' }],
  })
}

/** The warning before the screen clears: a ring that empties, not digits that rush. */
export function openIdle(
  t: T,
  more: () => void,
  end: () => void,
): OpenDialog & { show(share: number): void } {
  const circumference = 2 * Math.PI * 26
  const ring = svg('circle', { cx: 32, cy: 32, r: 26, class: 'ring-left', 'stroke-dasharray': circumference })
  const dialog = openDialog({
    title: t('idle.title'),
    content: [
      svg(
        'svg',
        { class: 'ring', viewBox: '0 0 64 64', 'aria-hidden': 'true' },
        svg('circle', { cx: 32, cy: 32, r: 26, class: 'ring-track' }),
        ring,
      ),
      h('p', {}, t('idle.text')),
    ],
    choices: [
      { text: t('idle.more'), kind: 'primary', act: more },
      { text: t('idle.end'), kind: 'secondary', act: end },
    ],
    closed: more,
  })
  return {
    ...dialog,
    show: (share) => ring.setAttribute('stroke-dashoffset', String(circumference * (1 - share))),
  }
}
