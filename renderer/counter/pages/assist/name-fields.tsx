/** Fields for names and a birth date that an officer types: as printed, with any number of given names. */
import { useText } from '../../text.tsx'
import { TextField } from '../../ui/field.tsx'

export interface NameDraft {
  readonly givenNames: string
  readonly surname: string
  readonly birthDate: string
}
export const NO_NAME: NameDraft = { givenNames: '', surname: '', birthDate: '' }

export const splitGivenNames = (text: string): string[] => text.trim().split(/\s+/).filter(Boolean)

export function NameFields({
  draft,
  birthDateProblem,
  onChange,
}: {
  readonly draft: NameDraft
  /** Why the birth date is impossible. */
  readonly birthDateProblem?: string | null
  readonly onChange: (draft: NameDraft) => void
}) {
  const { t } = useText()
  return (
    <>
      <TextField
        label={t('field.givenNames')}
        hint={t('assist.as-printed')}
        dir="auto"
        maxLength={200}
        value={draft.givenNames}
        onInput={(givenNames) => onChange({ ...draft, givenNames })}
      />
      <TextField
        label={t('field.familyName')}
        dir="auto"
        maxLength={200}
        value={draft.surname}
        onInput={(surname) => onChange({ ...draft, surname })}
      />
      <TextField
        label={t('field.birthDate')}
        problem={birthDateProblem ?? null}
        type="date"
        size="short"
        value={draft.birthDate}
        onInput={(birthDate) => onChange({ ...draft, birthDate })}
      />
    </>
  )
}
