/** Derives the kiosk's settings from the configuration: brand, journey, connected services, languages. */
import { join } from 'node:path'
import { ROUTES } from './api/routes.ts'
import { loadBrand, type Brand, type BrandFolders } from './brand/brands.ts'
import type { Config } from './config/config.ts'
import { readTenantName } from './config/tenant-name.ts'
import type { DocumentFaults } from './config/document-faults.ts'
import { RESOURCES_DIR } from './config/resources.ts'
import { StepSecondsFile, type StepSeconds } from './kiosk/duration.ts'
import type { JourneyKnowledge } from './kiosk/journey-checks.ts'
import { loadGuidance, loadJourney, readLocales, type JourneyFolders } from './kiosk/journeys.ts'
import type { KioskDeps, KioskSettings } from './kiosk/port.ts'
import { BUILT_IN } from './proofing/applications.ts'
import { consentNeeds } from './proofing/consent-needs.ts'
import { loadAddressFormats } from './config/address-formats.ts'
import { listDisclosures } from './proofing/consent-disclosures.ts'
import { isWeaker } from './proofing/liveness/grade.ts'
import type { LivenessType } from './proofing/types.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import type { Store } from './store/open.ts'
import { readLimits } from './verification/limits-file.ts'
import { loadLivenessLimits } from './verification/liveness-limits.ts'
import { isSyncOn, promiseRetention } from './workflows/retention/apply-retention.ts'
import { syncState } from './workflows/health/sync-state.ts'

const LOCALES_DIR = join(import.meta.dirname, '..', 'renderer', 'locales')
export const JOURNEYS_DIR = join(RESOURCES_DIR, 'journeys')
const BRANDS_DIR = join(RESOURCES_DIR, 'brands')

export function journeyFolders({ dataDir }: Pick<Config, 'dataDir'>): JourneyFolders {
  return { shipped: JOURNEYS_DIR, own: join(dataDir, 'journeys') }
}

/** Throws `configuration_invalid` with all problems of the brand. Null: no brand is configured. */
export function loadFace(
  { dataDir, brand }: Pick<Config, 'dataDir' | 'brand'>,
  languages: readonly string[],
): Brand | null {
  return loadBrand(brandFolders({ dataDir }), brand, languages)
}

export function brandFolders({ dataDir }: Pick<Config, 'dataDir'>): BrandFolders {
  return { shipped: BRANDS_DIR, own: join(dataDir, 'brands') }
}

/** Returns the texts of the kiosk and their languages. */
export function kioskTexts(): Pick<JourneyKnowledge, 'languages' | 'texts'> {
  return readLocales(LOCALES_DIR)
}

/** @param policy the tenant's; null: skips the checks that need a configuration */
export function journeyKnowledge(config: Config | null, policy: Policy | null): JourneyKnowledge {
  const liveness = loadLivenessLimits()
  const known = {
    ...kioskTexts(),
    isWeaker: (type: LivenessType, other: LivenessType) => isWeaker(type, other, liveness),
  }
  if (!config || !policy) return { ...known, appliance: null }
  const { sms, identityProviders } = connected(config)
  return {
    ...known,
    appliance: {
      sms,
      identityProviders: identityProviders.map(({ id }) => id),
      hasPublicUrl: config.connectors.oidc.publicUrl !== undefined,
      chipReader: config.readers.enabled,
      requiredConsents: config.tenant.requiredConsents,
      levels: [...new Set(policy.profiles.map(({ levelOfAssurance }) => levelOfAssurance))].sort(),
    },
  }
}

/** Throws `configuration_invalid` with all problems of the journey. */
export function loadKiosk(
  config: Config,
  policy: Policy,
  documentFaults: DocumentFaults,
): Pick<KioskDeps, 'journey' | 'guidance'> {
  const known = journeyKnowledge(config, policy)
  return {
    journey: loadJourney(journeyFolders(config), config.kiosk.journey, known),
    guidance: { portrait: loadGuidance(JOURNEYS_DIR), document: documentFaults.rules },
  }
}

export function kioskSettings(
  ctx: Parameters<typeof promiseRetention>[0],
  face: { readonly brand: Brand | null },
): KioskSettings {
  const { config } = ctx
  const { tenant, kiosk, otp, lifetimes, counter } = config
  return {
    get brand() {
      return face.brand?.view ?? null
    },
    tenantMode: tenant.mode,
    tenantName: readTenantName(tenant),
    name: kiosk.name,
    display: kiosk.display,
    ownWindow: kiosk.window === 'appliance',
    chipReader: config.readers.enabled,
    ...connected(config),
    phoneConsents: consentNeeds('CONTACT', tenant.requiredConsents).demanded,
    otp: { digits: otp.digits, attempts: otp.attempts, perHour: otp.perHour },
    trustedClaimMinutes: lifetimes.trustedClaimMinutes,
    // A machine may join a central service, and services get and lose keys, while it runs.
    get retention() {
      return promiseRetention(ctx, BUILT_IN.KIOSK)
    },
    visitsKeptDays: counter.visitsKeptDays,
    stepSeconds: loadStepSeconds(),
    trustedCallbackPath: ROUTES.finishTrustedClaim.path,
  }
}

/** Throws `configuration_invalid` and lists every problem. */
export function loadStepSeconds(): StepSeconds {
  const { steps } = readLimits(join(RESOURCES_DIR, 'step-seconds.json'), StepSecondsFile)
  return Object.fromEntries(Object.entries(steps).map(([kind, { value }]) => [kind, value])) as StepSeconds
}

/** True if the last connection to the central service failed: proofs are sent later. */
export function isOffline(store: Store): boolean {
  return isSyncOn({ store }) && syncState({ store }).failingSince !== null
}

function connected({
  connectors,
  tenant,
}: Config): Pick<KioskSettings, 'sms' | 'operator' | 'disclosures' | 'identityProviders'> {
  const { mobileOtp, trustedIdClaim } = tenant.features
  return {
    sms: mobileOtp && connectors.sms !== undefined,
    operator: mobileOtp && connectors.operator !== undefined,
    disclosures: listDisclosures({ tenant, connectors }, loadAddressFormats()),
    identityProviders: trustedIdClaim
      ? connectors.oidc.providers.map(({ id, name = id }) => ({ id, name }))
      : [],
  }
}
