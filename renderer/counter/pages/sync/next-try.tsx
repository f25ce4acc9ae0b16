/** The time of the next try, or "now" if it only waits for its turn. */
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Time } from '../../ui/time.tsx'

export function NextTry({ at }: { readonly at: string | null }) {
  const { t } = useText()
  const client = useClient()
  return at !== null && Date.parse(at) <= client.now() ? (
    <span>{t('sync.next-try.now')}</span>
  ) : (
    <Time at={at} />
  )
}
