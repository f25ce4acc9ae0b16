/**
 * The questions that sources outside need answered: a value that the document did not give and its issuer needs (who receives it, where
 * it stands, and the keys), and the address.
 */
import type { DetailsCheck, DocumentDetailsStep } from '../../../server/kiosk/contract/index.ts'
import { icon } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { groupSigns } from '../../group-signs.ts'
import { button, isolateText, layout, notice, row } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { AddressPages } from './address.ts'
import { presentStep } from './present-step.ts'
import { questionPage } from './question-page.ts'
import { createStage, type Stage, type StagePage } from './stage.ts'

/** The longest value that the server takes (server/api/contract/stated.ts). */
const LONGEST = 20

export const details: Screen = (context): ScreenView => {
  const stage = createStage('details')
  const step = presentStep(context.state, 'details')
  const address = step?.question === 'ADDRESS' ? new AddressPages(context, stage, step) : null
  address?.open()
  if (step?.question === 'DOCUMENT') stage.show(typingPage(context, stage, step, ''))
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return JSON.stringify(presentStep(next, 'details')) === JSON.stringify(step)
    },
    dispose: () => {
      address?.dispose()
      stage.dispose()
    },
  }
}

function typingPage(
  context: ScreenContext,
  stage: Stage,
  step: DocumentDetailsStep,
  typed: string,
): StagePage {
  const { t, ask } = context
  const [field] = step.fields
  return questionPage(context, {
    id: `detail-${field}`,
    title: t(`details.title.${field}`),
    words: [h('p', {}, t('details.text', { source: step.source }))],
    help: t(`details.where.${field}`),
    keys: 'codes',
    dir: 'ltr',
    longest: LONGEST,
    value: typed,
    take: async (text) => {
      const value = text.toUpperCase()
      if (!/^[A-Z0-9 -]+$/.test(value)) return t('details.wrong')
      const { problems } = await ask
        .checkDetails({ question: 'DOCUMENT', values: { [field]: value } })
        .catch((): DetailsCheck => ({ problems: [] }))
      stage.show(reviewPage(context, stage, step, { value, problem: problems.at(0)?.problem }))
      return null
    },
    hands: [row(without(context))],
  })
}

interface Typed {
  readonly value: string
  readonly problem: DetailsCheck['problems'][number]['problem'] | undefined
}

/** A wrong number would make the issuer refuse the document, so the applicant compares it first. */
function reviewPage(
  context: ScreenContext,
  stage: Stage,
  step: DocumentDetailsStep,
  { value, problem }: Typed,
): StagePage {
  const { t, acts } = context
  const [field] = step.fields
  const isUnusual = problem === 'OTHER_FORM' || problem === 'DOCUMENT_NUMBER'
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
          h('strong', { class: 'in-groups', 'data-personal': true }, isolateText(groupSigns(value))),
        ),
        isUnusual ? notice('attention', t(`details.problem.${problem}`)) : null,
        h('p', {}, t('details.review.text', { source: step.source })),
      ],
      hands: [
        button(
          'primary',
          t('details.review.right'),
          () => acts.sendDetails({ question: 'DOCUMENT', values: { [field]: value } }),
          { id: 'details-right', calls: true },
        ),
        button(
          'secondary',
          t('details.review.change'),
          () => stage.show(typingPage(context, stage, step, value)),
          {
            iconName: 'back',
          },
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
