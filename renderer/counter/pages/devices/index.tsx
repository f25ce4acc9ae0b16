/** The parts of the appliance, its inspections, and tampering. */
import type { DevicesView, LedgerView } from '../../../../server/counter/contract/devices.ts'
import { useResource } from '../../hooks.ts'
import { goTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { PageProps } from '../page-props.ts'
import { Faults } from './faults.tsx'
import { Inspection } from './inspection.tsx'
import { LevelList } from './level-list.tsx'
import { Ledger } from './ledger.tsx'
import { Parts } from './parts.tsx'

const TABS = ['parts', 'inspection', 'ledger'] as const
type DeviceTab = (typeof TABS)[number]
const EVERY_MS = 15_000

export function DevicesPage({ rest }: PageProps) {
  const { t } = useText()
  const client = useClient()
  const devices = useResource<DevicesView>((signal) => client.get('devices', signal), 'devices', {
    everyMs: EVERY_MS,
  })
  const ledger = useResource<LedgerView>((signal) => client.get('devices/ledger', signal), 'ledger')
  const tab: DeviceTab = TABS.find((name) => name === rest[0]) ?? 'parts'
  const shown = tab === 'parts' ? devices : ledger
  const troubled = devices.data?.parts.filter(({ state }) => state !== 'UP').length
  return (
    <Page
      title={t('nav.devices')}
      lead={devices.data && t('devices.version', { version: devices.data.version })}
    >
      <ProblemNotice
        problem={devices.problem ?? ledger.problem}
        onRetry={() => {
          devices.reload()
          ledger.reload()
        }}
      />
      <Tabs<DeviceTab>
        label={t('nav.devices')}
        current={tab}
        tabs={TABS.map((key) => ({
          key,
          label: t(`devices.tab.${key}`),
          ...(key === 'parts' && troubled ? { count: troubled } : {}),
        }))}
        onChange={(key) => goTo(`devices/${key}`)}
      >
        {!shown.data && !shown.problem && <Skeleton rows={8} />}
        {tab === 'parts' && devices.data && <Parts devices={devices} />}
        {tab === 'parts' && devices.data && <Faults faults={devices.data.faults} />}
        {tab === 'parts' && devices.data && <LevelList />}
        {tab === 'inspection' && ledger.data && <Inspection ledger={ledger} />}
        {tab === 'ledger' && ledger.data && <Ledger ledger={ledger} />}
      </Tabs>
    </Page>
  )
}
