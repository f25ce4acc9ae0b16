/** The bar on top: the branch, the states, the search, the officer, and the lock. */
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import { useBrand } from '../brand.ts'
import { useAct } from '../hooks.ts'
import { linkTo } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { Badge } from '../ui/badge.tsx'
import { BrandLogo } from '../ui/brand-logo.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { SearchBox } from './search.tsx'
import { StateBadges } from './state-badges.tsx'

export function TopBar() {
  const { t, formats } = useText()
  const { view, client, can, take } = useSession()
  const brand = useBrand()
  const act = useAct()
  const lock = () => act.run(async () => take(await client.send<SessionView>('POST', 'session/lock')))
  return (
    <header class="top">
      <p class="place">
        {brand && <BrandLogo brand={brand} />}
        <span>
          <b>
            <bdi>{view.place.organisation ?? brand?.name ?? t('organisation.unnamed')}</bdi>
          </b>
          <small class="muted">
            <bdi>{view.place.kiosk}</bdi>
          </small>
        </span>
        {view.mode === 'test' && <Badge tone="attention">{t('mode.test')}</Badge>}
      </p>
      <StateBadges />
      {can('proofings:list') && <SearchBox />}
      <a class="me" href={linkTo('me')}>
        <Icon name="person" />
        <span class="me-name">
          <bdi>{view.name}</bdi>
          <small>
            {view.roles.length > 2
              ? t('me.roles', { count: view.roles.length })
              : formats.list(view.roles.map((role) => t(`role.${role}`)))}
          </small>
        </span>
      </a>
      <Button icon="lock" working={act.working} onClick={() => void lock()}>
        {t('lock')}
      </Button>
    </header>
  )
}
