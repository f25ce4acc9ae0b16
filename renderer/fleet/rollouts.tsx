/** The rollouts of releases: the rings with their kiosks, and a person who pauses, continues or stops one with a reason. */
import { useState } from 'preact/hooks'
import type { Rollout } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { Badge, type Tone } from '../counter/ui/badge.tsx'
import { Button } from '../counter/ui/button.tsx'
import { ConfirmDialog } from '../counter/ui/dialog.tsx'
import type { IconName } from '../counter/ui/icon.tsx'
import type { Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { FleetList, type Listed, type ListFrame } from './list.tsx'
import { ReasonField } from './reason-field.tsx'
import { useFleetText } from './text.ts'
import { ringWords } from './words.ts'

type State = Rollout['state']
type Act = 'pause' | 'resumption' | 'stop'

const MARKS: Readonly<Record<State, readonly [Tone, IconName]>> = {
  PLANNED: ['quiet', 'waiting'],
  RUNNING: ['waiting', 'waiting'],
  PAUSED: ['attention', 'attention'],
  DONE: ['done', 'done'],
  STOPPED: ['quiet', 'stop'],
}
const STATES = Object.keys(MARKS) as State[]
const ACTS: Readonly<Record<State, readonly Act[]>> = {
  PLANNED: ['stop'],
  RUNNING: ['pause', 'stop'],
  PAUSED: ['resumption', 'stop'],
  DONE: ['stop'],
  STOPPED: [],
}

interface RolloutPage extends Listed {
  readonly rollouts: readonly Rollout[]
}

interface RolloutListProps extends ListFrame {
  readonly mayWrite: boolean
  readonly onChange: () => void
}

export function RolloutList({ mayWrite, onChange, ...frame }: RolloutListProps) {
  const texts = useFleetText()
  const { t } = texts
  const [deciding, setDeciding] = useState<{ readonly rollout: Rollout; readonly act: Act } | null>(null)
  const columns: readonly Column<Rollout>[] = [
    {
      key: 'version',
      label: t('column.version'),
      head: true,
      roomy: true,
      sortable: true,
      cell: ({ version }) => <bdi>{version}</bdi>,
    },
    {
      key: 'state',
      label: t('column.state'),
      roomy: true,
      sortable: true,
      cell: ({ state, waits, reason }) => (
        <>
          <Badge tone={MARKS[state][0]} icon={MARKS[state][1]}>
            {t(`rollout.state.${state}`)}
          </Badge>
          {waits !== null && <small class="block muted">{t(`rollout.waits.${waits}`)}</small>}
          {reason !== null && (
            <small class="block muted">
              <bdi>{reason}</bdi>
            </small>
          )}
        </>
      ),
    },
    {
      key: 'rings',
      label: t('rollout.rings'),
      roomy: true,
      cell: ({ rings }) => (
        <ul class="plain-list">
          {rings.map((ring) => (
            <li key={ring.name}>{ringWords(ring, texts)}</li>
          ))}
        </ul>
      ),
    },
    {
      key: 'starts',
      label: t('rollout.starts'),
      tight: true,
      sortable: true,
      cell: ({ startsAt }) => <Time at={startsAt} />,
    },
    {
      key: 'acts',
      label: t('alarms.acts'),
      hidden: true,
      cell: (rollout) =>
        mayWrite && (
          <span class="row-acts">
            {ACTS[rollout.state].map((act) => (
              <Button
                key={act}
                label={t(`rollout.${act}-of`, { version: rollout.version })}
                onClick={() => setDeciding({ rollout, act })}
              >
                {t(`rollout.${act}`)}
              </Button>
            ))}
          </span>
        ),
    },
  ]
  return (
    <>
      <p class="muted">{t('rollout.text')}</p>
      <FleetList<Rollout, RolloutPage>
        {...frame}
        name="rollouts"
        path="/rollouts"
        caption={t('rollout.title')}
        columns={columns}
        sort={{ key: 'starts', descending: true }}
        searchLabel={t('rollout.search')}
        facets={[
          {
            name: 'state',
            label: t('column.state'),
            choices: [
              { value: '', label: t('list.all') },
              ...STATES.map((value) => ({ value, label: t(`rollout.state.${value}`) })),
            ],
          },
        ]}
        readRows={({ rollouts }) => rollouts}
        getKey={({ rolloutId }) => rolloutId}
        empty={<p class="muted">{t('rollout.none')}</p>}
      />
      {deciding && (
        <DecisionDialog
          {...deciding}
          client={frame.client}
          onChange={onChange}
          onClose={() => setDeciding(null)}
        />
      )}
    </>
  )
}

interface DecisionProps {
  readonly rollout: Rollout
  readonly act: Act
  readonly client: FleetClient
  readonly onChange: () => void
  readonly onClose: () => void
}

function DecisionDialog({ rollout: { rolloutId, version }, act, client, onChange, onClose }: DecisionProps) {
  const { t } = useFleetText()
  const [reason, setReason] = useState('')
  const acting = useAct()
  const tell = useToast()
  const isReady = reason.trim() !== ''
  const decide = () =>
    void acting.run(async () => {
      await client.post(`/rollouts/${rolloutId}/${act}`, { reason })
      tell(t('rollout.changed'))
      onClose()
      onChange()
    })
  return (
    <ConfirmDialog
      title={t(`rollout.${act}-of`, { version })}
      confirm={t(`rollout.${act}-of`, { version })}
      danger={act === 'stop'}
      ready={isReady}
      act={acting}
      onClose={onClose}
      onConfirm={decide}
    >
      <p>{t(`rollout.${act}-text`)}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !acting.working) decide()
        }}
      >
        <ReasonField label={t('revoke.reason')} value={reason} onInput={setReason} />
      </form>
    </ConfirmDialog>
  )
}
