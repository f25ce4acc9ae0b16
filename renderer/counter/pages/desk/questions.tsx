/**
 * Pane C, first part: the adjudicator's own observations. No answer is preselected, and sent answers cannot
 * be changed.
 */
import type { DeskCase, HumanAnswers } from '../../../../server/counter/contract/desk.ts'
import { useText } from '../../text.tsx'
import type { CounterKey } from '../../text.tsx'
import { CheckField, RadioGroup } from '../../ui/field.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/badge.tsx'

type Answer = NonNullable<HumanAnswers['documentReal']>
type Question = 'samePerson' | 'documentReal' | 'dataAgree'
type Feature = HumanAnswers['features'][number]

/** The answers so far; they outlive a locked screen. */
export interface AnswerDraft {
  readonly samePerson?: Answer
  readonly documentReal?: Answer
  readonly dataAgree?: Answer
  readonly features: readonly Feature[]
}
export const NOTHING_YET: AnswerDraft = { features: [] }

const ASKED: Readonly<Record<Question, CounterKey>> = {
  samePerson: 'desk.question.same-person',
  documentReal: 'desk.question.document-real',
  dataAgree: 'desk.question.data-agree',
}
const ANSWERS = ['YES', 'NO', 'CANNOT_TELL'] as const satisfies readonly Answer[]

export const listQuestions = ({ questions }: DeskCase): readonly Question[] =>
  (['samePerson', 'documentReal', 'dataAgree'] as const).filter((question) => questions[question])

export const isAnswered = (desk: DeskCase, draft: AnswerDraft): boolean =>
  listQuestions(desk).every((question) => draft[question] !== undefined)

export function Questions({
  desk,
  draft,
  onChange,
}: {
  readonly desk: DeskCase
  readonly draft: AnswerDraft
  readonly onChange: (draft: AnswerDraft) => void
}) {
  const { t } = useText()
  const asked = listQuestions(desk)
  return (
    <>
      {asked.map((question, at) => (
        <div key={question} class="question">
          <RadioGroup<Answer>
            legend={t('desk.question.numbered', { number: at + 1, question: t(ASKED[question]) })}
            value={draft[question] ?? null}
            choices={ANSWERS.map((value) => ({ value, label: t(`desk.answer.${value}`) }))}
            onChange={(value) => onChange({ ...draft, [question]: value })}
          />
          {question === 'samePerson' && (
            <Features
              features={desk.questions.features}
              chosen={draft.features}
              onChange={(features) => onChange({ ...draft, features })}
            />
          )}
        </div>
      ))}
      {asked.length === 0 && <p class="muted">{t('desk.question.none')}</p>}
    </>
  )
}

/** The features in the order from top to bottom, so that the officer leaves none out. */
function Features({
  features,
  chosen,
  onChange,
}: {
  readonly features: readonly string[]
  readonly chosen: readonly Feature[]
  readonly onChange: (features: readonly Feature[]) => void
}) {
  const { t, known } = useText()
  return (
    <fieldset class="group features">
      <legend class="small">{t('desk.features')}</legend>
      {(features as readonly Feature[]).map((feature) => (
        <CheckField
          key={feature}
          label={known(`desk.feature.${feature}`, feature)}
          checked={chosen.includes(feature)}
          onChange={(on) => onChange(on ? [...chosen, feature] : chosen.filter((other) => other !== feature))}
        />
      ))}
    </fieldset>
  )
}

const TONE: Readonly<Record<Answer, Tone>> = { YES: 'done', NO: 'problem', CANNOT_TELL: 'attention' }

/** The answers as they were sent. */
export function GivenAnswers({ answers }: { readonly answers: HumanAnswers }) {
  const { t, known, formats } = useText()
  return (
    <dl class="given">
      {(['samePerson', 'documentReal', 'dataAgree'] as const).map((question) => {
        const answer = answers[question]
        return (
          answer && (
            <div key={question}>
              <dt>{t(ASKED[question])}</dt>
              <dd>
                <Badge tone={TONE[answer]}>{t(`desk.answer.${answer}`)}</Badge>
              </dd>
            </div>
          )
        )
      })}
      {answers.features.length > 0 && (
        <div>
          <dt>{t('desk.features')}</dt>
          <dd>
            {formats.list(answers.features.map((feature) => known(`desk.feature.${feature}`, feature)))}
          </dd>
        </div>
      )}
    </dl>
  )
}
