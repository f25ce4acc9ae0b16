/** Gives the counter the levels of the policy in force. */
import { Router } from 'express'
import { levelNeeds } from '../workflows/health/level-needs.ts'
import { needs } from './access.ts'
import type { LevelsView } from './contract/levels.ts'
import type { CounterDeps } from './deps.ts'

export function levelsRouter({ ctx }: CounterDeps): Router {
  const router = Router()
  router.get('/levels', needs('devices:see'), (_req, res) => {
    const policy = ctx.policy(ctx.config.tenant.id)
    const { id, version, title, levels } = policy
    const byLevel = levelNeeds(policy)
    const view: LevelsView = {
      policy: { id, version, title },
      levels: levels.map(({ levelOfAssurance, label }) => ({
        name: levelOfAssurance,
        label,
        needs: byLevel[levelOfAssurance] ?? [],
      })),
    }
    res.json(view)
  })
  return router
}
