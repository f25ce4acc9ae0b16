/**
 * The sign-in at the OpenID provider. A new session begins in this window; an unlock, and the proof that it is still the same
 * officer, happen in a window of their own, so that unfinished work on this page stays.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProviderEnd, ProviderPurpose, SessionView } from '../../server/counter/contract/staff.ts'
import type { Client } from './api/client.ts'

const SIGN_IN = new URL('api/openid/sign-in', new URL('/counter/', location.href)).href
const ASK_EVERY_MS = 1000

/** Typed against the contract, because this page may import only its types. */
const ENDS: Readonly<Record<ProviderEnd, true>> = {
  done: true,
  denied: true,
  'not-authenticated': true,
  unavailable: true,
  stale: true,
  'no-role': true,
}

/** Reads an end of the sign-in from the address; null: the address names none. */
export function parseProviderEnd(text: string | undefined): ProviderEnd | null {
  return text !== undefined && Object.hasOwn(ENDS, text) ? (text as ProviderEnd) : null
}

export function openProvider(purpose: ProviderPurpose): Window | null {
  const address = `${SIGN_IN}?purpose=${purpose}`
  if (purpose !== 'SIGN_IN') {
    const opened = open(address, '_blank', 'popup,width=560,height=760')
    if (opened) return opened
  }
  // The shell of the appliance opens no second window.
  location.assign(address)
  return null
}

/** @param isDone the session shows what the officer did in the other window */
export function useProviderWindow(
  client: Client,
  isDone: (view: SessionView) => boolean,
  onView: (view: SessionView) => void,
): { readonly waiting: boolean; readonly ask: (purpose: 'UNLOCK' | 'FRESH') => void } {
  const [waiting, setWaiting] = useState(false)
  const timer = useRef<ReturnType<typeof setInterval> | undefined>(undefined)
  const stop = () => {
    clearInterval(timer.current)
    setWaiting(false)
  }
  useEffect(() => () => clearInterval(timer.current), [])
  return {
    waiting,
    ask: (purpose) => {
      stop()
      setWaiting(true)
      openProvider(purpose)
      timer.current = setInterval(() => {
        client.get<SessionView>('session').then(
          (view) => {
            const isOver = view.state !== 'LOCKED' && view.state !== 'SIGNED_IN'
            if (!isOver && !isDone(view)) return
            stop()
            onView(view)
          },
          // The next question may be answered.
          () => undefined,
        )
      }, ASK_EVERY_MS)
    },
  }
}
