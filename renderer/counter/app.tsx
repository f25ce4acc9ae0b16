/**
 * The counter: the session decides what is drawn. A locked page stays in memory, hidden, with its unfinished
 * work.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AtWork, SessionView } from '../../server/counter/contract/staff.ts'
import { COUNTER } from '../locales/counter.ts'
import { createClient } from './api/client.ts'
import { DisplayPage } from './display/index.tsx'
import { useResource } from './hooks.ts'
import { setLocked } from './presence.ts'
import { useRoute } from './route.ts'
import { SessionContext } from './session.tsx'
import type { Session } from './session.tsx'
import { ErrorBoundary } from './shell/error-boundary.tsx'
import { FreshDialog } from './shell/fresh-dialog.tsx'
import { LockScreen } from './shell/lock-screen.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { Frame } from './sign-in/frame.tsx'
import { ProviderPage } from './sign-in/provider-page.tsx'
import { TextProvider, useText } from './text.tsx'
import { Skeleton } from './ui/card.tsx'
import { ProblemNotice } from './ui/problem.tsx'
import { ToastProvider } from './ui/toast.tsx'

const API = new URL('api/', new URL('/counter/', location.href)).href

export function App() {
  return (
    <TextProvider section={COUNTER}>
      <ErrorBoundary>
        <ToastProvider>
          <Start />
        </ToastProvider>
      </ErrorBoundary>
    </TextProvider>
  )
}

/** The applicant's display, and the window of a sign-in at the provider, need no session. */
function Start() {
  const { page, rest } = useRoute()
  if (page === 'display') return <DisplayPage token={rest[0] ?? ''} />
  return page === 'provider' ? <ProviderPage end={rest[0]} /> : <Gate />
}

function Gate() {
  const { t, suggestLanguage, forgetChoice } = useText()
  const reloadRef = useRef<() => void>(() => undefined)
  const [asking, setAsking] = useState<((given: boolean) => void) | null>(null)
  const client = useMemo(
    () =>
      createClient(API, {
        onSessionChanged: () => reloadRef.current(),
        askFresh: () => new Promise((answer) => setAsking(() => answer)),
      }),
    [],
  )
  const {
    data: view,
    problem,
    reload,
    replace,
  } = useResource<SessionView>((signal) => client.get('session', signal), 'session')
  reloadRef.current = reload
  // The last officer at work: the locked page is kept for the same officer and discarded for another one.
  const worker = useRef<AtWork | null>(null)
  if (view?.state === 'SIGNED_IN') worker.current = view
  else if (view && view.state !== 'LOCKED') worker.current = null

  const isLocked = view?.state === 'LOCKED'
  useEffect(() => setLocked(isLocked), [isLocked])

  const preferred = view && 'language' in view ? view.language : null
  useEffect(() => {
    if (preferred) suggestLanguage(preferred)
  }, [preferred])
  const wasAtWork = useRef(false)
  useEffect(() => {
    if (view?.state === 'SIGNED_IN') wasAtWork.current = true
    else if (view?.state === 'SIGNED_OUT' && wasAtWork.current) {
      wasAtWork.current = false
      forgetChoice()
    }
  }, [view?.state])

  const take = useCallback((next: SessionView) => replace(next), [replace])
  const atWork = worker.current
  const session = useMemo<Session | null>(
    () =>
      atWork && {
        view: atWork,
        client,
        take,
        can: (permission) => atWork.permissions.includes(permission),
      },
    [atWork, client, take],
  )
  if (!view)
    return (
      <Frame title={t('app.name')}>
        {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={4} />}
      </Frame>
    )
  return (
    <>
      {session && (
        <div class="workplace" hidden={isLocked} inert={isLocked}>
          <SessionContext.Provider value={session}>
            <Shell key={session.view.staffId} />
            {asking && (
              <FreshDialog
                onDone={(given) => {
                  setAsking(null)
                  asking(given)
                }}
              />
            )}
          </SessionContext.Provider>
        </div>
      )}
      {view.state === 'LOCKED' && <LockScreen view={view} client={client} onView={take} />}
      {view.state !== 'LOCKED' && view.state !== 'SIGNED_IN' && (
        <SignIn view={view} client={client} onView={take} />
      )}
    </>
  )
}
