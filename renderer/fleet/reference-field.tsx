/** The name of a case or of a request, which an act on legal holds or an erasure needs. */
import { TextField } from '../counter/ui/field.tsx'
import { useFleetText } from './text.ts'

interface ReferenceProps {
  readonly value: string
  readonly onInput: (value: string) => void
}

export function ReferenceField(props: ReferenceProps) {
  const { t } = useFleetText()
  return (
    <TextField
      label={t('hold.reference')}
      hint={t('revoke.reason-hint')}
      maxLength={200}
      required
      {...props}
    />
  )
}
