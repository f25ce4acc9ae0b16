/**
 * Simplifies an ONNX network of PP-OCR without changing its function. PaddleOCR's export multiplies and adds a constant
 * after each convolution and activation, and expresses hard swish in four operations. Linear operations are folded into
 * the adjacent convolution's weights. Everything else stays byte-identical.
 */
import { FLOAT, tensorMessage } from './onnx-graph.ts'
import { bytesField, numberField, readNumbers, readFields, type Field } from './protobuf.ts'

// Field numbers of onnx.proto3.
const MODEL = { graph: 7 }
const GRAPH = { node: 1, initializer: 5, output: 12, valueInfo: 13 }
const NODE = { input: 1, output: 2, name: 3, op: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, float: 2, tensor: 5, ints: 8, type: 20 }
const TENSOR = { dims: 1, type: 2, floats: 4, raw: 9 }
const FLOAT_ATTRIBUTE = 1

interface Tensor {
  readonly dims: readonly number[]
  readonly values: Float64Array
}

interface Node {
  readonly op: string
  inputs: readonly string[]
  readonly output: string
  readonly attributes: readonly Buffer[]
  /** Original bytes; null for a new node or one with changed inputs. */
  raw: Buffer | null
}

interface Convolution {
  readonly node: Node
  readonly dims: readonly number[]
  readonly kernel: Float64Array
  readonly bias: Float64Array
  readonly isPadded: boolean
}

/** Returns the folded file. Throws if the file is no ONNX model of float convolutions. */
export function foldAffine(model: Buffer): Buffer {
  const fields = readFields(model)
  const graph = fields.find(({ field }) => field === MODEL.graph)
  if (!graph) throw new TypeError('no graph in the file')
  const folded = new Folding(readFields(graph.bytes)).serialize()
  return Buffer.concat(fields.map((field) => (field === graph ? bytesField(MODEL.graph, folded) : field.raw)))
}

class Folding {
  readonly #rest: readonly Field[]
  readonly #nodes: Node[]
  readonly #constants: ReadonlyMap<string, Tensor>
  readonly #outputs: ReadonlySet<string>
  readonly #convolutions: ReadonlyMap<Node, Convolution>
  /** Node → its replacement. */
  readonly #replaced = new Map<Node, readonly Node[]>()
  /** Tensor → the tensor that now holds its values. */
  readonly #renamed = new Map<string, string>()
  readonly #initializers: Buffer[] = []

  constructor(graph: readonly Field[]) {
    this.#nodes = graph.filter(({ field }) => field === GRAPH.node).map(readNode)
    // Shapes of intermediate tensors are hints for tensors that no longer exist.
    this.#rest = graph.filter(({ field }) => field !== GRAPH.node && field !== GRAPH.valueInfo)
    this.#outputs = new Set(
      graph.filter(({ field }) => field === GRAPH.output).map(({ bytes }) => readText(readFields(bytes), 1)),
    )
    this.#constants = new Map(
      this.#nodes.flatMap((node) => {
        const value = node.op === 'Constant' ? floatConstant(node) : null
        return value ? [[node.output, value] as const] : []
      }),
    )
    this.#convolutions = new Map(
      this.#nodes.flatMap((node) => {
        const convolution = node.op === 'Conv' ? this.#readConvolution(node) : null
        return convolution ? [[node, convolution] as const] : []
      }),
    )
    // The graph order ensures that everything before a convolution is folded first.
    for (const convolution of this.#convolutions.values()) this.#fold(convolution)
  }

  serialize(): Buffer {
    for (const { node, dims, kernel, bias } of this.#convolutions.values()) {
      const names = [`${node.output}_kernel`, `${node.output}_bias`] as const
      this.#addInitializer(names[0], dims, kernel)
      this.#addInitializer(names[1], [bias.length], bias)
      node.inputs = [node.inputs[0], ...names]
      node.raw = null
    }
    const nodes = this.#nodes
      .flatMap((node) => this.#replaced.get(node) ?? [node])
      .map((node) => this.#useNewNames(node))
    const used = new Set(nodes.flatMap(({ inputs }) => inputs))
    const needed = nodes.filter(
      ({ op, output }) => op !== 'Constant' || used.has(output) || this.#outputs.has(output),
    )
    return Buffer.concat([
      ...needed.map(writeNode),
      ...this.#initializers,
      ...this.#rest.map(({ raw }) => raw),
    ])
  }

  #addInitializer(name: string, dims: readonly number[], values: Float64Array): void {
    const tensor = tensorMessage(name, dims, FLOAT, Float32Array.from(values))
    this.#initializers.push(bytesField(GRAPH.initializer, tensor))
  }

  #readConvolution(node: Node): Convolution | null {
    const [kernel, bias] = node.inputs.slice(1).map((name) => this.#constants.get(name))
    const attributes = readAttributes(node)
    if (!kernel || attributes.has('auto_pad')) return null
    const pads = readNumbers(attributes.get('pads') ?? [], ATTRIBUTE.ints)
    return {
      node,
      dims: kernel.dims,
      kernel: kernel.values.slice(),
      bias: bias?.values.slice() ?? new Float64Array(kernel.dims[0]),
      isPadded: pads.some((pad) => pad !== 0),
    }
  }

  #fold(convolution: Convolution): void {
    const behind = this.#foldNumbers(convolution)
    const activated = this.#foldHardSwish(convolution.node.output, behind)
    if (activated) this.#foldIntoNext(activated)
  }

  /** s·(k∗x + b) + t = (s·k)∗x + (s·b + t). Returns the tensor after the last constant. */
  #foldNumbers({ node, kernel, bias }: Convolution): string {
    let behind = node.output
    for (;;) {
      const next = this.#onlyUser(behind)
      const factor = next && this.#numberIn(next, 'Mul')
      const summand = next && this.#numberIn(next, 'Add')
      if (next === null || (factor === null && summand === null)) break
      if (factor !== null) scale(kernel, factor)
      if (factor !== null) scale(bias, factor)
      if (summand !== null) bias.forEach((value, i) => (bias[i] = value + summand))
      this.#replaced.set(next, [])
      behind = next.output
    }
    if (behind !== node.output) this.#renamed.set(behind, node.output)
    return behind
  }

  /**
   * Replaces x·clip(x + 3, 0, 6) / 6 after `tensor`, whose values are now in `own`, by two operations that the runtime
   * fuses.
   */
  #foldHardSwish(own: string, tensor: string): { readonly was: string; readonly is: string } | null {
    const users = this.#users(tensor)
    const plus = users.find((node) => this.#numberIn(node, 'Add') === 3)
    const times = users.find((node) => node.op === 'Mul')
    if (users.length !== 2 || !plus || !times) return null
    const clip = this.#onlyUser(plus.output)
    if (clip?.op !== 'Clip' || !this.#isClippedTo6(clip) || this.#onlyUser(clip.output) !== times) return null
    const over = this.#onlyUser(times.output)
    if (over === null || this.#numberIn(over, 'Div') !== 6) return null
    for (const node of [plus, clip, times]) this.#replaced.set(node, [])
    const gate = ourNode('HardSigmoid', [own], `${own}_gate`, { alpha: 1 / 6, beta: 0.5 })
    const product = ourNode('Mul', [own, gate.output], `${own}_swish`)
    this.#replaced.set(over, [gate, product])
    this.#renamed.set(over.output, product.output)
    return { was: over.output, is: product.output }
  }

  /**
   * k∗(c·x + d) = (c·k)∗x + d·Σk. Padding does not contain d, so at a padded border it stays as d / c before the kernel.
   */
  #foldIntoNext({ was, is }: { readonly was: string; readonly is: string }): void {
    const times = this.#onlyUser(was)
    const factor = times && this.#numberIn(times, 'Mul')
    const plus = times && this.#onlyUser(times.output)
    const summand = plus && this.#numberIn(plus, 'Add')
    const next = plus && this.#onlyUser(plus.output)
    const convolution = next && this.#convolutions.get(next)
    if (!times || !plus || !convolution || !factor || summand === null) return
    const { kernel, bias, isPadded } = convolution
    if (!isPadded) addOfConstant(kernel, bias, summand)
    scale(kernel, factor)
    this.#replaced.set(times, [])
    if (!isPadded) {
      this.#replaced.set(plus, [])
      this.#renamed.set(plus.output, is)
      return
    }
    const name = `${plus.output}_summand`
    this.#addInitializer(name, [1], Float64Array.of(summand / factor))
    const shifted = ourNode('Add', [is, name], `${plus.output}_shifted`)
    this.#replaced.set(plus, [shifted])
    this.#renamed.set(plus.output, shifted.output)
  }

  #users(tensor: string): readonly Node[] {
    return this.#nodes.filter(({ inputs }) => inputs.includes(tensor))
  }

  /** Returns null if several nodes, or the network's output, use the tensor. */
  #onlyUser(tensor: string): Node | null {
    const users = this.#users(tensor)
    return users.length === 1 && !this.#outputs.has(tensor) ? users[0] : null
  }

  /** The constant of this operation; null if the operation is another one. */
  #numberIn(node: Node, op: 'Add' | 'Mul' | 'Div'): number | null {
    if (node.op !== op) return null
    const constants = node.inputs.flatMap((name) => this.#constants.get(name) ?? [])
    const [value] = constants
    if (constants.length !== 1 || value.values.length !== 1) return null
    return op === 'Div' && !this.#constants.has(node.inputs[1]) ? null : value.values[0]
  }

  /** Up to opset 10 the limits are attributes, later inputs. */
  #isClippedTo6(node: Node): boolean {
    const attributes = readAttributes(node)
    const limit = (name: string, input: number): number | undefined => {
      const attribute = attributes.get(name)?.find(({ field }) => field === ATTRIBUTE.float)
      return attribute
        ? attribute.bytes.readFloatLE()
        : this.#constants.get(node.inputs[input] ?? '')?.values[0]
    }
    return limit('min', 1) === 0 && limit('max', 2) === 6
  }

  #useNewNames(node: Node): Node {
    const inputs = node.inputs.map((name) => this.#nameNow(name))
    return inputs.every((name, i) => name === node.inputs[i]) ? node : { ...node, inputs, raw: null }
  }

  #nameNow(name: string): string {
    const now = this.#renamed.get(name)
    return now === undefined ? name : this.#nameNow(now)
  }
}

function scale(values: Float64Array, factor: number): void {
  values.forEach((value, i) => (values[i] = value * factor))
}

/** Adds to the bias of a convolution whose input is larger by `summand` everywhere. */
function addOfConstant(kernel: Float64Array, bias: Float64Array, summand: number): void {
  const perOutput = kernel.length / bias.length
  for (let o = 0; o < bias.length; o++)
    for (let i = 0; i < perOutput; i++) bias[o] += summand * kernel[o * perOutput + i]
}

const readText = (fields: readonly Field[], wanted: number): string =>
  fields.find(({ field }) => field === wanted)?.bytes.toString() ?? ''

/** Fields of each attribute, by name. */
function readAttributes({ attributes }: Node): ReadonlyMap<string, readonly Field[]> {
  return new Map(
    attributes.map((raw) => {
      const fields = readFields(raw)
      return [readText(fields, ATTRIBUTE.name), fields]
    }),
  )
}

function readNode({ bytes, raw }: Field): Node {
  const fields = readFields(bytes)
  return {
    op: readText(fields, NODE.op),
    inputs: fields.filter(({ field }) => field === NODE.input).map(({ bytes: name }) => name.toString()),
    output: readText(fields, NODE.output),
    attributes: fields.filter(({ field }) => field === NODE.attribute).map((attribute) => attribute.bytes),
    raw,
  }
}

function ourNode(
  op: string,
  inputs: readonly string[],
  output: string,
  floats: Record<string, number> = {},
): Node {
  const attributes = Object.entries(floats).map(([name, value]) => {
    const bytes = Buffer.alloc(5)
    bytes.writeUInt8((ATTRIBUTE.float << 3) | 5)
    bytes.writeFloatLE(value, 1)
    return Buffer.concat([
      bytesField(ATTRIBUTE.name, name),
      bytes,
      numberField(ATTRIBUTE.type, FLOAT_ATTRIBUTE),
    ])
  })
  return { op, inputs, output, attributes, raw: null }
}

function writeNode({ op, inputs, output, attributes, raw }: Node): Buffer {
  if (raw) return raw
  const message = Buffer.concat([
    ...inputs.map((input) => bytesField(NODE.input, input)),
    bytesField(NODE.output, output),
    bytesField(NODE.name, output),
    bytesField(NODE.op, op),
    ...attributes.map((attribute) => bytesField(NODE.attribute, attribute)),
  ])
  return bytesField(GRAPH.node, message)
}

/** Returns null for integers and for anything that is no tensor. */
function floatConstant({ attributes }: Node): Tensor | null {
  const tensor = attributes
    .map(readFields)
    .flatMap((fields) => fields.filter(({ field }) => field === ATTRIBUTE.tensor))
    .at(0)
  if (!tensor) return null
  const fields = readFields(tensor.bytes)
  if (readNumbers(fields, TENSOR.type)[0] !== FLOAT) return null
  const stored = fields.filter(({ field }) => field === TENSOR.raw || field === TENSOR.floats)
  const bytes = Buffer.concat(stored.map((field) => field.bytes))
  // Copied, because floats need alignment.
  const values = Float64Array.from(new Float32Array(Uint8Array.from(bytes).buffer))
  return { dims: readNumbers(fields, TENSOR.dims), values }
}
