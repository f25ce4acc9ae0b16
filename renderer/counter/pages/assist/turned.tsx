/**
 * This screen, turned to the applicant: it covers the officer's page in full screen, and only "Give back"
 * closes it.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function Turned({
  children,
  onClose,
}: {
  readonly children: (giveBack: () => void) => ComponentChildren
  readonly onClose: () => void
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const dialog = ref.current
    let open = true
    const cover = () => {
      if (open && dialog && !dialog.open) dialog.showModal()
    }
    // Request full screen first, then open the dialog above it. If the browser refuses, the dialog fills its
    // window.
    document.documentElement.requestFullscreen().then(cover, cover)
    return () => {
      open = false
      dialog?.close()
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined)
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class="turned"
      onCancel={(event) => event.preventDefault()}
      // Chromium closes on a second Esc whatever `cancel` says.
      onClose={() => {
        if (ref.current?.isConnected) ref.current.showModal()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      {children(() => close.current())}
    </dialog>
  )
}
