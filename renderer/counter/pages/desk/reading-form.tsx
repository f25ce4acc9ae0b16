/** What a reviewer reads off the picture of a document that the machine could not read. The decision confirms it. */
import type { DraftBody } from '../../../../server/counter/contract/desk.ts'
import { useText } from '../../text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { givenNamesOf, NameFields, NO_NAME, type NameDraft } from '../assist/name-fields.tsx'

const KINDS = ['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE', 'RESIDENT_CARD'] as const

export interface ReadingDraft extends NameDraft {
  readonly kind: (typeof KINDS)[number]
  readonly number: string
  readonly country: string
  readonly expires: string
}
export const NOTHING_READ: ReadingDraft = {
  ...NO_NAME,
  kind: 'PASSPORT',
  number: '',
  country: '',
  expires: '',
}

/** Null while something is missing. */
export function valuesOf(draft: ReadingDraft): DraftBody['values'] | null {
  const { kind, number, country, expires, givenNames, surname, birthDate } = draft
  const isComplete =
    surname.trim() !== '' && birthDate !== '' && number.trim() !== '' && /^[A-Za-z]{3}$/.test(country.trim())
  if (!isComplete) return null
  return {
    idDocumentType: kind,
    idDocumentNumber: number.trim(),
    issuingCountry: country.trim().toUpperCase(),
    ...(expires ? { expiryDate: expires } : {}),
    personalAttributes: {
      surname: { value: surname.trim() },
      ...(givenNames.trim() ? { givenNames: givenNamesOf(givenNames).map((value) => ({ value })) } : {}),
      dateOfBirth: { value: birthDate },
    },
  }
}

export function ReadingForm({
  draft,
  onChange,
}: {
  readonly draft: ReadingDraft
  readonly onChange: (draft: ReadingDraft) => void
}) {
  const { t } = useText()
  return (
    <div class="form form-grid">
      <p class="muted form-wide">{t('desk.reading.text')}</p>
      <SelectField
        label={t('desk.reading.kind')}
        value={draft.kind}
        choices={KINDS.map((value) => ({ value, label: t(`evidence.${value}`) }))}
        onChange={(kind) => onChange({ ...draft, kind })}
      />
      <TextField
        label={t('desk.reading.country')}
        dir="ltr"
        size="short"
        maxLength={3}
        value={draft.country}
        onInput={(country) => onChange({ ...draft, country })}
      />
      <NameFields draft={draft} onChange={(name) => onChange({ ...draft, ...name })} />
      <TextField
        label={t('field.documentNumber')}
        dir="ltr"
        maxLength={50}
        value={draft.number}
        onInput={(number) => onChange({ ...draft, number })}
      />
      <TextField
        label={t('field.expiryDate')}
        type="date"
        size="short"
        value={draft.expires}
        onInput={(expires) => onChange({ ...draft, expires })}
      />
    </div>
  )
}
