/**
 * engine.json: what an engine that a tenant mounts is, where it runs, and at which points its scores decide. README.md in
 * this folder explains each member. Reads no model.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../../errors.ts'
import { readOwnFile, UnsafeFileError } from '../../files/own-files.ts'
import { isAtOrBeyond } from '../faces/scores.ts'

const ENGINE_FILE = 'engine.json'

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'up to 40 letters, digits, dots and hyphens')
const Words = z.string().trim().min(1).max(2_000)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')
const Rate = z.number().min(0).max(1)
const PerChannel = z.tuple([z.number(), z.number(), z.number()])

const Card = z.strictObject({
  publisher: Words,
  licence: Words,
  trainingData: Words,
  intendedUse: Words,
  knownRates: Words,
})

const MatchPoint = z.strictObject({
  id: Name,
  threshold: z.number(),
  fmr: Rate,
  fnmr: Rate,
  source: Words,
})

/** Pixels of the input: the face is turned and scaled until its landmarks lie there. */
const Alignment = z.strictObject({
  rightEye: z.tuple([z.number(), z.number()]),
  leftEye: z.tuple([z.number(), z.number()]),
  nose: z.tuple([z.number(), z.number()]),
  mouth: z.tuple([z.number(), z.number()]),
})

const Input = z.strictObject({
  px: z.int().min(16).max(1024),
  layout: z.enum(['NCHW', 'NHWC']),
  channels: z.enum(['RGB', 'BGR']),
  /** (value − mean) / deviation, values 0 to 255, in the order of `channels`. */
  mean: PerChannel,
  deviation: z.tuple([z.number().positive(), z.number().positive(), z.number().positive()]),
  cut: z.discriminatedUnion('by', [
    z.strictObject({ by: z.literal('alignment'), points: Alignment }),
    /** The square around the face's box, this many times as large. */
    z.strictObject({ by: z.literal('box'), times: z.number().min(0.5).max(8) }),
  ]),
})

const Onnx = z.strictObject({
  type: z.literal('onnx'),
  file: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.onnx$/, 'must be a file of this folder, NAME.onnx'),
  sha256: Sha256,
  input: Input,
})
/** `sha256`: of the model that the service names as its own in every answer. */
const Http = z.strictObject({ type: z.literal('http'), sha256: Sha256 })

const Head = z.strictObject({ manifestVersion: z.literal(1), id: Name, version: Name, card: Card })

const FaceEngine = Head.extend({
  kind: z.literal('face-matching'),
  runtime: z.discriminatedUnion('type', [
    Onnx.extend({
      output: z.strictObject({ numbers: z.int().min(2).max(2048), normalise: z.boolean() }),
    }),
    Http,
  ]),
  measure: z.enum(['euclidean-distance', 'cosine-similarity', 'engine-score']),
  points: z.strictObject({ decision: MatchPoint, review: MatchPoint, strict: MatchPoint }),
})
  .refine(
    ({ measure, points: { decision, review } }) =>
      isAtOrBeyond(measure, decision.threshold, review.threshold),
    {
      path: ['points', 'review', 'threshold'],
      error: 'must be as lax as the decision or laxer',
    },
  )
  .refine(
    ({ measure, points: { decision, strict } }) =>
      isAtOrBeyond(measure, strict.threshold, decision.threshold),
    {
      path: ['points', 'strict', 'threshold'],
      error: 'must be as strict as the decision or stricter',
    },
  )
  .refine(
    ({ points: { decision, review, strict } }) => new Set([decision.id, review.id, strict.id]).size === 3,
    {
      path: ['points'],
      error: 'each point needs an id of its own',
    },
  )
  .refine(({ runtime, measure }) => runtime.type === 'http' || measure !== 'engine-score', {
    path: ['measure'],
    error: 'an ONNX engine is compared by euclidean-distance or cosine-similarity',
  })
  .refine(
    ({ runtime, measure }) =>
      runtime.type === 'http' || measure !== 'cosine-similarity' || runtime.output.normalise,
    { path: ['runtime', 'output', 'normalise'], error: 'must be true for a cosine similarity' },
  )

const AttackEngine = Head.extend({
  kind: z.literal('attack-detection'),
  runtime: z.discriminatedUnion('type', [
    /** Number `index` of the first output, after the softmax if the network has none, is the bona-fide probability. */
    Onnx.extend({ output: z.strictObject({ index: z.int().min(0).max(1023), softmax: z.boolean() }) }),
    Http,
  ]),
  point: z.strictObject({ id: Name, threshold: Rate, source: Words }),
})

export type FaceEngineManifest = Readonly<z.infer<typeof FaceEngine>>
export type AttackEngineManifest = Readonly<z.infer<typeof AttackEngine>>
export type OnnxInput = Readonly<z.infer<typeof Input>>

/** A mounted engine: plain data, for the worker and for threads. */
export interface EngineMount<Manifest extends FaceEngineManifest | AttackEngineManifest> {
  readonly folder: string
  readonly manifest: Manifest
}

/** Absent: our own engine. */
export interface EngineMounts {
  readonly faceMatching?: EngineMount<FaceEngineManifest>
  readonly attackDetection?: EngineMount<AttackEngineManifest>
}

export const readFaceEngine = (folder: string, field: string): EngineMount<FaceEngineManifest> =>
  readMount(folder, field, FaceEngine)
export const readAttackEngine = (folder: string, field: string): EngineMount<AttackEngineManifest> =>
  readMount(folder, field, AttackEngine)

/** Throws `configuration_invalid` and lists every problem, below `field`. */
function readMount<Manifest extends FaceEngineManifest | AttackEngineManifest>(
  folder: string,
  field: string,
  schema: z.ZodType<Manifest>,
): EngineMount<Manifest> {
  const path = join(folder, ENGINE_FILE)
  const refuse = (problems: readonly FieldProblem[], cause?: unknown): AppError =>
    new AppError('configuration_invalid', { field }, { cause, problems: [...problems] })
  let value: unknown
  try {
    value = JSON.parse(readOwnFile(path, 'public').toString('utf8'))
  } catch (cause) {
    const why =
      cause instanceof UnsafeFileError
        ? cause.message
        : cause instanceof SyntaxError
          ? 'is no JSON'
          : 'is missing or cannot be read'
    throw refuse([{ code: 'unusable', field, message: `${path}: ${why}` }], cause)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { folder, manifest: parsed.data }
  throw refuse(
    parsed.error.issues.map((issue) => ({
      code: issue.code,
      field: [field, ENGINE_FILE, ...issue.path].join('.'),
      message: issue.message,
    })),
  )
}
