/** The rail: the areas that the officer's roles open, each with its icon and its word. */
import { NAVIGATION } from '../pages/index.ts'
import { linkTo } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { Icon } from '../ui/icon.tsx'
import { isOpen, useWaiting } from './waiting.tsx'

export function Rail({ current }: { readonly current: string }) {
  const { t, formats } = useText()
  const { can } = useSession()
  const waiting = useWaiting()?.data?.calls.filter(isOpen).length ?? 0
  return (
    <nav class="rail" aria-label={t('nav.label')}>
      <ul>
        {NAVIGATION.filter(({ permission }) => can(permission)).map(({ page, icon }) => (
          <li key={page}>
            <a href={linkTo(page)} aria-current={page === current ? 'page' : undefined}>
              <Icon name={icon} size={24} />
              <span>{t(`nav.${page}`)}</span>
              {page === 'today' && waiting > 0 && (
                <>
                  <b class="rail-count" aria-hidden="true">
                    {formats.number(waiting)}
                  </b>
                  <span class="only-read">{t('help.waiting', { count: waiting })}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
