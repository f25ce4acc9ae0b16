/** Values that could not be read, typed beside what was read: both are kept, and nothing is overwritten. */
import { useState } from 'preact/hooks'
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { spelled } from '../../words.ts'
import { givenNamesOf, NameFields, NO_NAME } from './name-fields.tsx'
import { documentOf } from './steps.ts'
import type { StepProps } from './visit.tsx'

export function TypedStep({ view, onView, onNext }: StepProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [name, setName] = useState(NO_NAME)
  const mayType = view.consent.given.some((type) => type === 'ATTRIBUTES')
  const body = {
    ...(name.givenNames.trim() ? { givenNames: givenNamesOf(name.givenNames) } : {}),
    ...(name.surname.trim() ? { surname: name.surname.trim() } : {}),
    ...(name.birthDate ? { birthDate: name.birthDate } : {}),
  }
  const send = () =>
    act.run(async () => {
      onView(await client.send<AssistView>('POST', `assist/${view.visitId}/typed`, { body }))
      setName(NO_NAME)
    })
  return (
    <Card title={t('assist.typed.title')} marked>
      <p class="muted">{t('assist.typed.text')}</p>
      <Compared view={view} />
      {mayType ? (
        <details open={view.typed.length === 0 && needsTyping(view)}>
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
        <Notice tone="note" title={t('assist.typed.no-consent')} />
      )}
      <div class="buttons">
        <Button kind="primary" icon="next" onClick={onNext}>
          {t('go-on')}
        </Button>
      </div>
    </Card>
  )
}

const needsTyping = (view: AssistView): boolean => {
  const document = documentOf(view)
  return document !== null && document.status !== 'PROCESSING' && document.values.length === 0
}

/** What was read and what was typed, field by field. */
function Compared({ view }: { readonly view: AssistView }) {
  const { t, known } = useText()
  const read = documentOf(view)?.values ?? []
  const typed = view.typed.flatMap(({ values }) => values)
  if (read.length === 0 && typed.length === 0) return <p>{t('assist.typed.nothing-read')}</p>
  const fields = [...new Set([...read, ...typed].map(({ field }) => field))]
  return (
    <table class="values">
      <caption class="only-read">{t('assist.typed.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('assist.typed.field')}</th>
          <th scope="col">{t('assist.typed.read')}</th>
          <th scope="col">{t('assist.typed.typed')}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => {
          const valuesOf = (values: typeof read) =>
            values
              .filter((one) => one.field === field)
              .map(({ value }) => value)
              .join(' ')
          return (
            <tr key={field}>
              <th scope="row">{known(`field.${field}`, spelled(field))}</th>
              <td>
                <bdi>{valuesOf(read) || '–'}</bdi>
              </td>
              <td>
                <bdi>{valuesOf(typed) || '–'}</bdi>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
