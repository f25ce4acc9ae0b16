/** The applicant's display: its own page under `#/display/…`, drawn without a sign-in. */
import { useBrand } from '../brand.ts'
import { useTitle } from '../hooks.ts'
import { useText } from '../text.tsx'
import { ConsentScreen } from './consent-screen.tsx'

export function DisplayPage({ token }: { readonly token: string }) {
  const { t } = useText()
  useTitle(useBrand()?.name ?? t('app.name'))
  return <ConsentScreen token={token} />
}
