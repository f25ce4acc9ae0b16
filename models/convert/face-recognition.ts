/**
 * Converts the face recognition network of face-api (dlib's ResNet-29) to ONNX. The library keeps the layout in code
 * instead of a file, so it is repeated here. Input: 150 × 150 RGB, 0–255.
 */
import { OnnxGraph } from './onnx-graph.ts'
import type { Weights } from './tfjs-weights.ts'
import { kernelFromHwio } from './tfjs-weights.ts'

const INPUT_PX = 150
/** Channel means that dlib subtracts (dlib: input_rgb_image). */
const CHANNEL_MEANS = [122.782, 117.001, 104.298]

/** Sorted; `residual` keeps the size, `down` halves it. */
const BLOCKS: readonly (readonly ['residual' | 'down', string])[] = [
  ['residual', 'conv32_1'],
  ['residual', 'conv32_2'],
  ['residual', 'conv32_3'],
  ['down', 'conv64_down'],
  ['residual', 'conv64_1'],
  ['residual', 'conv64_2'],
  ['residual', 'conv64_3'],
  ['down', 'conv128_down'],
  ['residual', 'conv128_1'],
  ['residual', 'conv128_2'],
  ['down', 'conv256_down'],
  ['residual', 'conv256_1'],
  ['residual', 'conv256_2'],
  ['down', 'conv256_down_out'],
]

interface Flow {
  readonly tensor: string
  readonly channels: number
  readonly size: number
}

/** The ONNX file: input `input` 1×3×150×150, output `descriptor` 1×128, not normalised. */
export function convertFaceRecognition(name: string, weights: Weights): Buffer {
  const onnx = new OnnxGraph()
  const weight = (key: string) => {
    const tensor = weights.get(key)
    if (!(tensor?.data instanceof Float32Array)) throw new TypeError(`no weights ${key}`)
    return { shape: tensor.shape, data: tensor.data }
  }

  /** Convolution with the following scale layer folded in: s·(w∗x + b) + t = (s·w)∗x + (s·b + t). */
  function convolution(from: Flow, key: string, stride: number, padding: 'same' | 'valid'): Flow {
    const kernel = kernelFromHwio(weight(`${key}/conv/filters`))
    const scale = weight(`${key}/scale/weights`).data
    const shift = weight(`${key}/scale/biases`).data
    const [outputs, inputs, side] = kernel.dims
    const perOutput = inputs * side * side
    const folded = kernel.data.map((value, i) => value * scale[Math.floor(i / perOutput)])
    const bias = weight(`${key}/conv/bias`).data.map((value, o) => value * scale[o] + shift[o])
    const before = padding === 'same' ? (side - 1) >> 1 : 0
    const after = padding === 'same' ? side >> 1 : 0
    const operands = [from.tensor, onnx.floats(kernel.dims, folded), onnx.floats([outputs], bias)]
    const tensor = onnx.node('Conv', operands, {
      kernel_shape: [side, side],
      strides: [stride, stride],
      pads: [before, before, after, after],
    })
    const size = Math.floor((from.size + before + after - side) / stride) + 1
    return { tensor, channels: outputs, size }
  }
  const relu = (flow: Flow): Flow => ({ ...flow, tensor: onnx.node('Relu', [flow.tensor]) })
  const add = (a: Flow, b: Flow): Flow => ({ ...a, tensor: onnx.node('Add', [a.tensor, b.tensor]) })
  /** Zero padding after the channels, below and to the right. */
  function padTo(flow: Flow, channels: number, size: number): Flow {
    if (flow.channels === channels && flow.size === size) return flow
    const amounts = [0, 0, 0, 0, 0, channels - flow.channels, size - flow.size, size - flow.size]
    return { tensor: onnx.node('Pad', [flow.tensor, onnx.integers(amounts)]), channels, size }
  }

  function residual(from: Flow, key: string): Flow {
    const inner = relu(convolution(from, `${key}/conv1`, 1, 'same'))
    return relu(add(convolution(inner, `${key}/conv2`, 1, 'same'), from))
  }
  function down(from: Flow, key: string): Flow {
    const inner = relu(convolution(from, `${key}/conv1`, 2, 'valid'))
    const main = convolution(inner, `${key}/conv2`, 1, 'same')
    const shortcut: Flow = {
      tensor: onnx.node('AveragePool', [from.tensor], { kernel_shape: [2, 2], strides: [2, 2] }),
      channels: from.channels,
      size: Math.floor((from.size - 2) / 2) + 1,
    }
    const size = Math.max(main.size, shortcut.size)
    return relu(add(padTo(shortcut, main.channels, size), padTo(main, main.channels, size)))
  }

  const pixels = onnx.input('input', [1, 3, INPUT_PX, INPUT_PX])
  const centred = onnx.node('Sub', [pixels, onnx.floats([1, 3, 1, 1], Float32Array.from(CHANNEL_MEANS))])
  const scaled = onnx.node('Div', [centred, onnx.floats([1], Float32Array.of(255))])
  let flow = relu(convolution({ tensor: scaled, channels: 3, size: INPUT_PX }, 'conv32_down', 2, 'valid'))
  const pooled = onnx.node('MaxPool', [flow.tensor], { kernel_shape: [3, 3], strides: [2, 2] })
  flow = { tensor: pooled, channels: flow.channels, size: Math.floor((flow.size - 3) / 2) + 1 }
  for (const [kind, key] of BLOCKS) flow = kind === 'down' ? down(flow, key) : residual(flow, key)

  const mean = onnx.node('Flatten', [onnx.node('GlobalAveragePool', [flow.tensor])])
  const projection = weight('fc')
  const descriptor = onnx.node('MatMul', [mean, onnx.floats(projection.shape, projection.data)])
  onnx.output('descriptor', descriptor, [1, projection.shape[1]])
  return onnx.serialize(name)
}
