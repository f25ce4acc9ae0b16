/**
 * Writes ONNX files: the protobuf messages of onnx.proto3 (IR 8) that a float network needs. Deterministic. Does not
 * validate the graph: the runtime does when it loads the file.
 */
import { bytesField, numberField } from './protobuf.ts'

const IR_VERSION = 8
const OPSET = 13
/** TensorProto.DataType. */
export const FLOAT = 1
const UINT8 = 2
const INT64 = 7
/** The runtime's own operators. */
export const RUNTIME_DOMAIN = 'com.microsoft'

/** Supported attributes: strings, integers or lists of them. */
type Attribute = string | number | readonly number[]
export type Attributes = Readonly<Record<string, Attribute>>
/** Null: known only at run time. */
type Dims = readonly (number | null)[]

// Field numbers below are those of onnx.proto3.
function attributeMessage(name: string, value: Attribute): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([bytesField(1, name), bytesField(4, value), numberField(20, 3)])
  if (typeof value === 'number')
    return Buffer.concat([bytesField(1, name), numberField(3, value), numberField(20, 2)])
  return Buffer.concat([
    bytesField(1, name),
    ...value.map((item) => numberField(8, item)),
    numberField(20, 7),
  ])
}

export function tensorMessage(
  name: string,
  dims: readonly number[],
  type: number,
  raw: ArrayBufferView,
): Buffer {
  return Buffer.concat([
    ...dims.map((dim) => numberField(1, dim)),
    numberField(2, type),
    bytesField(8, name),
    bytesField(9, Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)), // little-endian, like every machine that Node supports
  ])
}

function valueInfoMessage(name: string, dims: Dims): Buffer {
  const shape = Buffer.concat(
    dims.map((dim) => bytesField(1, dim === null ? Buffer.alloc(0) : numberField(1, dim))),
  )
  const tensorType = Buffer.concat([numberField(1, FLOAT), bytesField(2, shape)])
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, tensorType))])
}

export class OnnxGraph {
  readonly #nodes: Buffer[] = []
  readonly #initializers: Buffer[] = []
  readonly #inputs: Buffer[] = []
  readonly #outputs: Buffer[] = []
  readonly #domains = new Set<string>()
  #count = 0

  /** Adds an operation with one output; returns the output's name. */
  node(op: string, inputs: readonly string[], attributes: Attributes = {}): string {
    return this.addNode(op, inputs, 1, attributes)[0]
  }

  /** Adds an operation with several outputs; returns their names. */
  addNode(
    op: string,
    inputs: readonly string[],
    outputs: number,
    attributes: Attributes = {},
    domain = '',
  ): readonly string[] {
    const name = `${op.toLowerCase()}_${this.#count++}`
    const names = Array.from({ length: outputs }, (_, i) => (i === 0 ? name : `${name}_${i}`))
    if (domain !== '') this.#domains.add(domain)
    this.#addNode(op, inputs, names, attributes, domain)
    return names
  }

  /** Adds a float constant; returns its name. */
  floats(dims: readonly number[], values: Float32Array): string {
    const name = `f_${this.#count++}`
    this.#initializers.push(bytesField(5, tensorMessage(name, dims, FLOAT, values)))
    return name
  }

  /** Adds a constant list of 64-bit integers; returns its name. */
  integers(values: readonly number[]): string {
    const name = `i_${this.#count++}`
    const raw = BigInt64Array.from(values, (value) => BigInt(value))
    this.#initializers.push(bytesField(5, tensorMessage(name, [values.length], INT64, raw)))
    return name
  }

  /** Adds a byte constant; returns its name. */
  bytes(dims: readonly number[], values: Uint8Array): string {
    const name = `b_${this.#count++}`
    this.#initializers.push(bytesField(5, tensorMessage(name, dims, UINT8, values)))
    return name
  }

  input(name: string, dims: Dims): string {
    this.#inputs.push(bytesField(11, valueInfoMessage(name, dims)))
    return name
  }

  /** Exposes a tensor under a public name. */
  output(name: string, tensor: string, dims: Dims): void {
    this.#addNode('Identity', [tensor], [name], {})
    this.#outputs.push(bytesField(12, valueInfoMessage(name, dims)))
  }

  serialize(name: string): Buffer {
    const graph = Buffer.concat([
      ...this.#nodes,
      bytesField(2, name),
      ...this.#initializers,
      ...this.#inputs,
      ...this.#outputs,
    ])
    const opset = Buffer.concat([bytesField(1, ''), numberField(2, OPSET)])
    const further = [...this.#domains].map((domain) =>
      bytesField(8, Buffer.concat([bytesField(1, domain), numberField(2, 1)])),
    )
    return Buffer.concat([
      numberField(1, IR_VERSION),
      bytesField(2, 'counterproof'),
      bytesField(7, graph),
      bytesField(8, opset),
      ...further,
    ])
  }

  #addNode(
    op: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes,
    domain = '',
  ): void {
    const message = Buffer.concat([
      ...inputs.map((input) => bytesField(1, input)),
      ...outputs.map((output) => bytesField(2, output)),
      bytesField(3, outputs[0]),
      bytesField(4, op),
      ...(domain ? [bytesField(7, domain)] : []),
      ...Object.entries(attributes).map(([key, value]) => bytesField(5, attributeMessage(key, value))),
    ])
    this.#nodes.push(bytesField(1, message))
  }
}
