/** Formats the figures of bench:documents as text. */
import type { DocumentsBench } from '../documents.ts'
import type { BigPicture } from './big-pictures.ts'
import type { LabelledBench } from './labelled.ts'
import type { MatchTally } from './matches.ts'
import type { FieldRates } from './tally.ts'

const percent = (share: number | null) =>
  share === null ? '    –' : `${(share * 100).toFixed(1)} %`.padStart(7)

export function describeDocuments(result: DocumentsBench): string {
  const { outline, orientation, layout, sides, zones, barcodes, fields, negatives, seeds } = result
  const lines = [
    `packs ${result.packs}, seeds ${seeds.first} to ${seeds.last}, ${result.documents} documents, ${outline.pictures} pictures, ${result.failed} without an answer`,
    '',
    `outline       found ${outline.found} of ${outline.pictures}, mean IoU ${outline.iouMean ?? '–'}, IoU ≥ 0.9 ${percent(outline.iouAtLeast90)}, elsewhere ${outline.foundButFar}`,
    `orientation   ${percent(orientation.accuracy)} right (wrong ${orientation.wrong}, unknown ${orientation.unknown}); by turn ${list(orientation.perTurn)}`,
    `layout        ${percent(layout.accuracy)} right; ${list(layout.perKind)}`,
    ...Object.entries(layout.confusions).map(([what, times]) => `              ${times} × ${what}`),
    `front or back ${percent(sides.accuracy)} right (wrong ${sides.wrong}, unknown ${sides.unknown})`,
    `zone exact    ${zones.exact} of ${zones.visible}; barcode exact ${barcodes.exact} of ${barcodes.visible}`,
    ...(result.forged.documents + result.genuine.documents > 0
      ? [
          `forged        ${describeMatches(result.forged)}`,
          `genuine       ${describeMatches(result.genuine)}`,
        ]
      : []),
    `negatives     ${negatives.pictures}: known kind ${negatives.known}, unknown kind ${negatives.unknown}, outlines ${negatives.outlines}, zones ${negatives.zones}`,
    '',
    table('field', fields.perField),
    table('kind', fields.perKind),
    table('variant', fields.perVariant),
    row('all', fields.all),
    '',
    ...result.bigPictures.map(describeBig),
  ]
  return `${lines.join('\n')}\n`
}

function describeBig({ seed, kind, wallMs, processorMs, perCallMs, goal }: BigPicture): string {
  const calls = Object.entries(perCallMs).map(([call, ms]) => `${call} ${ms}`)
  const wanted = [
    goal && `processor ${goal.processorMs}`,
    typeof goal?.wallMs === 'number' && `wall ${goal.wallMs}`,
  ].filter((one) => typeof one === 'string')
  const goals = wanted.length > 0 ? `; goal ${wanted.join(', ')}` : ''
  return `12 MP         ${kind}, seed ${seed}: ${wallMs} ms wall, ${processorMs ?? '–'} ms processor (${calls.join(', ')})${goals}`
}

function describeMatches({ documents, passed, failed, inconclusive, passedByField }: MatchTally): string {
  const fields = Object.entries(passedByField).filter(([, count]) => count > 0)
  const by = fields.length > 0 ? ` (${fields.map(([field, count]) => `${field} ${count}`).join(', ')})` : ''
  return `${documents} documents with a zone or a barcode: match passed ${passed}${by}, failed ${failed}, inconclusive ${inconclusive}`
}

export function describeLabelled(result: LabelledBench): string {
  const {
    documents,
    fields,
    exact,
    wrong,
    confirmedWrong,
    withMrz,
    withAgreeingMrz,
    withComparableMrz,
    matched,
    matchedWrongly,
  } = result
  const rows = result.perDocument.map(
    ({ file, status, codes, matched: isMatched, outcomes, wallMs, cpuMs }) => {
      const missed = Object.entries(outcomes).filter(([, outcome]) => outcome !== 'exact')
      const counts = `${Object.keys(outcomes).length - missed.length}/${Object.keys(outcomes).length}`
      const named = missed.map(([label, outcome]) => `${label} ${outcome}`).join(', ') || '–'
      const how = [status, ...codes].join(' ')
      return `${file.padEnd(28)} ${how.padEnd(24)} ${isMatched ? 'match' : '     '} ${counts.padStart(5)} ${String(wallMs).padStart(6)} ms ${String(cpuMs ?? '–').padStart(6)} ms CPU  ${named}`
    },
  )
  const lines = [
    `${documents} documents, ${fields} printed values: exact ${exact} (${percent(share(exact, fields)).trim()}), wrong ${wrong}, confirmed and wrong ${confirmedWrong}`,
    `with a zone ${withMrz}, print agrees with it ${withAgreeingMrz}: matched ${matched} (${percent(share(matched, withAgreeingMrz)).trim()}); of the ${withComparableMrz} that show the print to compare: ${percent(share(matched, withComparableMrz)).trim()}; matched although it does not agree ${matchedWrongly}`,
    `verified ${result.verified}; median ${result.wallMsMedian} ms wall, ${result.cpuMsMedian ?? '–'} ms processor`,
    '',
    ...rows,
  ]
  return `${lines.join('\n')}\n`
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const list = (shares: Readonly<Record<string, number | null>>) =>
  Object.entries(shares)
    .map(([name, share]) => `${name} ${percent(share).trim()}`)
    .join(', ')

function table(title: string, rows: Readonly<Record<string, FieldRates>>): string {
  const head = `${title.padEnd(24)}  seen    exact    plain    wrong  missing      CER`
  return [head, ...Object.entries(rows).map(([name, rates]) => row(name, rates)), ''].join('\n')
}

const row = (name: string, rates: FieldRates) =>
  [
    name.padEnd(24),
    String(rates.visible).padStart(5),
    ...[rates.exact, rates.plainExact, rates.wrong, rates.missing, rates.characterErrorRate].map(percent),
  ].join('  ')
