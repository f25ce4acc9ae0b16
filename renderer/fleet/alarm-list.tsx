/** Open alarms: the kiosk, the cause, the time, and the acknowledgement. */
import type { Alarm, Kiosk } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Icon } from '../counter/ui/icon.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { focusTitle } from './frame.tsx'
import { useFleetText } from './text.ts'
import { alarmFacts, alarmSentence } from './words.ts'

interface AlarmListProps {
  readonly kiosks: readonly Kiosk[]
  readonly alarms: readonly Alarm[]
  readonly client: FleetClient
  readonly mayWrite: boolean
  readonly onChange: () => void
}

export function AlarmList(props: AlarmListProps) {
  const { t } = useFleetText()
  if (props.alarms.length === 0) return <p class="muted">{t('alarms.none')}</p>
  const names = new Map(props.kiosks.map(({ kioskId, name }) => [kioskId, name]))
  return (
    <ul class="alarms">
      {props.alarms.map((alarm) => (
        <Item
          key={alarm.alarmId}
          alarm={alarm}
          kiosk={names.get(alarm.kioskId) ?? alarm.kioskId}
          {...props}
        />
      ))}
    </ul>
  )
}

function Item({
  alarm,
  kiosk,
  client,
  mayWrite,
  onChange,
}: AlarmListProps & { readonly alarm: Alarm; readonly kiosk: string }) {
  const texts = useFleetText()
  const { t } = texts
  const tell = useToast()
  const act = useAct()
  return (
    <li>
      <Icon name="attention" size={24} />
      <div class="alarm-words">
        <p>
          <b>
            <bdi>{kiosk}</bdi>
          </b>{' '}
          – {alarmSentence(alarm, texts)}
        </p>
        <p class="muted small">{alarmFacts(alarm, texts)}</p>
        <ProblemNotice problem={act.problem} />
      </div>
      {mayWrite && (
        <Button
          working={act.working}
          label={t('alarms.acknowledge-of', { kiosk, kind: alarm.kind })}
          onClick={() =>
            void act.run(async () => {
              await client.post(`/alarms/${alarm.alarmId}/acknowledgement`)
              tell(t('alarms.acknowledged'))
              focusTitle()
              onChange()
            })
          }
        >
          {t('alarms.acknowledge')}
        </Button>
      )}
    </li>
  )
}
