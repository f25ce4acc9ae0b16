/** A tile for each part: how it is, since when, what that means for people, and the one thing to do. What is not well comes first. */
import { useState } from 'preact/hooks'
import type { DevicesView, PartView } from '../../../../server/counter/contract/devices.ts'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { spelled } from '../../words.ts'

const TONE = { UP: 'done', DEGRADED: 'attention', DOWN: 'problem' } as const
const WORST_FIRST = ['DOWN', 'DEGRADED', 'UP'] as const

export function Parts({ devices }: { readonly devices: Resource<DevicesView> }) {
  const { t, known } = useText()
  const [all, setAll] = useState(false)
  const view = devices.data
  if (!view) return null
  const rank = ({ state }: PartView) => WORST_FIRST.indexOf(state)
  const parts = [...view.parts].sort((a, b) => rank(a) - rank(b))
  const troubled = parts.filter(({ state }) => state !== 'UP')
  return (
    <>
      <p class="devices-state">
        <Badge tone={TONE[view.status]}>{t(`devices.all.${view.status}`)}</Badge>
      </p>
      <ul class="tiles">
        {parts.map((part) => (
          <Tile
            key={part.name}
            part={part}
            name={known(`part.${part.name}`, spelled(part.name.replace(':', ' – ')))}
            onTested={devices.reload}
            detailed={all}
          />
        ))}
      </ul>
      <div class="buttons">
        <Button icon="note" pressed={all} onClick={() => setAll(!all)}>
          {t('devices.technical')}
        </Button>
        {troubled.length === 0 && <p class="muted">{t('devices.nothing-to-do')}</p>}
      </div>
    </>
  )
}

function Tile({
  part,
  name,
  detailed,
  onTested,
}: {
  readonly part: PartView
  readonly name: string
  readonly detailed: boolean
  readonly onTested: () => void
}) {
  const { t, known } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const { state, since, meaning, detail, lastSelfTest } = part
  const test = () =>
    act.run(async () => {
      const path = `devices/parts/${encodeURIComponent(part.name)}/self-test`
      const tested = await client.send<PartView>('POST', path)
      const passed = tested.lastSelfTest?.passed ?? tested.state === 'UP'
      tell(t(passed ? 'devices.test.passed' : 'devices.test.failed', { part: name }), {
        tone: passed ? 'done' : 'attention',
      })
      onTested()
    })
  return (
    <li class={`tile tile-${TONE[state]}`}>
      <div class="tile-head">
        <h2 class="tile-title">{name}</h2>
        <Badge tone={TONE[state]}>{t(`part-state.${state}`)}</Badge>
      </div>
      <p>{known(meaning, t(`part-meaning.${state}`))}</p>
      <p class="muted small">
        {since && (
          <>
            {t('devices.since')} <Time at={since} />
          </>
        )}
        {lastSelfTest && (
          <>
            {' · '}
            {t(lastSelfTest.passed ? 'devices.tested' : 'devices.tested-failed')}{' '}
            <Time at={lastSelfTest.at} />
          </>
        )}
      </p>
      {detail && (detailed || state !== 'UP') && (
        <p class="small" lang="en" dir="ltr">
          {detail}
        </p>
      )}
      <ProblemNotice problem={act.problem} />
      {part.actions.includes('SELF_TEST') && can('devices:act') && (
        <Button
          icon="retry"
          working={act.working}
          label={t('devices.test-of', { part: name })}
          onClick={() => void test()}
        >
          {t('devices.test')}
        </Button>
      )}
    </li>
  )
}
