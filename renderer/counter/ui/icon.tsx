/**
 * An icon in the colour of the text beside it. It never carries meaning alone: it has a word beside it, or a
 * label.
 */
import { h } from 'preact'
import { ICONS } from '../../design/icons.ts'
import type { IconName, Shape } from '../../design/icons.ts'

export type { IconName }

/** Icons that point along the reading direction are mirrored with it. */
const POINTING: readonly IconName[] = ['next', 'back', 'leave', 'assist']

export function Icon({
  name,
  size = 20,
}: {
  readonly name: IconName
  readonly size?: 16 | 20 | 24 | 32 | 64
}) {
  const shapes: readonly Shape[] = ICONS[name]
  return (
    <svg
      class={`icon icon-${size}${POINTING.includes(name) ? ' pointing' : ''}`}
      viewBox="0 0 32 32"
      aria-hidden="true"
      focusable="false"
    >
      {shapes.map(([tag, attributes], at) => h(tag, { key: at, ...attributes }))}
    </svg>
  )
}
