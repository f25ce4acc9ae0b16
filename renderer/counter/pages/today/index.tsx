/** Today: open work, calls for help, and every visit of the day, without names. */
import { LinkButton } from '../../ui/button.tsx'
import { useResource } from '../../hooks.ts'
import { linkTo } from '../../route.ts'
import { useClient, useSession } from '../../session.tsx'
import { useWaiting } from '../../shell/waiting.tsx'
import { useText } from '../../text.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { TodayView } from '../../../../server/counter/contract/today.ts'
import type { PageProps } from '../page-props.ts'
import { Counts } from './counts.tsx'
import { HelpCalls } from './help-calls.tsx'
import { Proofings } from './proofings.tsx'

// The server answers from its own database (starting value).
const EVERY_MS = 5_000

export function TodayPage({ query }: PageProps) {
  const { t } = useText()
  const client = useClient()
  const { can } = useSession()
  const waiting = useWaiting()
  const today = useResource<TodayView>((signal) => client.get('today', signal), 'today', {
    everyMs: EVERY_MS,
  })
  return (
    <Page
      title={t('nav.today')}
      actions={
        can('proofings:assist') && (
          <LinkButton kind="primary" icon="add" href={linkTo('assist')}>
            {t('today.begin')}
          </LinkButton>
        )
      }
    >
      <ProblemNotice problem={today.problem} onRetry={today.reload} />
      {waiting && can('help:answer') && (
        <HelpCalls
          calls={waiting.data?.calls ?? []}
          onChanged={() => {
            waiting.reload()
            today.reload()
          }}
        />
      )}
      <Counts counts={today.data?.counts ?? null} />
      <Proofings query={query} />
    </Page>
  )
}
