/**
 * A tile for each part: its state, since when, the consequence for applicants, and the one thing to do.
 * Problems come first.
 */
import { useState } from 'preact/hooks'
import type { DevicesView, PartView } from '../../../../server/counter/contract/devices.ts'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useLevelName } from '../../levels.tsx'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { spellCode } from '../../words.ts'
import { Cost } from './cost.tsx'

const TONE = { UP: 'done', DEGRADED: 'attention', DOWN: 'problem' } as const
/** Each word has its own shape. */
const ICON_OF_WORD = { WORKS: undefined, PROBLEM: undefined, NOT_SET_UP: 'other', NOT_KNOWN: 'help' } as const
const WORST_FIRST = ['PROBLEM', 'NOT_KNOWN', 'NOT_SET_UP', 'WORKS'] as const
const MEANING = {
  WORKS: 'part-meaning.WORKS',
  NOT_SET_UP: 'part-meaning.NOT_SET_UP',
  NOT_KNOWN: 'part-meaning.NOT_KNOWN',
  PROBLEM: 'part-meaning.DEGRADED',
  DEGRADED: 'part-meaning.DEGRADED',
  DOWN: 'part-meaning.DOWN',
} as const
/** A part that is not set up or not known is neither good nor faulty. */
const chooseTone = ({ word, state }: PartView) =>
  word === 'WORKS' ? 'done' : word === 'PROBLEM' ? TONE[state] : 'quiet'

export function Parts({ devices }: { readonly devices: Resource<DevicesView> }) {
  const { t, known } = useText()
  const [all, setAll] = useState(false)
  const named = useLevelName()
  const view = devices.data
  if (!view) return null
  const { policy, now, withoutFaults, highest } = view.reach
  const rank = ({ word }: PartView) => WORST_FIRST.indexOf(word)
  const parts = [...view.parts].sort((a, b) => rank(a) - rank(b))
  const count = (word: PartView['word']) => parts.filter((part) => part.word === word).length
  return (
    <>
      <p class="devices-state">
        {view.status !== 'UP' ? (
          <Badge tone={TONE[view.status]}>{t(`devices.all.${view.status}`)}</Badge>
        ) : count('WORKS') === parts.length ? (
          <Badge tone="done">{t('devices.all.UP')}</Badge>
        ) : (
          <Badge tone="quiet" icon="note">
            {t('devices.all.partly', { unset: count('NOT_SET_UP'), unknown: count('NOT_KNOWN') })}
          </Badge>
        )}
      </p>
      <p>
        {t(`checklist.policy.${now === withoutFaults ? 'WORKS' : 'PROBLEM'}`, {
          title: policy,
          now: named(now),
          withoutFaults: named(withoutFaults),
          highest: named(highest),
        })}
      </p>
      <ul class="tiles">
        {parts.map((part) => (
          <Tile
            key={part.name}
            part={part}
            name={known(`part.${part.name}`, spellCode(part.name.replace(':', ' – ')))}
            onTested={devices.reload}
            detailed={all}
          />
        ))}
      </ul>
      <div class="buttons">
        <Button icon="note" pressed={all} onClick={() => setAll(!all)}>
          {t('devices.technical')}
        </Button>
        {count('WORKS') === parts.length && <p class="muted">{t('devices.nothing-to-do')}</p>}
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
  const { state, word, since, meaning, cost, detail, lastSelfTest, fetching, actions } = part
  const isFetched = actions.includes('FETCH')
  const fetchNow = () =>
    act.run(async () => {
      await client.send<PartView>('POST', `devices/parts/${encodeURIComponent(part.name)}/fetch`)
      onTested()
    })
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
    <li class={`tile tile-${chooseTone(part)}`}>
      <div class="tile-head">
        <h2 class="tile-title">{name}</h2>
        <Badge tone={chooseTone(part)} icon={ICON_OF_WORD[word]}>
          {t(`part-word.${word}`)}
        </Badge>
      </div>
      <p>{known(meaning, t(MEANING[word === 'PROBLEM' && state !== 'UP' ? state : word]))}</p>
      {cost && <Cost cost={cost} />}
      <p class="muted small">
        {since && word === 'PROBLEM' && (
          <>
            {t('devices.since')} <Time at={since} />
          </>
        )}
        {lastSelfTest && (
          <>
            {' · '}
            {isFetched
              ? t(lastSelfTest.passed ? 'devices.fetched' : 'devices.fetched-failed')
              : t(lastSelfTest.passed ? 'devices.tested' : 'devices.tested-failed')}{' '}
            <Time at={lastSelfTest.at} />
          </>
        )}
      </p>
      {detail && detailed && (
        <p class="small" lang="en" dir="ltr">
          {detail}
        </p>
      )}
      <p role="status">{fetching && t('devices.fetching', { done: fetching.done, total: fetching.total })}</p>
      <ProblemNotice problem={act.problem} />
      {isFetched && can('settings:change') && (
        <Button
          icon="retry"
          working={act.working || fetching !== null}
          label={t('devices.fetch-of', { part: name })}
          onClick={() => void fetchNow()}
        >
          {t('devices.fetch')}
        </Button>
      )}
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
