/** The facts of one alarm, and its resolution with a reason. Its address can be shared. */
import { useState } from 'preact/hooks'
import type { Alarm } from '../../server/central/head-office/contract.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Facts, Skeleton } from '../counter/ui/card.tsx'
import { ConfirmDialog, Dialog } from '../counter/ui/dialog.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Mono, Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import { AlarmBadge } from './alarm-list.tsx'
import type { FleetClient } from './api.ts'
import { ReasonField } from './reason-field.tsx'
import { useFleetText } from './text.ts'
import { alarmFacts, alarmSentence, isInDoubt } from './words.ts'

interface AlarmDialogProps {
  readonly alarmId: string
  readonly client: FleetClient
  readonly mayWrite: boolean
  readonly onChange: () => void
  readonly onKiosk: (kioskId: string) => void
  readonly onClose: () => void
}

export function AlarmDialog(props: AlarmDialogProps) {
  const { alarmId, client, mayWrite, onKiosk, onClose } = props
  const texts = useFleetText()
  const { t } = texts
  const [resolving, setResolving] = useState(false)
  const { data: alarm, problem } = useResource(
    (signal) => client.get<Alarm>(`/alarms/${alarmId}`, signal),
    `alarm-${alarmId}`,
  )
  return (
    <>
      {/* Before the facts: when both close, the focus returns to where it was before the facts. */}
      {alarm && resolving && <ResolutionDialog {...props} alarm={alarm} onBack={() => setResolving(false)} />}
      <Dialog
        title={alarm ? t('alarms.of', { kiosk: alarm.kioskName }) : t('alarms.alarm')}
        shape="wide"
        onClose={onClose}
        footer={
          alarm && (
            <>
              {mayWrite && !alarm.resolvedAt && (
                <Button onClick={() => setResolving(true)}>{t('alarms.resolve')}</Button>
              )}
              <Button onClick={() => onKiosk(alarm.kioskId)}>{t('alarms.show-kiosk')}</Button>
            </>
          )
        }
      >
        <ProblemNotice problem={problem} />
        {!alarm && !problem && <Skeleton />}
        {alarm && (
          <>
            <p>
              <b>{alarmSentence(alarm, texts)}</b>
            </p>
            <Facts
              facts={[
                [t('column.state'), <AlarmBadge key="state" alarm={alarm} />],
                [t('alarms.kind'), <Mono key="kind">{alarm.kind}</Mono>],
                [t('alarms.facts'), alarmFacts(alarm, texts)],
                [t('alarms.raised'), <Time key="raised" at={alarm.raisedAt} />],
                [t('alarms.seen'), <Time key="seen" at={alarm.seenAt} />],
                [t('alarms.times'), alarm.times],
                alarm.acknowledgedAt !== null && [
                  t('alarms.acknowledged-at'),
                  <Time key="acknowledged" at={alarm.acknowledgedAt} />,
                ],
                alarm.resolvedAt !== null && [
                  t('alarms.resolved-at'),
                  <Time key="resolved" at={alarm.resolvedAt} />,
                ],
                alarm.resolution !== null && [t('revoke.reason'), <bdi key="reason">{alarm.resolution}</bdi>],
                alarm.resolvedBy !== null && [
                  t('alarms.resolved-by'),
                  <Mono key="by">{alarm.resolvedBy}</Mono>,
                ],
              ]}
            />
            <p class="small muted">
              {t('alarms.id')} <Mono>{alarm.alarmId}</Mono>
            </p>
          </>
        )}
      </Dialog>
    </>
  )
}

function ResolutionDialog({
  alarm,
  client,
  onChange,
  onClose,
  onBack,
}: AlarmDialogProps & { readonly alarm: Alarm; readonly onBack: () => void }) {
  const { t } = useFleetText()
  const [reason, setReason] = useState('')
  const act = useAct()
  const tell = useToast()
  return (
    <ConfirmDialog
      title={t('alarms.resolve-title')}
      confirm={t('alarms.resolve-confirm')}
      ready={reason.trim() !== ''}
      act={act}
      onClose={onBack}
      onConfirm={() =>
        void act.run(async () => {
          await client.post(`/alarms/${alarm.alarmId}/resolution`, { reason })
          tell(t('alarms.resolved'))
          onBack()
          onClose()
          onChange()
        })
      }
    >
      <p>{t('alarms.resolve-text')}</p>
      {isInDoubt(alarm) && (
        <p>
          <b>{t('alarms.resolve-doubt')}</b>
        </p>
      )}
      <ReasonField label={t('revoke.reason')} value={reason} onInput={setReason} />
    </ConfirmDialog>
  )
}
