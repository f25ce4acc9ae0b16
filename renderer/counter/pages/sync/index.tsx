/** Unsent proofs, the limits that would stop new proofings, and pending webhook deliveries. */
import type { SyncView } from '../../../../server/counter/contract/sync.ts'
import { useResource } from '../../hooks.ts'
import { goTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { PageProps } from '../page-props.ts'
import { Line } from './line.tsx'
import { Outbox } from './outbox.tsx'
import { Webhooks } from './webhooks.tsx'

const EVERY_MS = 10_000
const TABS = ['line', 'webhooks'] as const
type SyncTab = (typeof TABS)[number]

export function SyncPage({ rest, query }: PageProps) {
  const { t } = useText()
  const tab: SyncTab = TABS.find((name) => name === rest[0]) ?? 'line'
  return (
    <Page title={t('nav.sync')}>
      <Tabs<SyncTab>
        label={t('nav.sync')}
        current={tab}
        tabs={TABS.map((key) => ({ key, label: t(`sync.tab.${key}`) }))}
        onChange={(key) => goTo(`sync/${key}`)}
      >
        {tab === 'line' && <HeadOffice all={query.get('show') === 'all'} />}
        {tab === 'webhooks' && <Webhooks />}
      </Tabs>
    </Page>
  )
}

/** Both parts use one view of the connection, so that they never contradict each other. */
function HeadOffice({ all }: { readonly all: boolean }) {
  const client = useClient()
  const sync = useResource<SyncView>((signal) => client.get('sync', signal), 'sync', { everyMs: EVERY_MS })
  return (
    <>
      <Line sync={sync} />
      <Outbox all={all} sync={sync.data} />
    </>
  )
}
