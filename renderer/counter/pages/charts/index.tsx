/** Shows the branch's figures and why visits at the kiosk fail. */
import { linkTo } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { PageProps } from '../page-props.ts'
import { Figures } from './figures.tsx'
import { WhyPeopleFail } from './why.tsx'

const TABS = { figures: 'charts.tab.figures', why: 'chart.why-people-fail' } as const
type ChartsTab = keyof typeof TABS
const NAMES = ['figures', 'why'] as const satisfies readonly ChartsTab[]

export function ChartsPage({ rest, query }: PageProps) {
  const { t } = useText()
  const tab: ChartsTab = NAMES.find((name) => name === rest[0]) ?? 'figures'
  return (
    <Page title={t('nav.charts')} lead={t('charts.lead')}>
      <Tabs<ChartsTab>
        label={t('nav.charts')}
        current={tab}
        tabs={NAMES.map((key) => ({ key, label: t(TABS[key]) }))}
        onChange={(key) => {
          location.hash = linkTo(`charts/${key}`, query)
        }}
      >
        {tab === 'figures' ? <Figures query={query} /> : <WhyPeopleFail query={query} />}
      </Tabs>
    </Page>
  )
}
