/** "I handled the document": feature by feature, by the checklist of its type. No answer is preselected. */
import type { AssistView, AttendanceBody, Checklist } from '../../../../server/counter/contract/assist.ts'
import type { AttendanceView } from '../../../../server/counter/contract/today.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { spellCode } from '../../words.ts'
import { AgainButton } from './again.tsx'
import { GoOn } from './buttons.tsx'
import { Pictures } from './evidence-show.tsx'
import { useDraft } from './drafts.tsx'
import { Exceptions } from './exceptions.tsx'
import type { Exception } from './exceptions.tsx'
import { findDocument } from './steps.ts'
import type { StepProps } from './step-props.ts'

type Answer = NonNullable<AttendanceBody['answers']>[string]
type Answers = Readonly<Record<string, Answer>>
const ANSWERS = ['AS_IT_SHOULD', 'DIFFERENT', 'NOT_LOOKED'] as const satisfies readonly Answer[]

export function HandledStep({ view, again, onView, onNext }: StepProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const document = findDocument(view)
  const of = (name: string) => `${name} ${document?.evidenceId ?? ''}`
  const [answers, setAnswers] = useDraft<Answers>(of('answers'), {})
  const [exceptions, setExceptions] = useDraft<readonly Exception[]>(of('exceptions'), [])
  const [vouched, setVouched] = useDraft(of('vouched'), false)
  /** The officer compares with pictures that were shown. */
  const [opened, setOpened] = useDraft(of('opened'), false)
  if (!document?.checklist) return <Card title={t('assist.step.handled')}>{t('assist.handled.nothing')}</Card>
  const { attendance, checklist } = document
  if (attendance) return <Noted view={view} attendance={attendance} again={again} onNext={onNext} />
  const here = document.capturedHere && !document.fromFile
  const essential = checklist.features.filter(({ weight }) => weight === 'ESSENTIAL')
  const open = essential.filter(({ id }) => answers[id] === undefined)
  const wrong = Object.values(answers).includes('DIFFERENT')
  const looked = Object.values(answers).some((answer) => answer !== 'NOT_LOOKED')
  const save = () =>
    act.run(async () => {
      // An officer who was not present at the capture vouches only for the document.
      const seen = here ? { present: true } : { present: false, sameDocument: true }
      const body: AttendanceBody = { ...seen, answers, exceptions: [...exceptions] }
      const path = `assist/${view.visitId}/evidences/${document.evidenceId}/attendance`
      onView(await client.send<AssistView>('POST', path, { body }))
      onNext()
    })
  return (
    <Card title={t('assist.handled.title')} marked>
      {!here && (
        <Notice
          tone="note"
          title={t(document.fromFile ? 'document.from-file' : 'assist.in-hand.title')}
          actions={<AgainButton again={again} which="document" word="assist.in-hand.again" />}
        >
          <p>{t(document.fromFile ? 'assist.in-hand.file' : 'assist.in-hand.text')}</p>
        </Notice>
      )}
      <p class="muted">{t('assist.handled.text')}</p>
      <FeatureTable checklist={checklist} answers={answers} onChange={setAnswers} />
      {wrong && <Notice tone="attention" title={t('assist.handled.wrong')} />}
      <details open={exceptions.length > 0}>
        <summary>{t('assist.exceptions.summary')}</summary>
        <Exceptions legend={t('assist.exceptions')} chosen={exceptions} onChange={setExceptions} />
      </details>
      {!here && (
        <>
          <p>{t('assist.in-hand.look')}</p>
          <Pictures images={document.images} onOpen={() => setOpened(true)} />
        </>
      )}
      <CheckField
        label={here ? t('assist.handled.present') : t('assist.in-hand.same')}
        checked={vouched}
        disabled={!here && !opened}
        onChange={setVouched}
      />
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button
          kind="primary"
          icon="done"
          working={act.working}
          disabled={!vouched || (!here && !looked) || document.status === 'PROCESSING'}
          onClick={() => void save()}
        >
          {t('assist.handled.save')}
        </Button>
        <span class="muted">
          {document.status === 'PROCESSING'
            ? t('assist.handled.wait')
            : open.length > 0
              ? t('assist.handled.open', { count: open.length })
              : ''}
        </span>
      </div>
    </Card>
  )
}

function Noted({
  view,
  attendance,
  again,
  onNext,
}: Pick<StepProps, 'view' | 'again' | 'onNext'> & { readonly attendance: AttendanceView }) {
  const { t, known } = useText()
  return (
    <Card title={t('assist.step.handled')} marked>
      <Notice tone="done" title={t('assist.handled.noted')}>
        {attendance.seen === 'IN_HAND' && <p>{t('assist.in-hand.noted')}</p>}
      </Notice>
      <dl class="given">
        {attendance.answers.map(({ feature, answer }) => (
          <div key={feature}>
            <dt>{known(`assist.feature.${feature}`, spellCode(feature))}</dt>
            <dd>
              <Badge tone={answer === 'AS_IT_SHOULD' ? 'done' : answer === 'DIFFERENT' ? 'problem' : 'quiet'}>
                {known(`assist.handled.${answer}`, spellCode(answer))}
              </Badge>
            </dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <GoOn onNext={onNext} />
        {attendance.seen === 'IN_HAND' && !view.ended && (
          <AgainButton again={again} which="document" word="assist.in-hand.again" />
        )}
      </div>
    </Card>
  )
}

function FeatureTable({
  checklist,
  answers,
  onChange,
}: {
  readonly checklist: Checklist
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}) {
  const { t, known } = useText()
  return (
    <table class="feature-table">
      <caption class="only-read">{t('assist.handled.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('assist.handled.feature')}</th>
          {ANSWERS.map((answer) => (
            <th scope="col" key={answer}>
              {t(`assist.handled.${answer}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {checklist.features.map(({ id, weight, tool }) => {
          const name = known(`assist.feature.${id}`, spellCode(id))
          return (
            <tr key={id}>
              <th scope="row">
                {name}
                <small class="muted block">
                  {t(`assist.tool.${tool}`)}
                  {weight === 'ESSENTIAL' && ` · ${t('assist.handled.needed')}`}
                </small>
              </th>
              {ANSWERS.map((answer) => (
                <td key={answer}>
                  <label class="radio-cell">
                    <input
                      type="radio"
                      name={`feature-${id}`}
                      checked={answers[id] === answer}
                      aria-label={t('assist.handled.answer-of', {
                        feature: name,
                        answer: t(`assist.handled.${answer}`),
                      })}
                      onChange={() => onChange({ ...answers, [id]: answer })}
                    />
                  </label>
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
