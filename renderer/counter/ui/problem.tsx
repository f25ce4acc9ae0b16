/** Shows a problem as a sentence that says what to do next. Never a bare code, never "unknown". */
import type { ApiProblem } from '../api/client.ts'
import { problemSentence } from '../problem-words.ts'
import { useKitText } from '../text.tsx'
import { Notice } from './badge.tsx'
import { Button } from './button.tsx'

export function ProblemNotice({
  problem,
  onRetry,
}: {
  readonly problem: ApiProblem | null
  readonly onRetry?: () => void
}) {
  const { t, known } = useKitText()
  if (!problem) return null
  return (
    <Notice
      tone={problem.code === 'offline' ? 'attention' : 'problem'}
      alert
      title={problemSentence(problem, known)}
      actions={
        onRetry && (
          <Button icon="retry" onClick={onRetry}>
            {t('try-again')}
          </Button>
        )
      }
    >
      {problem.correlationId && (
        <p class="small muted">
          {t('problem.reference')}{' '}
          <bdi class="mono" dir="ltr">
            {problem.correlationId}
          </bdi>
        </p>
      )}
    </Notice>
  )
}
