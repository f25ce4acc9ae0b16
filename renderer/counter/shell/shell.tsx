/** The frame of every page: skip link, bar, rail, and the page of the address, if the role may see it. */
import { useEffect, useRef } from 'preact/hooks'
import { PAGES } from '../pages/index.ts'
import { useRoute } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { IdleGuard } from './idle-guard.tsx'
import { HOME_OF } from './home.ts'
import { Rail } from './rail.tsx'
import { SearchProvider } from './search.tsx'
import { TopBar } from './top-bar.tsx'
import { WaitingBanner } from './waiting-banner.tsx'
import { WaitingProvider } from './waiting.tsx'
import { NotAllowed, NotFound } from '../pages/not-there.tsx'

export function Shell() {
  const { t } = useText()
  const { can } = useSession()
  const route = useRoute()
  const name = location.hash.length > 2 ? route.page : HOME_OF(can)
  const entry = PAGES.find(({ page }) => page === name)
  const allowed = entry && (entry.permission === null || can(entry.permission))
  const Page = allowed ? entry.component : entry ? NotAllowed : NotFound
  // A change of filters or tabs stays on the page; another path is another page.
  const place = [name, ...(entry?.keepRest ? [] : route.rest)].join('/')
  useFocusOnHeading(place)
  const isAlone = Boolean(allowed && entry.alone)
  return (
    <SearchProvider>
      <WaitingProvider>
        <div class={isAlone ? 'shell shell-alone' : 'shell'}>
          <a
            class="skip"
            href="#main"
            onClick={(event) => {
              event.preventDefault()
              document.getElementById('main')?.focus()
            }}
          >
            {t('skip')}
          </a>
          {!isAlone && <TopBar />}
          {!isAlone && <Rail current={entry?.under ?? name} />}
          <main id="main" tabIndex={-1}>
            {!isAlone && name !== 'today' && <WaitingBanner />}
            <ErrorBoundary key={place}>
              <Page rest={route.rest} query={route.query} />
            </ErrorBoundary>
          </main>
        </div>
        <IdleGuard />
      </WaitingProvider>
    </SearchProvider>
  )
}

/**
 * Moves the focus to the title of a new page, so that screen readers announce it; the first page leaves the
 * focus alone.
 */
function useFocusOnHeading(place: string): void {
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    scrollTo(0, 0)
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [place])
}
