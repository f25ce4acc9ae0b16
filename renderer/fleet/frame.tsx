/** The frame of both pages: skip link, bar with the pages and the key's owner, main part, languages. */
import type { ComponentChildren } from 'preact'
import { Button } from '../counter/ui/button.tsx'
import { LanguageChoice } from '../counter/ui/language-choice.tsx'
import { useFleetText } from './text.ts'

const PAGES = ['fleet', 'verify'] as const

/** For an act that removes the focused control. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

export function Frame({
  page,
  who,
  narrow = false,
  onSignOut,
  children,
}: {
  readonly page: (typeof PAGES)[number]
  readonly who?: string | undefined
  readonly narrow?: boolean
  readonly onSignOut?: (() => void) | undefined
  readonly children: ComponentChildren
}) {
  const { t } = useFleetText()
  return (
    <div class="shell-alone">
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <header class="top">
        <p class="house">{t('app.name')}</p>
        <nav class="pages" aria-label={t('nav.label')}>
          {PAGES.map((name) => (
            <a key={name} href={`../${name}/`} aria-current={name === page ? 'page' : undefined}>
              {t(`nav.${name}`)}
            </a>
          ))}
          <a href="../docs/">{t('nav.api')}</a>
        </nav>
        {who && <bdi class="muted small">{who}</bdi>}
        {onSignOut && <Button onClick={onSignOut}>{t('sign-out')}</Button>}
      </header>
      <main id="main" tabIndex={-1} class={narrow ? 'narrow' : undefined}>
        {children}
      </main>
      <footer class="front-foot">
        <LanguageChoice />
      </footer>
    </div>
  )
}
