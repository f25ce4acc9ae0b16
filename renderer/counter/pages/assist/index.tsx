/** The area "Assist": begin with an applicant at the counter, or continue a visit from a kiosk. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AssistView, TakeOverBody } from '../../../../server/counter/contract/assist.ts'
import { useAct, useResource } from '../../hooks.ts'
import { goTo, linkTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useSearch } from '../../shell/search.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { PageProps } from '../page-props.ts'
import { isReading } from './chip-reader.tsx'
import { ToStart } from './buttons.tsx'
import { StartPage } from './start.tsx'
import { VisitPage } from './visit.tsx'

export function AssistPage({ rest, query }: PageProps) {
  const [visitId] = rest
  const helpCall = query.get('help-call')
  const fromSearch = query.get('from') === 'search'
  const { asked } = useSearch()
  if (visitId) return <OpenedVisit visitId={visitId} />
  if (helpCall) return <TakeOver body={{ helpCall }} />
  if (fromSearch && asked && !('reference' in asked)) return <TakeOver body={asked} />
  return <StartPage />
}

/** Takes the visit over and opens it: following the link was the officer's act. It runs once. */
function TakeOver({ body }: { readonly body: TakeOverBody }) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const begun = useRef(false)
  const take = () =>
    act.run(async () => {
      const { visitId } = await client.send<AssistView>('POST', 'assist/take-over', { body })
      location.replace(linkTo(`assist/${visitId}`))
    })
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    void take()
  }, [])
  return (
    <Page title={t('assist.taking-over')}>
      {act.problem ? (
        <>
          <ProblemNotice problem={act.problem} onRetry={() => void take()} />
          <div class="buttons">
            <LinkButton icon="back" href={linkTo('assist')}>
              {t('assist.to-start')}
            </LinkButton>
          </div>
        </>
      ) : (
        <Skeleton rows={4} />
      )}
    </Page>
  )
}

/**
 * Polls often while the applicant decides or a check runs; otherwise nothing changes by itself (starting
 * values).
 */
const OFTEN_MS = 1_200
const SELDOM_MS = 15_000

function OpenedVisit({ visitId }: { readonly visitId: string }) {
  const { t } = useText()
  const client = useClient()
  const [often, setOften] = useState(true)
  const path = `assist/${encodeURIComponent(visitId)}`
  const visit = useResource<AssistView>((signal) => client.get(path, signal), visitId, {
    everyMs: often ? OFTEN_MS : SELDOM_MS,
  })
  // Only the call that finishes the visit returns the receipt's code.
  const [finished, setFinished] = useState<AssistView | null>(null)
  const view = finished ?? visit.data
  const waits =
    view !== null &&
    (view.checking || view.consent.state === 'WAITING' || view.documents.some(({ chip }) => isReading(chip)))
  useEffect(() => setOften(waits), [waits])
  if (!view)
    return (
      <Page title={t('nav.assist')}>
        {visit.problem?.status === 404 ? (
          <>
            <Notice tone="attention" title={t('assist.not-yours')} />
            <ToStart />
          </>
        ) : visit.problem ? (
          <ProblemNotice problem={visit.problem} onRetry={visit.reload} />
        ) : (
          <Skeleton rows={10} />
        )}
      </Page>
    )
  return (
    <VisitPage
      view={view}
      problem={visit.problem}
      onView={(next) => (next.result ? setFinished(next) : visit.replace(next))}
      onReload={visit.reload}
      onLeft={() => goTo('assist')}
    />
  )
}
