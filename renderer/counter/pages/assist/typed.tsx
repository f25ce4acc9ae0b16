/** Typed values for those that could not be read: both are kept, and nothing is overwritten. */
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import type { ComparedRow } from '../../../../server/counter/contract/desk.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { spellCode } from '../../words.ts'
import { GoOn } from './buttons.tsx'
import { useDraft } from './drafts.tsx'
import { SourceQuestions } from './source-questions.tsx'
import { splitGivenNames, NameFields, NO_NAME } from './name-fields.tsx'
import { findDocument } from './steps.ts'
import type { StepProps } from './step-props.ts'

export function TypedStep({ view, onView, onNext }: StepProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [name, setName] = useDraft('typed', NO_NAME)
  // A closed summary would hide a half-typed name.
  const isBegun = Object.values(name).some((text) => text !== '')
  const mayType = view.consent.given.includes('ATTRIBUTES')
  const wasAsked = view.consent.refused.includes('ATTRIBUTES')
  const body = {
    ...(name.givenNames.trim() ? { givenNames: splitGivenNames(name.givenNames) } : {}),
    ...(name.surname.trim() ? { surname: name.surname.trim() } : {}),
    ...(name.birthDate ? { birthDate: name.birthDate } : {}),
  }
  const send = () =>
    act.run(async () => {
      onView(await client.send<AssistView>('POST', `assist/${view.visitId}/typed`, { body }))
      setName(NO_NAME)
    })
  return (
    <>
      <Card title={t('assist.typed.title')} marked>
        <p class="muted">{t('assist.typed.text')}</p>
        <Compared view={view} />
        {mayType ? (
          <details open={isBegun || (view.typed.length === 0 && needsTyping(view))}>
            <summary>{t('assist.typed.add')}</summary>
            <form
              class="form form-grid"
              onSubmit={(event) => {
                event.preventDefault()
                void send()
              }}
            >
              <NameFields draft={name} onChange={setName} />
              <ProblemNotice problem={act.problem} />
              <div class="form-wide">
                <Button
                  type="submit"
                  icon="done"
                  working={act.working}
                  disabled={Object.keys(body).length === 0}
                >
                  {t('assist.typed.save')}
                </Button>
              </div>
            </form>
          </details>
        ) : (
          <Notice tone="note" title={t(wasAsked ? 'assist.typed.no-consent' : 'assist.typed.not-asked')} />
        )}
      </Card>
      <SourceQuestions view={view} onView={onView} />
      <div class="buttons">
        <GoOn onNext={onNext} />
      </div>
    </>
  )
}

const needsTyping = (view: AssistView): boolean => {
  const document = findDocument(view)
  return document !== null && document.status !== 'PROCESSING' && document.values.length === 0
}

/** Compares the read and the typed value of each field. */
function Compared({ view }: { readonly view: AssistView }) {
  const texts = useText()
  const { t, known, formats } = texts
  const rows = buildRows(view)
  if (rows.length === 0) return <p>{t('assist.typed.nothing-read')}</p>
  return (
    <table class="values">
      <caption class="only-read">{t('assist.typed.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('assist.typed.field')}</th>
          <th scope="col">{t('assist.typed.read')}</th>
          <th scope="col">{t('assist.typed.typed')}</th>
          <th scope="col">{t('assist.typed.same')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ field, zone, printed, typed, comparison }) => (
          <tr key={field}>
            <th scope="row">{known(`field.${field}`, spellCode(field))}</th>
            <td>
              {[...new Set([printed, zone].filter((value) => value !== null))].map((value) => (
                <bdi key={value} class="block">
                  {formats.value(value)}
                </bdi>
              ))}
              {printed === null && zone === null && '–'}
            </td>
            <td>
              <bdi>{typed === null ? '–' : formats.value(typed)}</bdi>
            </td>
            <td>
              {typed !== null && comparison !== 'ONE_ONLY' && (
                <Badge tone={TONE[comparison]}>{t(`desk.compared.${comparison}`)}</Badge>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const TONE = {
  SAME: 'done',
  AFTER_TRANSLITERATION: 'done',
  SHORTENED: 'note',
  DIFFERENT: 'attention',
} as const

/** Fields of the elected document first, then fields without a counterpart. Without a document it shows the typed values alone. */
function buildRows(view: AssistView): readonly ComparedRow[] {
  const { compared = [], values = [] } = findDocument(view) ?? {}
  const alone = { zone: null, printed: null, typed: null, comparison: 'ONE_ONLY' } as const
  if (values.length === 0)
    return view.typed
      .flatMap((typed) => typed.values)
      .map(({ field, value }) => ({ ...alone, field, typed: value }))
  const others = values.filter(({ field }) => !compared.some((row) => row.field === field))
  return [...compared, ...others.map(({ field, value }) => ({ ...alone, field, printed: value }))]
}
