/** Our engine against presentation attacks: the MiniFASNet pair behind the interface of all engines. */
import { averageScore, createPadNetworks, hasSurrounding } from '../faces/pad.ts'
import { listSessions, type Sessions } from '../sessions.ts'
import type { AttackDetectionEngine } from './engine.ts'
import { describeOwn } from './own-card.ts'
import { describeOwnEngine } from './own-face-engine.ts'

const VERSION = '1'
const ROLE = 'presentation-attack'

/** Null if not all of its networks are loaded. */
export function createOwnAttackEngine(sessions: Sessions): AttackDetectionEngine | null {
  const askNetworks = createPadNetworks(sessions)
  if (!askNetworks) return null
  const models = listSessions(sessions, ROLE).map(({ model }) => model)
  return {
    about: describeOwnEngine('counterproof-attacks', VERSION, models),
    card: describeOwn(sessions, ROLE),
    models,
    point: sessions.manifest.attackPoint,
    check: async () => null,
    score: async ({ raster, box }) =>
      hasSurrounding(raster, box) ? averageScore(await askNetworks(raster, box)) : null,
  }
}
