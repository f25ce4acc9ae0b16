/** Pieces that the rules of the doctor share. Pure. */
import type { Fault } from '../proofing/assurance/faults.ts'
import type { Effect, HealthComponent, MachineFacts, Measured } from './facts.ts'
import { notChecked, warning, wrong, type CheckName, type Finding } from './report.ts'

/** Parts of the health report that another check judges. */
export const JUDGED_APART: Readonly<Record<string, CheckName>> = {
  disk: 'disk',
  clock: 'clock',
  cameras: 'cameras',
  readers: 'reader',
  sandbox: 'sandbox',
  sms: 'network',
  smtp: 'network',
  voice: 'network',
  operator: 'network',
  biometrics: 'network',
  documentStatus: 'network',
  fraudRegister: 'network',
  bureaus: 'network',
  addressRegisters: 'network',
  cardOwnership: 'network',
  issuers: 'network',
  sync: 'network',
  webhooks: 'network',
}

const MAX_NAMED = 5

/** An unmeasured fact is never judged. */
export function whenMeasured<T>(
  fact: Measured<T>,
  judge: (value: T) => readonly Finding[],
): readonly Finding[] {
  return fact.kind === 'measured' ? judge(fact.value) : [notChecked(fact.reason)]
}

export function judgeEach<T>(
  fact: Measured<readonly T[]>,
  judge: (value: T) => readonly Finding[],
): readonly Finding[] {
  return whenMeasured(fact, (values) => values.flatMap(judge))
}

export function judgeComponent(
  name: string,
  { status, detail }: HealthComponent,
  cost: string | null = null,
) {
  if (status === 'UP') return []
  const what = `The appliance reports ${name} as ${status}: ${detail ?? 'without detail'}.`
  const remedy = 'Counter → Devices explains the part and its cost; docs/RUNBOOK.md has the repairs.'
  return [status === 'DOWN' ? wrong(what, cost, remedy) : warning(what, cost, remedy)]
}

/** Judges the part of a running appliance; empty: none runs, or the part works. */
export function judgeReported(
  { health }: MachineFacts,
  name: string,
  cost: string | null,
): readonly Finding[] {
  const component = health.kind === 'measured' && health.value ? health.value.components[name] : undefined
  return component ? judgeComponent(name, component, cost) : []
}

/** Says which indicator evidence carries because of a fault, and the level that the policy in force then allows. */
export function describeEffect({ effects }: MachineFacts, fault: Fault): string | null {
  const effect: Effect | undefined = effects.kind === 'measured' ? effects.value.get(fault) : undefined
  if (!effect) return null
  const { indicator, families, policy, highest } = effect
  const subject =
    families.length > 3 ? 'Evidence and fraud checks carry' : `${families.join(' and ')} evidence carries`
  const level = highest === null ? '' : `; the policy ${policy} then allows at most ${highest}`
  return `${subject} ${indicator}${level}.`
}

export function nameSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
