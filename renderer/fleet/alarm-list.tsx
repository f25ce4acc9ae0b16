/** The alarms: kiosk, cause, time and state; a row opens the details. */
import type { Alarm, AlarmState } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { changeQuery } from '../counter/route.ts'
import { Badge } from '../counter/ui/badge.tsx'
import { Button } from '../counter/ui/button.tsx'
import type { Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import { focusTitle } from './frame.tsx'
import { FleetList, type Listed, type ListFrame } from './list.tsx'
import { useFleetText } from './text.ts'
import { ALARM_KINDS, alarmFacts, alarmSentence } from './words.ts'

const STATES: readonly AlarmState[] = ['open', 'acknowledged', 'resolved', 'all']

interface AlarmListProps extends ListFrame {
  readonly mayWrite: boolean
  readonly onChange: () => void
}

interface AlarmPage extends Listed {
  readonly alarms: readonly Alarm[]
}

export function AlarmList({ mayWrite, onChange, ...frame }: AlarmListProps) {
  const texts = useFleetText()
  const { t } = texts
  const columns: readonly Column<Alarm>[] = [
    {
      key: 'kiosk',
      label: t('column.kiosk'),
      head: true,
      roomy: true,
      sortable: true,
      cell: ({ kioskName }) => <bdi>{kioskName}</bdi>,
    },
    {
      key: 'kind',
      label: t('alarms.alarm'),
      sortable: true,
      cell: (alarm) => (
        <>
          {alarmSentence(alarm, texts)}
          <small class="block muted">{alarmFacts(alarm, texts)}</small>
        </>
      ),
    },
    {
      key: 'raised',
      label: t('alarms.raised'),
      tight: true,
      sortable: true,
      cell: ({ raisedAt }) => <Time at={raisedAt} show="relative" />,
    },
    { key: 'times', label: t('alarms.times'), number: true, sortable: true, cell: ({ times }) => times },
    { key: 'state', label: t('column.state'), cell: (alarm) => <AlarmBadge alarm={alarm} /> },
    {
      key: 'acts',
      label: t('alarms.acts'),
      hidden: true,
      cell: (alarm) => (
        <span class="row-acts">
          {mayWrite && !alarm.acknowledgedAt && !alarm.resolvedAt && (
            <Acknowledge alarm={alarm} client={frame.client} onChange={onChange} />
          )}
          <Button
            id={`alarm-${alarm.alarmId}`}
            label={t('alarms.details-of', { kiosk: alarm.kioskName, kind: alarm.kind })}
            onClick={() => changeQuery({ alarm: alarm.alarmId })}
          >
            {t('kiosks.details')}
          </Button>
        </span>
      ),
    },
  ]
  return (
    <FleetList<Alarm, AlarmPage>
      {...frame}
      name="alarms"
      path="/alarms"
      caption={t('alarms.title')}
      columns={columns}
      sort={{ key: 'raised', descending: true }}
      searchLabel={t('list.search-kiosk')}
      facets={[
        {
          name: 'state',
          label: t('column.state'),
          choices: STATES.map((value) => ({ value, label: t(`alarms.state.${value}`) })),
        },
        {
          name: 'kind',
          label: t('alarms.kind'),
          choices: [
            { value: '', label: t('list.all') },
            ...ALARM_KINDS.map((value) => ({ value, label: value })),
          ],
        },
      ]}
      readRows={({ alarms }) => alarms}
      getKey={({ alarmId }) => alarmId}
      empty={<p class="muted">{t('alarms.none')}</p>}
    />
  )
}

export function AlarmBadge({ alarm: { resolvedAt, acknowledgedAt } }: { readonly alarm: Alarm }) {
  const { t } = useFleetText()
  if (resolvedAt)
    return (
      <Badge tone="done" icon="done">
        {t('alarms.state.resolved')}
      </Badge>
    )
  if (acknowledgedAt)
    return (
      <Badge tone="quiet" icon="eye">
        {t('alarms.state.acknowledged')}
      </Badge>
    )
  return (
    <Badge tone="attention" icon="attention">
      {t('alarms.state.open')}
    </Badge>
  )
}

function Acknowledge({
  alarm,
  client,
  onChange,
}: { readonly alarm: Alarm } & Pick<AlarmListProps, 'client' | 'onChange'>) {
  const { t } = useFleetText()
  const tell = useToast()
  const act = useAct()
  return (
    <Button
      working={act.working}
      label={t('alarms.acknowledge-of', { kiosk: alarm.kioskName, kind: alarm.kind })}
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
  )
}
