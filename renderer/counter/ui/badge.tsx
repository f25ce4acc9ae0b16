/** A state: shape and word; the colour only supports them. */
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export type Tone = 'done' | 'attention' | 'problem' | 'note' | 'waiting' | 'quiet'

const ICON_OF: Readonly<Record<Tone, IconName>> = {
  done: 'done',
  attention: 'attention',
  problem: 'octagon',
  note: 'note',
  waiting: 'waiting',
  quiet: 'todo',
}

export function Badge({
  tone,
  icon,
  children,
}: {
  readonly tone: Tone
  /** Replaces the tone's own shape. */
  readonly icon?: IconName | undefined
  readonly children: ComponentChildren
}) {
  return (
    <span class={`badge badge-${tone}`}>
      <Icon name={icon ?? ICON_OF[tone]} size={16} />
      <span>{children}</span>
    </span>
  )
}

/** A few important sentences with a shape; screen readers announce an `alert` immediately. */
export function Notice({
  tone,
  title,
  children,
  alert = false,
  actions,
}: {
  readonly tone: Tone
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
  readonly alert?: boolean
  readonly actions?: ComponentChildren
}) {
  return (
    <div class={`notice notice-${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={ICON_OF[tone]} size={24} />
      <div class="notice-words">
        {title && <p class="notice-title">{title}</p>}
        {children}
      </div>
      {actions && <div class="notice-actions">{actions}</div>}
    </div>
  )
}
