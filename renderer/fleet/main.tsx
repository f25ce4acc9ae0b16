/**
 * The pages of the head office at the central service: `/fleet/` and `/verify/`, one bundle on the kit of the counter
 * (`counter/ui`). Staff have a cookie that no script reads; a consumer's key, the fall-back, is only in this tab.
 */
import { render } from 'preact'
import { FLEET } from '../locales/fleet.ts'
import { ErrorBoundary } from '../counter/shell/error-boundary.tsx'
import { TextProvider } from '../counter/text.tsx'
import { ToastProvider } from '../counter/ui/toast.tsx'
import { FleetPage } from './fleet-page.tsx'
import { VerifyPage } from './verify-page.tsx'

/** The colours follow the system: paper by day, ink by night. */
const dark = matchMedia('(prefers-color-scheme: dark)')
function applyLook(): void {
  if (dark.matches) document.documentElement.dataset.surround = 'ink'
  else delete document.documentElement.dataset.surround
}

applyLook()
dark.addEventListener('change', applyLook)
const root = document.getElementById('pages')
const Shown = location.pathname.endsWith('/verify/') ? VerifyPage : FleetPage
if (root)
  render(
    <TextProvider section={FLEET}>
      <ErrorBoundary>
        <ToastProvider>
          <Shown />
        </ToastProvider>
      </ErrorBoundary>
    </TextProvider>,
    root,
  )
