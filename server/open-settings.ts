/**
 * Defines the settings that the counter may change: the file of each, how a start reads it, and how it takes effect in the
 * running server. A file in the data folder overrides the default of the product.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { checkBrandFiles, type Brand } from './brand/brands.ts'
import { checkAdjudicationRules, loadAdjudicationRules } from './config/adjudication.ts'
import { changeConfigFile, readConfigFile, type Config } from './config/config.ts'
import { checkPolicy, OWN_POLICIES, parsePolicies, loadTenantPolicies } from './config/policies.ts'
import { RESOURCES_DIR } from './config/resources.ts'
import { checkSupportedEvidence, loadSupportedEvidence } from './config/supported-evidence.ts'
import { listTextProblems, loadPasscodeTexts, type PasscodeTexts } from './connectors/passcode-texts.ts'
import type { Context } from './context.ts'
import type { FieldProblem } from './errors.ts'
import { makePrivateFolder } from './files/own-files.ts'
import { IN_OUR_FOLDER, writeFileWhole } from './files/write-file.ts'
import type { Journey } from './kiosk/contract/journey.ts'
import { checkJourney } from './kiosk/journey-checks.ts'
import { brandFolders, journeyFolders, journeyKnowledge, loadFace, loadKiosk } from './open-kiosk.ts'
import type { KioskDeps } from './kiosk/port.ts'
import type { AdjudicationRules } from './proofing/adjudication-rules.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import type { SupportTable } from './proofing/supported-evidence.ts'
import { SettingsDocuments, type SettingDocument, type SettingFinding } from './settings/documents.ts'
import { readContent } from './sync/bundles.ts'
import { levelNeeds } from './workflows/health/level-needs.ts'

/** Read at start; a change replaces a member. */
export interface Lists {
  passcodeTexts: PasscodeTexts
  supportedEvidence: SupportTable
  reasons: AdjudicationRules
}

/** The settings of the screens; a change replaces a member. */
export interface Face {
  journey: Journey
  readonly guidance: KioskDeps['guidance']
  brand: Brand | null
}

const LISTS = {
  messages: { own: 'texts/sms.json', shipped: 'texts/sms.json' },
  emails: { own: 'texts/email.json', shipped: 'texts/email.json' },
  calls: { own: 'texts/voice.json', shipped: 'texts/voice.json' },
  documents: { own: 'lists/supported-evidence.json', shipped: 'supported-evidence.json' },
  reasons: { own: 'lists/adjudication.json', shipped: 'adjudication.json' },
} as const
type ListName = keyof typeof LISTS

/** Throws `configuration_invalid`. */
export function loadLists(config: Pick<Config, 'dataDir'>): Lists {
  return {
    passcodeTexts: {
      mobile: loadPasscodeTexts('mobile', listFile(config, 'messages')),
      email: loadPasscodeTexts('email', listFile(config, 'emails')),
      landline: loadPasscodeTexts('landline', listFile(config, 'calls')),
    },
    supportedEvidence: loadSupportedEvidence(listFile(config, 'documents')),
    reasons: loadAdjudicationRules(listFile(config, 'reasons')),
  }
}

function listFile({ dataDir }: Pick<Config, 'dataDir'>, name: ListName): string {
  const own = join(dataDir, LISTS[name].own)
  return existsSync(own) ? own : join(RESOURCES_DIR, LISTS[name].shipped)
}

/** Throws `configuration_invalid`. */
export function loadScreens(ctx: Context): Face {
  const { config, documentFaults } = ctx
  const { journey, guidance } = loadKiosk(config, findTenantPolicy(ctx), documentFaults)
  return { journey, guidance, brand: loadFace(config, journey.languages) }
}

export function openSettings(ctx: Context, lists: Lists, face: Face): SettingsDocuments {
  return new SettingsDocuments(ctx.config.dataDir, {
    journey: journeyDocument(ctx, face),
    brand: brandDocument(ctx, face),
    policy: policyDocument(ctx, face),
    messages: listDocument(
      ctx,
      'messages',
      (content) => listTextProblems('mobile', content),
      () => {
        lists.passcodeTexts = loadLists(ctx.config).passcodeTexts
      },
    ),
    documents: listDocument(ctx, 'documents', problemsBy(checkSupportedEvidence), () => {
      lists.supportedEvidence = loadLists(ctx.config).supportedEvidence
    }),
    reasons: listDocument(ctx, 'reasons', problemsBy(checkAdjudicationRules), () => {
      lists.reasons = loadLists(ctx.config).reasons
    }),
  })
}

/** A document that is one JSON file. */
function jsonFile(
  { dataDir }: Config,
  own: string,
  shipped: string,
): Pick<SettingDocument, 'file' | 'own' | 'shipped' | 'write'> {
  const path = join(dataDir, own)
  return {
    file: () => own,
    own: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : null),
    shipped: () => (existsSync(shipped) ? (JSON.parse(readFileSync(shipped, 'utf8')) as unknown) : null),
    write: (content) => {
      if (content === null) {
        rmSync(path, { force: true })
        return
      }
      makePrivateFolder(dirname(path))
      writeFileWhole(path, `${JSON.stringify(content, null, 2)}\n`, IN_OUR_FOLDER)
    },
  }
}

function listDocument(
  { config }: Context,
  name: ListName,
  findProblems: (content: unknown) => readonly FieldProblem[],
  use: () => void,
): SettingDocument {
  const { own, shipped } = LISTS[name]
  return {
    ...jsonFile(config, own, join(RESOURCES_DIR, shipped)),
    check: (content) => findProblems(content).map(asFinding),
    use,
  }
}

function problemsBy(check: (content: unknown, problems: FieldProblem[]) => unknown) {
  return (content: unknown): readonly FieldProblem[] => {
    const problems: FieldProblem[] = []
    check(content, problems)
    return problems
  }
}

function journeyDocument(ctx: Context, face: Face): SettingDocument {
  const { config } = ctx
  const { shipped } = journeyFolders(config)
  const name = `${config.kiosk.journey}.json`
  const file = jsonFile(config, join('journeys', name), join(shipped, name))
  return {
    ...file,
    check: (content) => {
      const { journey, findings } = checkJourney(content, knowledge(ctx, findTenantPolicy(ctx)))
      const welcome = face.brand?.view.welcome
      const missing = welcome ? (journey?.languages ?? []).filter((tag) => !Object.hasOwn(welcome, tag)) : []
      return [
        ...findings,
        ...missing.map((tag) =>
          problem(
            'missing_language',
            'languages',
            `the brand has no welcome in '${tag}': add it there first`,
          ),
        ),
        ...sameVersion(file.own() ?? file.shipped(), content),
      ]
    },
    use: () => {
      face.journey = loadScreens(ctx).journey
    },
  }
}

function policyDocument(ctx: Context, face: Face): SettingDocument {
  const { config } = ctx
  const id = config.tenant.policy
  const file = jsonFile(
    config,
    join(OWN_POLICIES, `${id}.json`),
    join(RESOURCES_DIR, 'policies', `${id}.json`),
  )
  const parsed = (content: unknown) => checkPolicy(content)
  const fromCentralService = () => {
    const applied = ctx.store.bundles.applied()
    return applied ? parsePolicies(readContent(applied.jws).policies).policies : new Map<string, Policy>()
  }
  return {
    ...file,
    heldBy: () => (fromCentralService().has(id) ? 'CENTRE' : null),
    check: (content) => {
      const { policy, problems } = parsed(content)
      if (!policy) return problems.map(asFinding)
      const journey = checkJourney(face.journey, knowledge(ctx, policy)).findings
      return [
        ...(policy.id === id ? [] : [problem('wrong_id', 'id', `must stay '${id}': config.json names it`)]),
        ...journey
          .filter(({ severity }) => severity === 'problem')
          .map(({ code, field, message }) =>
            problem(code, '', `the journey does not fit: ${field}: ${message}`),
          ),
        ...sameVersion(file.own() ?? file.shipped(), content),
      ]
    },
    use: () => ctx.usePolicies(new Map([...loadTenantPolicies(config), ...fromCentralService()])),
    preview: (content) => {
      const { policy } = parsed(content)
      if (!policy) return null
      const needs = levelNeeds(policy)
      return policy.levels.map(({ levelOfAssurance: name, label }) => ({
        name,
        label,
        needs: needs[name] ?? [],
      }))
    },
  }
}

const BRAND_FILE = 'brand.json'
/** Folder of a brand that is created at the counter. */
const NEW_BRAND = 'own'

const NO_LOGO = 'logo.svg'

/** A brand consists of two files and a line of config.json. The document contains the logo in base64 beside its name. */
function brandDocument(ctx: Context, face: Face): SettingDocument {
  const { dataDir } = ctx.config
  const folders = brandFolders({ dataDir })
  const inForce = (): string | undefined => {
    const { brand } = readConfigFile(join(dataDir, 'config.json'))
    return typeof brand === 'string' ? brand : undefined
  }
  const name = (): string => inForce() ?? NEW_BRAND
  const read = (folder: string): unknown => {
    const path = join(folder, name(), BRAND_FILE)
    if (inForce() === undefined || !existsSync(path)) return null
    const file = JSON.parse(readFileSync(path, 'utf8')) as { logo?: unknown }
    const logo = join(folder, name(), basename(String(file.logo)))
    return existsSync(logo) ? { ...file, logoData: readFileSync(logo).toString('base64') } : file
  }
  return {
    file: () => join('brands', name(), BRAND_FILE),
    own: () => read(folders.own),
    shipped: () => read(folders.shipped),
    check: (content) => {
      const { file, logoData } = splitBrand(content)
      const { problems } = checkBrandFiles(name(), face.journey.languages, (asked, tell) => {
        // The rest is checked even if the logo is missing, so that all problems are reported together.
        if (asked === BRAND_FILE) return Buffer.from(JSON.stringify({ logo: NO_LOGO, ...file }))
        if (logoData !== null) return Buffer.from(logoData, 'base64')
        tell('not_readable', asked, 'choose the file of the logo')
        return null
      })
      return problems.map((one) => {
        const place = (one.field ?? '').replace(/^brands\/[^/]*\//, '')
        const field = place.startsWith(BRAND_FILE) ? place.slice(BRAND_FILE.length + 1) : 'logo'
        return asFinding({ ...one, field })
      })
    },
    write: (content) => {
      const folder = join(folders.own, name())
      if (content === null) {
        rmSync(folder, { recursive: true, force: true })
        if (!existsSync(join(folders.shipped, name()))) changeConfigFile(dataDir, withoutBrand)
        return
      }
      const { file, logoData } = splitBrand(content)
      makePrivateFolder(folders.own)
      makePrivateFolder(folder)
      if (logoData !== null) {
        writeFileWhole(
          join(folder, basename(String(file.logo))),
          Buffer.from(logoData, 'base64'),
          IN_OUR_FOLDER,
        )
      }
      writeFileWhole(join(folder, BRAND_FILE), `${JSON.stringify(file, null, 2)}\n`, IN_OUR_FOLDER)
      if (inForce() === undefined) changeConfigFile(dataDir, (config) => ({ ...config, brand: NEW_BRAND }))
    },
    use: () => {
      face.brand = loadFace({ dataDir, brand: inForce() }, face.journey.languages)
    },
  }
}

function withoutBrand(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name !== 'brand'))
}

function splitBrand(content: unknown): {
  readonly file: Readonly<Record<string, unknown>>
  readonly logoData: string | null
} {
  const { logoData, ...file } = isTree(content) ? content : {}
  const isLogo = typeof logoData === 'string' && ['.svg', '.png'].includes(extname(String(file.logo)))
  return { file, logoData: isLogo ? logoData : null }
}

/** Records refer to a journey and a policy by version, so changed content needs a new version. */
function sameVersion(before: unknown, after: unknown): readonly SettingFinding[] {
  if (!isTree(before) || !isTree(after)) return []
  const isChanged = JSON.stringify(before) !== JSON.stringify(after)
  if (!isChanged || before.version !== after.version) return []
  return [problem('same_version', 'version', 'give another version: records name the content by it')]
}

const findTenantPolicy = (ctx: Context): Policy => ctx.policy(ctx.config.tenant.id)
const knowledge = ({ config }: Context, policy: Policy) => journeyKnowledge(config, policy)

function problem(code: string, field: string, message: string): SettingFinding {
  return { severity: 'problem', code, field, message }
}

function asFinding({ code, field = '', message }: FieldProblem): SettingFinding {
  return problem(code, field.replace(/^[^:]*:/, ''), message)
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
