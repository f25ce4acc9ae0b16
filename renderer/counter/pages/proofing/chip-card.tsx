/**
 * The chip of a document: its portrait beside the printed and the live one, and each verdict in words. The measurements are with the
 * findings.
 */
import type { EvidenceCard, FindingView, ImageView } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { checkWord, FINDING_TONE, spellCode } from '../../words.ts'
import { ImageShow } from './image-show.tsx'

type Outcome = FindingView['outcome']

interface Verdict {
  readonly row: 'by' | 'signature' | 'copy' | 'revocation' | 'lists' | 'data' | 'portrait'
  readonly outcome: Outcome
  readonly words: string
}

/** Checks that a row of the table states already. */
const IN_ROWS = [
  'NFC_CHIP_ACCESS',
  'NFC_PASSIVE_AUTHENTICATION',
  'NFC_CHIP_AUTHENTICATION',
  'NFC_ACTIVE_AUTHENTICATION',
  'NFC_DATA_MATCH',
  'NFC_PORTRAIT_MATCH',
  'CHIP_REVOCATION',
  'CHIP_TRUST_LISTS',
]

/** The pictures that are compared with the portrait in the chip; empty without one. */
export function chipFaces(images: readonly ImageView[]): readonly ImageView[] {
  return images.some(({ kind }) => kind === 'CHIP_PORTRAIT')
    ? images.filter(({ kind }) => kind === 'CHIP_PORTRAIT' || kind === 'DOCUMENT_PORTRAIT')
    : []
}

export function ChipCard({
  evidence,
  faces,
}: {
  readonly evidence: Pick<EvidenceCard, 'findings' | 'images' | 'chipLists'>
  readonly faces: readonly ImageView[]
}) {
  const texts = useText()
  const { t, formats } = texts
  const { findings, images, chipLists } = evidence
  const verdicts = listChipVerdicts(findings, texts)
  if (verdicts.length === 0) return null
  const compared = chipFaces(images)
  const noted = findings.filter(
    ({ check, outcome }) => check.startsWith('CHIP_') && outcome !== 'passed' && !IN_ROWS.includes(check),
  )
  return (
    <>
      <Table
        caption={t('chip.title')}
        captionShown
        rows={verdicts}
        getKey={({ row }) => row}
        columns={[
          {
            key: 'row',
            label: t('chip.question'),
            head: true,
            cell: ({ row }) => t(`chip.row.${row}`),
          },
          {
            key: 'words',
            label: t('chip.answer'),
            cell: ({ words, outcome }) => <Badge tone={FINDING_TONE[outcome]}>{words}</Badge>,
          },
        ]}
      />
      {noted.length > 0 && (
        <ul class="plain-list">
          {noted.map(({ check, outcome }) => (
            <li key={check}>
              {checkWord(check, texts)} <Badge tone={FINDING_TONE[outcome]}>{t(`finding.${outcome}`)}</Badge>
            </li>
          ))}
        </ul>
      )}
      {chipLists.length > 0 && (
        <ul class="plain-list" aria-label={t('chip.used')}>
          {chipLists.map(({ sha256, kind, country, signedAt, importedAt }) => (
            <li key={sha256}>
              {t(`chip.used.${kind}`, { country: formats.country(country) })}{' '}
              <Time at={signedAt ?? importedAt} show="day" />
            </li>
          ))}
        </ul>
      )}
      {compared.length > 0 && (
        <ul class="images" aria-label={t('chip.faces')}>
          {[...compared, ...faces].map((image) => (
            <ImageShow key={image.imageId} image={image} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Empty for a document whose chip was not read. */
export function listChipVerdicts(
  findings: readonly FindingView[],
  texts: Pick<Texts, 'known' | 't'>,
): readonly Verdict[] {
  const { known, t } = texts
  const find = (check: string) => findings.find((one) => one.check === check)
  const access = find('NFC_CHIP_ACCESS')
  const signature = find('NFC_PASSIVE_AUTHENTICATION')
  if (!access || !signature) return []
  const measured = (finding: FindingView, name: string): string =>
    String(finding.measured.find((one) => one.name === name)?.value ?? 'undetermined')
  const verdict = measured(signature, 'chipVerdict')
  const by = access.outcome === 'passed' ? 'READER' : verdict === 'undetermined' ? 'NONE' : 'FILES'
  const proofs = ['NFC_CHIP_AUTHENTICATION', 'NFC_ACTIVE_AUTHENTICATION'].flatMap(
    (check) => find(check) ?? [],
  )
  const proof =
    proofs.find(({ outcome }) => outcome === 'failed') ?? proofs.find(({ outcome }) => outcome === 'passed')
  const protocol = proof ? measured(proof, 'chipProtocol') : ''
  const state = (row: 'revocation' | 'lists' | 'data' | 'portrait', check: string): Verdict => {
    const outcome = find(check)?.outcome ?? 'inconclusive'
    return { row, outcome, words: t(`chip.${row}.${outcome}`) }
  }
  return [
    { row: 'by', outcome: access.outcome, words: t(`chip.by.${by}`) },
    {
      row: 'signature',
      outcome: verdict === 'successful' ? 'passed' : verdict === 'failed' ? 'failed' : 'inconclusive',
      words: known(`chip.verdict.${verdict}`, spellCode(verdict)),
    },
    {
      row: 'copy',
      outcome: proof?.outcome ?? 'inconclusive',
      words: t(`chip.copy.${proof?.outcome ?? 'inconclusive'}`, {
        protocol: known(`chip.protocol.${protocol}`, spellCode(protocol)),
      }),
    },
    state('revocation', 'CHIP_REVOCATION'),
    state('lists', 'CHIP_TRUST_LISTS'),
    state('data', 'NFC_DATA_MATCH'),
    state('portrait', 'NFC_PORTRAIT_MATCH'),
  ]
}
