/**
 * This screen, turned to the applicant: it covers the officer's page in full screen, and only "Give back"
 * closes it. Giving it back locks the console, because the applicant may be the one who presses: the officer
 * unlocks it.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SessionView } from '../../../../server/counter/contract/staff.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'

/** A screen that was turned for less is still in the officer's hands. Starting value. */
const UNLOCKED_MS = 10_000

export function Turned({
  children,
  onClose,
}: {
  /** `giveBack` resolves to false if the console could not be locked: then the screen stays covered. */
  readonly children: (giveBack: () => Promise<boolean>) => ComponentChildren
  readonly onClose: () => void
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const { t } = useText()
  const { client, take } = useSession()
  const [isStuck, setStuck] = useState(false)
  const turnedAt = useRef(performance.now())
  const close = useRef(onClose)
  close.current = onClose
  const giveBack = async (): Promise<boolean> => {
    try {
      if (performance.now() - turnedAt.current > UNLOCKED_MS)
        take(await client.send<SessionView>('POST', 'session/lock'))
      close.current()
      return true
    } catch {
      setStuck(true)
      return false
    }
  }
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
      // Chromium closes the dialog on a second Esc, even if `cancel` is prevented.
      onClose={() => {
        if (ref.current?.isConnected) ref.current.showModal()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      {children(giveBack)}
      {isStuck && <p role="alert">{t('assist.display.stuck')}</p>}
    </dialog>
  )
}
