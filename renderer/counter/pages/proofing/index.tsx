/** One proofing: identity, evidence, findings, level, and possible acts. Opening it is an event. */
import type { ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useState } from 'preact/hooks'
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import { useAct, useResource } from '../../hooks.ts'
import { goTo, linkTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { PageProps } from '../page-props.ts'
import { NeedsCode } from '../search/needs-code.tsx'
import { EvidenceSection } from './evidence-card.tsx'
import { LevelCard } from './level-card.tsx'
import { RetentionCard } from './retention-card.tsx'
import { SealCard } from './seal-card.tsx'
import { SummaryCard } from './summary-card.tsx'
import { Timeline } from './timeline.tsx'

export function ProofingPage({ rest }: PageProps) {
  const { t } = useText()
  const client = useClient()
  const [identityId = ''] = rest
  // Never reload automatically: each opening is logged.
  const { data, problem, reload } = useResource<ProofingDetail>(
    (signal) => client.get(`proofings/${encodeURIComponent(identityId)}`, signal),
    identityId,
  )
  const back = (
    <a href={linkTo('today')}>
      <Icon name="back" size={16} /> {t('nav.today')}
    </a>
  )
  if (!data)
    return (
      <Page title={t('proofing.title')} back={back}>
        {problem?.code === 'not_found' || problem?.status === 404 || problem?.status === 410 ? (
          <Empty
            actions={
              <LinkButton icon="back" href={linkTo('today')}>
                {t('nav.today')}
              </LinkButton>
            }
          >
            {t('proofing.gone')}
          </Empty>
        ) : problem ? (
          <ProblemNotice problem={problem} onRetry={reload} />
        ) : (
          <Skeleton rows={10} />
        )}
      </Page>
    )
  const reference = data.visit?.reference
  return (
    <Page
      title={reference ? t('proofing.title-of', { reference }) : t('proofing.title')}
      back={back}
      actions={
        data.goOn === 'HERE' &&
        data.visit && (
          <LinkButton icon="assist" href={linkTo(`assist/${data.visit.visitId}`)}>
            {t('proofing.assist')}
          </LinkButton>
        )
      }
    >
      {data.goOn === 'CODE' && <NeedsCode />}
      {data.goOn === 'COLLEAGUE' && <WithColleague detail={data} />}
      <div class="columns">
        <div class="stack">
          <SummaryCard detail={data} />
          <EvidenceSection detail={data} />
        </div>
        <div class="stack">
          <LevelCard level={data.level} evidences={data.evidences} />
          <SealCard detail={data} />
          <RetentionCard detail={data} />
          <Timeline entries={data.timeline} names={data.staffNames} />
        </div>
      </div>
    </Page>
  )
}

/**
 * A colleague attends the visit. A visit that went to the desk can be taken over, after a question that names
 * the colleague.
 */
function WithColleague({ detail: { takeFrom, visit } }: { readonly detail: ProofingDetail }) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [isAsked, setAsked] = useState(false)
  if (!takeFrom || !visit) return <Notice tone="note" title={t('proofing.with-colleague')} />
  const { staffId: from, name } = takeFrom
  const take = () =>
    act.run(async () => {
      const body = { visitId: visit.visitId, from }
      const { visitId } = await client.send<AssistView>('POST', 'assist/take-over', { body })
      goTo(`assist/${visitId}`)
    })
  return (
    <>
      <Notice tone="note" title={t('proofing.with-colleague')}>
        <Button icon="assist" onClick={() => setAsked(true)}>
          {t('proofing.take-from', { name })}
        </Button>
      </Notice>
      {isAsked && (
        <ConfirmDialog
          title={t('proofing.take-from', { name })}
          confirm={t('assist.take-over.go')}
          act={act}
          onConfirm={() => void take()}
          onClose={() => setAsked(false)}
        >
          <p>{t('proofing.take-from.text', { name })}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
