/** Tells an officer who has a reference alone how the visit continues at this counter, and where to type the code. */
import { linkTo } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'

export function NeedsCode() {
  const { t } = useText()
  return (
    <Notice tone="note" title={t('search.needs-code')}>
      <p>{t('search.needs-code.why')}</p>
      <div class="buttons">
        <LinkButton icon="assist" href={linkTo('assist')}>
          {t('search.type-code')}
        </LinkButton>
      </div>
    </Notice>
  )
}
