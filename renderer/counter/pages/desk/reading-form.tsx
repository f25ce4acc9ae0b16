/**
 * The values that an adjudicator reads from the picture of a document that the machine could not read. The
 * decision confirms them.
 */
import { useMemo } from 'preact/hooks'
import { useText } from '../../text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { nameCountries } from '../assist/country-names.ts'
import { NameFields } from '../assist/name-fields.tsx'
import { needsState, listImpossibleDates } from './reading.ts'
import type { Kind, ReadingDraft, ReadingField, ReadingOffer } from './reading.ts'

export function ReadingForm({
  offer,
  draft,
  today,
  onChange,
}: {
  readonly offer: ReadingOffer
  readonly draft: ReadingDraft
  readonly today: string
  readonly onChange: (draft: ReadingDraft) => void
}) {
  const { t, formats } = useText()
  const countries = useMemo(
    () =>
      nameCountries(
        offer.countries.map((country) => ({ ...country, documents: [] })),
        formats,
        t('assist.specimen-country'),
      ),
    [offer.countries, formats],
  )
  const choose = { value: '', label: t('desk.reading.choose') } as const
  const impossible = listImpossibleDates(draft, today)
  const findProblem = (field: ReadingField, words: string) => (impossible.includes(field) ? words : null)
  return (
    <div class="form form-grid">
      <p class="muted form-wide">{t('desk.reading.text')}</p>
      <SelectField<Kind | ''>
        label={t('desk.reading.kind')}
        value={draft.kind}
        choices={[choose, ...offer.kinds.map((value) => ({ value, label: t(`evidence.${value}`) }))]}
        onChange={(kind) => onChange({ ...draft, kind })}
      />
      <SelectField
        label={t('field.issuingCountry')}
        value={draft.country}
        choices={[
          choose,
          ...countries.map(({ iso3, name }) => ({ value: iso3, label: `${name} (${iso3})` })),
        ]}
        onChange={(country) => onChange({ ...draft, country })}
      />
      {needsState(draft) && (
        <TextField
          label={t('field.issuingState')}
          hint={t('desk.reading.state-hint')}
          dir="ltr"
          size="short"
          maxLength={10}
          value={draft.state}
          onInput={(state) => onChange({ ...draft, state })}
        />
      )}
      <NameFields
        draft={draft}
        birthDateProblem={findProblem('birthDate', t('desk.reading.born-later'))}
        onChange={(name) => onChange({ ...draft, ...name })}
      />
      <TextField
        label={t('field.documentNumber')}
        dir="ltr"
        maxLength={50}
        value={draft.number}
        onInput={(number) => onChange({ ...draft, number })}
      />
      <TextField
        label={t('field.expiryDate')}
        problem={findProblem('expires', t('desk.reading.ended'))}
        type="date"
        size="short"
        value={draft.expires}
        onInput={(expires) => onChange({ ...draft, expires })}
      />
    </div>
  )
}
