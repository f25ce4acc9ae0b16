/**
 * One proofing at the counter: its steps on the left, the present one in the middle, and the level on the
 * right.
 */
import { useEffect, useState } from 'preact/hooks'
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import type { ApiProblem } from '../../api/client.ts'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'
import { useAgain } from './again.tsx'
import { ConsentStep } from './consent.tsx'
import { DocumentStep } from './document.tsx'
import { DraftsOfVisit } from './drafts.tsx'
import { FinishStep } from './finish.tsx'
import { HandledStep } from './handled.tsx'
import { LevelSummary } from './level.tsx'
import { PortraitStep } from './portrait.tsx'
import { Result } from './result.tsx'
import { nextStep, STEPS, stepStates } from './steps.ts'
import type { Step, StepState } from './steps.ts'
import type { StepProps, VisitProps } from './step-props.ts'
import { StopDialog } from './stop-dialog.tsx'
import { TypedStep } from './typed.tsx'

const PAGE_OF: Readonly<Record<Step, (props: StepProps) => preact.JSX.Element>> = {
  consent: ConsentStep,
  document: DocumentStep,
  handled: HandledStep,
  typed: TypedStep,
  portrait: PortraitStep,
  finish: FinishStep,
}

export function VisitPage({
  view,
  problem,
  onView,
  onReload,
  onLeft,
}: VisitProps & { readonly problem: ApiProblem | null; readonly onLeft: () => void }) {
  const { t, formats } = useText()
  const [step, setStep] = useState<Step>(() => nextStep(view))
  const [stopping, setStopping] = useState(false)
  const again = useAgain(step, setStep)
  const agreed = view.consent.state === 'GIVEN'
  const open = (next: Step) => {
    again.over()
    setStep(next)
  }
  const [turned, setTurned] = useState(false)
  // This step waits for the applicant's answer: the next step opens after it, once the screen is back.
  useEffect(() => {
    if (agreed && !turned && step === 'consent') setStep(nextStep(view))
  }, [agreed, turned])
  const Step = PAGE_OF[step]
  if (view.result) return <Result view={view} result={view.result} />
  return (
    <Page
      title={view.reference ? t('assist.of', { reference: view.reference }) : t('assist.new')}
      lead={
        <span class="desk-facts">
          <span>{formats.language(view.language)}</span>
          {view.channel === 'KIOSK' && <Badge tone="note">{t('assist.from-kiosk')}</Badge>}
          {view.reference && (
            <span>
              {t('column.reference')} <Mono>{view.reference}</Mono>
            </span>
          )}
        </span>
      }
      actions={
        !view.ended && (
          <Button icon="stop" kind="danger" onClick={() => setStopping(true)}>
            {t('assist.stop')}
          </Button>
        )
      }
    >
      <ProblemNotice problem={problem} onRetry={onReload} />
      <div class="assist">
        <StepList view={view} current={step} onStep={open} />
        <div class="stack">
          <DraftsOfVisit>
            <Step
              view={view}
              again={again}
              onTurned={setTurned}
              onView={(next) => {
                again.over()
                onView(next)
              }}
              onReload={() => {
                again.over()
                onReload()
              }}
              onNext={() => open(after(step))}
              onStep={open}
            />
          </DraftsOfVisit>
        </div>
        <LevelSummary view={view} />
      </div>
      {stopping && <StopDialog view={view} onClose={() => setStopping(false)} onStopped={onLeft} />}
    </Page>
  )
}

const after = (step: Step): Step => STEPS[STEPS.indexOf(step) + 1] ?? 'finish'

const LOOKS: Readonly<Record<StepState, IconName>> = {
  DONE: 'done',
  CHECKING: 'waiting',
  ATTENTION: 'attention',
  TO_DO: 'todo',
  NOT_YET: 'todo',
  FREE: 'todo',
}

function StepList({
  view,
  current,
  onStep,
}: {
  readonly view: AssistView
  readonly current: Step
  readonly onStep: (step: Step) => void
}) {
  const { t } = useText()
  const states = stepStates(view)
  return (
    <nav aria-label={t('assist.steps')}>
      <ol class="assist-steps">
        {STEPS.map((step, at) => (
          <li key={step} class={`step-${states[step].toLowerCase()}`}>
            <button
              type="button"
              aria-current={step === current ? 'step' : undefined}
              disabled={states[step] === 'NOT_YET'}
              onClick={() => onStep(step)}
            >
              <Icon name={LOOKS[states[step]]} size={24} />
              <span>
                <b>
                  {at + 1}. {t(`assist.step.${step}`)}
                </b>
                <small>{t(`assist.step-state.${states[step]}`)}</small>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
