/**
 * The questions that can open over any screen: help, stop, more time, language. They only ask; app.ts acts.
 */
import { h, svg } from '../dom.ts'
import type { TextKey } from '../locales/index.ts'
import { getLanguage } from '../locales/index.ts'
import { control } from './controls.ts'
import { openDialog } from './dialog.ts'
import type { OpenDialog } from './dialog.ts'
import { helpWords } from './help-words.ts'
import { receiptWords } from './screens/receipt-words.ts'
import type { ScreenContext, ScreenName, ScreenState } from './screen-context.ts'
import { isCalledAway } from './state.ts'

type T = ScreenContext['t']

const TIPS: Readonly<Record<ScreenName, TextKey | null>> = {
  starting: null,
  resting: null,
  goodbye: null,
  welcome: 'help.welcome',
  consent: 'help.consent',
  'trusted-login': 'help.trusted-login',
  phone: 'help.phone',
  document: 'help.document',
  check: 'help.check',
  chip: 'help.chip',
  details: 'help.details',
  portrait: 'help.portrait',
  waiting: 'help.waiting',
  result: 'help.result',
}

export interface HelpDialog extends OpenDialog {
  /** `unreached`: the call could not be sent. */
  show(state: ScreenState, call: 'calling' | 'unreached' | 'asked' | 'alone'): void
}

interface HelpActs {
  readonly closed: () => void
  readonly withdraw: () => void
  /** The applicant goes to the counter, where the visit waits. */
  readonly leave: () => void
}

/**
 * Shows the officer's answer as soon as it arrives, advice meanwhile, and the reference by which staff find
 * the visit.
 */
export function openHelp(t: T, acts: HelpActs): HelpDialog {
  const words = h('div', { class: 'paged reading', 'aria-live': 'polite' })
  const dialog = openDialog({
    title: t('help.title'),
    content: [words],
    choices: [],
    closed: acts.closed,
  })
  // A call stays open until the applicant withdraws it: continuing does not withdraw it.
  const close = control('primary', t('help.close'), () => dialog.close())
  const goOn = control('primary', t('help.go-on'), () => dialog.close())
  const withdraw = control('secondary', t('help.withdraw'), () => {
    dialog.close()
    acts.withdraw()
  })
  const going = control('primary', t('help.going'), () => {
    dialog.close()
    acts.leave()
  })
  const hands = dialog.element.querySelector('.hands')
  let shown = ''
  return {
    ...dialog,
    show: (state, call) => {
      const lead: TextKey = call === 'asked' && state.visit ? helpWords(state.visit.help) : `help.${call}`
      const isLeaving = isCalledAway(state)
      const tip = isLeaving ? null : TIPS[state.screen]
      const reference = state.visit?.reference ?? null
      const drawn = [lead, tip, reference].join('|')
      if (drawn === shown) return
      shown = drawn
      const ways = isLeaving ? [going, withdraw] : call === 'asked' ? [goOn, withdraw] : [close]
      if (ways.some((way) => !hands?.contains(way))) hands?.replaceChildren(...ways)
      words.replaceChildren(
        h('p', { class: 'help-lead' }, t(lead)),
        ...(call === 'asked' && !isLeaving ? [h('p', {}, t('help.nothing-lost'))] : []),
        // Before the consent nothing is stored, and nothing waits at the counter.
        ...(isLeaving && reference ? [h('p', {}, t('help.kept'))] : []),
        ...(tip ? [h('p', {}, t(tip))] : []),
        ...(reference && call !== 'alone'
          ? [
              h(
                'p',
                { class: 'help-reference' },
                t('help.reference'),
                ' ',
                h('bdi', { class: 'mono', dir: 'ltr' }, reference),
              ),
            ]
          : []),
      )
    },
  }
}

export function openStop(t: T, acts: { stop: () => void; again: () => void }): OpenDialog {
  return openDialog({
    title: t('stop.title'),
    content: [h('p', {}, t('stop.text'))],
    choices: [
      { text: t('stop.no'), kind: 'equal' },
      { text: t('stop.yes'), kind: 'equal', act: acts.stop },
      { text: t('stop.again'), kind: 'secondary', act: acts.again },
    ],
  })
}

/** Lists all languages of the branch, each by its own name and in its own direction. */
export function openLanguages(
  t: T,
  tags: readonly string[],
  now: string,
  act: (tag: string) => void,
): OpenDialog {
  const dialog = openDialog({ title: t('welcome.language'), content: [], choices: [] })
  const choices = tags.map((tag) => {
    const { name, dir } = getLanguage(tag)
    const choose = () => {
      dialog.close()
      act(tag)
    }
    return h(
      'button',
      {
        type: 'button',
        class: 'button button-equal',
        lang: tag,
        dir,
        'aria-current': tag === now ? 'true' : undefined,
        click: choose,
      },
      name,
    )
  })
  const close = h(
    'button',
    { type: 'button', class: 'button button-secondary', click: () => dialog.close() },
    t('help.close'),
  )
  dialog.element.querySelector('.hands')?.before(h('div', { class: 'paged language-list' }, ...choices))
  dialog.element.querySelector('.hands')?.append(close)
  return dialog
}

interface IdleDialog extends OpenDialog {
  /** Share of the time that is left, 0–1. */
  show(share: number): void
}

const CIRCUMFERENCE = 2 * Math.PI * 26

/**
 * The warning before the screen clears: a ring that empties, because a countdown in digits creates stress.
 */
export function openIdle(
  t: T,
  { visit }: ScreenState,
  acts: { more: () => void; end: () => void },
): IdleDialog {
  const ring = svg('circle', { cx: 32, cy: 32, r: 26, class: 'ring-left', 'stroke-dasharray': CIRCUMFERENCE })
  const receipt = visit?.step.kind === 'result' ? visit.step.receipt : null
  const dialog = openDialog({
    title: t('idle.title'),
    content: [
      h(
        'div',
        { class: 'paged reading' },
        h(
          'div',
          { class: 'ring-row' },
          svg(
            'svg',
            { class: 'ring', viewBox: '0 0 64 64', 'aria-hidden': 'true' },
            svg('circle', { cx: 32, cy: 32, r: 26, class: 'ring-track' }),
            ring,
          ),
          h('p', {}, t(receipt ? 'idle.result' : 'idle.text')),
        ),
        // The question covers what it asks about.
        ...(receipt ? [receiptWords(t, receipt)] : []),
      ),
    ],
    choices: [
      { text: t(receipt ? 'idle.minute' : 'idle.more'), kind: 'primary', act: acts.more },
      { text: t('idle.end'), kind: 'secondary', act: acts.end },
    ],
    closed: acts.more,
  })
  return {
    ...dialog,
    show: (share) => ring.setAttribute('stroke-dashoffset', String(CIRCUMFERENCE * (1 - share))),
  }
}
