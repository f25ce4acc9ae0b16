/**
 * Computes what a missing or faulty part of the appliance costs: the highest level that a proof can reach while all other
 * parts work. Evaluates the policy in force with and without the part. Owns which abilities and faults belong to a part; the
 * caps of the policy define the effect of a fault.
 */
import type { Config } from '../../config/config.ts'
import type { Context } from '../../context.ts'
import { faultRules, faultsTouchingSubmission } from '../../environment/faults-in-force.ts'
import { cameraStateHere, type CameraState } from '../../proofing/antifraud/device-integrity.ts'
import { ALL_WELL, type ConnectorName, type EnvironmentFacts } from '../../proofing/antifraud/faults.ts'
import { findRank } from '../../proofing/assurance/caps.ts'
import type { Ability } from '../../proofing/assurance/facts.ts'
import type { Fault } from '../../proofing/assurance/faults.ts'
import { listAbilities } from '../identity/assurance-facts.ts'
import { reachWith } from './reach-on-this-machine.ts'

interface PartCost {
  /** The highest level of a proof with the part as it is. */
  readonly most: string
  /** The highest level if the part worked completely. */
  readonly otherwise: string
}

interface Part {
  /** Abilities of the completely configured part. */
  readonly gives?: (config: Config) => readonly Ability[]
  /**
   * An ability that several parts provide together is charged to those that are not set up. Absent: to this
   * part.
   */
  readonly isSetUp?: (config: Config) => boolean
  /** The present facts about this part. */
  readonly facts?: (facts: EnvironmentFacts) => Partial<EnvironmentFacts>
  /** State of the camera while the part does not work. */
  readonly cameraWhenDown?: (config: Config) => CameraState
}

const down = (facts: EnvironmentFacts, connector: ConnectorName) => ({
  connectorsDown: facts.connectorsDown.filter((name) => name === connector),
})

/** Keyed by the names of the health report. A part that is not listed changes no level. */
const PARTS: Readonly<Record<string, Part>> = {
  clock: { facts: ({ clock }) => ({ clock }) },
  cameras: {
    gives: () => ['DEVICE_INTEGRITY'],
    isSetUp: ({ environment }) => environment.camera !== undefined,
    cameraWhenDown: (config) => cameraStateHere(config, undefined),
  },
  sms: {
    gives: ({ tenant }) => (tenant.features.mobileOtp ? ['MOBILE_OTP'] : []),
    facts: (facts) => down(facts, 'sms'),
  },
  // An e-mail address and a landline count for no level.
  smtp: {},
  voice: {},
  operator: { gives: ({ tenant }) => (tenant.features.mobileOtp ? ['MOBILE_OWNERSHIP'] : []) },
  biometrics: { facts: (facts) => down(facts, 'biometrics') },
  documentStatus: {
    gives: () => ['DOCUMENT_STATUS', 'DOCUMENT_STATUS_ISSUER', 'DEATH_RECORDS'],
    facts: (facts) => ({ ...down(facts, 'documentStatus'), registerOutdated: facts.registerOutdated }),
  },
  fraudRegister: {
    gives: () => ['KNOWN_FRAUD', 'DEATH_RECORDS'],
    facts: (facts) => down(facts, 'fraudRegister'),
  },
  bureaus: {},
  addressRegisters: {},
  cardOwnership: {},
  issuers: { gives: ({ tenant }) => (tenant.features.issuerVerification ? ['GIV'] : []) },
  inspection: {
    gives: () => ['DEVICE_INTEGRITY'],
    isSetUp: ({ environment }) => environment.inspection !== undefined,
    facts: ({ inspection, tampered }) => ({ inspection, tampered }),
  },
  oidc: { gives: ({ tenant }) => (tenant.features.trustedIdClaim ? ['TRUSTED_ID_CLAIM'] : []) },
  sync: { facts: ({ silentForMs, offlineHours }) => ({ silentForMs, offlineHours }) },
  watchlists: { gives: () => ['WATCHLIST'], facts: ({ watchlistOutdated }) => ({ watchlistOutdated }) },
}

const OF_WORKER = 'vision-'

function partNamed(name: string): Part | undefined {
  if (!name.startsWith(OF_WORKER)) return PARTS[name]
  const ability = name.slice(OF_WORKER.length)
  return { facts: ({ abilities }) => ({ abilities: abilities.filter((known) => known.name === ability) }) }
}

/** @param isWorking from the health report */
export function costOfPart(
  ctx: Context,
  facts: EnvironmentFacts,
  name: string,
  isWorking: boolean,
): PartCost | null {
  const part = partNamed(name)
  if (!part) return null
  const { config } = ctx
  const have = listAbilities(ctx)
  const isSetUp = part.isSetUp?.(config) ?? false
  const lacking = isSetUp ? [] : (part.gives?.(config) ?? []).filter((ability) => !have.includes(ability))
  const own = { ...ALL_WELL, ...part.facts?.(facts) }
  const camera = isWorking ? undefined : part.cameraWhenDown?.(config)
  const abilities = fullAbilities(ctx)
  return costIn(
    ctx,
    abilities,
    reachWith(
      ctx.policy(config.tenant.id),
      abilities.filter((ability) => !lacking.includes(ability)),
      (rule) => faultsTouchingSubmission(own, rule, camera),
    ),
  )
}

/** The cost of a present fault, if it were the only one. */
export function costOfFault(ctx: Context, facts: EnvironmentFacts, fault: Fault): PartCost | null {
  const raised = faultRules()
    .filter((rule) => rule.fault === fault)
    .map(({ indicator }) => indicator)
  const abilities = fullAbilities(ctx)
  const most = reachWith(ctx.policy(ctx.config.tenant.id), abilities, (rule) =>
    faultsTouchingSubmission(facts, rule).filter((indicator) => raised.includes(indicator)),
  )
  return costIn(ctx, abilities, most)
}

function costIn(ctx: Context, abilities: readonly Ability[], most: string): PartCost | null {
  const policy = ctx.policy(ctx.config.tenant.id)
  const otherwise = reachWith(policy, abilities, () => [])
  return findRank(policy, most) < findRank(policy, otherwise) ? { most, otherwise } : null
}

/** The abilities of this installation, and those that its parts would add. No part of this release reads chips. */
function fullAbilities(ctx: Context): readonly Ability[] {
  const ofParts = Object.values(PARTS).flatMap(({ gives }) => gives?.(ctx.config) ?? [])
  return [...new Set([...listAbilities(ctx), ...ofParts])]
}
