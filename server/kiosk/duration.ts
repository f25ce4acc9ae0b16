/** Estimates how long a visit takes, for the welcome screen, from the steps of its journey. Pure. */
import { z } from 'zod'
import type { Condition, JourneyStep } from './contract/journey.ts'
import type { KioskSettings } from './port.ts'

const step = z.strictObject({ value: z.int().positive(), unit: z.literal('s'), origin: z.string().min(1) })

/** Schema of resources/step-seconds.json. */
export const StepSecondsFile = z.strictObject({
  origin: z.string().min(1),
  steps: z.strictObject({
    consent: step,
    'trusted-login': step,
    document: step,
    check: step,
    chip: step,
    details: step,
    portrait: step,
    phone: step,
    result: step,
  }),
})
export type StepSeconds = Readonly<Record<keyof z.infer<typeof StepSecondsFile>['steps'], number>>

type Connected = Pick<KioskSettings, 'sms' | 'chipReader' | 'identityProviders' | 'stepSeconds'>

/** Whole minutes. Counts a step whose turn depends on the visit: a longer promise is the safer one. */
export function estimateMinutes(steps: readonly JourneyStep[], settings: Connected): number {
  const { stepSeconds } = settings
  const kinds = [
    ...steps.filter((one) => isConnected(one, settings)).map(({ kind }) => kind),
    'result',
  ] as const
  const seconds = kinds.reduce((sum, kind) => sum + stepSeconds[kind], 0)
  return Math.max(1, Math.round(seconds / 60))
}

function isConnected(
  { kind, when }: JourneyStep,
  { sms, chipReader, identityProviders }: Connected,
): boolean {
  const hasProvider = identityProviders.length > 0
  // Shown to few applicants.
  if (kind === 'details') return false
  if (kind === 'phone' && !sms) return false
  if (kind === 'chip' && !chipReader) return false
  if (kind === 'trusted-login' && !hasProvider) return false
  return when.every((condition: Condition) => {
    if (!('connected' in condition)) return true
    return condition.connected === 'sms' ? sms : hasProvider
  })
}
