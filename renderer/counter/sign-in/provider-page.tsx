/** The page of the second window after the OpenID provider: how it ended, and that the window may be closed. */
import { parseProviderEnd } from '../provider.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Frame } from './frame.tsx'

export function ProviderPage({ end }: { readonly end: string | undefined }) {
  const { t } = useText()
  const known = parseProviderEnd(end) ?? 'not-authenticated'
  return (
    <Frame title={t('provider.title')} lead={t(`provider.end.${known}`)}>
      <div class="buttons">
        <Button kind="primary" onClick={() => close()}>
          {t('provider.close')}
        </Button>
      </div>
    </Frame>
  )
}
