/** Reasons why a capture was done in an unusual way. They explain the capture and change no check. */
import { useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { CheckField } from '../../ui/field.tsx'
import type { AttendanceBody, Checklist } from '../../../../server/counter/contract/assist.ts'

export type Exception = NonNullable<AttendanceBody['exceptions']>[number]

export function Exceptions({
  chosen,
  only,
  legend,
  onChange,
}: {
  readonly chosen: readonly Exception[]
  readonly only?: readonly Exception[]
  readonly legend: string
  readonly onChange: (chosen: readonly Exception[]) => void
}) {
  const { known } = useText()
  const client = useClient()
  const { data } = useResource<{
    readonly checklists: readonly Checklist[]
    readonly exceptions: readonly Exception[]
  }>((signal) => client.get('assist/features', signal), 'features')
  const offered = (data?.exceptions ?? []).filter((one) => !only || only.includes(one))
  return (
    <fieldset class="group">
      <legend>{legend}</legend>
      <div class="assist-exceptions">
        {offered.map((one) => (
          <CheckField
            key={one}
            label={known(`assist.exception.${one}`, one)}
            checked={chosen.includes(one)}
            onChange={(on) => onChange(on ? [...chosen, one] : chosen.filter((other) => other !== one))}
          />
        ))}
      </div>
    </fieldset>
  )
}
