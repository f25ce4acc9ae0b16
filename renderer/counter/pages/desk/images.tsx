/** Pane A: every picture of the case with its number, and the values of each field: MRZ, VIZ and typed. */
import type {
  ComparedRow,
  DeskCase,
  DeskImage,
  SourceComparison,
} from '../../../../server/counter/contract/desk.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Watermark } from '../../ui/watermark.tsx'
import { spellCode } from '../../words.ts'
import type { Pictures } from './pictures.ts'
import type { PickedField } from './sheet.tsx'

export function Thumbs({
  images,
  pictures,
  current,
  onPick,
}: {
  readonly images: readonly DeskImage[]
  readonly pictures: Pictures
  readonly current: string | null
  readonly onPick: (imageId: string) => void
}) {
  const { t } = useText()
  return (
    <ul class="thumbs">
      {images.map(({ imageId, kind }, at) => {
        const url = pictures[imageId]
        return (
          <li key={imageId}>
            <button
              type="button"
              class="thumb"
              aria-current={imageId === current ? 'true' : undefined}
              onClick={() => onPick(imageId)}
              onContextMenu={(event) => event.preventDefault()}
            >
              <span class="thumb-picture">
                {url && <img src={url} alt="" draggable={false} />}
                {url && <Watermark />}
              </span>
              <span class="thumb-word">
                <b>{at + 1}</b> {t(`image.${kind}`)}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const SIGN: Readonly<Record<SourceComparison, string>> = {
  SAME: '=',
  AFTER_TRANSLITERATION: '≈',
  SHORTENED: '…',
  DIFFERENT: '≠',
  ONE_ONLY: '–',
}

export function Rows({
  desk,
  picked,
  onPick,
}: {
  readonly desk: Pick<DeskCase, 'rows' | 'images'>
  readonly picked: PickedField | null
  readonly onPick: (field: PickedField) => void
}) {
  const texts = useText()
  const { t } = texts
  if (desk.rows.length === 0) return <p class="muted small">{t('desk.rows.none')}</p>
  return (
    <ul class="compared">
      {desk.rows.map((row) => {
        const place = findPlace(row.field, desk.images)
        const words = <RowWords row={row} texts={texts} />
        return (
          <li key={row.field} class={`compared-${row.comparison.toLowerCase()}`}>
            {place ? (
              <button
                type="button"
                aria-pressed={picked?.field === row.field}
                onClick={() => onPick({ ...place, field: row.field })}
              >
                {words}
              </button>
            ) : (
              <div>{words}</div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Shows equal values once and differing ones source by source, so that a difference is visible. */
function RowWords({ row, texts: { t, known } }: { readonly row: ComparedRow; readonly texts: Texts }) {
  const sources = (['zone', 'printed', 'typed'] as const).flatMap((source) => {
    const value = row[source]
    return value === null ? [] : [{ source, value }]
  })
  const together = row.comparison === 'SAME' || row.comparison === 'ONE_ONLY'
  return (
    <>
      <span class="compared-sign" aria-hidden="true">
        {SIGN[row.comparison]}
      </span>
      <span class="compared-words">
        <span class="compared-field">
          <b>{known(`field.${row.field}`, spellCode(row.field))}</b>{' '}
          <small>{t(`desk.compared.${row.comparison}`)}</small>
        </span>
        {together ? (
          <span>
            <Value>{sources[0]?.value ?? ''}</Value>{' '}
            <small class="muted">{sources.map(({ source }) => t(`desk.source.${source}`)).join(' = ')}</small>
          </span>
        ) : (
          sources.map(({ source, value }) => (
            <span key={source}>
              <small class="muted">{t(`desk.source.${source}`)}</small> <Value>{value}</Value>
            </span>
          ))
        )}
      </span>
    </>
  )
}

/** Characters may look alike: the tooltip has their code points. */
function Value({ children }: { readonly children: string }) {
  const points = [...children].map(
    (sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  return (
    <bdi class="compared-value" title={points.join(' ')}>
      {children}
    </bdi>
  )
}

/** The names of a field in the MRZ, in the VIZ and in the typed values. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  familyName: ['familyName', 'surname'],
  birthDate: ['birthDate', 'dateOfBirth'],
}

function findPlace(field: string, images: readonly DeskImage[]): Omit<PickedField, 'field'> | null {
  const names = ALSO[field] ?? [field]
  for (const { imageId, fields } of images) {
    const found = fields.find((one) => names.includes(one.field))
    if (found) return { imageId, box: found.box }
  }
  return null
}
