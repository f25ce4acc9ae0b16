/** A decision in two acts: open the dialog and choose a reason, then decide. Ctrl+Enter works only here. */
import { useEffect, useState } from 'preact/hooks'
import type {
  ConfirmBody,
  Confirmed,
  DeskCase,
  Draft,
  DraftBody,
} from '../../../../server/counter/contract/desk.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { RadioGroup, TextArea } from '../../ui/field.tsx'
import { looksPersonal, NOTE_MAX } from './note.ts'
import { listMissingFields, toValues } from './reading.ts'
import type { ReadingDraft, ReadingField } from './reading.ts'
import { ReadingForm } from './reading-form.tsx'

/** Starting value. */
const TYPING_MS = 500

export type Choice = DeskCase['choices'][number]

const LABELS = {
  kind: 'desk.reading.kind',
  country: 'field.issuingCountry',
  state: 'field.issuingState',
  surname: 'field.familyName',
  birthDate: 'field.birthDate',
  number: 'field.documentNumber',
  expires: 'field.expiryDate',
} as const satisfies Readonly<Record<ReadingField, string>>

export function DecideDialog({
  desk,
  choice,
  typed,
  onTyped,
  onDecided,
  onClose,
}: {
  readonly desk: DeskCase
  readonly choice: Choice
  /** The values typed so far. They are kept when the dialog closes. */
  readonly typed: ReadingDraft
  readonly onTyped: (typed: ReadingDraft) => void
  readonly onDecided: (undoUntil: string) => void
  readonly onClose: () => void
}) {
  const { t, known, formats } = useText()
  const client = useClient()
  const { decision, reasons } = choice
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [draft, setDraft] = useState<Draft | null>(null)
  const drafting = useAct()
  const act = useAct()
  const path = `desk/${desk.adjudicationId}`
  const offer = decision === 'ACCEPTED' ? desk.reading : null
  // The server's date.
  const today = new Date(client.now()).toISOString().slice(0, 10)
  const values = offer ? toValues(typed, today) : undefined
  const missing = offer ? listMissingFields(typed).map((field) => t(LABELS[field])) : []

  // The first act: submit the draft decision, and the server returns its consequences.
  useEffect(() => {
    setDraft(null)
    drafting.clear()
    if (!reason || values === null) return
    let current = true
    const body: DraftBody = { decision, reason, ...(values ? { values } : {}) }
    // Unfinished typing is not submitted.
    const timer = setTimeout(
      () =>
        void drafting.run(async () => {
          const made = await client.send<Draft>('POST', `${path}/draft`, { body })
          if (current) setDraft(made)
        }),
      values ? TYPING_MS : 0,
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [reason, JSON.stringify(values)])

  const decide = () =>
    act.run(async () => {
      if (!draft) return
      const { undoUntil } = await client.send<Confirmed>('POST', `${path}/confirm`, {
        body: { token: draft.token, ...(note.trim() ? { note: note.trim() } : {}) } satisfies ConfirmBody,
      })
      onDecided(undoUntil)
    })
  return (
    <ConfirmDialog
      title={t(`desk.decide.${decision}.title`, { reference: desk.reference })}
      confirm={t(`desk.decide.${decision}.go`)}
      danger={decision === 'REJECTED'}
      ready={draft !== null && draft.reason === reason}
      act={drafting.problem ? drafting : act}
      {...(offer ? { shape: 'beside' } : {})}
      onConfirm={() => void decide()}
      onClose={onClose}
    >
      {offer && <ReadingForm offer={offer} draft={typed} today={today} onChange={onTyped} />}
      <RadioGroup
        legend={t(`desk.decide.${decision}.why`)}
        value={reason}
        choices={reasons.map(({ code, text }) => ({
          value: code,
          label: known(`desk.reason.${code}`, text),
        }))}
        onChange={setReason}
      />
      <TextArea
        label={t('desk.note')}
        hint={t('desk.note.hint')}
        maxLength={NOTE_MAX}
        value={note}
        onInput={setNote}
      />
      <div role="status">
        {looksPersonal(note, desk.rows) && <Notice tone="attention" title={t('desk.note.personal')} />}
        {draft && (
          <Notice tone="note" title={draft.isLast ? t('desk.decide.last') : t('desk.decide.another')} />
        )}
        {missing.length > 0 && (
          <p class="muted">{t('desk.reading.missing', { fields: formats.list(missing) })}</p>
        )}
        {!draft && choice.byTwo && <p class="muted">{t('desk.decide.by-two')}</p>}
      </div>
      <p class="muted small">{t('desk.decide.keys')}</p>
    </ConfirmDialog>
  )
}
