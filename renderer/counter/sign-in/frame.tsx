/** The sheet of all pages before the work: register marks, the engraving, the language. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useBrand } from '../brand.ts'
import { useTitle } from '../hooks.ts'
import { useText } from '../text.tsx'
import { Engraving } from '../ui/card.tsx'
import { Badge } from '../ui/badge.tsx'
import { BrandLogo } from '../ui/brand-logo.tsx'
import { LanguageChoice } from '../ui/language-choice.tsx'

export function Frame({
  title,
  lead,
  mode,
  focus = 'heading',
  children,
}: {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly mode?: 'test' | 'production'
  /** `field`: the page needs no reading first, so the first field gets the focus. */
  readonly focus?: 'heading' | 'field'
  readonly children: ComponentChildren
}) {
  const { t } = useText()
  const form = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const brand = useBrand()
  useTitle(title)
  useEffect(() => {
    const field = focus === 'field' ? form.current?.querySelector<HTMLElement>('form input') : null
    ;(field ?? heading.current)?.focus()
  }, [title, focus])
  return (
    <div class="front">
      <header class="front-head">
        <p class="house">
          {brand && <BrandLogo brand={brand} />}
          <bdi>{brand?.name ?? t('app.name')}</bdi>
        </p>
        {mode === 'test' && <Badge tone="attention">{t('mode.test')}</Badge>}
      </header>
      <main class="front-sheet marked">
        <div class="front-picture">
          <Engraving />
          <p>{t('front.motto')}</p>
        </div>
        <div class="front-form" ref={form}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="lead">{lead}</p>}
          {children}
        </div>
      </main>
      <footer class="front-foot">
        <LanguageChoice />
      </footer>
    </div>
  )
}
