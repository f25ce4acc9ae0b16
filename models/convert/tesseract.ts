/**
 * Converts a tesseract language file to ONNX with the same layers and weights, so that the ONNX runtime can read lines.
 * Input: 1×1×h×w with a border of one pixel, ink −1 to paper 1. Output: steps × 1 × classes, probabilities.
 */
import { OnnxGraph, RUNTIME_DOMAIN } from './onnx-graph.ts'
import type { Layer, TesseractModel, Weights } from './tesseract-file.ts'

/** Axis order of a tensor between layers: picture (1, channels, y, x), or sequence (x, 1, channels). */
interface Flow {
  readonly tensor: string
  readonly channels: number
  readonly is: 'picture' | 'sequence'
}

type Lstm = Extract<Layer, { kind: 'lstm' }>

/** Throws TypeError for another kind of network. */
export function convertTesseract(name: string, { network }: TesseractModel): Buffer {
  if (network.kind !== 'series' || network.layers[0]?.kind !== 'input') throw new TypeError('no input')
  const [{ depth }, ...layers] = network.layers as [Extract<Layer, { kind: 'input' }>, ...Layer[]]
  const graph = new OnnxGraph()
  const input = graph.input('line', [1, depth, null, null])
  const { tensor, channels } = layers.reduce<Flow>((flow, layer) => addLayer(graph, flow, layer), {
    tensor: input,
    channels: depth,
    is: 'picture',
  })
  graph.output('probabilities', tensor, [null, 1, channels])
  return graph.serialize(name)
}

function addLayer(graph: OnnxGraph, flow: Flow, layer: Layer): Flow {
  switch (layer.kind) {
    case 'series':
      if (layer.layers[0]?.kind === 'convolve') return addConvolution(graph, flow, layer.layers)
      return layer.layers.reduce((before, next) => addLayer(graph, before, next), flow)
    case 'max-pool': {
      const pooling = { kernel_shape: [layer.y, layer.x], strides: [layer.y, layer.x] }
      return { ...flow, tensor: graph.node('MaxPool', [flow.tensor], pooling) }
    }
    case 'transposed':
      return addSummary(graph, flow, only(layer.layers))
    case 'reversed':
      return addLstm(graph, flow, only(layer.layers), 'reverse')
    case 'lstm':
      return addLstm(graph, flow, layer, 'forward')
    case 'dense':
      return addDense(graph, flow, layer)
    case 'convolve':
    case 'input':
      throw new TypeError(`${layer.kind} in this place`)
  }
}

function only(layers: readonly Layer[]): Lstm {
  const [layer] = layers
  if (layers.length !== 1 || layer.kind !== 'lstm') throw new TypeError('another layer than one LSTM')
  return layer
}

/** Stacked neighbours followed by a dense layer are a convolution. The caller provides the border. */
function addConvolution(graph: OnnxGraph, flow: Flow, [convolve, dense]: readonly Layer[]): Flow {
  if (convolve.kind !== 'convolve' || dense.kind !== 'dense' || dense.function !== 'tanh')
    throw new TypeError('another convolution')
  const [wide, high] = [2 * convolve.halfX + 1, 2 * convolve.halfY + 1]
  const { weights } = dense
  const kernel = new Float32Array(weights.rows * flow.channels * high * wide)
  for (let o = 0; o < weights.rows; o++)
    for (let c = 0; c < flow.channels; c++)
      for (let y = 0; y < high; y++)
        for (let x = 0; x < wide; x++)
          kernel[((o * flow.channels + c) * high + y) * wide + x] = weightAt(
            weights,
            o,
            (x * high + y) * flow.channels + c,
          )
  const inputs = [
    flow.tensor,
    graph.floats([weights.rows, flow.channels, high, wide], kernel),
    graph.floats([weights.rows], readBias(weights)),
  ]

  const tensor = graph.node('Tanh', [graph.node('Conv', inputs, { kernel_shape: [high, wide] })])
  return { tensor, channels: weights.rows, is: 'picture' }
}

/** Reads each column top to bottom; the state at the bottom is the column's step of the line. */
function addSummary(graph: OnnxGraph, flow: Flow, layer: Lstm): Flow {
  if (!layer.isSummary || flow.is !== 'picture') throw new TypeError('another summary')
  const columns = graph.node('Squeeze', [
    graph.node('Transpose', [flow.tensor], { perm: [2, 0, 3, 1] }),
    graph.integers([1]),
  ])
  const [, last] = addRecurrence(graph, columns, layer, 'forward')
  return {
    tensor: graph.node('Transpose', [last], { perm: [1, 0, 2] }),
    channels: layer.states,
    is: 'sequence',
  }
}

function addLstm(graph: OnnxGraph, flow: Flow, layer: Lstm, direction: 'forward' | 'reverse'): Flow {
  if (layer.isSummary || flow.is !== 'sequence') throw new TypeError('another recurrence')
  const [all] = addRecurrence(graph, flow.tensor, layer, direction)
  return { tensor: graph.node('Squeeze', [all, graph.integers([1])]), channels: layer.states, is: 'sequence' }
}

/** Byte value of a weight of 0. */
const ZERO = 128

/**
 * Uses the file's integers shifted to unsigned: products of unsigned bytes are exact on every processor, mixed signs
 * saturate on some. ONNX orders the gates input, output, forget, cell.
 */
function addRecurrence(
  graph: OnnxGraph,
  tensor: string,
  { inputs, states, gates: [cell, input, forget, output] }: Lstm,
  direction: 'forward' | 'reverse',
): readonly string[] {
  const gates = [input, output, forget, cell]
  const rows = 4 * states
  const chooseGate = (row: number): Weights => gates[Math.floor(row / states)]
  const matrix = (from: number, to: number): string => {
    const values = new Uint8Array((to - from) * rows)
    for (let row = 0; row < rows; row++) {
      const { numbers, columns } = chooseGate(row)
      for (let c = from; c < to; c++)
        values[(c - from) * rows + row] = numbers[(row % states) * columns + c] + ZERO
    }
    return graph.bytes([1, to - from, rows], values)
  }
  const bias = new Float32Array(2 * rows)
  gates.forEach((gate, i) => bias.set(readBias(gate), i * states))
  const factors = Float32Array.from({ length: rows }, (_, row) => chooseGate(row).factors[row % states])
  const scale = graph.floats([1, rows], factors)
  const zero = graph.bytes([1, rows], new Uint8Array(rows).fill(ZERO))
  const none = ''
  return graph.addNode(
    'DynamicQuantizeLSTM',
    [
      tensor,
      matrix(0, inputs),
      matrix(inputs, inputs + states),
      graph.floats([1, 2 * rows], bias),
      ...[none, none, none, none], // lengths, initial states, peepholes
      ...[scale, zero, scale, zero],
    ],
    2,
    { hidden_size: states, direction },
    RUNTIME_DOMAIN,
  )
}

function addDense(
  graph: OnnxGraph,
  flow: Flow,
  { function: f, weights }: Extract<Layer, { kind: 'dense' }>,
): Flow {
  if (flow.is !== 'sequence' || f !== 'softmax') throw new TypeError('another dense layer')
  const { rows, columns } = weights
  const inputs = columns - 1
  const matrix = Float32Array.from({ length: inputs * rows }, (_, i) =>
    weightAt(weights, i % rows, Math.floor(i / rows)),
  )
  const product = graph.node('MatMul', [flow.tensor, graph.floats([inputs, rows], matrix)])
  const sum = graph.node('Add', [product, graph.floats([rows], readBias(weights))])
  return { tensor: graph.node('Softmax', [sum], { axis: 2 }), channels: rows, is: 'sequence' }
}

const weightAt = ({ columns, numbers, factors }: Weights, row: number, column: number): number =>
  numbers[row * columns + column] * factors[row]

const readBias = (weights: Weights): Float32Array =>
  Float32Array.from({ length: weights.rows }, (_, row) => weightAt(weights, row, weights.columns - 1))
