/**
 * Reads TensorFlow.js weight files: dequantises bytes to floats, and converts TensorFlow's axis order to ONNX's. Knows
 * nothing of graphs.
 */
export interface Tensor {
  readonly shape: readonly number[]
  readonly data: Float32Array | Int32Array
}
export type Weights = ReadonlyMap<string, Tensor>

/** One entry of a weights manifest. */
export interface WeightSpec {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string; readonly scale?: number; readonly min?: number }
}

export const product = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1)

/** IEEE 754 half precision. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

type Reader = { bytes: number; read: (buffer: Buffer, at: number) => number }

function createReader(spec: WeightSpec): Reader {
  const { dtype, quantization } = spec
  const type = quantization?.dtype ?? dtype
  const scale = quantization?.scale ?? 1
  const min = quantization?.min ?? 0
  switch (type) {
    case 'float16':
      return { bytes: 2, read: (buffer, at) => halfToNumber(buffer.readUInt16LE(at)) }
    case 'uint8':
      return { bytes: 1, read: (buffer, at) => buffer[at] * scale + min }
    case 'uint16':
      return { bytes: 2, read: (buffer, at) => buffer.readUInt16LE(at) * scale + min }
    case 'int32':
      return { bytes: 4, read: (buffer, at) => buffer.readInt32LE(at) }
    case 'float32':
      return { bytes: 4, read: (buffer, at) => buffer.readFloatLE(at) }
    default:
      throw new TypeError(`weight type ${type} is not known`)
  }
}

/** All weights in manifest order. Throws TypeError if the file's length differs from the manifest. */
export function decodeWeights(specs: readonly WeightSpec[], file: Buffer): Weights {
  const weights = new Map<string, Tensor>()
  let at = 0
  for (const spec of specs) {
    const reader = createReader(spec)
    const count = product(spec.shape)
    if (at + count * reader.bytes > file.length) throw new TypeError('weight file is too short')
    const data = spec.dtype === 'int32' ? new Int32Array(count) : new Float32Array(count)
    for (let i = 0; i < count; i++, at += reader.bytes) data[i] = reader.read(file, at)
    weights.set(spec.name, { shape: spec.shape, data })
  }
  if (at !== file.length) throw new TypeError('weight file is too long')
  return weights
}

export interface Kernel {
  readonly dims: readonly [number, number, number, number]
  readonly data: Float32Array
}

/** Convolution kernel, height·width·in·out → out·in·height·width. */
export function kernelFromHwio({ shape, data }: Tensor): Kernel {
  const [height, width, inputs, outputs] = shape
  const moved = new Float32Array(data.length)
  let from = 0
  for (let h = 0; h < height; h++)
    for (let w = 0; w < width; w++)
      for (let i = 0; i < inputs; i++)
        for (let o = 0; o < outputs; o++) moved[((o * inputs + i) * height + h) * width + w] = data[from++]
  return { dims: [outputs, inputs, height, width], data: moved }
}

/** Depthwise kernel, height·width·channels·multiplier → channels·multiplier, 1, height, width. */
export function kernelFromHwcm({ shape, data }: Tensor): Kernel {
  const [height, width, channels, multiplier] = shape
  const moved = new Float32Array(data.length)
  let from = 0
  for (let h = 0; h < height; h++)
    for (let w = 0; w < width; w++)
      for (let c = 0; c < channels; c++)
        for (let m = 0; m < multiplier; m++)
          moved[((c * multiplier + m) * height + h) * width + w] = data[from++]
  return { dims: [channels * multiplier, 1, height, width], data: moved }
}
