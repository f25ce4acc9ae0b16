/**
 * Reports the officer's activity to the server, warns before the lock, and covers the page when it is locked.
 */
import { useEffect, useRef } from 'preact/hooks'
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import { useNow } from '../hooks.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TOUCH_EVERY_MS, createIdleTimer } from './idle.ts'

const SIGNS = ['pointerdown', 'keydown', 'wheel'] as const

export function IdleGuard() {
  const { t } = useText()
  const { view, client, take } = useSession()
  useNow(1_000)
  const idle = createIdleTimer(view, client.now())
  const toldAt = useRef(client.now())
  const touch = () => {
    toldAt.current = client.now()
    // The page itself reports a missing connection.
    client.send<SessionView>('POST', 'session/touch').then(take, () => undefined)
  }
  const warned = idle.state === 'warned'
  useEffect(() => {
    const seen = () => {
      if (!warned && client.now() - toldAt.current > TOUCH_EVERY_MS) touch()
    }
    for (const sign of SIGNS) addEventListener(sign, seen, { capture: true, passive: true })
    return () => {
      for (const sign of SIGNS) removeEventListener(sign, seen, { capture: true })
    }
  }, [warned])
  const over = idle.state === 'over'
  useEffect(() => {
    if (over) client.get<SessionView>('session').then(take, () => undefined)
  }, [over])
  if (idle.state !== 'warned') return null
  return (
    <Dialog
      title={t('idle.title')}
      onClose={touch}
      footer={
        <Button kind="primary" onClick={touch}>
          {t('idle.more')}
        </Button>
      }
    >
      <p>{t('idle.text')}</p>
      <p class="figure" aria-hidden="true">
        {t('idle.seconds', { count: idle.secondsLeft })}
      </p>
    </Dialog>
  )
}
