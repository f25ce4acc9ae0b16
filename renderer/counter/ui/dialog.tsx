/** Questions before something that cannot be undone, and forms that stand above a page: the browser's own dialog. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Act } from '../hooks.ts'
import { useText } from '../text.tsx'
import { Button, IconButton } from './button.tsx'
import { ProblemNotice } from './problem.tsx'

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly footer?: ComponentChildren
  /** Stands above the buttons, where it is seen however long the dialog is. */
  readonly notice?: ComponentChildren
  readonly onClose: () => void
  /** False where closing would lose what is shown once. */
  readonly closable?: boolean
  readonly shape?: DialogShape
}

/** `beside`: at the page's end, full height; the rest of the page stays in use, because it says what is to be typed. */
export type DialogShape = 'wide' | 'beside'

/** Open for as long as it is drawn. Esc closes it; the focus goes back to where it was, or to the page's title. */
export function Dialog({ title, children, footer, notice, onClose, closable = true, shape }: DialogProps) {
  const { t } = useText()
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (shape === 'beside') dialog?.show()
    else dialog?.showModal()
    // Where one begins to read or to type; never the button that closes it all.
    const first = dialog?.querySelector<HTMLElement>(
      '.dialog-body :is(input, select, textarea):not([tabindex="-1"])',
    )
    ;(first ?? dialog?.querySelector<HTMLElement>('h2'))?.focus()
    return () => {
      dialog?.close()
      // When the page is drawn again: an act may have taken what had the focus off it. Another dialog keeps the focus to itself.
      setTimeout(() => {
        if (document.querySelector('dialog[open]')) return
        const there = before instanceof HTMLElement && before.isConnected && before !== document.body
        ;(there ? before : document.querySelector<HTMLElement>('main h1'))?.focus()
      })
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog${shape ? ` dialog-${shape}` : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (closable) onClose()
      }}
      onKeyDown={(event) => {
        // The browser closes a modal dialog by itself.
        if (shape === 'beside' && event.key === 'Escape' && closable) onClose()
      }}
      // Chromium closes on a second Esc whatever `cancel` says: what is shown once must not go by a slip.
      onClose={() => {
        const dialog = ref.current
        if (!dialog?.isConnected || dialog.open) return
        if (closable) onClose()
        else dialog.showModal()
      }}
    >
      <div class="dialog-head">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {closable && <IconButton icon="close" label={t('close')} onClick={onClose} />}
      </div>
      <div class="dialog-body">{children}</div>
      {notice}
      {footer && <div class="dialog-foot buttons">{footer}</div>}
    </dialog>
  )
}

/** "Do it" and "not now". With Ctrl+Enter the keyboard does it, too; one key alone never does. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  danger = false,
  ready = true,
  shape,
  act,
  onConfirm,
  onClose,
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly confirm: string
  readonly danger?: boolean
  /** Everything that is needed has been filled in. */
  readonly ready?: boolean
  readonly shape?: DialogShape
  readonly act: Act
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const { t } = useText()
  return (
    <Dialog
      title={title}
      {...(shape ? { shape } : {})}
      onClose={onClose}
      notice={
        act.problem && (
          <div class="dialog-notice">
            <ProblemNotice problem={act.problem} />
          </div>
        )
      }
      footer={
        <>
          <Button
            kind={danger ? 'danger' : 'primary'}
            working={act.working}
            disabled={!ready}
            onClick={onConfirm}
          >
            {confirm}
          </Button>
          <Button onClick={onClose}>{t('cancel')}</Button>
        </>
      }
    >
      <div
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.ctrlKey && ready && !act.working) onConfirm()
        }}
      >
        {children}
      </div>
    </Dialog>
  )
}
