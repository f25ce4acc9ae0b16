/** A page's head: its title, which takes the focus when the page opens, its acts, and the tab's title. */
import type { ComponentChildren } from 'preact'
import { useTitle } from '../hooks.ts'

export function Page({
  title,
  lead,
  actions,
  back,
  children,
}: {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  /** The link to the parent page, above the title. */
  readonly back?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useTitle(title)
  return (
    <>
      {back && <p class="page-back">{back}</p>}
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p class="muted">{lead}</p>}
        </div>
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </>
  )
}
