/** Groups on a page: a title, facts in pairs, and placeholders for missing data. */
import type { ComponentChildren, RefObject } from 'preact'
import { useId } from 'preact/hooks'
import { PICTURES } from '../../design/pictures.ts'
import type { Shape } from '../../design/icons.ts'
import { useKitText } from '../text.tsx'

export function Card({
  title,
  actions,
  children,
  marked = false,
  place,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  /** Shows register marks at the corners: the most important card of a page. */
  readonly marked?: boolean
  /** The title, for a page that gives it the focus. */
  readonly place?: RefObject<HTMLHeadingElement | null>
}) {
  const id = useId()
  return (
    <section class={`card${marked ? ' marked' : ''}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id} ref={place} tabIndex={place && -1}>
          {title}
        </h2>
        {actions && <div class="card-actions">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

export type Fact = readonly [name: string, value: ComponentChildren]

export function Facts({ facts }: { readonly facts: readonly (Fact | null | false)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** States in a sentence, inside register marks, that there is nothing to show; possible acts are below. */
export function Empty({
  children,
  actions,
}: {
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
}) {
  return (
    <div class="empty marked">
      <p>{children}</p>
      {actions && <div class="buttons">{actions}</div>}
    </div>
  )
}

/** Reserves the place and height of data that is loading. */
export function Skeleton({ rows = 5 }: { readonly rows?: number }) {
  const { t } = useKitText()
  return (
    <div class="skeleton" role="status">
      <span class="only-read">{t('loading')}</span>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} class="skeleton-row" aria-hidden="true" />
      ))}
    </div>
  )
}

/** The emblem of the product: a page and its mirrored second print. */
export function Engraving() {
  const { width, height } = PICTURES.welcome
  return (
    <svg class="engraving" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      <Shapes shapes={PICTURES.welcome.shapes} />
      <g class="second" transform={`translate(${width} 0) scale(-1 1)`}>
        <Shapes shapes={PICTURES.welcome.mirrored} />
      </g>
    </svg>
  )
}

function Shapes({ shapes }: { readonly shapes: readonly Shape[] }) {
  return (
    <>
      {shapes.map(([Tag, attributes], at) => {
        const Shape = Tag as 'path'
        return <Shape key={at} {...attributes} />
      })}
    </>
  )
}
