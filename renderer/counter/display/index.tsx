/** The applicant's own display: a page of its own behind `#/display/…`, drawn before anybody is asked who signs in. */
import { useEffect } from 'preact/hooks'
import { ConsentScreen } from './consent-screen.tsx'

export function DisplayPage({ token }: { readonly token: string }) {
  useEffect(() => {
    document.title = 'Counterproof'
  }, [])
  return <ConsentScreen token={token} />
}
