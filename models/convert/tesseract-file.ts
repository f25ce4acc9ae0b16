/**
 * Reads a tesseract language file (`*.traineddata`, LSTM part): layers with weights, and alphabet. Format of tesseract 4
 * and 5 (src/ccutil/tessdatamanager.h, src/lstm/network.cpp, src/lstm/weightmatrix.cpp). Checks every length: throws
 * RangeError for a truncated file, TypeError for unsupported contents.
 */

/** Integers with one factor per row: weight = number × factor. The last column is the bias. */
export interface Weights {
  readonly rows: number
  /** Number of inputs plus one for the bias. */
  readonly columns: number
  readonly numbers: Int8Array
  readonly factors: Float64Array
}

export type Layer =
  | { readonly kind: 'input'; readonly height: number; readonly depth: number }
  | { readonly kind: 'convolve'; readonly halfX: number; readonly halfY: number }
  | { readonly kind: 'max-pool'; readonly x: number; readonly y: number }
  | { readonly kind: 'dense'; readonly function: 'tanh' | 'softmax'; readonly weights: Weights }
  | {
      readonly kind: 'lstm'
      readonly isSummary: boolean
      readonly inputs: number
      readonly states: number
      /** Cell input, input gate, forget gate, output gate. */
      readonly gates: readonly [Weights, Weights, Weights, Weights]
    }
  | { readonly kind: 'series' | 'reversed' | 'transposed'; readonly layers: readonly Layer[] }

export interface TesseractModel {
  readonly network: Layer
  /** Text of each class; null for the class "no letter". */
  readonly alphabet: readonly (string | null)[]
}

/** Component numbers in the file (TessdataType). */
const COMPONENT = { lstm: 17, unicharset: 21, recoder: 22 }
const MAX_COMPONENTS = 64

export function readTesseractFile(file: Buffer): TesseractModel {
  const reader = new Reader(readComponent(file, COMPONENT.lstm))
  const network = readLayer(reader)
  reader.text() // network specification
  reader.skip(3 * 4) // training flags and counts
  const nullClass = reader.int32()
  return {
    network,
    alphabet: buildAlphabet(
      readComponent(file, COMPONENT.unicharset).toString('utf8'),
      readComponent(file, COMPONENT.recoder),
      nullClass,
    ),
  }
}

function readComponent(file: Buffer, number: number): Buffer {
  const reader = new Reader(file)
  const count = reader.int32()
  if (count <= number || count > MAX_COMPONENTS) throw new TypeError(`tesseract file of ${count} components`)
  const offsets = Array.from({ length: count }, () => reader.int64())
  const from = offsets[number]
  if (from < 0) throw new TypeError(`no component ${number} in the tesseract file`)
  return file.subarray(from, Math.min(file.length, ...offsets.filter((offset) => offset > from)))
}

const DENSE: Readonly<Record<string, 'tanh' | 'softmax'>> = { Tanh: 'tanh', Softmax: 'softmax' }
const GROUPS: Readonly<Record<string, 'series' | 'reversed' | 'transposed'>> = {
  Series: 'series',
  RTLReversed: 'reversed',
  XYTranspose: 'transposed',
}
/** Network flag: each layer of a group has its own learning rate, stored after the group. */
const OWN_RATES = 64
const MAX_LAYERS = 64

function readLayer(reader: Reader): Layer {
  if (reader.int8() !== 0) throw new TypeError('a layer without a name')
  const type = reader.text()
  reader.skip(2) // training state
  const flags = reader.int32()
  const inputs = reader.int32()
  const outputs = reader.int32()
  reader.skip(4) // number of weights
  reader.text() // name
  const group = Object.hasOwn(GROUPS, type) ? GROUPS[type] : null
  if (group) {
    const count = reader.count(MAX_LAYERS)
    const layers = Array.from({ length: count }, () => readLayer(reader))
    if (flags & OWN_RATES) reader.skip(4 * reader.count(MAX_LAYERS))
    return { kind: group, layers }
  }
  if (Object.hasOwn(DENSE, type))
    return { kind: 'dense', function: DENSE[type], weights: readWeights(reader) }
  switch (type) {
    case 'Input': {
      const [, height, , depth] = [reader.int32(), reader.int32(), reader.int32(), reader.int32()]
      reader.skip(4) // loss type
      return { kind: 'input', height, depth }
    }
    case 'Convolve':
      return { kind: 'convolve', halfX: reader.int32(), halfY: reader.int32() }
    case 'Maxpool':
      return { kind: 'max-pool', x: reader.int32(), y: reader.int32() }
    case 'LSTM':
    case 'SummLSTM': {
      if (reader.int32() !== inputs + outputs) throw new TypeError('a layer of two dimensions')
      const gates = [
        readWeights(reader),
        readWeights(reader),
        readWeights(reader),
        readWeights(reader),
      ] as const
      return { kind: 'lstm', isSummary: type === 'SummLSTM', inputs, states: outputs, gates }
    }
    default:
      throw new TypeError(`a layer of type ${JSON.stringify(type)}`)
  }
}

const MODE = { wholeNumbers: 1, doubles: 128 }
const MAX_SIDE = 65_536

function readWeights(reader: Reader): Weights {
  const mode = reader.uint8()
  if (!(mode & MODE.wholeNumbers) || !(mode & MODE.doubles)) throw new TypeError('weights that are not whole')
  const [rows, columns] = [reader.count(MAX_SIDE), reader.count(MAX_SIDE)]
  reader.skip(1) // value of an empty cell
  const numbers = new Int8Array(reader.bytes(rows * columns))
  // Rows are padded for SIMD, so there may be more factors than rows.
  const factors = Float64Array.from({ length: reader.count(MAX_SIDE) }, () => reader.double())
  if (factors.length < rows) throw new TypeError('fewer factors than rows')
  return { rows, columns, numbers, factors }
}

/** Each class is one letter in all Latin languages, so files with multi-class letters are rejected. */
function buildAlphabet(unicharset: string, recoder: Buffer, nullClass: number): readonly (string | null)[] {
  const [head, ...lines] = unicharset.split('\n')
  const letters = lines.slice(0, Number(head)).map((line) => line.slice(0, Math.max(0, line.indexOf(' '))))
  const reader = new Reader(recoder)
  const alphabet: (string | null)[] = []
  const count = reader.count(letters.length)
  for (let i = 0; i < count; i++) {
    reader.skip(1)
    if (reader.int32() !== 1) throw new TypeError('letters of several classes')
    const code = reader.count(MAX_SIDE)
    // Letters of one class look alike: the first is the usual one.
    alphabet[code] ??= i === 0 ? ' ' : letters[i]
  }
  // "Joined" and "Broken" are not letters.
  return Array.from(alphabet, (text, code) =>
    code === nullClass || text === undefined || text === null || /^(Joined|\|Broken\|.*)$/.test(text)
      ? null
      : text,
  )
}

class Reader {
  #at = 0
  readonly #bytes: Buffer
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  bytes(length: number): Buffer {
    const from = this.#at
    if (from + length > this.#bytes.length) throw new RangeError('the tesseract file breaks off')
    this.#at += length
    return this.#bytes.subarray(from, from + length)
  }
  skip(length: number): void {
    this.bytes(length)
  }
  int8 = (): number => this.bytes(1).readInt8()
  uint8 = (): number => this.bytes(1).readUInt8()
  int32 = (): number => this.bytes(4).readInt32LE()
  double = (): number => this.bytes(8).readDoubleLE()
  int64 = (): number => Number(this.bytes(8).readBigInt64LE())
  /** Reads a length or number of at most `most`. */
  count(most: number): number {
    const value = this.bytes(4).readUInt32LE()
    if (value > most) throw new RangeError(`${value} in a tesseract file`)
    return value
  }
  text(): string {
    return this.bytes(this.count(1024)).toString('utf8')
  }
}
