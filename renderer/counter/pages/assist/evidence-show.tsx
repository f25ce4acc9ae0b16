/**
 * Shows a piece of evidence: the state of its check, advice, the values read, and its pictures on request.
 */
import type { AssistEvidence } from '../../../../server/counter/contract/assist.ts'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { EVIDENCE_TONE, evidenceWord, guidanceWord, spellCode } from '../../words.ts'
import { ImageShow } from '../proofing/image-show.tsx'

export function EvidenceShow({ evidence }: { readonly evidence: AssistEvidence }) {
  const texts = useText()
  const { t, known, formats } = texts
  const { status, type, guidance, guidanceField, values, images, fromFile, checklist } = evidence
  return (
    <>
      <p class="assist-evidence" role="status">
        <b>{evidenceWord(type, texts)}</b>{' '}
        <Badge tone={EVIDENCE_TONE[status]}>{t(`evidence-status.${status}`)}</Badge>
      </p>
      {fromFile &&
        (checklist ? (
          <Notice tone="attention" title={t('document.from-file')} />
        ) : (
          <Notice tone="attention" title={t('portrait.from-file')}>
            <p>{t('assist.portrait.from-file.text')}</p>
          </Notice>
        ))}
      {status === 'PROCESSING' && <Notice tone="waiting" title={t('assist.checking')} />}
      {status === 'ADJUDICATION' && <Notice tone="note" title={t('assist.at-desk')} />}
      {(status === 'NOT_VERIFIED' || status === 'INVALID') && (
        <Notice tone="attention" title={t('assist.not-verified')}>
          <Guidance codes={guidance} field={guidanceField} />
        </Notice>
      )}
      {values.length > 0 && (
        <dl class="facts">
          {values.map(({ field, value, verified }, at) => (
            <div key={`${field}${at}`}>
              <dt>{known(`field.${field}`, spellCode(field))}</dt>
              <dd>
                <bdi>{formats.value(value)}</bdi>{' '}
                <small class="muted">{verified ? t('value.confirmed') : t('value.alone')}</small>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Pictures images={images} />
    </>
  )
}

/** Shows pictures only on request, because each viewing of a face is logged. */
export function Pictures({
  images,
  onOpen,
}: Pick<AssistEvidence, 'images'> & { readonly onOpen?: () => void }) {
  const { t } = useText()
  if (images.length === 0) return null
  return (
    <details onToggle={(event) => event.currentTarget.open && onOpen?.()}>
      <summary>{t('assist.pictures', { count: images.length })}</summary>
      <ul class="images">
        {images.map((image) => (
          <ImageShow key={image.imageId} image={image} />
        ))}
      </ul>
    </details>
  )
}

export function Guidance({
  codes,
  field,
}: {
  readonly codes: readonly string[]
  readonly field: string | null
}) {
  const texts = useText()
  if (codes.length === 0) return null
  return (
    <ul class="plain-list">
      {codes.map((code) => (
        <li key={code}>{guidanceWord(code, field, texts)}</li>
      ))}
    </ul>
  )
}
