/**
 * The pages before and between the tries of the portrait: the introduction, the alternatives and the tips.
 */
import type { GuidanceCode, PortraitStep, PortraitWish } from '../../../server/kiosk/contract/index.ts'
import { picture } from '../../design/art.ts'
import type { PictureName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, fact, fileButton, layout, notice, row } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'

export interface PortraitPages {
  capture(wish?: PortraitWish): void
  cannot(): void
  before(): void
  officer(because: OfficerReason): void
}

export type OfficerReason = 'CANNOT_TURN' | 'NO_COLOURS'

type Page = (context: ScreenContext, step: PortraitStep, pages: PortraitPages) => HTMLElement

const PICTURE_OF: Partial<Readonly<Record<GuidanceCode, PictureName>>> = {
  PORTRAIT_FAR: 'nearer',
  PORTRAIT_NEAR: 'nearer',
  PORTRAIT_SEVERAL: 'alone',
  PORTRAIT_SHADOW: 'window',
  PORTRAIT_DARK: 'window',
  PORTRAIT_BRIGHT: 'window',
  PORTRAIT_COVERED: 'glasses',
  PORTRAIT_EYES: 'glasses',
}

const hasColours = ({ livenessType }: Pick<PortraitStep, 'livenessType'>) => livenessType === 'LIVENESS_MLC'
const hasTurning = ({ livenessType }: Pick<PortraitStep, 'livenessType'>) =>
  livenessType === 'LIVENESS_MLC' || livenessType === 'LIVENESS_ACTIVE'

/** The picture of the prompted movement. */
const choosePicture = (step: PortraitStep): PictureName =>
  hasTurning(step) ? 'turn' : step.livenessType === 'LIVENESS_PASSIVE' ? 'people' : 'nearer'

export const beforePage: Page = (context, step, pages) => {
  const { t } = context
  const colours = hasColours(step)
  const start = (kind: 'primary' | 'equal', text: string) =>
    button(kind, text, () => pages.capture(step.wish), {
      iconName: 'camera',
      id: 'start-portrait',
      calls: true,
    })
  return layout({
    name: 'before',
    title: t('portrait.title'),
    words: [
      h(
        'ul',
        { class: 'lines' },
        h('li', {}, t('portrait.line.1')),
        h('li', {}, t('portrait.line.2')),
        hasTurning(step) ? h('li', {}, t('portrait.line.3')) : null,
      ),
    ],
    look: [picture(choosePicture(step)), fact('glasses', t('portrait.text'))],
    hands: [
      colours ? notice('attention', t('portrait.colours')) : null,
      colours && step.withoutColours
        ? h(
            'div',
            { class: 'choices two' },
            start('equal', t('portrait.start')),
            otherWay(context, step, pages, 'colours', t('portrait.no-colours')),
          )
        : start('primary', t('portrait.start')),
      row(
        button('secondary', t('portrait.cannot'), () => pages.cannot(), { iconName: 'help' }),
        step.uploadAllowed ? fileButton(t('portrait.file'), (file) => context.acts.sendFile(file)) : null,
      ),
    ],
  })
}

type Alternative = 'turning' | 'moving' | 'colours'

/** Lists what the journey offers in place of the usual try; a person at the counter is always offered beside it. */
export function listAlternatives(
  step: Pick<PortraitStep, 'livenessType' | 'withoutTurning' | 'withoutColours'>,
): readonly Alternative[] {
  return [
    ...(step.withoutTurning ? [hasTurning(step) ? ('turning' as const) : ('moving' as const)] : []),
    ...(step.withoutColours && hasColours(step) ? ['colours' as const] : []),
  ]
}

/** Another session here, or the page that says what happens at the counter. */
function otherWay(
  { t }: ScreenContext,
  step: PortraitStep,
  pages: PortraitPages,
  what: Alternative,
  text: string,
): HTMLElement {
  const isColours = what === 'colours'
  if ((isColours ? step.withoutColours : step.withoutTurning) === 'COUNTER')
    return button('equal', t('cannot.with-person', { way: text }), () =>
      pages.officer(isColours ? 'NO_COLOURS' : 'CANNOT_TURN'),
    )
  const wish: PortraitWish = isColours ? { ...step.wish, withoutColours: true } : { withoutTurning: true }
  return button('equal', text, () => pages.capture(wish), { calls: true })
}

/** Lists every alternative, in the same size. */
export const cannotPage: Page = (context, step, pages) => {
  const { t } = context
  const alternatives = listAlternatives(step)
  return layout({
    name: 'cannot',
    title: t('cannot.title'),
    words: [h('p', {}, t(alternatives.length > 0 ? 'cannot.text' : 'cannot.only'))],
    look: [picture('people')],
    hands: [
      ...alternatives.map((what) => otherWay(context, step, pages, what, t(`cannot.${what}`))),
      personButton(context, 'equal'),
      button('secondary', t('choice.back'), () => pages.before(), { iconName: 'back' }),
    ],
  })
}

/** Says what happens at the counter before the visit leaves the kiosk. */
export function officerPage(
  { t, acts }: ScreenContext,
  because: OfficerReason,
  pages: PortraitPages,
): HTMLElement {
  return layout({
    name: 'cannot',
    title: t('officer.title'),
    words: [h('p', {}, t('officer.text'))],
    look: [picture('people')],
    hands: [
      button('equal', t('choice.counter'), () => acts.skip({ step: 'portrait', person: true, because }), {
        iconName: 'person',
        calls: true,
      }),
      button('equal', t('officer.here'), () => pages.before(), { iconName: 'back' }),
    ],
  })
}

const readReason = ({ guidance }: PortraitStep): GuidanceCode => guidance[0] ?? 'PORTRAIT_UNCLEAR'

export const againPage: Page = (context, step, pages) => {
  const { t } = context
  const reason = readReason(step)
  return layout({
    name: 'again',
    title: t('portrait.again.title'),
    words: [
      h('div', { role: 'status' }, notice('attention', t(`guidance.${reason}`))),
      h('p', {}, t('guidance.tries', { count: step.left })),
    ],
    look: [picture(PICTURE_OF[reason] ?? choosePicture(step))],
    hands: waysOn(context, step, pages),
  })
}

/**
 * Shows tips after two unsuccessful tries. The reason is the heading: beside another one it would leave no room for large
 * letters.
 */
export const tipsPage: Page = (context, step, pages) => {
  const { t } = context
  const tip = (name: PictureName, text: string) => h('li', {}, picture(name), h('span', {}, text))
  return layout({
    name: 'tips',
    title: t(`guidance.${readReason(step)}`),
    words: [fact('note', t('guidance.tries', { count: step.left }))],
    look: [
      h(
        'ul',
        { class: 'tips', 'aria-label': t('portrait.tips') },
        tip('window', t('portrait.tip.light')),
        tip('glasses', t('portrait.tip.glasses')),
        tip('alone', t('portrait.tip.alone')),
      ),
    ],
    hands: waysOn(context, step, pages),
  })
}

function waysOn(context: ScreenContext, step: PortraitStep, pages: PortraitPages): HTMLElement[] {
  const { t } = context
  const again = (kind: 'primary' | 'equal') =>
    button(kind, t('portrait.retry'), () => pages.capture(step.wish), {
      iconName: 'camera',
      id: 'start-portrait',
      calls: true,
    })
  const cannot = button('secondary', t('portrait.cannot'), () => pages.cannot(), { iconName: 'help' })
  const upload = step.uploadAllowed
    ? fileButton(t('portrait.file'), (file) => context.acts.sendFile(file))
    : null
  // The last try and the officer are offered with equal weight.
  return step.left <= 1 || step.tipsFirst
    ? [again('equal'), personButton(context, 'equal'), row(cannot, upload)]
    : [again('primary'), row(cannot, upload), personButton(context)]
}

/** "Let a person finish this": the same words and place wherever a task may not work for the applicant. */
function personButton({ t, acts }: ScreenContext, kind: 'secondary' | 'equal' = 'secondary'): HTMLElement {
  return button(kind, t('person.finish'), () => acts.skip({ step: 'portrait', person: true }), {
    iconName: 'person',
    calls: true,
  })
}
