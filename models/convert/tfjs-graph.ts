/**
 * Converts a TensorFlow.js graph model (model.json and weights) to ONNX. Pictures keep rank 4 in ONNX order (batch,
 * channels, height, width) and are transposed to TensorFlow order (batch, height, width, channels) only before a Reshape
 * and at a rank-4 output. Rejects operations that are not listed.
 */
import { OnnxGraph } from './onnx-graph.ts'
import type { Attributes } from './onnx-graph.ts'
import type { Kernel, Tensor, Weights, WeightSpec } from './tfjs-weights.ts'
import { kernelFromHwcm, kernelFromHwio, product } from './tfjs-weights.ts'

interface NodeAttribute {
  readonly s?: string
  readonly i?: string | number
  readonly shape?: { readonly dim?: readonly { readonly size: string | number }[] }
  readonly list?: { readonly s?: readonly string[]; readonly i?: readonly (string | number)[] }
}
interface GraphNode {
  readonly name: string
  readonly op: string
  readonly input?: readonly string[]
  readonly attr?: Readonly<Record<string, NodeAttribute>>
}
interface Signature {
  readonly outputs: Readonly<Record<string, { readonly name: string }>>
}
export interface GraphModel {
  readonly signature?: Signature
  readonly userDefinedMetadata?: { readonly signature?: Signature }
  readonly modelTopology: { readonly node: readonly GraphNode[] }
  readonly weightsManifest: readonly { readonly weights: readonly WeightSpec[] }[]
}

/** A tensor: its ONNX name, and its shape in TensorFlow order. */
interface Flow {
  readonly tensor: string
  readonly shape: readonly number[]
}

const TO_NHWC: Attributes = { perm: [0, 2, 3, 1] }
const isPicture = (flow: Flow): boolean => flow.shape.length === 4
const bare = (reference: string): string => reference.replace(/^\^/, '').replace(/:\d+$/, '')
const decodeText = (base64: string): string => Buffer.from(base64, 'base64').toString()

/** Output length of a sliding window, and padding before and after; TensorFlow puts an odd pixel after. */
export function slide(length: number, window: number, stride: number, padding: string) {
  if (padding === 'VALID') return { length: Math.floor((length - window) / stride) + 1, before: 0, after: 0 }
  if (padding !== 'SAME') throw new TypeError(`padding ${padding} is not known`)
  const out = Math.ceil(length / stride)
  const total = Math.max(0, (out - 1) * stride + window - length)
  return { length: out, before: total >> 1, after: total - (total >> 1) }
}

class GraphConversion {
  readonly #onnx = new OnnxGraph()
  readonly #nodes: ReadonlyMap<string, GraphNode>
  readonly #weights: Weights
  readonly #flows = new Map<string, Flow>()

  constructor(model: GraphModel, weights: Weights) {
    this.#nodes = new Map(model.modelTopology.node.map((node) => [node.name, node]))
    this.#weights = weights
  }

  convert(name: string, signature: Signature): Buffer {
    for (const [key, { name: reference }] of Object.entries(signature.outputs)) {
      const flow = this.#flow(reference)
      const tensor = isPicture(flow) ? this.#onnx.node('Transpose', [flow.tensor], TO_NHWC) : flow.tensor
      this.#onnx.output(bare(key), tensor, flow.shape)
    }
    return this.#onnx.serialize(name)
  }

  /** The tensor of a reference, built once. */
  #flow(reference: string): Flow {
    const name = bare(reference)
    const known = this.#flows.get(name)
    if (known) return known
    const node = this.#nodes.get(name)
    if (!node) throw new TypeError(`no node ${name}`)
    const flow = this.#build(node)
    this.#flows.set(name, flow)
    return flow
  }

  #constant(reference: string): Tensor {
    const tensor = this.#weights.get(bare(reference))
    if (!tensor) throw new TypeError(`${reference} is no constant`)
    return tensor
  }

  #build(node: GraphNode): Flow {
    const inputs = node.input ?? []
    switch (node.op) {
      case 'Placeholder': {
        const shape = (node.attr?.shape?.shape?.dim ?? []).map(({ size }) => Math.max(1, Number(size)))
        const [batch, height, width, channels] = shape
        return { tensor: this.#onnx.input('input', [batch, channels, height, width]), shape }
      }
      case 'Identity':
        return this.#flow(inputs[0])
      case '_FusedConv2D':
        return this.#convolution(node, kernelFromHwio(this.#constant(inputs[1])), 1)
      case 'DepthwiseConv2dNative': {
        const weights = this.#constant(inputs[1])
        return this.#convolution(node, kernelFromHwcm(weights), weights.shape[2])
      }
      case 'Relu':
      case 'Sigmoid': {
        const from = this.#flow(inputs[0])
        return { ...from, tensor: this.#onnx.node(node.op, [from.tensor]) }
      }
      case 'Prelu': {
        const from = this.#flow(inputs[0])
        return { ...from, tensor: this.#prelu(from.tensor, this.#constant(inputs[1])) }
      }
      case 'AddV2': {
        const [left, right] = [this.#flow(inputs[0]), this.#flow(inputs[1])]
        if (left.shape.join() !== right.shape.join()) throw new TypeError('AddV2 of unlike shapes')
        return { ...left, tensor: this.#onnx.node('Add', [left.tensor, right.tensor]) }
      }
      case 'MaxPool':
        return this.#maxPool(node)
      case 'Pad':
        return this.#pad(this.#flow(inputs[0]), [...this.#constant(inputs[1]).data])
      case 'Reshape':
        return this.#reshape(this.#flow(inputs[0]), [...this.#constant(inputs[1]).data])
      case 'ConcatV2':
        return this.#concat(inputs.slice(0, -1), this.#constant(inputs[inputs.length - 1]).data[0])
      default:
        throw new TypeError(`operation ${node.op} is not known`)
    }
  }

  #convolution(node: GraphNode, kernel: Kernel, group: number): Flow {
    const [reference, , ...extras] = node.input ?? []
    const from = this.#flow(reference)
    const [strideY, strideX] = readWindow(node, 'strides')
    const dilations = node.attr?.dilations?.list?.i ?? []
    if (dilations.some((dilation) => Number(dilation) !== 1)) throw new TypeError('dilation is not supported')
    const [outputs, , height, width] = kernel.dims
    const padding = decodeText(node.attr?.padding?.s ?? '')
    const y = slide(from.shape[1], height, strideY, padding)
    const x = slide(from.shape[2], width, strideX, padding)

    const operands = [from.tensor, this.#onnx.floats(kernel.dims, kernel.data)]
    const fused = (node.attr?.fused_ops?.list?.s ?? []).map(decodeText)
    if (fused[0] === 'BiasAdd')
      operands.push(this.#onnx.floats([outputs], requireFloats(this.#constant(extras[0]))))
    let tensor = this.#onnx.node('Conv', operands, {
      kernel_shape: [height, width],
      strides: [strideY, strideX],
      group,
      pads: [y.before, x.before, y.after, x.after],
    })
    for (const activation of fused.filter((op) => op !== 'BiasAdd')) {
      if (activation === 'Relu') tensor = this.#onnx.node('Relu', [tensor])
      else if (activation === 'Prelu') tensor = this.#prelu(tensor, this.#constant(extras[1]))
      else throw new TypeError(`fused ${activation} is not known`)
    }
    return { tensor, shape: [1, y.length, x.length, outputs] }
  }

  #prelu(tensor: string, slope: Tensor): string {
    const channels = slope.shape[slope.shape.length - 1]
    if (product(slope.shape) !== channels) throw new TypeError('Prelu slope is not one per channel')
    return this.#onnx.node('PRelu', [tensor, this.#onnx.floats([1, channels, 1, 1], requireFloats(slope))])
  }

  #maxPool(node: GraphNode): Flow {
    const from = this.#flow(node.input?.[0] ?? '')
    const [height, width] = readWindow(node, 'ksize')
    const [strideY, strideX] = readWindow(node, 'strides')
    const padding = decodeText(node.attr?.padding?.s ?? '')
    const y = slide(from.shape[1], height, strideY, padding)
    const x = slide(from.shape[2], width, strideX, padding)
    const tensor = this.#onnx.node('MaxPool', [from.tensor], {
      kernel_shape: [height, width],
      strides: [strideY, strideX],
      pads: [y.before, x.before, y.after, x.after],
    })
    return { tensor, shape: [1, y.length, x.length, from.shape[3]] }
  }

  /** `amounts`: before and after for batch, height, width, channels. */
  #pad(from: Flow, amounts: readonly number[]): Flow {
    const axes = [0, 3, 1, 2] // ONNX axis order in TensorFlow's numbering
    const before = axes.map((axis) => amounts[axis * 2])
    const after = axes.map((axis) => amounts[axis * 2 + 1])
    const tensor = this.#onnx.node('Pad', [from.tensor, this.#onnx.integers([...before, ...after])])
    return { tensor, shape: from.shape.map((size, axis) => size + amounts[axis * 2] + amounts[axis * 2 + 1]) }
  }

  #reshape(from: Flow, wanted: readonly number[]): Flow {
    const fixed = product(wanted.filter((size) => size > 0))
    const shape = wanted.map((size) => (size < 0 ? product(from.shape) / fixed : size))
    if (shape.length === 4) throw new TypeError('Reshape to a picture is not supported')
    const flat = isPicture(from) ? this.#onnx.node('Transpose', [from.tensor], TO_NHWC) : from.tensor
    return { tensor: this.#onnx.node('Reshape', [flat, this.#onnx.integers(shape)]), shape }
  }

  #concat(references: readonly string[], axis: number): Flow {
    const flows = references.map((reference) => this.#flow(reference))
    const at = (axis + flows[0].shape.length) % flows[0].shape.length
    const shape = [...flows[0].shape]
    shape[at] = flows.reduce((sum, flow) => sum + flow.shape[at], 0)
    const onnxAxis = isPicture(flows[0]) ? [0, 2, 3, 1][at] : at
    const tensors = flows.map((flow) => flow.tensor)
    return { tensor: this.#onnx.node('Concat', tensors, { axis: onnxAxis }), shape }
  }
}

/** Height and width of a [1, height, width, 1] attribute. */
function readWindow(node: GraphNode, attribute: string): [number, number] {
  const list = (node.attr?.[attribute]?.list?.i ?? []).map(Number)
  if (list.length !== 4 || list[0] !== 1 || list[3] !== 1) throw new TypeError(`${attribute} of ${node.op}`)
  return [list[1], list[2]]
}

function requireFloats({ data }: Tensor): Float32Array {
  if (!(data instanceof Float32Array)) throw new TypeError('integers where floats belong')
  return data
}

/**
 * Returns the ONNX file. The input is called `input`, outputs as in the model's signature. Throws TypeError for anything
 * unsupported.
 */
export function convertGraphModel(name: string, model: GraphModel, weights: Weights): Buffer {
  const signature = model.signature ?? model.userDefinedMetadata?.signature
  if (!signature) throw new TypeError('the model has no signature')
  return new GraphConversion(model, weights).convert(name, signature)
}
