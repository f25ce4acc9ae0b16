/**
 * The questions that sources outside need answered: a number of the document for its issuer, and the address for a register. What is
 * unusual is told beside the field before it is sent; the same input is sent with the second press.
 */
import type { AssistView, StatedAnswer, StatedCheck } from '../../../../server/counter/contract/assist.ts'
import { useRef, useState } from 'preact/hooks'
import { groupSigns } from '../../../group-signs.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { nameCountries } from './country-names.ts'
import { useDraft } from './drafts.tsx'
import type { VisitProps } from './step-props.ts'

type Questions = AssistView['sources']
type Problems = StatedCheck['problems']
type Props = Pick<VisitProps, 'view' | 'onView'>

/** Null: no source needs an answer. */
export function SourceQuestions({ view, onView }: Props) {
  const { t } = useText()
  const { document, address } = view.sources
  const place = useRef<HTMLHeadingElement>(null)
  if (!document && !address) return null
  // The form that was sent goes away, and with it the place of an officer who works with keys.
  const show = (next: AssistView): void => {
    onView(next)
    place.current?.focus({ preventScroll: true })
  }
  return (
    <Card title={t('assist.sources.title')} marked place={place}>
      {document && (
        <DocumentQuestion key={document.evidenceId} view={view} onView={show} question={document} />
      )}
      {address && <AddressQuestion view={view} onView={show} question={address} />}
    </Card>
  )
}

/** Sends an answer unless something about it was not noticed yet. */
function useAnswer({ view, onView }: Props) {
  const client = useClient()
  const act = useAct()
  const [problems, setProblems] = useState<Problems>([])
  const [noticed, setNoticed] = useState('')
  const send = (answer: StatedAnswer, sent: () => void) =>
    act.run(async () => {
      const path = `assist/${view.visitId}/details`
      const body = JSON.stringify(answer)
      if (noticed !== body) {
        const found = (await client.send<StatedCheck>('POST', `${path}/check`, { body: answer })).problems
        setProblems(found)
        setNoticed(body)
        if (found.length > 0) return
      }
      onView(await client.send<AssistView>('POST', path, { body: answer }))
      setProblems([])
      setNoticed('')
      sent()
    })
  return { send, act, problems }
}

function DocumentQuestion({
  question,
  ...props
}: Props & { readonly question: NonNullable<Questions['document']> }) {
  const { t, known } = useText()
  const { send, act, problems } = useAnswer(props)
  const [values, setValues] = useDraft<Readonly<Record<string, string>>>(`details ${question.evidenceId}`, {})
  const isReady = question.fields.every((field) => values[field]?.trim())
  return (
    <form
      class="form form-grid"
      onSubmit={(event) => {
        event.preventDefault()
        const typed = question.fields.map(
          (field) => [field, (values[field] ?? '').trim().toUpperCase()] as const,
        )
        void send({ question: 'DOCUMENT', values: Object.fromEntries(typed) }, () => setValues({}))
      }}
    >
      <p class="form-wide">{t('assist.sources.number', { source: question.source })}</p>
      {question.fields.map((field) => (
        <TextField
          key={field}
          label={t(`field.${field}`)}
          hint={groupSigns((values[field] ?? '').trim().toUpperCase()) || t('assist.sources.number.hint')}
          problem={tellProblem(problems, field, known)}
          dir="ltr"
          maxLength={20}
          value={values[field] ?? ''}
          onInput={(value) => setValues({ ...values, [field]: value })}
        />
      ))}
      <ProblemNotice problem={act.problem} />
      <div class="form-wide">
        <Button type="submit" icon="done" working={act.working} disabled={!isReady}>
          {t(problems.length > 0 ? 'assist.sources.send-so' : 'assist.sources.send')}
        </Button>
      </div>
    </form>
  )
}

function AddressQuestion({
  question,
  ...props
}: Props & { readonly question: NonNullable<Questions['address']> }) {
  const { t, known, formats } = useText()
  const { send, act, problems } = useAnswer(props)
  const [chosen, setChosen] = useDraft('address-country', question.countries[0]?.iso3 ?? '')
  const [values, setValues] = useDraft<Readonly<Record<string, string>>>('address-values', {})
  const asked = question.countries.find(({ iso3 }) => iso3 === chosen)
  if (!asked) return null
  const mayType = question.left > 0
  return (
    <>
      {question.answers.map(({ evidenceId, source, says }) => (
        <p key={evidenceId} role="status">
          <b>{t('evidence.ADDRESS')}</b>{' '}
          <Badge tone={says === null ? 'waiting' : TONE[says]}>
            {t(`assist.address.${says ?? 'CHECKING'}`)}
          </Badge>{' '}
          {source && <bdi class="muted">{source}</bdi>}
        </p>
      ))}
      {!mayType && <Notice tone="note" title={t('assist.address.limit')} />}
      {mayType && (
        <details open={question.answers.length === 0 && !question.isVerified}>
          <summary>{t('assist.address.add')}</summary>
          <form
            class="form form-grid"
            onSubmit={(event) => {
              event.preventDefault()
              const typed = asked.fields.flatMap(({ name }) =>
                values[name]?.trim() ? [[name, values[name].trim()] as const] : [],
              )
              void send({ question: 'ADDRESS', country: chosen, values: Object.fromEntries(typed) }, () =>
                setValues({}),
              )
            }}
          >
            <p class="form-wide">
              {t('assist.address.text', {
                source: asked.source,
                values: formats.list(asked.told.map((value) => known(`sent.${value}`, value))),
                count: question.left,
              })}
            </p>
            {question.countries.length > 1 && (
              <SelectField
                label={t('field.country')}
                value={chosen}
                choices={nameCountries(question.countries, formats, t('assist.specimen-country')).map(
                  ({ iso3, name }) => ({ value: iso3, label: name }),
                )}
                onChange={setChosen}
              />
            )}
            {asked.fields.map(({ name, example, isOptional, keys }) => (
              <TextField
                key={name}
                label={t(name === 'street' && asked.numberFirst ? 'address.number' : `address.${name}`)}
                hint={
                  example
                    ? t('assist.address.example', { example })
                    : isOptional
                      ? t('assist.address.optional')
                      : undefined
                }
                problem={tellProblem(problems, name, known)}
                dir={name === 'postcode' ? 'ltr' : 'auto'}
                inputMode={keys === 'DIGITS' ? 'numeric' : 'text'}
                maxLength={100}
                value={values[name] ?? ''}
                onInput={(value) => setValues({ ...values, [name]: value })}
              />
            ))}
            <ProblemNotice problem={act.problem} />
            <div class="form-wide">
              <Button type="submit" icon="done" working={act.working}>
                {t(
                  problems.length > 0 && problems.every(({ problem }) => problem === 'UNUSUAL')
                    ? 'assist.sources.send-so'
                    : 'assist.sources.send',
                )}
              </Button>
            </div>
          </form>
        </details>
      )}
    </>
  )
}

const TONE = {
  CONFIRMED: 'done',
  OPEN: 'note',
  DIFFERENT: 'attention',
  SILENT: 'waiting',
  UNASKED: 'quiet',
} as const

const tellProblem = (
  problems: Problems,
  name: string,
  known: (key: string, fallback: string) => string,
): string | null => {
  const problem = problems.find(({ field }) => field === name)?.problem
  return problem ? known(`assist.sources.${problem}`, problem) : null
}
