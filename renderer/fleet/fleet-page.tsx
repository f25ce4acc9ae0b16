/** `/fleet/`: the sign-in with a consumer's key, then kiosks and alarms, refreshed while the page is visible. */
import { useEffect, useState } from 'preact/hooks'
import type { Alarm, Kiosk, Me } from '../../server/central/head-office/contract.ts'
import { ApiProblem } from '../counter/api/client.ts'
import { useResource } from '../counter/hooks.ts'
import { problemSentence } from '../counter/problem-words.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card, Empty, Skeleton } from '../counter/ui/card.tsx'
import { Page } from '../counter/ui/page.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { AlarmList } from './alarm-list.tsx'
import { createFleetClient, keyring, type FleetClient } from './api.ts'
import { EnrolmentCard } from './enrolment.tsx'
import { ErasureCard } from './erasure.tsx'
import { focusTitle, Frame } from './frame.tsx'
import { HoldsCard } from './holds.tsx'
import { KioskDialog } from './kiosk-dialog.tsx'
import { KioskTable, StateBadge } from './kiosk-table.tsx'
import { SignIn } from './sign-in.tsx'
import { useFleetText } from './text.ts'

const REFRESH_MS = 15_000
const STATES = ['OK', 'ATTENTION', 'LATE', 'FROZEN', 'ALARM', 'REVOKED'] as const

interface Session {
  readonly me: Me
  readonly client: FleetClient
}

export function FleetPage() {
  const { t, known } = useFleetText()
  const [session, setSession] = useState<Session | null>(null)
  const [entering, setEntering] = useState(keyring.get() !== null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const leave = (why: string | null) => {
    keyring.clear()
    setSession(null)
    setRefusal(why)
  }
  const enter = async (key: string) => {
    setEntering(true)
    const client = createFleetClient(key)
    try {
      const me = await client.get<Me>('/me')
      if (!me.scopes.includes('fleet:read')) leave(t('sign-in.scope-missing', { scope: 'fleet:read' }))
      else {
        keyring.set(key)
        setRefusal(null)
        setSession({ me, client })
      }
    } catch (error) {
      leave(problemSentence(error instanceof ApiProblem ? error : new ApiProblem('internal'), known))
    }
    setEntering(false)
  }
  useEffect(() => {
    const key = keyring.get()
    if (key !== null) void enter(key)
  }, [])
  if (!session)
    return (
      <Frame page="fleet" narrow>
        <SignIn entering={entering} refusal={refusal} onKey={(key) => void enter(key)} />
      </Frame>
    )
  const { name, tenantId } = session.me
  return (
    <Frame page="fleet" who={`${name} · ${tenantId}`} onSignOut={() => leave(null)}>
      <Fleet session={session} onRefused={(problem) => leave(problemSentence(problem, known))} />
    </Frame>
  )
}

interface Seen {
  readonly kiosks: readonly Kiosk[]
  readonly alarms: readonly Alarm[]
  readonly at: Date
}

function Fleet({
  session: { me, client },
  onRefused,
}: {
  readonly session: Session
  readonly onRefused: (problem: ApiProblem) => void
}) {
  const { t } = useFleetText()
  const [openId, setOpenId] = useState<string | null>(null)
  const { data, problem, loading, reload } = useResource<Seen>(
    async (signal) => ({
      kiosks: await client.all<Kiosk>('kiosks', signal),
      alarms: await client.all<Alarm>('alarms', signal),
      at: new Date(),
    }),
    'fleet',
    { everyMs: REFRESH_MS },
  )
  useEffect(focusTitle, [])
  useEffect(() => {
    if (problem?.status === 401 || problem?.status === 403) onRefused(problem)
  }, [problem])
  const mayWrite = me.scopes.includes('fleet:write')
  const open = data?.kiosks.find(({ kioskId }) => kioskId === openId)
  return (
    <Page
      title={t('fleet.title')}
      lead={data && t('fleet.updated', { time: data.at.toLocaleTimeString('en-GB') })}
      actions={
        <Button icon="retry" working={loading} onClick={reload}>
          {t('fleet.refresh')}
        </Button>
      }
    >
      <ProblemNotice problem={problem} />
      {!data && !problem && <Skeleton />}
      {data && (
        <>
          <Counts kiosks={data.kiosks} />
          <Card title={t('alarms.title')}>
            <AlarmList {...data} client={client} mayWrite={mayWrite} onChange={reload} />
          </Card>
          <section class="stack" aria-labelledby="kiosks-title">
            <h2 id="kiosks-title">{t('kiosks.title')}</h2>
            {data.kiosks.length === 0 ? (
              <Empty>{t('kiosks.none')}</Empty>
            ) : (
              <KioskTable kiosks={data.kiosks} onDetails={setOpenId} />
            )}
          </section>
          {mayWrite ? (
            <EnrolmentCard client={client} />
          ) : (
            <p class="muted">{t('fleet.read-only', { scope: 'fleet:write' })}</p>
          )}
          {me.scopes.includes('proofs:erase') && <ErasureCard client={client} />}
          {me.scopes.includes('proofs:hold') && (
            <HoldsCard
              client={client}
              names={new Map(data.kiosks.map(({ kioskId, name }) => [kioskId, name]))}
            />
          )}
        </>
      )}
      {open && (
        <KioskDialog
          kiosk={open}
          client={client}
          mayWrite={mayWrite}
          onChange={reload}
          onClose={() => setOpenId(null)}
        />
      )}
    </Page>
  )
}

function Counts({ kiosks }: { readonly kiosks: readonly Kiosk[] }) {
  const { t } = useFleetText()
  const counts = STATES.map(
    (state) => [state, kiosks.filter((kiosk) => kiosk.state === state).length] as const,
  )
  return (
    <ul class="counts" aria-label={t('fleet.counts')}>
      {counts.map(
        ([state, count]) =>
          (count > 0 || state === 'OK') && (
            <li key={state}>
              <b>{count}</b>
              <StateBadge state={state} />
            </li>
          ),
      )}
    </ul>
  )
}
