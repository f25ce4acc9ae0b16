/** Sums the measurements of pictures and documents and returns shares. */
import type { DocumentLayout } from '../../../proofing/document-layout.ts'
import type { PageField, PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import type { ReadDocument } from '../../../verification/read-document.ts'
import type { SceneTruth } from '../../specimen/scenes/scene.ts'
import { turnTold, type PictureReading } from './read-scene.ts'
import { quadIou, scoreField, type FieldScore } from './score.ts'

interface FieldCount {
  visible: number
  exact: number
  plainExact: number
  wrong: number
  missing: number
  errors: number
  characters: number
}
const noFields = (): FieldCount => ({
  visible: 0, exact: 0, plainExact: 0, wrong: 0, missing: 0, errors: 0, characters: 0,
}) // oxfmt-ignore

const GOOD_IOU = 0.9

export class Tally {
  readonly #overlaps: number[] = []
  #found = 0
  readonly #turns = { right: 0, wrong: 0, unknown: 0 }
  readonly #perTurn: Record<string, { right: number; pictures: number }> = {}
  readonly #sides = { right: 0, wrong: 0, unknown: 0 }
  readonly #layouts: Record<string, { right: number; documents: number }> = {}
  readonly #confusions: Record<string, number> = {}
  readonly #zones = { visible: 0, exact: 0 }
  readonly #barcodes = { visible: 0, exact: 0 }
  readonly #fields: Partial<Record<PageFieldName, FieldCount>> = {}
  readonly #fieldsPerKind: Record<string, FieldCount> = {}
  readonly #fieldsOfKinds: Record<string, FieldCount> = {}
  readonly #fieldsPerVariant: Record<string, FieldCount> = {}

  #failed = 0

  /** Adds a document for which the worker gave no answer, as if nothing had been found. */
  addFailed(truths: readonly SceneTruth[]): void {
    const { kind } = truths[0]
    this.#failed++
    const count = (this.#layouts[kind] ??= { right: 0, documents: 0 })
    count.documents++
    increase(this.#confusions, `${kind} → no answer`)
    for (const truth of truths) {
      this.#overlaps.push(0)
      this.#turns.unknown++
      this.#sides.unknown++
      if (truth.zone && truth.isMrzVisible) this.#zones.visible++
      if (truth.barcode && truth.isBarcodeVisible) this.#barcodes.visible++
    }
    this.#addFields(truths, [])
  }

  /** Adds one document, with its pictures in the order front, back. */
  add(truths: readonly SceneTruth[], readings: readonly PictureReading[], read: ReadDocument): void {
    const { kind, layout } = truths[0]
    this.#addLayout(kind, layout, read.classification.layout)
    truths.forEach((truth, i) => {
      this.#addPicture(truth, readings[i])
      const side = read.classification.sides[i] ?? null
      this.#sides[side === null ? 'unknown' : side === truth.side ? 'right' : 'wrong']++
    })
    this.#addFields(truths, read.page.fields)
  }

  #addLayout(kind: string, wanted: DocumentLayout, got: DocumentLayout): void {
    const count = (this.#layouts[kind] ??= { right: 0, documents: 0 })
    count.documents++
    if (got === wanted) count.right++
    else increase(this.#confusions, `${kind} (${wanted}) → ${got}`)
  }

  #addPicture(truth: SceneTruth, reading: PictureReading): void {
    const { side, barcode } = reading
    const { outline, mrz } = side
    const rotationDeg = turnTold(reading)
    if (outline) this.#found++
    const overlap = outline
      ? Math.max(...[truth.quad, ...truth.alsoRight].map((quad) => quadIou(outline.quad, quad)))
      : 0
    this.#overlaps.push(overlap)
    const isTurnRight = rotationDeg === truth.rotationDeg
    this.#turns[rotationDeg === null ? 'unknown' : isTurnRight ? 'right' : 'wrong']++
    const turn = (this.#perTurn[truth.rotationDeg] ??= { right: 0, pictures: 0 })
    turn.pictures++
    if (isTurnRight) turn.right++
    if (truth.zone && truth.isMrzVisible) {
      this.#zones.visible++
      if (mrz?.lines.join('|') === truth.zone.lines.join('|')) this.#zones.exact++
    }
    if (truth.barcode && truth.isBarcodeVisible) {
      this.#barcodes.visible++
      if (barcode.symbols.some(({ text }) => text === truth.barcode?.text)) this.#barcodes.exact++
    }
  }

  /** A value on both sides counts once if either shows it. */
  #addFields(truths: readonly SceneTruth[], found: readonly PageField[]): void {
    const visible = new Map(truths.flatMap((truth) => truth.visible).map((field) => [field.field, field]))
    for (const truth of visible.values()) {
      const score = scoreField(truth, found)
      count((this.#fields[truth.field] ??= noFields()), score)
      count((this.#fieldsPerKind[truths[0].kind] ??= noFields()), score)
      count((this.#fieldsPerVariant[truths[0].plan.variant] ??= noFields()), score)
      count((this.#fieldsOfKinds[`${truths[0].kind} ${truth.field}`] ??= noFields()), score)
    }
  }

  result() {
    const pictures = this.#overlaps.length
    const sum = this.#overlaps.reduce((total, overlap) => total + overlap, 0)
    const layouts = Object.values(this.#layouts)
    const all = noFields()
    for (const one of Object.values(this.#fields))
      for (const key of Object.keys(all) as (keyof FieldCount)[]) all[key] += one[key]
    return {
      failed: this.#failed,
      outline: {
        pictures,
        found: this.#found,
        iouMean: share(sum, pictures),
        iouAtLeast90: share(this.#overlaps.filter((overlap) => overlap >= GOOD_IOU).length, pictures),
        foundButFar: this.#overlaps.filter((overlap) => overlap > 0 && overlap < 0.5).length,
      },
      orientation: {
        ...this.#turns,
        accuracy: share(this.#turns.right, pictures),
        perTurn: Object.fromEntries(
          Object.entries(this.#perTurn).map(([turn, one]) => [turn, share(one.right, one.pictures)]),
        ),
      },
      layout: {
        accuracy: share(
          layouts.reduce((total, { right }) => total + right, 0),
          layouts.reduce((total, { documents }) => total + documents, 0),
        ),
        perKind: Object.fromEntries(
          Object.entries(this.#layouts).map(([kind, { right, documents }]) => [
            kind,
            share(right, documents),
          ]),
        ),
        confusions: this.#confusions,
      },
      sides: { ...this.#sides, accuracy: share(this.#sides.right, pictures) },
      zones: this.#zones,
      barcodes: this.#barcodes,
      fields: {
        all: rates(all),
        perField: mapValues(this.#fields as Record<string, FieldCount>, rates),
        perKind: mapValues(this.#fieldsPerKind, rates),
        perVariant: mapValues(this.#fieldsPerVariant, rates),
        perKindAndField: mapValues(this.#fieldsOfKinds, rates),
      },
    }
  }
}
export type TallyResult = ReturnType<Tally['result']>

function count(into: FieldCount, score: FieldScore): void {
  into.visible++
  into[score.outcome]++
  if (score.isPlainExact) into.plainExact++
  into.errors += score.errors
  into.characters += score.characters
}

const rates = ({ visible, exact, plainExact, wrong, missing, errors, characters }: FieldCount) => ({
  visible,
  exact: share(exact, visible),
  plainExact: share(plainExact, visible),
  wrong: share(wrong, visible),
  missing: share(missing, visible),
  characterErrorRate: share(errors, characters),
})
export type FieldRates = ReturnType<typeof rates>

/** Null if the whole is zero. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4
}

function increase(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
