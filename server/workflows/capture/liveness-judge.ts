/** Lists the liveness types that this machine can judge. A type whose network is not installed never passes. */
import type { Context } from '../../context.ts'
import { abilitiesOfWorker } from '../../environment/faults-in-force.ts'
import type { LivenessType } from '../../proofing/types.ts'

export async function livenessJudge(
  ctx: Pick<Context, 'vision' | 'livenessLimits'>,
): Promise<(type: LivenessType) => boolean> {
  const abilities = await abilitiesOfWorker(ctx)
  const hasNetworks = abilities.some(
    ({ name, state }) => name === 'presentation-attack-detection' && state === 'UP',
  )
  const { methods } = ctx.livenessLimits
  return (type) => hasNetworks || !methods[type].require.includes('PAD')
}
