/** The result of a receipt search: the visit, and what this officer may do with it. */
import type { SearchAnswer } from '../../../../server/counter/contract/today.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useSearch } from '../../shell/search.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card, Empty, Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'
import { ProofingTable } from '../today/proofing-table.tsx'
import { NeedsCode } from './needs-code.tsx'

export function SearchPage() {
  const { t } = useText()
  const { can } = useSession()
  const { working, answer, problem, asked } = useSearch()
  const found = answer?.found
  const foundCase = answer?.foundCase
  return (
    <Page title={t('search.title')} lead={t('search.lead')}>
      <div role="status" class="stack">
        {working && <Skeleton rows={2} />}
        {!working && !asked && <Empty>{t('search.nothing-asked')}</Empty>}
        {answer && !found && !foundCase && (
          <Empty>
            {t('search.none')} {answer.triesLeft < 5 && t('search.tries', { count: answer.triesLeft })}
          </Empty>
        )}
      </div>
      <ProblemNotice problem={problem} />
      {foundCase && <FoundCase {...foundCase} />}
      {answer && found && (
        <Card title={t('search.found')} marked>
          <ProofingTable rows={[found]} />
          {!found.identityId && <Notice tone="note" title={t('search.nothing-to-open')} />}
          <div class="buttons">
            {found.identityId && can('proofings:open') && (
              <LinkButton icon="eye" kind="primary" href={linkTo(`proofings/${found.identityId}`)}>
                {t('search.open')}
              </LinkButton>
            )}
            {answer.mayTakeOver && can('proofings:assist') && (
              <LinkButton icon="assist" href={linkTo('assist', { from: 'search' })}>
                {t('search.take-over')}
              </LinkButton>
            )}
          </div>
          {can('proofings:open') && <p class="muted small">{t('search.opening-is-noted')}</p>}
          {answer.needsCode && can('proofings:assist') && <NeedsCode />}
        </Card>
      )}
    </Page>
  )
}

/** A proofing of a relying service: it has no visit, and may wait at the desk. */
function FoundCase({ identityId, reference, isAtDesk }: NonNullable<SearchAnswer['foundCase']>) {
  const { t } = useText()
  const { can } = useSession()
  return (
    <Card title={t('search.found')} marked>
      <p>
        <Mono>{reference}</Mono> {isAtDesk ? t('search.at-desk') : t('search.by-service')}
      </p>
      <div class="buttons">
        {can('proofings:open') && (
          <LinkButton icon="eye" kind="primary" href={linkTo(`proofings/${identityId}`)}>
            {t('search.open')}
          </LinkButton>
        )}
        {isAtDesk && can('desk:decide') && (
          <LinkButton icon="desk" href={linkTo('desk')}>
            {t('search.to-desk')}
          </LinkButton>
        )}
      </div>
      {can('proofings:open') && <p class="muted small">{t('search.opening-is-noted')}</p>}
    </Card>
  )
}
