/** Why something is done: a reason, or the name of a case or of a request. */
import { TextField } from '../counter/ui/field.tsx'
import { useFleetText } from './text.ts'

interface ReasonProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
}

export function ReasonField(props: ReasonProps) {
  const { t } = useFleetText()
  return <TextField hint={t('revoke.reason-hint')} maxLength={200} required {...props} />
}
