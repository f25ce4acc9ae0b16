/** The figures of bench:documents as a text for people. */
import type { DocumentsBench } from '../documents.ts'
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
    `negatives     ${negatives.pictures}: known kind ${negatives.known}, unknown kind ${negatives.unknown}, outlines ${negatives.outlines}, zones ${negatives.zones}`,
    '',
    table('field', fields.perField),
    table('kind', fields.perKind),
    row('all', fields.all),
    '',
    ...result.bigPictures.map(
      ({ seed, kind, wallMs, processorMs, perCallMs }) =>
        `12 MP         ${kind}, seed ${seed}: ${wallMs} ms wall, ${processorMs ?? '–'} ms processor (${Object.entries(
          perCallMs,
        )
          .map(([call, ms]) => `${call} ${ms}`)
          .join(', ')})`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

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
