/** Repeats a capture that exists already. The officer requests it in the step itself or from a later step. */
import { useState } from 'preact/hooks'
import { useText } from '../../text.tsx'
import type { CounterKey } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import type { Step } from './steps.ts'

type Captured = Extract<Step, 'document' | 'portrait'>

export interface Again {
  /** True if the open step must capture again: the next capture replaces the shown one. */
  readonly wanted: boolean
  /** Opens the step for a new capture. */
  readonly ask: (which: Captured) => void
  /** Call it when the new capture was made or cancelled. */
  readonly over: () => void
}

export function useAgain(step: Step, onStep: (step: Step) => void): Again {
  const [which, setWhich] = useState<Captured | null>(null)
  return {
    wanted: which === step,
    ask: (captured) => {
      setWhich(captured)
      onStep(captured)
    },
    over: () => setWhich(null),
  }
}

export function AgainButton({
  again,
  which,
  word,
  primary = false,
}: {
  readonly again: Again
  readonly which: Captured
  readonly word: CounterKey
  readonly primary?: boolean
}) {
  const { t } = useText()
  return (
    <Button kind={primary ? 'primary' : 'plain'} icon="retry" onClick={() => again.ask(which)}>
      {t(word)}
    </Button>
  )
}
