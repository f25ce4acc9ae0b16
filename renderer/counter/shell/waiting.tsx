/**
 * The waiting applicants, polled once for all pages: the list, the count in the tab's title, and alerts for
 * new calls.
 */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { HelpCall, WaitingView } from '../../../server/counter/contract/today.ts'
import { isSoundOn, ring, showNote } from '../alerts.ts'
import { useResource } from '../hooks.ts'
import type { Resource } from '../hooks.ts'
import { useSession } from '../session.tsx'
import { countInTab } from '../tab.ts'
import { useText } from '../text.tsx'

// An applicant waits at the kiosk; the server answers from its own database (starting value).
const EVERY_MS = 5_000

const WaitingContext = createContext<Resource<WaitingView> | null>(null)

/** Wraps the pages of officers who may see the calls; other roles do not poll. */
export function WaitingProvider({ children }: { readonly children: ComponentChildren }) {
  const { can } = useSession()
  return can('waiting:see') ? <Asking>{children}</Asking> : <>{children}</>
}

function Asking({ children }: { readonly children: ComponentChildren }) {
  const { client } = useSession()
  const waiting = useResource<WaitingView>((signal) => client.get('waiting', signal), 'waiting', {
    everyMs: EVERY_MS,
    whileHidden: true,
  })
  useAlerts(waiting.data)
  return <WaitingContext.Provider value={waiting}>{children}</WaitingContext.Provider>
}

/** Null without the permission. */
export function useWaiting(): Resource<WaitingView> | null {
  return useContext(WaitingContext)
}

/** True if no officer holds or has answered the call, or if it is overdue. */
export const isOpen = ({
  heldBy,
  answer,
  overdue,
}: Pick<HelpCall, 'heldBy' | 'answer' | 'overdue'>): boolean =>
  overdue || (heldBy === null && answer === null)

/** Alerts only for calls that come after the page was opened. */
function useAlerts(view: WaitingView | null): void {
  const { t } = useText()
  const before = useRef<{ readonly calls: ReadonlySet<string>; readonly cases: number } | null>(null)
  useEffect(() => {
    if (!view) return
    const open = view.calls.filter(isOpen)
    countInTab(open.length + view.cases)
    const known = before.current
    before.current = { calls: new Set(open.map(buildCallId)), cases: view.cases }
    if (!known) return
    const newCalls = open.filter((call) => !known.calls.has(buildCallId(call)))
    const isMoreCases = view.cases > known.cases
    if (newCalls.length === 0 && !isMoreCases) return
    if (isSoundOn()) ring()
    const [call] = newCalls
    if (call) showNote(call.kiosk, t(`waiting.note.${call.kind}`))
    else showNote(t('nav.desk'), t('waiting.cases', { count: view.cases }))
  }, [view])
  useEffect(() => () => countInTab(0), [])
}

/** A call for help that becomes a walk to the counter alerts again. */
const buildCallId = ({ visitId, kind }: HelpCall): string => `${kind} ${visitId}`
