/**
 * The face: captured on this screen turned to the applicant, who sees the oval and the dot; in an unusual way
 * only with a reason.
 */
import { useState } from 'preact/hooks'
import type { AssistView, OpenedCapture, PortraitBody } from '../../../../server/counter/contract/assist.ts'
import { COUNTER } from '../../../locales/counter.ts'
import { loadTexts } from '../../../locales/index.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { AgainButton } from './again.tsx'
import { CaptureHost } from './capture-host.tsx'
import { useDraft } from './drafts.tsx'
import { EvidenceShow } from './evidence-show.tsx'
import { Exceptions } from './exceptions.tsx'
import type { Exception } from './exceptions.tsx'
import { PictureField } from './file-form.tsx'
import { isRefused, isStatementOpen, mayAttest } from './steps.ts'
import { Turned } from './turned.tsx'
import type { StepProps, VisitProps } from './step-props.ts'

export function PortraitStep({ view, again, onView, onReload, onNext }: StepProps) {
  const { t } = useText()
  const { portrait } = view
  if (!portrait || portrait.awaitsPicture || again.wanted)
    return <NewPortrait view={view} again={again} onView={onView} onReload={onReload} />
  const isBetterAgain = !view.ended && (portrait.fromFile || isRefused(portrait))
  return (
    <Card title={t('assist.step.portrait')} marked>
      <EvidenceShow evidence={portrait} />
      {mayAttest(portrait) && <Present view={view} onView={onView} onReload={onReload} />}
      {!portrait.capturedHere && (
        <Notice tone="note" title={t('assist.portrait.elsewhere')}>
          <p>{t('assist.portrait.elsewhere.text')}</p>
        </Notice>
      )}
      <div class="buttons">
        <Button
          kind={isBetterAgain || isStatementOpen(portrait) ? 'plain' : 'primary'}
          icon="next"
          onClick={onNext}
        >
          {t('go-on')}
        </Button>
        {!view.ended && (
          <AgainButton again={again} which="portrait" word="assist.portrait.again" primary={isBetterAgain} />
        )}
      </div>
    </Card>
  )
}

/** Lets the officer state "I was there, and saw the person" (attended capture). */
function Present({ view, onView }: VisitProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const { portrait } = view
  const [exceptions, setExceptions] = useDraft<readonly Exception[]>(
    `present ${portrait?.evidenceId ?? ''}`,
    portrait?.exceptions ?? [],
  )
  if (!portrait) return null
  if (portrait.attendance) return <Badge tone="done">{t('assist.portrait.present-noted')}</Badge>
  const save = () =>
    act.run(async () => {
      const path = `assist/${view.visitId}/evidences/${portrait.evidenceId}/attendance`
      const body = { present: true, exceptions }
      onView(await client.send<AssistView>('POST', path, { body }))
    })
  return (
    <div class="assist-present">
      {portrait.needsStatement && <StatementCounts />}
      <p>
        <b>{t('assist.portrait.present')}</b>
      </p>
      <details open={exceptions.length > 0}>
        <summary>{t('assist.exceptions.summary')}</summary>
        <Exceptions legend={t('assist.exceptions')} chosen={exceptions} onChange={setExceptions} />
      </details>
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button
          kind="primary"
          icon="done"
          working={act.working}
          disabled={portrait.status === 'PROCESSING'}
          onClick={() => void save()}
        >
          {t('assist.portrait.present-save')}
        </Button>
      </div>
    </div>
  )
}

/** The officer stands in for the machine: the page says so before the capture, and at the statement. */
function StatementCounts() {
  const { t } = useText()
  return (
    <Notice tone="attention" title={t('assist.portrait.statement')}>
      <p>{t('assist.portrait.statement.text')}</p>
    </Notice>
  )
}

const OTHERWISE: readonly Exception[] = [
  'CANNOT_TURN',
  'CANNOT_LOOK',
  'VEIL_PRIVATE_ROOM',
  'SAME_SEX_STAFF',
  'HELPER_PRESENT',
  'CAMERA_DOES_NOT_SUIT',
]

function NewPortrait({ view, again, onView, onReload }: VisitProps & Pick<StepProps, 'again'>) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [withoutColours, setWithoutColours] = useDraft('without-colours', false)
  const [withoutTurning, setWithoutTurning] = useDraft('without-turning', false)
  const [exceptions, setExceptions] = useDraft<readonly Exception[]>(
    'portrait-exceptions',
    view.portrait?.exceptions ?? [],
  )
  const [file, setFile] = useState<File | null>(null)
  const [turned, setTurned] = useState<string | null>(null)
  const otherwise = withoutColours || withoutTurning
  const { officerTakes } = view
  const isOfficers = withoutTurning
    ? officerTakes.withoutTurning
    : withoutColours && officerTakes.withoutColours
  const needsReason = otherwise && exceptions.length === 0
  const path = `assist/${view.visitId}/portrait`
  const begin = () =>
    act.run(async () => {
      const words = await loadTexts(COUNTER, view.language)
      // The turned screen stays until it is given back, even if the visit is reloaded meanwhile.
      again.ask('portrait')
      setTurned(words('assist.display.give-back'))
    })
  const sendFile = () =>
    act.run(async () => {
      if (file) onView(await client.send<AssistView>('POST', `${path}/file`, { file }))
    })
  return (
    <Card title={t('assist.portrait.title')} marked>
      <p>{t('assist.portrait.text')}</p>
      <details open={otherwise || exceptions.length > 0}>
        <summary>{t('assist.portrait.otherwise')}</summary>
        <div class="stack">
          <p class="muted">{t('assist.portrait.otherwise.text')}</p>
          <CheckField
            label={t('assist.portrait.without-turning')}
            checked={withoutTurning}
            onChange={setWithoutTurning}
          />
          <CheckField
            label={t('assist.portrait.without-colours')}
            checked={withoutColours}
            onChange={setWithoutColours}
          />
          <Exceptions
            legend={t('assist.exceptions')}
            only={OTHERWISE}
            chosen={exceptions}
            onChange={setExceptions}
          />
          {isOfficers && <StatementCounts />}
          {needsReason && <Notice tone="attention" title={t('assist.portrait.reason-needed')} />}
        </div>
      </details>
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button
          kind="primary"
          icon="portrait"
          working={act.working}
          disabled={needsReason}
          onClick={() => void begin()}
        >
          {t('assist.portrait.begin')}
        </Button>
      </div>
      <details>
        <summary>{t('assist.portrait.file')}</summary>
        <div class="stack">
          <p class="muted">{t('assist.portrait.file.text')}</p>
          <PictureField label={t('image.PORTRAIT')} onFile={setFile} />
          <div class="buttons">
            <Button icon="upload" working={act.working} disabled={!file} onClick={() => void sendFile()}>
              {t('assist.document.send')}
            </Button>
          </div>
        </div>
      </details>
      {turned && (
        <Turned onClose={() => setTurned(null)}>
          {(giveBack) => (
            <div class="display display-capture">
              <div class="display-words">
                <CaptureHost
                  kind="portrait"
                  language={view.language}
                  open={() => {
                    const body: PortraitBody = { withoutColours, withoutTurning, exceptions: [...exceptions] }
                    return client.send<OpenedCapture>('POST', `${path}/session`, { body })
                  }}
                  // The reload ends this step, and with it the cover: the console is locked before.
                  onDone={() => void giveBack().then((isGiven) => isGiven && onReload())}
                />
              </div>
              <div class="display-foot">
                <button type="button" class="display-button" onClick={() => void giveBack()}>
                  {turned}
                </button>
              </div>
            </div>
          )}
        </Turned>
      )}
    </Card>
  )
}
