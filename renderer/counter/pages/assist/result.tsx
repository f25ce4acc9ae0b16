/**
 * The result and its receipt: a reference, a code and a picture of both. The paper has no name, number, face
 * or result.
 */
import type { AssistResult, AssistView } from '../../../../server/counter/contract/assist.ts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { COUNTER } from '../../../locales/counter.ts'
import { englishTexts, getLanguage, loadTexts } from '../../../locales/index.ts'
import { useBrand } from '../../brand.ts'
import { createFormats } from '../../formats.ts'
import { useLevelName } from '../../levels.tsx'
import { Qr } from '../../account/qr.tsx'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Mono } from '../../ui/time.tsx'

const TONE = { CONFIRMED: 'done', NOT_CONFIRMED: 'attention', PERSON: 'note' } as const

/** Texts and dates in the language of another reader; English until they are loaded. */
function useTextsIn(tag: string): Pick<Texts, 't' | 'formats'> {
  const [t, setT] = useState<Texts['t']>(() => englishTexts(COUNTER))
  useEffect(() => {
    loadTexts(COUNTER, tag).then(
      (loaded) => setT(() => loaded),
      () => undefined,
    )
  }, [tag])
  return useMemo(() => ({ t, formats: createFormats(tag, t) }), [tag, t])
}

export function Result({ view, result }: { readonly view: AssistView; readonly result: AssistResult }) {
  const { t } = useText()
  const language = getLanguage(view.language)
  const own = useTextsIn(language.tag)
  const { can, view: session } = useSession()
  const named = useLevelName()
  const brand = useBrand()
  const { outcome, reference, code, qr, issuedAt } = result
  // The server's timestamp in local time.
  const issued = new Date(issuedAt).toISOString()
  return (
    <Page title={t('assist.result.title', { reference })}>
      <div class="assist-result">
        <div class="stack no-print">
          <Notice tone={TONE[outcome]} title={t(`assist.result.${outcome}`)}>
            <p>
              {t(
                outcome === 'NOT_CONFIRMED' && !view.level.presenceShown
                  ? 'assist.result.no-presence'
                  : `assist.result.${outcome}.next`,
              )}
            </p>
          </Notice>
          <Facts facts={[[t('proofing.level'), <b>{named(view.level.reached)}</b>]]} />
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
        <Card title={own.t('assist.receipt.title')} marked>
          <div class="receipt" lang={language.tag} dir={language.dir}>
            <p>
              <b>
                <bdi>{session.place.organisation ?? brand?.name ?? own.t('organisation.unnamed')}</bdi>
              </b>
            </p>
            <Qr rows={qr.rows} label={own.t('assist.receipt.qr')} />
            <Facts
              facts={[
                [own.t('column.reference'), <Mono>{reference}</Mono>],
                [own.t('assist.code'), <Mono>{code}</Mono>],
                [own.t('column.time'), <bdi>{own.formats.dateTime(issued)}</bdi>],
              ]}
            />
            <p class="small">{own.t(view.sealed ? 'assist.receipt.text.sealed' : 'assist.receipt.text')}</p>
          </div>
        </Card>
      </div>
    </Page>
  )
}
