import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { convertModel, isConvertible } from '../../models/convert/convert.ts'
import { OnnxGraph } from '../../models/convert/onnx-graph.ts'
import { slide } from '../../models/convert/tfjs-graph.ts'
import {
  decodeWeights,
  halfToNumber,
  kernelFromHwcm,
  kernelFromHwio,
} from '../../models/convert/tfjs-weights.ts'
import { readManifest } from '../../server/vision/manifest.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('every conversion gives the same bytes twice, and they are the pinned ones', async () => {
  const convertible = readManifest().models.filter(({ id }) => isConvertible(id))
  expect(convertible).toHaveLength(6)
  for (const { id, sha256: pinned } of convertible) {
    if (!isConvertible(id)) continue
    const [first, second] = [sha256(await convertModel(id)), sha256(await convertModel(id))]
    expect(second, id).toBe(first)
    expect(first, id).toBe(pinned)
  }
})

test('every model that the manifest calls converted has a recipe', () => {
  for (const { id, source } of readManifest().models)
    expect(isConvertible(id), id).toBe(source === 'converted')
})

test('quantised weights are scaled: 8 bit, 16 bit, half precision, and plain floats', () => {
  const file = Buffer.alloc(2 + 2 + 2 + 4)
  file.set([0, 255])
  file.writeUInt16LE(1000, 2)
  file.writeUInt16LE(0x3c00, 4) // 1.0
  file.writeFloatLE(-2.5, 6)
  const weights = decodeWeights(
    [
      { name: 'a', shape: [2], dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -1 } },
      { name: 'b', shape: [1], dtype: 'float32', quantization: { dtype: 'uint16', scale: 0.001, min: 1 } },
      { name: 'c', shape: [], dtype: 'float32', quantization: { dtype: 'float16' } },
      { name: 'd', shape: [1], dtype: 'float32' },
    ],
    file,
  )
  expect([...weights.values()].map(({ data }) => [...data])).toEqual([[-1, 126.5], [2], [1], [-2.5]])
})

test('a weight file of another length than its manifest is refused', () => {
  const specs = [{ name: 'a', shape: [2], dtype: 'float32' }]
  expect(() => decodeWeights(specs, Buffer.alloc(7))).toThrow(TypeError)
  expect(() => decodeWeights(specs, Buffer.alloc(9))).toThrow(TypeError)
})

test('half precision covers signs, subnormals and infinity', () => {
  expect([0x0000, 0x8001, 0x3555, 0xc000, 0x7c00].map(halfToNumber)).toEqual([
    0,
    -(2 ** -24),
    0.333251953125,
    -2,
    Infinity,
  ])
})

test('kernels change from TensorFlow order to ONNX order', () => {
  const hwio = kernelFromHwio({ shape: [1, 2, 3, 2], data: Float32Array.from({ length: 12 }, (_, i) => i) })
  expect(hwio.dims).toEqual([2, 3, 1, 2])
  expect([...hwio.data]).toEqual([0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11])
  const depthwise = kernelFromHwcm({ shape: [2, 1, 2, 1], data: Float32Array.of(1, 2, 3, 4) })
  expect(depthwise.dims).toEqual([2, 1, 2, 1])
  expect([...depthwise.data]).toEqual([1, 3, 2, 4])
})

test('SAME padding puts the odd pixel after, VALID pads nothing', () => {
  expect(slide(256, 5, 2, 'SAME')).toEqual({ length: 128, before: 1, after: 2 })
  expect(slide(16, 3, 1, 'SAME')).toEqual({ length: 16, before: 1, after: 1 })
  expect(slide(150, 7, 2, 'VALID')).toEqual({ length: 72, before: 0, after: 0 })
  expect(() => slide(16, 3, 1, 'EXPLICIT')).toThrow(TypeError)
})

test('the graph writer is deterministic and starts with IR version 8', () => {
  const build = (): Buffer => {
    const graph = new OnnxGraph()
    const input = graph.input('input', [1, 3])
    graph.output('sum', graph.node('Add', [input, graph.floats([3], Float32Array.of(1, 2, 3))]), [1, 3])
    return graph.serialize('tiny')
  }
  expect(build().equals(build())).toBe(true)
  expect([...build().subarray(0, 2)]).toEqual([0x08, 8])
})
