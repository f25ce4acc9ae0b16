/** Our engine for face comparison: the embedding networks of the model packs behind the interface of all engines. */
import { createTemplateComparer } from '../faces/compare.ts'
import { createEmbedder, DLIB, MOBILEFACENET } from '../faces/embed.ts'
import { fuseTemplates } from '../faces/fuse-templates.ts'
import { decodeTemplate, encodeTemplate } from '../faces/templates.ts'
import { toOperatingPoint } from '../manifest.ts'
import { computeSha256 } from '../packs.ts'
import type { ModelUse } from '../protocol.ts'
import { listSessions, type Sessions } from '../sessions.ts'
import { nameMaker, type FaceMatchEngine } from './engine.ts'
import { describeOwn } from './own-card.ts'

/**
 * Changes with what is computed from a face by the same networks (the views, the alignment): templates of another version
 * are not compared but made again.
 */
const VERSION = '2'

/** The name of a network in our templates. */
export const nameOwnNetwork = (model: ModelUse): string => nameMaker({ ...model, version: VERSION })

/** Throws TypeError if no embedding network is loaded. */
export function createOwnFaceEngine(sessions: Sessions): FaceMatchEngine {
  const embed = createEmbedder(sessions)
  const { compare, points } = createTemplateComparer(sessions)
  const models = [DLIB, MOBILEFACENET].flatMap((id) => sessions.byId.get(id)?.model ?? [])
  const makers = models.map(nameOwnNetwork)
  const decode = (bytes: Uint8Array) => decodeTemplate(bytes, makers)
  const packs = new Set(listSessions(sessions, 'face-embedding').map(({ pack }) => pack))
  return {
    about: describeOwnEngine(`counterproof-faces-${packs.has('extended') ? 'all' : 'core'}`, VERSION, models),
    card: describeOwn(sessions, 'face-embedding'),
    models,
    points: {
      decision: toOperatingPoint(points.decision),
      review: toOperatingPoint(points.review),
      strict: toOperatingPoint(points.strict),
    },
    check: async () => null,
    embed: async ({ raster, points: places }) => encodeTemplate(await embed(raster, places), makers),
    fuse: async (templates) => {
      const decoded = templates.map(decode).filter((template) => template !== null)
      if (decoded.length < templates.length) throw new TypeError('a template is not of this engine')
      return encodeTemplate(fuseTemplates(decoded), makers)
    },
    compare: async (probe, references) => {
      const known = decode(probe)
      return references.map((bytes) => {
        const reference = known && decode(bytes)
        return reference && compare(known, reference)
      })
    },
  }
}

/** An engine of several networks is named by the list of their hashes. */
export function describeOwnEngine(id: string, version: string, models: readonly ModelUse[]): ModelUse {
  const hashes = models.map(({ sha256 }) => sha256).join('\n')
  return { id, version, sha256: computeSha256(Buffer.from(hashes)) }
}
