/** `/fleet/`: the sign-in, then the lists of the fleet, refreshed while the page is visible. */
import { useEffect, useState } from 'preact/hooks'
import type { ApiProblem } from '../counter/api/client.ts'
import { changeQuery, useRoute } from '../counter/route.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card, Skeleton } from '../counter/ui/card.tsx'
import { SelectField } from '../counter/ui/field.tsx'
import { Page } from '../counter/ui/page.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { AccessCard } from './access-card.tsx'
import { AlarmDialog } from './alarm-dialog.tsx'
import { AlarmList } from './alarm-list.tsx'
import { restoreDeepLink } from './deep-link.ts'
import { EnrolmentCard } from './enrolment.tsx'
import { ErasureCard } from './erasure.tsx'
import { FiguresPart } from './figures.tsx'
import { focusTitle, Frame } from './frame.tsx'
import { HoldsCard } from './holds.tsx'
import { KioskDialog } from './kiosk-dialog.tsx'
import { KioskTable, StateCounts, type KioskCounts } from './kiosk-table.tsx'
import { RolloutList } from './rollouts.tsx'
import { useSession, type Session } from './session.ts'
import { DeletionsCard, ProofsCard, WebhooksCard } from './records.tsx'
import { SignIn } from './sign-in.tsx'
import { useFleetText } from './text.ts'

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
  const { query } = useRoute()
  const [seen, setSeen] = useState<{ readonly counts: KioskCounts; readonly at: Date } | null>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, ApiProblem>>(new Map())
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((now) => now + 1)
  const onProblem = (list: string, problem: ApiProblem | null) =>
    setProblems(
      (before) => new Map([...before, [list, problem]].filter(([, one]) => one) as [string, ApiProblem][]),
    )
  const [problem = null] = problems.values()
  useEffect(() => {
    restoreDeepLink()
    if (tenantIds.length > 1) changeQuery({ tenant: tenantId })
    focusTitle()
  }, [])
  const linkedTenant = query.get('tenant')
  useEffect(() => {
    if (linkedTenant !== null && linkedTenant !== tenantId && tenantIds.includes(linkedTenant))
      onTenant(linkedTenant)
  }, [linkedTenant])
  useEffect(() => {
    if (problem?.status === 401 || problem?.status === 403) onRefused(problem)
  }, [problem])
  const mayWrite = scopes.includes('fleet:write')
  const frame = { client, turn, onProblem }
  const [kioskId, alarmId] = [readId(query.get('kiosk')), readId(query.get('alarm'))]
  return (
    <Page
      title={t('fleet.title')}
      lead={seen && t('fleet.updated', { time: seen.at.toLocaleTimeString('en-GB') })}
      actions={
        <Button icon="retry" onClick={reload}>
          {t('fleet.refresh')}
        </Button>
      }
    >
      {tenantIds.length > 1 && (
        <SelectField
          label={t('fleet.tenant')}
          value={tenantId}
          choices={tenantIds.map((id) => ({ value: id, label: id }))}
          onChange={(tenant) => changeQuery({ tenant, kiosk: undefined, alarm: undefined })}
        />
      )}
      <ProblemNotice problem={problem} />
      {seen && <StateCounts counts={seen.counts} />}
      <Card title={t('alarms.title')}>
        <AlarmList {...frame} mayWrite={mayWrite} onChange={reload} />
      </Card>
      <section class="stack" aria-labelledby="kiosks-title">
        <h2 id="kiosks-title">{t('kiosks.title')}</h2>
        <KioskTable {...frame} onCounts={(counts) => setSeen({ counts, at: new Date() })} />
      </section>
      <Card title={t('rollout.title')}>
        <RolloutList {...frame} mayWrite={mayWrite} onChange={reload} />
      </Card>
      <Card title={t('figures.title')}>
        <p class="muted">{t('figures.text')}</p>
        <FiguresPart {...frame} />
      </Card>
      <ProofsCard {...frame} />
      <DeletionsCard {...frame} />
      <WebhooksCard {...frame} />
      {mayWrite ? (
        <EnrolmentCard client={client} />
      ) : (
        <p class="muted">
          {isPerson ? t('fleet.read-only-role') : t('fleet.read-only', { scope: 'fleet:write' })}
        </p>
      )}
      {scopes.includes('proofs:erase') && <ErasureCard client={client} />}
      {scopes.includes('proofs:hold') && <HoldsCard {...frame} onChange={reload} />}
      {scopes.includes('access:read') && <AccessCard client={client} />}
      {kioskId && (
        <KioskDialog
          key={kioskId}
          kioskId={kioskId}
          client={client}
          mayWrite={mayWrite}
          onChange={reload}
          onClose={() => changeQuery({ kiosk: undefined })}
        />
      )}
      {alarmId && (
        <AlarmDialog
          key={alarmId}
          alarmId={alarmId}
          client={client}
          mayWrite={mayWrite}
          onChange={reload}
          onKiosk={(kiosk) => changeQuery({ alarm: undefined, kiosk })}
          onClose={() => changeQuery({ alarm: undefined })}
        />
      )}
    </Page>
  )
}

/** An address may name anything; only an id is put into a path of the API. */
function readId(text: string | null): string | null {
  return text !== null && /^[0-9a-f-]{36}$/.test(text) ? text : null
}
