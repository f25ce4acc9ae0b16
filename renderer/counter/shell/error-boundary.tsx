/**
 * Shows an error of this page in words, with a way to continue. Only the browser's console has its details.
 */
import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { useKitText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/badge.tsx'

interface State {
  readonly failed: boolean
}

export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { failed: false }
  static override getDerivedStateFromError(): State {
    return { failed: true }
  }
  override render() {
    if (!this.state.failed) return this.props.children
    return <Failed onAgain={() => this.setState({ failed: false })} />
  }
}

function Failed({ onAgain }: { readonly onAgain: () => void }) {
  const { t } = useKitText()
  return (
    <main class="failed">
      <Notice
        tone="problem"
        alert
        title={t('failed.title')}
        actions={
          <>
            <Button kind="primary" icon="retry" onClick={onAgain}>
              {t('failed.again')}
            </Button>
            <Button onClick={() => location.reload()}>{t('failed.reload')}</Button>
          </>
        }
      >
        <p>{t('failed.text')}</p>
      </Notice>
    </main>
  )
}
