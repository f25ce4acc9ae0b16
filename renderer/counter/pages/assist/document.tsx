/**
 * The document: its kind, and the source of its picture: this computer's camera, the camera of the counter, a
 * file, or typing.
 */
import { useState } from 'preact/hooks'
import type {
  AssistCountry,
  AssistView,
  DocumentWish,
  OpenedCapture,
} from '../../../../server/counter/contract/assist.ts'
import { buildQuery } from '../../api/client.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Skeleton } from '../../ui/card.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { AgainButton } from './again.tsx'
import { ChipReader } from './chip-reader.tsx'
import { CaptureHost } from './capture-host.tsx'
import { CounterCamera } from './counter-camera.tsx'
import { nameCountries } from './country-names.ts'
import { GoOn } from './buttons.tsx'
import { useDraft } from './drafts.tsx'
import { EvidenceShow, Guidance } from './evidence-show.tsx'
import { FileForm } from './file-form.tsx'
import { findDocument, otherTries } from './steps.ts'
import { TypedDocument } from './typed-document.tsx'
import type { StepProps, VisitProps } from './step-props.ts'
import { evidenceWord } from '../../words.ts'

type Way = 'camera' | 'counter' | 'file' | 'typed'

export function DocumentStep({ view, again, onView, onReload, onNext }: StepProps) {
  const { t } = useText()
  const evidence = findDocument(view)
  if (evidence && !again.wanted)
    return (
      <Card title={t('assist.step.document')} marked>
        <EvidenceShow evidence={evidence} />
        <OtherTries view={view} />
        {!view.ended && evidence.chip && (
          <ChipReader
            key={evidence.evidenceId}
            view={view}
            evidence={evidence}
            chip={evidence.chip}
            onView={onView}
          />
        )}
        <div class="buttons">
          <GoOn onNext={onNext} />
          {!view.ended && <AgainButton again={again} which="document" word="assist.document.again" />}
        </div>
      </Card>
    )
  return <NewDocument view={view} again={again} onView={onView} onReload={onReload} />
}

/** Shows a newer picture that is not the one in use, and that earlier ones are kept. */
function OtherTries({ view }: Pick<VisitProps, 'view'>) {
  const { t } = useText()
  const { later, earlier } = otherTries(view)
  return (
    <>
      {later?.status === 'PROCESSING' && (
        <Notice tone="waiting" title={t('assist.document.later-checking')} />
      )}
      {later && later.status !== 'PROCESSING' && (
        <Notice tone="attention" title={t('assist.document.later-failed')}>
          <Guidance codes={later.guidance} field={later.guidanceField} />
        </Notice>
      )}
      {earlier > 0 && <p class="muted">{t('assist.document.earlier')}</p>}
    </>
  )
}

function NewDocument({ view, again, onView, onReload }: VisitProps & Pick<StepProps, 'again'>) {
  const texts = useText()
  const { t, formats } = texts
  const client = useClient()
  const [country, setCountry] = useDraft('country', '')
  const [type, setType] = useDraft('document-type', '')
  const [way, setWay] = useState<Way | null>(null)
  const act = useAct()
  const listed = useResource<{ readonly countries: readonly AssistCountry[] }>(
    (signal) => client.get('assist/countries', signal),
    'countries',
  )
  if (!listed.data)
    return (
      <Card title={t('assist.step.document')} marked>
        {listed.problem ? (
          <ProblemNotice problem={listed.problem} onRetry={listed.reload} />
        ) : (
          <Skeleton rows={4} />
        )}
      </Card>
    )
  const countries = nameCountries(listed.data.countries, formats, t('assist.specimen-country'))
  const kinds = countries.find(({ iso3 }) => iso3 === country)?.documents ?? []
  const kind = kinds.find((one) => one.type === type)
  const wish: DocumentWish | null = kind ? { country, documentType: kind.type } : null
  const path = `assist/${view.visitId}/document`
  const sendFiles = (front: File, back: File | null) =>
    act.run(async () => {
      const form = new FormData()
      form.append('front', front, 'front')
      if (back) form.append('back', back, 'back')
      onView(await client.send<AssistView>('POST', `${path}/file${buildQuery({ ...wish })}`, { file: form }))
    })
  return (
    <Card title={t('assist.document.title')} marked>
      <div class="filters assist-which">
        <SelectField
          label={t('assist.document.country')}
          value={country}
          choices={[
            { value: '', label: t('assist.choose') },
            ...countries.map(({ iso3, name }) => ({ value: iso3, label: name })),
          ]}
          onChange={(next) => {
            setCountry(next)
            setType('')
            setWay(null)
          }}
        />
        <SelectField
          label={t('assist.document.type')}
          value={type}
          choices={[
            { value: '', label: t('assist.choose') },
            ...kinds.map((one) => ({ value: one.type, label: evidenceWord(one.type, texts) })),
          ]}
          onChange={(next) => {
            setType(next)
            setWay(null)
          }}
        />
      </div>
      {!wish && <p class="muted">{t('assist.document.choose-first')}</p>}
      {wish && (
        <Ways
          way={way}
          camera={view.camera.available}
          onWay={(next) => {
            // The camera stays open until its picture is submitted, even if the visit is reloaded meanwhile.
            if (next === 'camera') again.ask('document')
            setWay(next)
          }}
        />
      )}
      {wish && way === 'camera' && (
        <CaptureHost
          key={`${country} ${type}`}
          kind="document"
          language={texts.language.tag}
          open={() => client.send<OpenedCapture>('POST', `${path}/session`, { body: wish })}
          onDone={onReload}
        />
      )}
      {wish && kind && way === 'counter' && (
        <CounterCamera view={view} wish={wish} sides={kind.sides} onView={onView} />
      )}
      {wish && kind && way === 'file' && (
        <>
          <ProblemNotice problem={act.problem} />
          <FileForm
            sides={kind.sides}
            working={act.working}
            onSend={(front, back) => void sendFiles(front, back)}
          />
        </>
      )}
      {wish && way === 'typed' && <TypedDocument view={view} wish={wish} onView={onView} />}
      {wish && way === null && <Notice tone="quiet" title={t('assist.document.hint')} />}
    </Card>
  )
}

function Ways({
  way,
  camera,
  onWay,
}: {
  readonly way: Way | null
  /** True if the counter has a camera for documents. */
  readonly camera: boolean
  readonly onWay: (way: Way) => void
}) {
  const { t } = useText()
  return (
    <div class="buttons" role="group" aria-label={t('assist.document.ways')}>
      <Button
        kind={way === null ? 'primary' : 'plain'}
        icon="camera"
        pressed={way === 'camera'}
        onClick={() => onWay('camera')}
      >
        {t('assist.document.camera')}
      </Button>
      {camera && (
        <Button icon="counter" pressed={way === 'counter'} onClick={() => onWay('counter')}>
          {t('assist.document.counter')}
        </Button>
      )}
      <Button icon="upload" pressed={way === 'file'} onClick={() => onWay('file')}>
        {t('assist.document.file')}
      </Button>
      <Button icon="keyboard" pressed={way === 'typed'} onClick={() => onWay('typed')}>
        {t('assist.document.typed')}
      </Button>
    </div>
  )
}
