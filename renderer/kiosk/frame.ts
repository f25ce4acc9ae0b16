/** What surrounds every screen: test banner, step line, the bar of help and settings, the live region. */
import type { TextKey } from '../locales/index.ts'
import { icon } from './art.ts'
import type { IconName } from './art.ts'
import { h } from './dom.ts'
import { STEPS, stepOf } from './journey.ts'
import type { JourneyState } from './journey.ts'
import type { ScreenContext } from './context.ts'

export interface BarActs {
  help(): void
  display(): void
  language(): void
  restart(): void
  stop(): void
}

export interface Frame {
  readonly element: HTMLElement
  /** Where the screen goes. */
  readonly main: HTMLElement
  update(state: JourneyState, visiting: boolean): void
  announce(sentence: string): void
}

export function createFrame(t: ScreenContext['t'], acts: BarActs): Frame {
  const banner = h('p', { class: 'test-banner' })
  const stepText = h('p', { class: 'step-text' })
  const stepMarks = h('ol', { class: 'step-marks', 'aria-hidden': 'true' })
  const header = h('div', { class: 'header' }, stepText, stepMarks)
  const main = h('main', { class: 'main' })
  const live = h('div', { class: 'visually-hidden', 'aria-live': 'polite', 'aria-atomic': 'true' })
  const bar = h('nav', { class: 'bar' })
  const items: readonly { name: IconName; key: TextKey; act: () => void }[] = [
    { name: 'help', key: 'bar.help', act: () => acts.help() },
    { name: 'text', key: 'bar.display', act: () => acts.display() },
    { name: 'language', key: 'bar.language', act: () => acts.language() },
    { name: 'restart', key: 'bar.restart', act: () => acts.restart() },
    { name: 'stop', key: 'bar.stop', act: () => acts.stop() },
  ]
  const buttons = new Map(
    items.map(({ name, act }) => [
      name,
      h(
        'button',
        { type: 'button', class: 'bar-button', id: `bar-${name}`, click: act },
        icon(name),
        h('span'),
      ),
    ]),
  )
  bar.append(...buttons.values())

  return {
    element: h('div', { class: 'frame' }, h('header', {}, banner, header), main, bar, live),
    main,
    announce: (sentence) => {
      // The same sentence twice must still be a change, or it is not spoken again.
      live.textContent = live.textContent === sentence ? `${sentence}\u00a0` : sentence
    },
    update(state, visiting) {
      banner.textContent = t('mode.test')
      banner.hidden = state.journey?.mode !== 'test'
      bar.setAttribute('aria-label', t('bar.label'))
      for (const { name, key } of items) {
        const span = buttons.get(name)?.querySelector('span')
        if (span) span.textContent = t(key)
      }
      // Those that have nothing to do keep their place, so that the others stay where they were.
      for (const name of ['language', 'restart', 'stop'] as const) {
        buttons.get(name)?.classList.toggle('is-absent', !visiting)
      }
      const language = buttons.get('language')
      if (language) language.hidden = (state.journey?.languages.length ?? 1) < 2
      const step = stepOf(state.screen)
      header.classList.toggle('is-empty', step === null)
      stepText.textContent = step
        ? t('step.line', { n: step.n, total: step.total, name: t(`step.${step.name}`) })
        : t('app.name')
      stepMarks.replaceChildren(
        ...STEPS.map((_, index) =>
          h('li', { class: step && index < step.n ? (index === step.n - 1 ? 'now' : 'past') : 'ahead' }),
        ),
      )
      document.title = `${stepText.textContent} – Counterproof`
    },
  }
}
