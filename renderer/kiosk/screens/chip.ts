/**
 * The chip of the document: where to place it, the progress of the reading, and what to do when it was taken away too early or does not
 * open. The reading begins when the screen opens; the applicant only places the document.
 */
import type { ChipStep } from '../../../server/kiosk/contract/index.ts'
import { icon, picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { digitsOnly } from '../digits.ts'
import { button, layout, notice, row } from '../layout.ts'
import type { Screen, ScreenContext, ScreenState, ScreenView } from '../screen-context.ts'
import { presentStep } from './present-step.ts'
import { questionPage } from './question-page.ts'
import { createStage, type StagePage } from './stage.ts'

/** Digits of a card access number (BSI TR-03110-2, 3.3). */
const CAN_DIGITS = 6

export const chip: Screen = (context): ScreenView => {
  const stage = createStage('chip')
  let step = presentStep(context.state, 'chip')
  let reading: ReadingPage | null = null
  const open = (): void => {
    if (!step) return
    reading = isReading(step) ? createReadingPage(context, step) : null
    stage.show(reading ?? createPage(context, step, (page) => stage.show(page), open))
  }
  open()
  // The page draws while its machine changes the state, and no act may begin then.
  const begin = step?.state === 'READY' ? setTimeout(() => context.acts.readChip(null)) : undefined
  return {
    element: stage.element,
    update(next: ScreenState) {
      const now = presentStep(next, 'chip')
      // A page that was ready begins when it is drawn again.
      if (!now || (now.state === 'READY' && step?.state !== 'READY')) return false
      const before = step
      step = now
      if (reading && isReading(now)) reading.show(now)
      else if (now.state !== before?.state || now.fault !== before.fault) {
        // The last message was about the page before.
        context.announce('')
        open()
      }
      stage.working(next.working)
      return true
    },
    dispose: () => {
      clearTimeout(begin)
      stage.dispose()
    },
  }
}

const isReading = ({ state }: ChipStep): boolean => ['READY', 'WAITING', 'READING', 'LOST'].includes(state)

function createPage(
  context: ScreenContext,
  step: ChipStep,
  show: (page: StagePage) => void,
  back: () => void,
): StagePage {
  if (step.state === 'KEY_REFUSED') return createRefusedPage(context, step, show, back)
  return { element: step.state === 'FAILED' ? drawFailed(context, step) : drawChecking(context) }
}

interface ReadingPage extends StagePage {
  show(step: ChipStep): void
}

/** One page from the empty reader to the last block, so that neither the drawing nor the focus jumps. */
function createReadingPage(context: ScreenContext, first: ChipStep): ReadingPage {
  const { t, announce, active, tone } = context
  const lines = h('div', { class: 'chip-words' })
  const part = h('span', {})
  const bar = h('progress', { class: 'chip-progress', max: 1, 'aria-label': t('chip.progress') })
  const status = h('p', { class: 'guidance', 'data-tone': 'note' }, icon('waiting'), part)
  const skip = drawSkip(context, first, 'chip.none')
  const element = layout({
    name: 'chip',
    title: ' ',
    words: [lines],
    look: [drawPlace(first), status, bar],
    hands: [skip],
  })
  const title = element.querySelector('h1')
  let said = ''
  const show = (step: ChipStep): void => {
    const { heading, sentences, line } = getWords(context, step)
    part.textContent = line
    bar.hidden = step.state === 'READY' || step.state === 'WAITING'
    bar.value = step.progress
    if (said === heading) return
    const isNew = said !== ''
    said = heading
    if (title) title.textContent = heading
    status.dataset.tone = step.state === 'LOST' ? 'do' : 'note'
    status.querySelector('.icon')?.replaceWith(icon(step.state === 'LOST' ? 'retry' : 'waiting'))
    lines.replaceChildren(...sentences.map((sentence) => h('p', {}, sentence)))
    const label = skip.querySelector('.label')
    if (label && step.state !== 'READY' && step.state !== 'WAITING')
      label.textContent = getSkipText(context, step)
    if (!isNew) return
    active()
    if (step.state === 'LOST') tone('look-here')
    announce([heading, ...sentences].join(' '))
  }
  show(first)
  return { element, show }
}

/** Shows where the chip is, and how the document lies on the reader. */
const drawPlace = ({ documentType }: ChipStep): SVGElement =>
  picture(documentType === 'PASSPORT' ? 'chip-passport' : 'chip-card')

interface ReadingWords {
  readonly heading: string
  readonly sentences: readonly string[]
  /** The state, below the drawing. */
  readonly line: string
}

function getWords({ t }: ScreenContext, { state, documentType, part, fault }: ChipStep): ReadingWords {
  if (state === 'READING')
    return { heading: t('chip.hold.title'), sentences: [t('chip.hold.text')], line: t(`chip.part.${part}`) }
  if (state === 'LOST')
    return { heading: t('chip.lost.title'), sentences: [t('chip.lost.text')], line: t('chip.waiting') }
  return {
    heading: t(`chip.place.${documentType}`),
    sentences: [t(documentType === 'PASSPORT' ? 'chip.how.passport' : 'chip.how.card'), t('chip.why')],
    line: t(fault === 'SEVERAL' ? 'chip.several' : 'chip.waiting'),
  }
}

function drawChecking({ t }: ScreenContext): HTMLElement {
  return layout({
    name: 'checking',
    title: t('waiting.document'),
    words: [h('p', { role: 'status' }, t('chip.checking'))],
    look: [picture('welcome')],
  })
}

function createRefusedPage(
  context: ScreenContext,
  step: ChipStep,
  show: (page: StagePage) => void,
  back: () => void,
): StagePage {
  const { t } = context
  const { mayTypeCan } = step
  const type = (): void => show(createCanPage(context, step, back))
  return {
    element: layout({
      name: 'chip-problem',
      title: t('chip.refused.title'),
      words: [
        h('p', { class: 'lead', role: 'status' }, t(mayTypeCan ? 'chip.refused.can' : 'chip.refused.text')),
      ],
      look: [drawPlace(step)],
      hands: [
        mayTypeCan ? button('primary', t('chip.can.button'), type, { id: 'chip-can' }) : null,
        row(drawAgain(context, 'secondary'), drawSkip(context, step)),
      ],
    }),
  }
}

function createCanPage(context: ScreenContext, step: ChipStep, back: () => void): StagePage {
  const { t, acts } = context
  return questionPage(context, {
    id: 'chip-can-typed',
    title: t('chip.can.title'),
    words: [],
    help: t('chip.can.text'),
    keys: 'digits',
    dir: 'ltr',
    longest: CAN_DIGITS,
    value: '',
    take: (text) => {
      const can = digitsOnly(text)
      if (can.length !== CAN_DIGITS) return t('chip.can.short')
      acts.readChip(can)
      return null
    },
    hands: [row(button('secondary', t('choice.back'), back, { iconName: 'back' }), drawSkip(context, step))],
  })
}

function drawFailed(context: ScreenContext, step: ChipStep): HTMLElement {
  const { t } = context
  const why = step.fault ?? 'READER'
  const isOurs = why === 'READER'
  return layout({
    name: 'chip-problem',
    title: t(`chip.failed.${why}.title`),
    words: [
      isOurs
        ? h('div', { role: 'status' }, notice('note', t(`chip.failed.${why}`)))
        : h('p', { class: 'lead', role: 'status' }, t(`chip.failed.${why}`)),
    ],
    look: [isOurs ? picture('counter') : drawPlace(step)],
    hands: [
      drawAgain(context, isOurs ? 'secondary' : 'primary'),
      drawSkip(context, step, 'chip.without', isOurs ? 'primary' : 'secondary'),
    ],
  })
}

function drawAgain({ t, acts }: ScreenContext, kind: 'primary' | 'secondary'): HTMLElement {
  return button(kind, t('chip.again'), () => acts.readChip(null), {
    id: 'chip-again',
    iconName: 'retry',
    calls: true,
  })
}

/** If the journey requires the chip, an officer finishes the visit. */
function drawSkip(
  context: ScreenContext,
  step: ChipStep,
  text: 'chip.none' | 'chip.without' = 'chip.without',
  kind: 'primary' | 'secondary' = 'secondary',
): HTMLElement {
  return button(
    kind,
    getSkipText(context, step, text),
    () => context.acts.skip({ step: 'chip', person: !step.mayBeSkipped }),
    { id: 'chip-skip', calls: true },
  )
}

const getSkipText = (
  { t }: ScreenContext,
  { mayBeSkipped }: ChipStep,
  text: 'chip.none' | 'chip.without' = 'chip.without',
): string => t(mayBeSkipped ? text : 'person.finish')
