/** Each piece of evidence: its decision, its values, its pictures on request, and its findings. */
import type {
  DataValue,
  EvidenceCard,
  ImageView,
  ProofingDetail,
} from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Card, Empty, Facts } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { checkWord, EVIDENCE_TONE, evidenceWord, fieldWord, guidanceWord, levelWord } from '../../words.ts'
import { Attendance } from './attendance.tsx'
import { ChipCard, chipFaces } from './chip-card.tsx'
import { Findings } from './findings.tsx'
import { ImageShow } from './image-show.tsx'
import { Notes } from './notes.tsx'

export function EvidenceSection({ detail }: { readonly detail: ProofingDetail }) {
  const { t } = useText()
  if (detail.evidences.length === 0) return <Empty>{t('proofing.no-evidence')}</Empty>
  return (
    <>
      {detail.evidences.map((evidence) => (
        <EvidenceView
          key={evidence.evidenceId}
          evidence={evidence}
          faces={detail.evidences.flatMap(({ images }) => images.filter(({ kind }) => kind === 'PORTRAIT'))}
          names={detail.staffNames}
        />
      ))}
    </>
  )
}

function EvidenceView({
  evidence,
  faces,
  names,
}: {
  readonly evidence: EvidenceCard
  /** The live faces of the proofing, to compare with the portrait in the chip. */
  readonly faces: readonly ImageView[]
  readonly names: ProofingDetail['staffNames']
}) {
  const texts = useText()
  const { t, known } = texts
  const { status, deleted, images, values, errors, fault } = evidence
  const compared = chipFaces(images)
  const others = images.filter((image) => !compared.includes(image))
  return (
    <Card
      title={evidenceWord(evidence.type, texts)}
      actions={<Badge tone={EVIDENCE_TONE[status]}>{t(`evidence-status.${status}`)}</Badge>}
    >
      {isEmptyCapture(evidence) && <Notice tone="note" title={t('proofing.nothing-captured')} />}
      {deleted && <Notice tone="note" title={t('proofing.deleted')} />}
      {evidence.fromFile && <Notice tone="attention" title={t('portrait.from-file')} />}
      {fault && <Notice tone="attention" title={guidanceWord(fault.code, fault.field, texts)} />}
      {errors.length > 0 && (
        <ul class="plain-list">
          {errors.map((error) => (
            <li key={`${error.code}${error.field ?? ''}`} class="with-icon">
              <Icon name="attention" size={16} />
              <span>
                {known(`result.${error.code}`, error.message ?? error.code)}
                {error.field && <> – {faultWord(error.field, texts)}</>}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          [t('proofing.submitted'), <Time at={evidence.submittedAt} />],
          [t('proofing.strength'), levelWord(evidence.strength, texts)],
          [t('proofing.score'), levelWord(evidence.score, texts)],
        ]}
      />
      {values.length > 0 && <Values values={values} />}
      <ChipCard evidence={evidence} faces={faces} />
      {others.length > 0 && (
        <ul class="images">
          {others.map((image) => (
            <ImageShow key={image.imageId} image={image} />
          ))}
        </ul>
      )}
      {evidence.attendance && <Attendance attendance={evidence.attendance} names={names} />}
      {evidence.notes.length > 0 && <Notes notes={evidence.notes} names={names} />}
      <Findings findings={evidence.findings} isVerified={status === 'VERIFIED'} />
    </Card>
  )
}

/** A capture that ended without a picture: it is neither a try nor evidence. */
export function isEmptyCapture({
  family,
  status,
  deleted,
  images,
  values,
  attendance,
}: EvidenceCard): boolean {
  const isCaptured = family === 'IDDOCUMENT' || family === 'PORTRAIT'
  const isEmpty = images.length === 0 && values.length === 0 && attendance === null
  return isCaptured && isEmpty && !deleted && status !== 'PROCESSING' && status !== 'VERIFIED'
}

/** Names the subject of an error: a value, a measure of the portrait, or the check that decided. */
function faultWord(field: string, texts: Pick<Texts, 'known'>): string {
  return texts.known(`field.${field}`, checkWord(field, texts))
}

/** The values as read; a mark shows that another source says the same. */
function Values({ values }: { readonly values: readonly DataValue[] }) {
  const texts = useText()
  const { t, formats } = texts
  return (
    <table class="values">
      <caption class="only-read">{t('proofing.values')}</caption>
      <tbody>
        {values.map(({ field, value, verified }, at) => (
          <tr key={`${field}${at}`}>
            <th scope="row">{fieldWord(field, texts)}</th>
            <td>
              <bdi>{formats.value(value)}</bdi>
            </td>
            <td>
              <Badge tone={verified ? 'done' : 'quiet'}>
                {verified ? t('value.confirmed') : t('value.alone')}
              </Badge>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
