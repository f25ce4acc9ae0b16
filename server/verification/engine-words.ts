/** How a measurement names the engine that made it, or that gave no answer. Its hash is among the models of the step. */
import type { Measured } from '../proofing/measures.ts'
import type { EngineFailure, ModelUse } from '../vision/protocol.ts'

export const nameEngine = ({ id, version }: ModelUse): Measured => ({ engine: `${id} ${version}` })

export const describeFailure = ({ engine, trouble }: EngineFailure): Measured => ({
  ...nameEngine(engine),
  engineTrouble: trouble,
})
