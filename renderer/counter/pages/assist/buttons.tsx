/** The two ways on that several steps of a visit share. */
import { linkTo } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'

export function GoOn({ onNext }: { readonly onNext: () => void }) {
  const { t } = useText()
  return (
    <Button kind="primary" icon="next" onClick={onNext}>
      {t('go-on')}
    </Button>
  )
}

export function ToStart() {
  const { t } = useText()
  return (
    <div class="buttons">
      <LinkButton kind="primary" icon="back" href={linkTo('assist')}>
        {t('assist.to-start')}
      </LinkButton>
    </div>
  )
}
