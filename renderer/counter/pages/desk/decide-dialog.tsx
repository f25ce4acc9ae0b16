/** A decision in two acts: the dialog is opened and a reason chosen, then it is decided. Ctrl+Enter works here and nowhere else. */
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
import { NOTHING_READ, ReadingForm, valuesOf } from './reading-form.tsx'

/** Starting value. */
const TYPING_MS = 500

export type Choice = DeskCase['choices'][number]

export function DecideDialog({
  desk,
  choice,
  onDecided,
  onClose,
}: {
  readonly desk: DeskCase
  readonly choice: Choice
  readonly onDecided: (undoUntil: string) => void
  readonly onClose: () => void
}) {
  const { t, known } = useText()
  const client = useClient()
  const { decision, reasons } = choice
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [reading, setReading] = useState(NOTHING_READ)
  const [draft, setDraft] = useState<Draft | null>(null)
  const drafting = useAct()
  const act = useAct()
  const path = `desk/${desk.adjudicationId}`
  const isRead = decision === 'ACCEPTED' && desk.needsReading
  const values = isRead ? valuesOf(reading) : undefined

  // The first act: what would be decided is put down, and the server says what comes after it.
  useEffect(() => {
    if (!reason || values === null) return
    let current = true
    setDraft(null)
    const body: DraftBody = { decision, reason, ...(values ? { values } : {}) }
    // Of what is still being typed, nothing is put down.
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
      {...(isRead ? { shape: 'beside' } : {})}
      onConfirm={() => void decide()}
      onClose={onClose}
    >
      <RadioGroup
        legend={t(`desk.decide.${decision}.why`)}
        value={reason}
        choices={reasons.map(({ code, text }) => ({
          value: code,
          label: known(`desk.reason.${code}`, text),
        }))}
        onChange={setReason}
      />
      {isRead && <ReadingForm draft={reading} onChange={setReading} />}
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
        {!draft && choice.byTwo && <p class="muted">{t('desk.decide.by-two')}</p>}
      </div>
      <p class="muted small">{t('desk.decide.keys')}</p>
    </ConfirmDialog>
  )
}
