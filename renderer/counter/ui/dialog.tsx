/** Confirmations of irreversible acts, and forms above a page, as the browser's own dialog. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Act } from '../hooks.ts'
import { useKitText } from '../text.tsx'
import { Button, IconButton } from './button.tsx'
import { ProblemNotice } from './problem.tsx'

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly footer?: ComponentChildren
  /** Appears above the buttons, where it is visible however long the dialog is. */
  readonly notice?: ComponentChildren
  readonly onClose: () => void
  /** False if closing would lose something that is shown only once. */
  readonly closable?: boolean
  readonly shape?: DialogShape
}

/**
 * `beside`: at the page's end, full height; the rest of the page stays usable, because it shows the values to
 * type.
 */
type DialogShape = 'wide' | 'beside'

/** Open while it is drawn. Esc closes it; the focus returns to its former place, or to the page's title. */
export function Dialog({ title, children, footer, notice, onClose, closable = true, shape }: DialogProps) {
  const { t } = useKitText()
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (shape === 'beside') dialog?.show()
    else dialog?.showModal()
    // Focus the first control for input, never the closing button.
    const first = dialog?.querySelector<HTMLElement>(
      '.dialog-body :is(input, select, textarea):not([tabindex="-1"])',
    )
    ;(first ?? dialog?.querySelector<HTMLElement>('h2'))?.focus()
    return () => {
      dialog?.close()
      // Wait for the redraw: the act may have removed the control that had the focus. Another open dialog
      // keeps the focus.
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
        // The browser closes only modal dialogs on Escape.
        if (shape === 'beside' && event.key === 'Escape' && closable) onClose()
      }}
      // Chromium closes on a second Esc whatever `cancel` says; content that is shown once must not be lost
      // by a slip.
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

/** "Do it" and "not now". Ctrl+Enter confirms too; a single key never does. */
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
  /** All required fields are filled in. */
  readonly ready?: boolean
  readonly shape?: DialogShape
  readonly act: Act
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const { t } = useKitText()
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
