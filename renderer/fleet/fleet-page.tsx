/** `/fleet/`: the sign-in, then kiosks and alarms, refreshed while the page is visible. */
import { useEffect, useState } from 'preact/hooks'
import type { Alarm, Kiosk } from '../../server/central/head-office/contract.ts'
import type { ApiProblem } from '../counter/api/client.ts'
import { useResource } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card, Empty, Skeleton } from '../counter/ui/card.tsx'
import { SelectField } from '../counter/ui/field.tsx'
import { Page } from '../counter/ui/page.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { AccessCard } from './access-card.tsx'
import { AlarmList } from './alarm-list.tsx'
import { EnrolmentCard } from './enrolment.tsx'
import { ErasureCard } from './erasure.tsx'
import { focusTitle, Frame } from './frame.tsx'
import { HoldsCard } from './holds.tsx'
import { KioskDialog } from './kiosk-dialog.tsx'
import { KioskTable, StateBadge } from './kiosk-table.tsx'
import { useSession, type Session } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { useFleetText } from './text.ts'

const REFRESH_MS = 15_000
const STATES = ['OK', 'ATTENTION', 'LATE', 'FROZEN', 'ALARM', 'REVOKED'] as const

export function FleetPage() {
  const { session, offer, enterByKey, chooseTenant, drop, signOut } = useSession()
  if (!session)
    return (
      <Frame page="fleet" narrow>
        {offer ? <SignIn offer={offer} onKey={(key) => void enterByKey(key)} /> : <Skeleton />}
      </Frame>
    )
  const { name, tenantId } = session
  return (
    <Frame page="fleet" who={`${name} · ${tenantId}`} onSignOut={() => void signOut()}>
      {/* A page of its own for each tenant: an act must never meet the list of another one. */}
      <Fleet key={tenantId} session={session} onTenant={chooseTenant} onRefused={drop} />
    </Frame>
  )
}

interface Seen {
  readonly kiosks: readonly Kiosk[]
  readonly alarms: readonly Alarm[]
  readonly at: Date
}

function Fleet({
  session: { client, scopes, isPerson, tenantId, tenantIds },
  onTenant,
  onRefused,
}: {
  readonly session: Session
  readonly onTenant: (tenantId: string) => void
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
  const mayWrite = scopes.includes('fleet:write')
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
      {tenantIds.length > 1 && (
        <SelectField
          label={t('fleet.tenant')}
          value={tenantId}
          choices={tenantIds.map((id) => ({ value: id, label: id }))}
          onChange={onTenant}
        />
      )}
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
            <p class="muted">
              {isPerson ? t('fleet.read-only-role') : t('fleet.read-only', { scope: 'fleet:write' })}
            </p>
          )}
          {scopes.includes('proofs:erase') && <ErasureCard client={client} />}
          {scopes.includes('proofs:hold') && (
            <HoldsCard
              client={client}
              names={new Map(data.kiosks.map(({ kioskId, name }) => [kioskId, name]))}
            />
          )}
          {scopes.includes('access:read') && <AccessCard client={client} />}
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
