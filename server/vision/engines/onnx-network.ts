/** The network of a mounted ONNX engine: its file, checked and opened, and a face as its input. */
import { join } from 'node:path'
import { readGivenFile } from '../../files/read-file.ts'
import { chipToPhoto, type FourPoints } from '../faces/align.ts'
import { openNetwork } from '../network.ts'
import { LARGEST_MODEL, computeSha256 } from '../packs.ts'
import type { Box, Point } from '../protocol.ts'
import { sampleAffine, type Affine } from '../raster.ts'
import type { FacePicture } from './engine.ts'
import type { OnnxInput } from './engine-manifest.ts'

type Run = (input: Float32Array) => Promise<Float32Array>

interface PinnedFile {
  readonly file: string
  readonly sha256: string
}

/** Null if the file is missing, too large, no regular file, or not the pinned one. */
async function readPinned(folder: string, { file, sha256 }: PinnedFile): Promise<Buffer | null> {
  const options = { mostBytes: LARGEST_MODEL, mayBeLink: true }
  const bytes = await readGivenFile(join(folder, file), options).catch(() => null)
  return bytes && computeSha256(bytes) === sha256 ? bytes : null
}

/**
 * Opens the network and tries it with a black picture. `fault` says why it cannot be used, for the operator.
 * @param checkSize why an answer of this many values is none; null: it is one
 */
export async function openOnnx(
  folder: string,
  { input, ...pinned }: PinnedFile & { readonly input: OnnxInput },
  checkSize: (values: number) => string | null,
): Promise<{ readonly run: Run } | { readonly fault: string }> {
  const bytes = await readPinned(folder, pinned)
  if (!bytes) return { fault: `${pinned.file} is missing or not the pinned file` }
  const { px, layout } = input
  const dims = layout === 'NCHW' ? [1, 3, px, px] : [1, px, px, 3]
  try {
    const network = await openNetwork(bytes, { enableCpuMemArena: true })
    const run: Run = async (values) => (await network.run(values, dims))[network.outputNames[0]].data
    const fault = checkSize((await run(new Float32Array(3 * px * px))).length)
    return fault === null ? { run } : { fault }
  } catch {
    return { fault: `${pinned.file} is no network that runs here with the input of engine.json` }
  }
}

/** Cuts the face out of the picture as the engine's manifest says; black beyond the picture's border. */
export function toInput(
  { raster, box, points }: FacePicture,
  { px, layout, channels, mean, deviation, cut }: OnnxInput,
): Float32Array {
  const toPhoto =
    cut.by === 'box'
      ? squareAround(box, cut.times, px)
      : chipToPhoto(points, { px, points: listPoints(cut.points) })
  const pixels = sampleAffine(raster, toPhoto, px, px)
  const size = px * px
  const input = new Float32Array(pixels.length)
  for (let i = 0; i < size; i++)
    for (let channel = 0; channel < 3; channel++) {
      const from = channels === 'RGB' ? channel : 2 - channel
      const at = layout === 'NCHW' ? channel * size + i : i * 3 + channel
      input[at] = (pixels[i * 3 + from] - mean[channel]) / deviation[channel]
    }
  return input
}

function squareAround({ x, y, width, height }: Box, times: number, px: number): Affine {
  const side = Math.max(width, height) * times
  const step = side / px
  // Centres of pixels are whole numbers.
  const first = (centre: number): number => centre - side / 2 + step / 2 - 0.5
  return [step, 0, first(x + width / 2), 0, step, first(y + height / 2)]
}

type Pair = readonly [number, number]

function listPoints(points: Readonly<Record<'rightEye' | 'leftEye' | 'nose' | 'mouth', Pair>>): FourPoints {
  const at = ([x, y]: Pair): Point => ({ x, y })
  return [at(points.rightEye), at(points.leftEye), at(points.nose), at(points.mouth)]
}
