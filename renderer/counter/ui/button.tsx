/**
 * Buttons, and links that look like them. One primary button per view; an icon alone has an accessible name.
 */
import type { ComponentChildren, Ref } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

interface ButtonProps {
  readonly children: ComponentChildren
  readonly kind?: Kind
  readonly icon?: IconName
  readonly type?: 'button' | 'submit'
  readonly id?: string
  readonly disabled?: boolean
  /** The act is under way: the button stays in place and ignores further clicks. */
  readonly working?: boolean
  readonly pressed?: boolean
  readonly expanded?: boolean
  /** The label for screen readers, which lack the context of the row. */
  readonly label?: string
  readonly describedBy?: string
  readonly onClick?: (event: MouseEvent) => void
  readonly buttonRef?: Ref<HTMLButtonElement>
}

export function Button({
  children,
  kind = 'plain',
  icon,
  type = 'button',
  working = false,
  disabled = false,
  pressed,
  expanded,
  label,
  describedBy,
  id,
  onClick,
  buttonRef,
}: ButtonProps) {
  return (
    <button
      ref={buttonRef}
      type={type}
      id={id}
      class={`button button-${kind}`}
      disabled={disabled}
      aria-disabled={working || undefined}
      aria-busy={working || undefined}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={(event) => {
        if (working) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly pressed?: boolean
  readonly expanded?: boolean
  readonly disabled?: boolean
  readonly shortcut?: string
  readonly onClick: () => void
}

/** 32 pixels square; a tooltip shows its name. */
export function IconButton({ icon, label, pressed, expanded, disabled, shortcut, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={shortcut ? `${label} (${shortcut})` : label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-keyshortcuts={shortcut}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

export function LinkButton({
  href,
  children,
  icon,
  kind = 'plain',
}: {
  readonly href: string
  readonly children: ComponentChildren
  readonly icon?: IconName
  readonly kind?: Kind
}) {
  return (
    <a class={`button button-${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}
