/** A document that no camera could read, typed by the officer who holds it. It is marked as typed. */
import type { AssistView, DocumentWish } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { useDraft } from './drafts.tsx'
import { splitGivenNames, NameFields, NO_NAME } from './name-fields.tsx'

export function TypedDocument({
  view,
  wish,
  onView,
}: {
  readonly view: AssistView
  readonly wish: DocumentWish
  readonly onView: (view: AssistView) => void
}) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [name, setName] = useDraft('document-name', NO_NAME)
  const [number, setNumber] = useDraft('document-number', '')
  const [expires, setExpires] = useDraft('document-expires', '')
  const mayType = view.consent.given.includes('ATTRIBUTES')
  const ready = name.givenNames.trim() && name.surname.trim() && name.birthDate && number.trim()
  const send = () =>
    act.run(async () => {
      const body = {
        ...wish,
        number: number.trim(),
        givenNames: splitGivenNames(name.givenNames),
        surname: name.surname.trim(),
        birthDate: name.birthDate,
        ...(expires ? { expires } : {}),
      }
      onView(await client.send<AssistView>('POST', `assist/${view.visitId}/document/typed`, { body }))
    })
  if (!mayType) return <Notice tone="attention" title={t('assist.typed.no-consent')} />
  return (
    <form
      class="form form-grid"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <p class="muted form-wide">{t('assist.typed-document.text')}</p>
      <NameFields draft={name} onChange={setName} />
      <TextField
        label={t('field.documentNumber')}
        dir="ltr"
        maxLength={50}
        value={number}
        onInput={setNumber}
      />
      <TextField
        label={t('field.expiryDate')}
        type="date"
        size="short"
        value={expires}
        onInput={setExpires}
      />
      <ProblemNotice problem={act.problem} />
      <div class="form-wide">
        <Button kind="primary" type="submit" icon="done" working={act.working} disabled={!ready}>
          {t('assist.typed.save')}
        </Button>
      </div>
    </form>
  )
}
