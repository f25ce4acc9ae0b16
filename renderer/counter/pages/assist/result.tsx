/** The result and its receipt: a reference, a code and a picture of both. No name, no number, no face, no result on the paper. */
import type { AssistResult, AssistView } from '../../../../server/counter/contract/assist.ts'
import { Qr } from '../../account/qr.tsx'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Mono } from '../../ui/time.tsx'

const TONE = { CONFIRMED: 'done', PERSON: 'note', LATER: 'waiting', NOT_ENOUGH: 'attention' } as const

export function Result({ view, result }: { readonly view: AssistView; readonly result: AssistResult }) {
  const { t } = useText()
  const { can, view: session } = useSession()
  const { reference, code, qr, issuedAt } = result
  // A sealed case is decided: nobody looks at it any more.
  const outcome = result.outcome === 'PERSON' && view.sealed ? 'NOT_ENOUGH' : result.outcome
  return (
    <Page title={t('assist.result.title', { reference })}>
      <div class="assist-result">
        <div class="stack no-print">
          <Notice tone={TONE[outcome]} title={t(`assist.result.${outcome}`)}>
            <p>{t(`assist.result.${outcome}.next`)}</p>
          </Notice>
          <Facts facts={[[t('proofing.level'), view.level.reached]]} />
          <div class="buttons">
            <Button kind="primary" icon="print" onClick={() => print()}>
              {t('assist.receipt.print')}
            </Button>
            <LinkButton icon="add" href={linkTo('assist')}>
              {t('assist.next-person')}
            </LinkButton>
            {view.identityId && can('proofings:open') && (
              <LinkButton kind="quiet" icon="eye" href={linkTo(`proofings/${view.identityId}`)}>
                {t('assist.result.open')}
              </LinkButton>
            )}
          </div>
          <p class="muted">{t('assist.receipt.once')}</p>
        </div>
        <Card title={t('assist.receipt.title')} marked>
          <div class="receipt">
            <p>
              <b>
                <bdi>{session.place.organisation}</bdi>
              </b>
            </p>
            <Qr rows={qr.rows} label={t('assist.receipt.qr')} />
            <Facts
              facts={[
                [t('column.reference'), <Mono>{reference}</Mono>],
                [t('assist.code'), <Mono>{code}</Mono>],
                [t('column.time'), <bdi dir="ltr">{issuedAt.replace('T', ' ')}</bdi>],
              ]}
            />
            <p class="small">{t('assist.receipt.text')}</p>
          </div>
        </Card>
      </div>
    </Page>
  )
}
