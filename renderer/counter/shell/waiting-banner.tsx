/**
 * Names who has waited longest without an officer, and leads there, on every page but the list itself. A count in the
 * tab's title alone is not seen.
 */
import { parseUtcTime } from '../formats.ts'
import { useNow } from '../hooks.ts'
import { waitingWords } from '../pages/today/help-calls.tsx'
import { linkTo } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { isOpen, useWaiting } from './waiting.tsx'

export function WaitingBanner() {
  const texts = useText()
  const { t } = texts
  const { client, can } = useSession()
  const now = useNow(1_000)
  const open = useWaiting()?.data?.calls.filter(isOpen) ?? []
  const [first] = open
  const sentence = t('help.waiting', { count: open.length })
  if (!can('help:answer')) return null
  return (
    <>
      {/* Announced when the count changes, not every second. */}
      <p class="only-read" role="status">
        {first ? sentence : ''}
      </p>
      {first && (
        <aside class="waiting-banner" aria-label={t('waiting.here')}>
          <Icon name={first.kind === 'SENT' ? 'person' : 'help'} size={24} />
          <p>
            <b>{sentence}</b>{' '}
            <span>
              <bdi>{first.kiosk}</bdi> ·{' '}
              {waitingWords(
                first,
                Math.max(0, Math.max(now, client.now()) - parseUtcTime(first.askedAt).getTime()),
                texts,
              )}
            </span>
          </p>
          <LinkButton kind="primary" icon="next" href={linkTo('today')}>
            {t('waiting.go')}
          </LinkButton>
        </aside>
      )}
    </>
  )
}
