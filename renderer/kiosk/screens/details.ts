/** Asks for a value that the document did not give and that its issuer needs: who receives it, where it stands, and the keys. */
import type { DetailName, DetailsStep } from '../../../server/kiosk/contract/index.ts'
import { icon } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { createKeyboard } from '../keyboard.ts'
import { button, isolateText, layout, row } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { presentStep } from './present-step.ts'
import { createStage, type Stage, type StagePage } from './stage.ts'

/** The longest value that the server takes (server/kiosk/contract/visit.ts). */
const LONGEST = 20

export const details: Screen = (context): ScreenView => {
  const stage = createStage('details')
  const step = presentStep(context.state, 'details')
  const [field] = step?.fields ?? []
  if (step && field) stage.show(typingPage(context, stage, step, field, ''))
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return JSON.stringify(presentStep(next, 'details')) === JSON.stringify(step)
    },
    dispose: () => stage.dispose(),
  }
}

function typingPage(
  context: ScreenContext,
  stage: Stage,
  step: DetailsStep,
  field: DetailName,
  typed: string,
): StagePage {
  const { t } = context
  const help = h('p', { class: 'quiet', id: 'details-help', role: 'status' }, t(`details.where.${field}`))
  const input = h('input', {
    class: 'typed',
    id: `detail-${field}`,
    type: 'text',
    dir: 'ltr',
    'aria-label': t(`field.${field}`),
    'aria-describedby': 'details-help',
    maxlength: LONGEST,
  })
  input.value = typed
  const done = (): void => {
    const value = input.value.trim().toUpperCase()
    if (/^[A-Z0-9 -]+$/.test(value)) return stage.show(reviewPage(context, stage, step, field, value))
    help.textContent = t('details.wrong')
    input.focus()
  }
  const keyboard = createKeyboard({
    layout: 'codes',
    field: input,
    t,
    done: { text: t('details.done'), act: done },
  })
  return {
    element: layout({
      name: 'typing',
      title: t(`details.title.${field}`),
      words: [h('p', {}, t('details.text', { source: step.source })), input, help],
      hands: [keyboard.element, row(without(context))],
    }),
    gone: () => (input.value = ''),
  }
}

/** A wrong number would make the issuer refuse the document, so the applicant compares it first. */
function reviewPage(
  context: ScreenContext,
  stage: Stage,
  step: DetailsStep,
  field: DetailName,
  value: string,
): StagePage {
  const { t, acts } = context
  return {
    element: layout({
      name: 'details-review',
      title: t('details.review.title'),
      words: [
        h(
          'p',
          { class: 'was-read' },
          icon('document'),
          h('span', {}, t(`field.${field}`), ' '),
          h('strong', { 'data-personal': true }, isolateText(value)),
        ),
        h('p', {}, t('details.review.text', { source: step.source })),
      ],
      hands: [
        button('primary', t('details.review.right'), () => acts.sendDetails({ values: { [field]: value } }), {
          id: 'details-right',
          calls: true,
        }),
        button(
          'secondary',
          t('details.review.change'),
          () => stage.show(typingPage(context, stage, step, field, value)),
          { iconName: 'back' },
        ),
        without(context),
      ],
    }),
  }
}

const without = ({ t, acts }: ScreenContext): HTMLElement =>
  button('secondary', t('details.skip'), () => acts.skip({ step: 'details' }), {
    id: 'details-skip',
    calls: true,
  })
