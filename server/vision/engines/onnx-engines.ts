/** Engines from an ONNX file that a tenant mounts. A file that cannot be used makes an engine that answers nothing. */
import { normalise } from '../faces/embed.ts'
import { softmax } from '../faces/pad.ts'
import {
  EngineUnavailableError,
  nameMaker,
  type AttackDetectionEngine,
  type Engine,
  type FaceMatchEngine,
} from './engine.ts'
import type { AttackEngineManifest, EngineMount, FaceEngineManifest } from './engine-manifest.ts'
import { describeMounted, listPoints, refuseAttackEngine, refuseFaceEngine } from './mounted.ts'
import { openOnnx, toInput } from './onnx-network.ts'
import { createVectorTemplates } from './vector-template.ts'

type OnnxRuntime<M extends FaceEngineManifest | AttackEngineManifest> = Extract<
  M['runtime'],
  { type: 'onnx' }
>

export async function openOnnxFaceEngine(
  { folder, manifest }: EngineMount<FaceEngineManifest>,
  runtime: OnnxRuntime<FaceEngineManifest>,
): Promise<FaceMatchEngine> {
  const { measure } = manifest
  if (measure === 'engine-score') throw new TypeError('the manifest was not checked')
  const { numbers: size, normalise: isUnit } = runtime.output
  const opened = await openOnnx(folder, runtime, (values) =>
    values === size ? null : `${values} values, ${size} expected`,
  )
  if ('fault' in opened) return refuseFaceEngine(manifest, opened.fault)
  const { run } = opened
  const described = describeMounted(manifest)
  const templates = createVectorTemplates(measure, nameMaker(described.about), size)
  return {
    ...described,
    points: listPoints(manifest),
    check: async () => null,
    embed: async (face) => {
      const output = Float32Array.from(await run(toInput(face, runtime.input)))
      const vector = isUnit ? normalise(output) : output
      return vector.every(Number.isFinite) && vector.some((value) => value !== 0)
        ? templates.encode(vector)
        : null
    },
    fuse: async (several) => templates.fuse(several),
    compare: async (probe, references) =>
      references.map((reference) => {
        const score = templates.compare(probe, reference)
        return score === null ? null : { score, scores: [{ model: described.about, measure, value: score }] }
      }),
  }
}

export async function openOnnxAttackEngine(
  { folder, manifest }: EngineMount<AttackEngineManifest>,
  runtime: OnnxRuntime<AttackEngineManifest>,
): Promise<AttackDetectionEngine> {
  const { index, softmax: needsSoftmax } = runtime.output
  const opened = await openOnnx(folder, runtime, (values) =>
    values > index ? null : `${values} values, at least ${index + 1} expected`,
  )
  if ('fault' in opened) return refuseAttackEngine(manifest, opened.fault)
  const { run } = opened
  return {
    ...describeMounted(manifest),
    point: manifest.point,
    check: async () => null,
    score: async (face) => {
      const output = await run(toInput(face, runtime.input))
      const score = needsSoftmax ? softmax(output)[index] : output[index]
      if (!(score >= 0 && score <= 1)) throw new EngineUnavailableError('unexpected-answer')
      return score
    },
  }
}

/** Says why the ONNX file of this engine cannot be used; null: it can, or the engine is a service. */
export async function findOnnxFault({
  folder,
  manifest,
}: EngineMount<AttackEngineManifest | FaceEngineManifest>): Promise<string | null> {
  if (manifest.kind === 'face-matching') {
    const { runtime } = manifest
    return runtime.type === 'onnx' ? findFault(await openOnnxFaceEngine({ folder, manifest }, runtime)) : null
  }
  const { runtime } = manifest
  return runtime.type === 'onnx' ? findFault(await openOnnxAttackEngine({ folder, manifest }, runtime)) : null
}

const findFault = ({ fault }: Engine): string | null => fault ?? null
