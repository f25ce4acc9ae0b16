/**
 * The parts around every screen: test banner, step line, messages, the bar of help and settings, live region.
 */
import { createBrandBand } from './brand-band.ts'
import { icon } from '../design/art.ts'
import type { IconName } from '../design/art.ts'
import { h } from '../dom.ts'
import type { TextKey } from '../locales/index.ts'
import { helpWords } from './help-words.ts'
import type { ScreenContext, ScreenState } from './screen-context.ts'
import { hasVisit } from './state.ts'

interface BarActs {
  help(): void
  sound(): void
  display(): void
  language(): void
  stop(): void
}

export interface Frame {
  readonly element: HTMLElement
  /** The container of the screen. */
  readonly main: HTMLElement
  update(state: ScreenState): void
  announce(sentence: string): void
  /** Highlights Help for an applicant who has tried for a long time. */
  offerHelp(isOffered: boolean): void
}

type BarName = keyof BarActs
const ITEMS: readonly { name: BarName; icon: IconName; key: TextKey }[] = [
  { name: 'help', icon: 'help', key: 'bar.help' },
  { name: 'sound', icon: 'sound', key: 'bar.sound' },
  { name: 'display', icon: 'text', key: 'bar.display' },
  { name: 'language', icon: 'language', key: 'bar.language' },
  { name: 'stop', icon: 'stop', key: 'bar.stop' },
]

export function createFrame(t: ScreenContext['t'], acts: BarActs): Frame {
  const banner = h('p', { class: 'test-banner' })
  const brand = createBrandBand()
  const stepText = h('p', { class: 'step-text' })
  const stepMarks = h('ol', { class: 'step-marks', 'aria-hidden': 'true' })
  const header = h('div', { class: 'header' }, stepText, stepMarks)
  const telling = h('div', { class: 'telling', role: 'status' })
  const main = h('main', { class: 'main', id: 'main' })
  const live = h('div', { class: 'visually-hidden', 'aria-live': 'polite', 'aria-atomic': 'true' })
  const buttons = new Map(
    ITEMS.map(({ name, icon: drawing }) => [
      name,
      h(
        'button',
        { type: 'button', class: 'bar-button', id: `bar-${name}`, click: () => acts[name]() },
        icon(drawing),
        h('span'),
      ),
    ]),
  )
  const bar = h('nav', { class: 'bar', 'data-silent': true }, ...buttons.values())
  let told = ''
  let screen: ScreenState['screen'] | null = null

  // The layout of the screen starts at the upper edge of the bar.
  new ResizeObserver(() => {
    const height = bar.getBoundingClientRect().height
    document.documentElement.style.setProperty('--bar-size', `${height.toFixed(1)}px`)
  }).observe(bar)

  const tell = (state: ScreenState) => {
    const key = chooseMessage(state)
    const text = key ? t(key) : ''
    if (text === told) return
    told = text
    telling.replaceChildren(
      ...(text === '' ? [] : [h('p', { class: 'notice notice-note' }, icon('note'), text)]),
    )
  }

  return {
    element: h(
      'div',
      { class: 'frame' },
      h('header', {}, banner, h('div', { class: 'top' }, brand.element, header), telling),
      main,
      bar,
      live,
    ),
    main,
    announce: (sentence) => {
      // The same sentence twice must still change the text, or it is not spoken again.
      live.textContent = live.textContent === sentence ? `${sentence}\u00a0` : sentence
    },
    offerHelp: (isOffered) => buttons.get('help')?.classList.toggle('is-pointed', isOffered),
    update(state) {
      // The next screen must not show a message of the screen before.
      if (screen !== state.screen) live.textContent = ''
      screen = state.screen
      banner.textContent = t('mode.test')
      banner.hidden = state.journey?.mode !== 'test'
      bar.setAttribute('aria-label', t('bar.label'))
      for (const { name, key } of ITEMS) {
        const span = buttons.get(name)?.querySelector('span')
        if (span) span.textContent = t(key)
      }
      // Hide unused buttons without removing them, so that the others do not move.
      const isIdle = state.screen === 'starting' || state.screen === 'resting' || state.screen === 'goodbye'
      const hasLanguages = (state.journey?.languages.length ?? 1) > 1
      buttons.get('help')?.classList.toggle('is-absent', state.screen === 'starting')
      buttons
        .get('language')
        ?.classList.toggle('is-absent', isIdle || !hasLanguages || state.screen === 'welcome')
      buttons.get('stop')?.classList.toggle('is-absent', !hasVisit(state))
      const place = findPlace(state)
      header.classList.toggle('is-empty', place === null)
      const house = state.journey?.brand ?? null
      brand.show(house)
      const step = place ? t('step.line', { ...place, name: t(place.key) }) : ''
      stepText.textContent = step || (house ? '' : t('app.name'))
      stepMarks.replaceChildren(
        ...(state.visit ? listMarks(state.visit.position).map((mark) => h('li', { class: mark })) : []),
      )
      document.title = [step, house?.name ?? t('app.name')].filter((part) => part !== '').join(' – ')
      main.classList.toggle('is-working', state.working)
      main.setAttribute('aria-busy', String(state.working))
      tell(state)
    },
  }
}

/** Fills the mark of each completed step, not of a skipped one. */
export function listMarks({
  steps,
  index,
  undone,
}: NonNullable<ScreenState['visit']>['position']): readonly ('past' | 'now' | 'undone' | 'ahead')[] {
  return steps.map((step, at) => {
    if (at === index) return 'now'
    if (at > index) return 'ahead'
    return undone.includes(step) ? 'undone' : 'past'
  })
}

/** Returns the place of the present step, from 1; null on screens outside a visit. */
export function findPlace({ visit }: ScreenState): { n: number; total: number; key: TextKey } | null {
  if (!visit) return null
  const { steps, index } = visit.position
  return { n: index + 1, total: steps.length, key: `step.${visit.step.kind}` }
}

/** Chooses the message to show. The page's own trouble comes first, because it says what happens next. */
export function chooseMessage({ trouble, visit, screen }: ScreenState): TextKey | null {
  if (trouble && screen !== 'resting' && screen !== 'starting') return `trouble.${trouble}`
  if (visit?.notice) return `notice.${visit.notice}`
  return visit?.help.asked ? helpWords(visit.help) : null
}
