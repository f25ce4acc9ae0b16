/** Addresses that do not exist, or that the role may not open: a plain message with a link. */
import { useSession } from '../session.tsx'
import { HOME_OF } from '../shell/home.ts'
import { linkTo } from '../route.ts'
import { useText } from '../text.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'

export function NotFound() {
  const { t } = useText()
  return <Elsewhere title={t('not-found.title')} text={t('not-found.text')} />
}

export function NotAllowed() {
  const { t } = useText()
  return <Elsewhere title={t('not-allowed.title')} text={t('not-allowed.text')} />
}

function Elsewhere({ title, text }: { readonly title: string; readonly text: string }) {
  const { t } = useText()
  const { can } = useSession()
  return (
    <Page title={title}>
      <Empty
        actions={
          <LinkButton kind="primary" icon="back" href={linkTo(HOME_OF(can))}>
            {t('not-found.home')}
          </LinkButton>
        }
      >
        {text}
      </Empty>
    </Page>
  )
}
