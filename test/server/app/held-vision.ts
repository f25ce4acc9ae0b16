/** Scripted vision that stops in the middle of one kind of measurement, so that a test decides what happens then. */
import type { Vision } from '../../../server/vision/protocol.ts'
import { scriptedVision } from './scripted-vision.ts'

export interface HeldVision {
  readonly vision: Vision
  /** Resolves when the measurement has begun. */
  readonly begun: Promise<void>
  /** Lets it, and every later one, continue. */
  go(): void
}

export function heldVision(call: 'measureDocument' | 'measurePortrait' | 'inspectImage'): HeldVision {
  const begun = Promise.withResolvers<undefined>()
  const gate = Promise.withResolvers<undefined>()
  const vision = scriptedVision()
  const measure = vision[call] as (input: never) => Promise<unknown>
  const held = async (input: never) => {
    begun.resolve(undefined)
    await gate.promise
    return measure(input)
  }
  return {
    vision: { ...vision, [call]: held },
    begun: begun.promise,
    go: () => {
      gate.resolve(undefined)
    },
  }
}
