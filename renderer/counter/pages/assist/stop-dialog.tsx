/** Stops a visit, with the applicant present or gone: everything is erased, with a reason. */
import { useState } from 'preact/hooks'
import type { AssistView, StopBody } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { RadioGroup } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'

type Reason = StopBody['reason']
const REASONS = ['PERSON_LEFT', 'PERSON_STOPPED', 'CANNOT_BE_DONE'] as const satisfies readonly Reason[]

export function StopDialog({
  view,
  onClose,
  onStopped,
}: {
  readonly view: AssistView
  readonly onClose: () => void
  readonly onStopped: () => void
}) {
  const { t } = useText()
  const client = useClient()
  const tell = useToast()
  const act = useAct()
  const [reason, setReason] = useState<Reason | null>(null)
  const stop = () =>
    act.run(async () => {
      await client.send('POST', `assist/${view.visitId}/stop`, { body: { reason } })
      tell(t('assist.stopped'))
      onStopped()
    })
  return (
    <ConfirmDialog
      title={t('assist.stop.title')}
      confirm={t('assist.stop.go')}
      danger
      ready={reason !== null}
      act={act}
      onConfirm={() => void stop()}
      onClose={onClose}
    >
      <p>{t('assist.stop.text')}</p>
      <RadioGroup
        legend={t('assist.stop.reason')}
        value={reason}
        choices={REASONS.map((value) => ({ value, label: t(`assist.stop.${value}`) }))}
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
