/** The rail: the areas that the officer's roles open, each with its icon and its word. */
import { NAVIGATION } from '../pages/index.ts'
import { linkTo } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { Icon } from '../ui/icon.tsx'

export function Rail({ current }: { readonly current: string }) {
  const { t } = useText()
  const { can } = useSession()
  return (
    <nav class="rail" aria-label={t('nav.label')}>
      <ul>
        {NAVIGATION.filter(({ permission }) => can(permission)).map(({ page, icon }) => (
          <li key={page}>
            <a href={linkTo(page)} aria-current={page === current ? 'page' : undefined}>
              <Icon name={icon} size={24} />
              <span>{t(`nav.${page}`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
