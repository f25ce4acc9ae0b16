/**
 * The counter has a text in every language for everything that the server may name, so that readers never see
 * a code. Each family of codes comes from its source in the server.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventDetails } from '../../../renderer/counter/event-words.ts'
import { createFormats } from '../../../renderer/counter/formats.ts'
import { DOCUMENT_GUIDANCE, PORTRAIT_GUIDANCE } from '../../../renderer/capture/events.ts'
import { ownSentence } from '../../../renderer/counter/pages/settings/finding-words.ts'
import { placeWords, valueWords } from '../../../renderer/counter/pages/settings/place-words.ts'
import { nameReceiver } from '../../../renderer/counter/display/consent-screen.tsx'
import { lackWord } from '../../../renderer/counter/pages/proofing/level-card.tsx'
import type { Texts } from '../../../renderer/counter/text.tsx'
import { CONTACT_KINDS } from '../../../server/proofing/contact-kinds.ts'
import {
  checkWord,
  FAULT_OF,
  indicatorWord,
  isPictureQuality,
  levelWord,
  measuredDigits,
  measuresFor,
  measureWord,
  profileWord,
} from '../../../renderer/counter/words.ts'
import { CAMERA_FAULTS } from '../../../server/connectors/camera/choose.ts'
import { ALLOWED, type Role } from '../../../server/counter/access.ts'
import { CHECKS as DOCTOR_CHECKS } from '../../../server/doctor/report.ts'
import { CHECKLIST_ROWS } from '../../../server/counter/contract/checklist.ts'
import type { LevelView } from '../../../server/counter/contract/today.ts'
import { CALL_TROUBLES, CONNECTOR_IDS, VALUE_NAMES } from '../../../server/proofing/disclosure.ts'
import { DERIVED_CHECKS } from '../../../server/proofing/assurance/policy.ts'
import {
  FRAUD_CHECKS,
  OTHER_CHECKS,
  UNCOUNTED_CHECKS,
} from '../../../server/proofing/assurance/known-checks.ts'
import { TAMPER_KINDS } from '../../../server/proofing/antifraud/ledger.ts'
import { MEASURES } from '../../../server/proofing/measures.ts'
import { PROOFING_FLAGS } from '../../../server/counter/contract/today.ts'
import { CAMERA_FINDINGS } from '../../../server/proofing/camera-test.ts'
import { DOCUMENT_FAULTS } from '../../../server/proofing/document-fault.ts'
import { RESULT_CODES } from '../../../server/proofing/error-codes.ts'
import { FREEZE_REASONS } from '../../../server/proofing/freeze.ts'
import { NEXT_ACTS, NO_FAILED_TRY } from '../../../server/proofing/why-people-fail.ts'
import {
  CONSENT_TYPES,
  EVIDENCE_TYPES,
  FRAUD_CHECK_TYPES,
  IDENTITY_STATUSES,
  LEVELS,
} from '../../../server/proofing/types.ts'
import { SESSION_BREACHES } from '../../../server/proofing/liveness/types.ts'
import { VALUE_SOURCES } from '../../../server/proofing/verified-values.ts'
import { TRY_ENDS } from '../../../server/proofing/visit-words.ts'
import { PAGE_FIELDS } from '../../../server/proofing/visual-zone/page-facts.ts'
import { BRAND_PROBLEMS } from '../../../server/brand/brands.ts'
import { POLICY_PROBLEMS } from '../../../server/config/policy-checks.ts'
import { JOURNEY_PROBLEMS } from '../../../server/kiosk/journey-checks.ts'
import { STEP_KINDS } from '../../../server/kiosk/contract/journey.ts'
import { PROBLEM_CODES } from '../../../server/proof/verify/problems.ts'
import { EVENT_BODIES } from '../../../server/store/event-bodies.ts'
import { EVENT_REASONS, EVENT_TYPES } from '../../../server/store/events.ts'
import { EXPORTED_FIGURES, VISIT_OUTCOMES } from '../../../server/store/visits.ts'
import { CAPABILITIES } from '../../../server/vision/capabilities.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const LOCALES = readdirSync(join(ROOT, 'renderer/locales')).flatMap((name) =>
  name.endsWith('.json') ? [name.slice(0, -5)] : [],
)

// Codes that the server reads from files
// ------------------------------------------------------------------------------

const { pipelines } = read('resources/pipelines/default.json') as {
  pipelines: Record<string, { checks: Record<string, unknown> }>
}
const { faults } = read('resources/degraded.json') as {
  faults: { fault: string; indicator: string; families: string[] }[]
}
const { reasons } = read('resources/adjudication.json') as { reasons: { code: string }[] }
const { rules } = read('resources/journeys/guidance.json') as { rules: { guidance: string }[] }

interface PolicyFile {
  readonly caps: Record<string, string>
  readonly marks: { mark: string }[]
  readonly scales: { scale: string }[]
  readonly profiles: {
    name: string
    pieces: { evidence: string; types?: string[]; requires?: string[] }[]
  }[]
  readonly submissions: { evidence: string; types?: string[]; checks: string[] }[]
}
const policies = readdirSync(join(ROOT, 'resources/policies')).flatMap((name) =>
  name.endsWith('.json') ? [read(`resources/policies/${name}`) as PolicyFile] : [],
)
const ofPolicies = <T>(of: (policy: PolicyFile) => readonly T[]): T[] => [...new Set(policies.flatMap(of))]

const CHECKS = [
  ...Object.values(pipelines).flatMap(({ checks }) => Object.keys(checks)),
  ...[OTHER_CHECKS, FRAUD_CHECKS, DERIVED_CHECKS].flatMap((table) => Object.keys(table)),
  ...UNCOUNTED_CHECKS,
  ...ofPolicies(({ profiles }) =>
    profiles.flatMap(({ pieces }) => pieces.flatMap(({ requires = [] }) => requires)),
  ),
  ...ofPolicies(({ submissions }) => submissions.flatMap(({ checks }) => checks)),
]
const PIECES = [
  ...ofPolicies(({ profiles }) =>
    profiles.flatMap(({ pieces }) => pieces.flatMap(({ evidence, types = [] }) => [evidence, ...types])),
  ),
  ...ofPolicies(({ submissions }) => submissions.flatMap(({ evidence, types = [] }) => [evidence, ...types])),
]
/** `listValues` of workflows/staff/open-proofing, and what errors of a result are about. */
const FIELDS = [
  ...PAGE_FIELDS,
  ...['name', 'givenNames', 'familyName', 'surname', 'fullname', 'birthDate', 'dateOfBirth', 'sex', 'gender'],
  ...['nationality', 'height', 'eyeColor', 'documentNumber', 'cardNumber', 'issuingCountry', 'issuingState'],
  ...[
    'issuingDate',
    'expiryDate',
    'address',
    ...CONTACT_KINDS,
    'streetLines',
    'postcode',
    'city',
    'state',
    'country',
  ],
]
const { measured: rates } = read('resources/liveness.json') as {
  measured: Record<string, Record<string, { apcer: Record<string, unknown> }>>
}
const ATTACKS = Object.values(rates).flatMap((packs) =>
  Object.values(packs).flatMap(({ apcer }) => Object.keys(apcer)),
)
const { checklists } = read('resources/attended.json') as {
  checklists: { features: { id: string; weight: string }[] }[]
}
const FEATURES = checklists.flatMap(({ features }) =>
  features.filter(({ weight }) => weight !== 'APART').map(({ id }) => id),
)
/** As the API returns them, in the examples of a real appliance. */
const MEASURED_BY_API = namesBelow('measured', read('server/api/contract/example-answers.json'))
/** Checks of the kiosk that no pipeline lists as an error's field. */
const PORTRAIT_FIELDS = (
  read('resources/journeys/guidance.json') as { rules: { field?: string }[] }
).rules.flatMap(({ field }) => field ?? [])
const PARTS = [
  'database',
  'disk',
  'vision',
  'jobs',
  'clock',
  'audit',
  'backup',
  'cameras',
  'sms',
  'biometrics',
]
PARTS.push('documentStatus', 'fraudRegister', 'inspection', 'oidc', 'sync', 'trust', 'watchlists', 'webhooks')
PARTS.push('face-camera', 'document-camera', 'voice', 'printer')
PARTS.push(...Object.keys(CAPABILITIES).map((name) => `vision-${name}`))

/** Problems of the lists, and of documents that have to fit each other. */
const LIST_PROBLEMS = ['above_reach', 'catalogue', 'same_version', 'unknown_country', 'wrong_id']

/** Members of the files that the counter changes; names that an organisation gives (of marks, languages, checks) are its own. */
const MEMBERS = [
  ...['journeys/default.json', 'policies/default.json', 'supported-evidence.json', 'adjudication.json'],
].flatMap((file) => memberNames(read(`resources/${file}`)))

function memberNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(memberNames)
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(/^[a-z][A-Za-z]+$/.test(name) ? [name] : []),
    ...(['marks', 'scales'].includes(name) && !Array.isArray(inner) ? [] : memberNames(inner)),
  ])
}

const FAMILIES: readonly (readonly [string, Iterable<string>])[] = [
  ['event', EVENT_TYPES],
  ['event-family', EVENT_TYPES.map((type) => type.split('.')[0] ?? '')],
  ['reason', EVENT_REASONS],
  ['desk.reason', reasons.map(({ code }) => code)],
  ['who', ['appliance', 'operator', 'centre', 'person', 'kiosk', 'service', 'application']],
  ['step', STEP_KINDS],
  ['outcome', VISIT_OUTCOMES],
  ['tamper', TAMPER_KINDS],
  ['freeze', FREEZE_REASONS],
  ['chart', EXPORTED_FIGURES],
  ['why', [...TRY_ENDS, NO_FAILED_TRY].filter((end) => end !== 'GOOD')],
  [
    'measured',
    [
      ...VALUE_SOURCES,
      'print',
      'words',
      'template',
      'outline',
      'icao-page',
      'icao-card',
      ...SESSION_BREACHES.map((code) => `SESSION_${code}`),
    ],
  ],
  ['why.next', NEXT_ACTS],
  ['assist.guidance', [...rules.map(({ guidance }) => guidance), ...DOCUMENT_FAULTS]],
  ['evidence', [...EVIDENCE_TYPES, ...PIECES, ...faults.flatMap(({ families }) => families)]],
  ['identity', IDENTITY_STATUSES],
  ['consent', CONSENT_TYPES],
  ['fraud', FRAUD_CHECK_TYPES],
  ['field', [...FIELDS, ...PORTRAIT_FIELDS]],
  ['fault', faults.map(({ fault }) => fault)],
  ['check', CHECKS],
  ['measure', MEASURES],
  ['attack', ATTACKS],
  ['mark', ofPolicies(({ marks }) => marks.map(({ mark }) => mark))],
  ['scale', ofPolicies(({ scales }) => scales.map(({ scale }) => scale))],
  ['result', RESULT_CODES],
  ['seal.problem', PROBLEM_CODES],
  ['flag', PROOFING_FLAGS],
  ['advice', DOCUMENT_GUIDANCE.map((code) => `DOCUMENT_${code}`)],
  ['advice', PORTRAIT_GUIDANCE.map((code) => `PORTRAIT_${code}`)],
  ['settings.problem', [...JOURNEY_PROBLEMS, ...POLICY_PROBLEMS, ...BRAND_PROBLEMS, ...LIST_PROBLEMS]],
  ['settings.at', MEMBERS],
  ['part', PARTS],
  ['connector', CONNECTOR_IDS],
  ['call-trouble', CALL_TROUBLES],
  ['sent', VALUE_NAMES],
  ['checklist.row', CHECKLIST_ROWS],
  ['doctor.check', DOCTOR_CHECKS],
  ['doctor.state', ['OK', 'NOT_CHECKED', 'WARNING', 'WRONG']],
  ['checklist.found', [...CAMERA_FINDINGS, ...CAMERA_FAULTS, 'TOLD']],
]

/** Codes that a section has no word for come back as this. */
const NONE = '∅'

describe.each(LOCALES)('in %s', (tag) => {
  const { counter } = read(`renderer/locales/${tag}.json`) as { counter: Record<string, string> }
  const known: Texts['known'] = (key, otherwise) => counter[key] ?? otherwise
  const t = ((key: string, slots: Record<string, string> = {}) =>
    Object.entries(slots).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, value),
      counter[key] ?? NONE,
    )) as Texts['t']
  const texts = { t, known, formats: createFormats(tag, t) }

  test.each(FAMILIES)('every %s has words', (family, codes) =>
    expect([...new Set(codes)].filter((code) => !counter[`${family}.${code}`])).toEqual([]),
  )

  test('so has everything that may hold a level down, and none of it reads like a check that was passed', () => {
    const caps = ofPolicies(({ caps: all }) => Object.keys(all))
    const words = caps.map((cap) => [cap, indicatorWord(cap, texts)] as const)
    const own = words.filter(
      ([cap, word]) =>
        word === counter[`indicator.${cap}`] || word === counter[`fault.${FAULT_OF[cap] ?? ''}`],
    )
    expect(own).toEqual(words)
  })

  test('a check that did not pass is never told in the words of one that did', () => {
    const [passed, failed] = ['OK', 'FAILED'].map((end) => indicatorWord(`DOCUMENT_EXPIRY_${end}`, texts))
    expect(passed).toBe(counter['check.DOCUMENT_EXPIRY'])
    for (const end of ['FAILED', 'WARNING', 'UNVERIFIED']) {
      const word = indicatorWord(`DOCUMENT_EXPIRY_${end}`, texts)
      expect(word).toContain(passed)
      expect(word.length).toBeGreaterThan(String(passed).length)
    }
    expect(failed).not.toBe(indicatorWord('DOCUMENT_EXPIRY_WARNING', texts))
  })

  test('so have the profiles of our policies, but for those of GPG 45, which are names', () => {
    const names = ofPolicies(({ profiles }) => profiles.map(({ name }) => name))
    expect(names.filter((name) => !counter[`profile.${name}`] && !/^[LMHV]\d[A-E]$/.test(name))).toEqual([])
    expect(profileWord('H1A', texts)).toBe('H1A')
  })

  test('every measure has a name, however the code makes its own, and none is the name of the code', () => {
    const made = [
      ...ATTACKS.flatMap((kind) => ['', 'Ci95From', 'Ci95To', 'Trials'].map((end) => `apcer.${kind}${end}`)),
      ...['bpcerTrials', 'depthAtLeast', 'onsetAtMostMs', 'sceneChangeBelow', 'measuredFmrLow', 'list1'],
      ...['list12Date', 'list2Sha256', 'score:face-embedding', 'surname', 'birthDate', ...FEATURES],
    ]
    const names = [...MEASURES, ...made, ...MEASURED_BY_API]
    const told = names.map((name) => [name, measureWord(name, texts)] as const)
    const isRaw = ([name, word]: (typeof told)[number]): boolean =>
      word === name || word.includes(NONE) || word === counter['measure.other'] || /[a-z][A-Z]/.test(word)
    expect(told.filter(isRaw)).toEqual([])
    expect(measureWord('newMeasureOfTomorrow', texts)).toBe(counter['measure.other'])
  })

  test('strengths and scores are no codes', () => {
    for (const level of LEVELS) expect(levelWord(level, texts)).toContain(level.slice(-1))
    for (const level of LEVELS) expect(levelWord(level, texts)).not.toContain('LEVEL')
  })

  test('the consent question names the organisation, or the operator of the machine if no organisation is configured', () => {
    const { kiosk } = read(`renderer/locales/${tag}.json`) as { kiosk: Record<string, string> }
    const ofKiosk = ((key: string) => kiosk[key] ?? NONE) as Parameters<typeof nameReceiver>[1]
    expect(nameReceiver({ organisation: null }, ofKiosk)).toBe(kiosk['organisation.unnamed'])
    expect(nameReceiver({ organisation: 'Bank' }, ofKiosk)).toBe('Bank')
  })

  test('a change of a setting is told without its path, without JSON and without a code', () => {
    const told = [
      placeWords('steps.1.maxSubmissions', texts),
      placeWords('profiles.0.pieces.1.minimumScore', texts),
      placeWords('', texts),
      valueWords('steps.0.required', ['ID_DOCUMENT', 'PORTRAIT'], texts),
      valueWords('steps.3', { kind: 'portrait', uploadAllowed: false, maxSubmissions: 3 }, texts),
      valueWords('receipt', {}, texts),
      valueWords('profiles.0.pieces.0', { evidence: 'ANY', minimumScore: 'LEVEL3' }, texts),
    ]
    expect(told.filter((words) => words.includes(NONE) || /["{}[\]_]|[a-z][A-Z]|LEVEL/.test(words))).toEqual(
      [],
    )
    expect(valueWords('organisation', 'Bank of Nowhere', texts)).toBe('Bank of Nowhere')
    expect(placeWords('texts.fr.consent.title', texts)).toMatch(/ › consent\.title$/)
  })

  test('a problem of a setting has a sentence in this language, also one of its shape', () => {
    const shape = z.strictObject({ a: z.int().min(3), b: z.string().max(2), c: z.enum(['x']) })
    const codes = [{ a: 1, b: 'abc', c: 'y', d: 1 }, {}].flatMap(
      (value) => shape.safeParse(value).error?.issues.map(({ code }) => code) ?? [],
    )
    for (const code of codes) {
      expect(ownSentence({ code }, texts)).toBe(counter[`settings.problem.${code}`])
      expect(ownSentence({ code }, texts)).not.toBe(undefined)
    }
  })

  test('what a rule misses is said in this language, not in the words of the policy', () => {
    const lack = (what: Lack['what'], name: string): Lack => ({
      what,
      name,
      needed: null,
      reached: null,
      words: NONE,
    })
    const said = [
      ...CHECKS.map((check) => lackWord(lack('CHECK', check), texts)),
      lackWord(lack('PIECE', 'ANY'), texts),
      lackWord(lack('MARK', 'confirmed'), texts),
      lackWord(lack('SCALE', 'deathCheck'), texts),
    ]
    expect(said.filter((words) => words === NONE || /^[A-Z_]+$/.test(words))).toEqual([])
  })

  test.each(EVENT_TYPES)('what an event %s says beside its type has words', (type) => {
    const missing = membersOf(EVENT_BODIES[type])
      .filter(([name]) => !UNTOLD.test(name))
      .flatMap(([name, examples]) =>
        examples.flatMap((example) =>
          eventDetails({ [name]: example }, texts).length > 0 ? [] : [`${name}: ${String(example)}`],
        ),
      )
    expect(missing).toEqual([])
  })
})

function namesBelow(member: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) =>
    name === member && typeof inner === 'object' && inner !== null
      ? Object.keys(inner)
      : namesBelow(member, inner),
  )
}

type Lack = LevelView['profiles'][number]['missing'][number]

test('how often a method errs is told to who answers for the methods, and to no officer', () => {
  const ofThePerson = ['score', 'threshold', 'depth', 'faces', 'sources', 'list1Date'].map((name) => ({
    name,
  }))
  const ofTheMethod = [
    'apcer.bent',
    'apcer.bentCi95From',
    'bpcerTrials',
    'measuredFmrLow',
    'fnmr',
    'ratesFrom',
  ]
  const all = [...ofThePerson, ...ofTheMethod.map((name) => ({ name }))]
  const readBy = (role: Role) => measuresFor(all, (permission) => ALLOWED[role].includes(permission))
  expect(readBy('officer')).toEqual(ofThePerson)
  expect(readBy('supervisor')).toEqual(all)
})

test('each fault of the file has its indicator in the table of the console, and no other', () => {
  expect(FAULT_OF).toEqual(Object.fromEntries(faults.map(({ fault, indicator }) => [indicator, fault])))
})

test('an unknown code is spelled out, and a member of an event without a label is not shown', () => {
  const known: Texts['known'] = (_key, otherwise) => otherwise
  expect(checkWord('NEW_CHECK', { known })).toBe('new check')
  const texts = { known, t: (() => '') as Texts['t'], formats: createFormats('en', () => '') }
  expect(eventDetails({ kid: 'abc', anchorSeq: 3 }, texts)).toEqual([])
})

/** Ids, hashes, and figures that mean something to the log alone: they stand in the export. */
const UNTOLD = /Id$|Ids$|[sS]ha256$|^(kid|from|to|after|seq|anchorSeq|sequence|schema|steps|uncertaintyMs)$/

/** Members of a body with a value for each thing they can say. */
function membersOf(body: z.ZodType): [string, unknown[]][] {
  const { shape } = body as unknown as { shape: Record<string, z.ZodType> }
  return Object.entries(shape).map(([name, member]) => [name, examplesOf(name, member)])
}

/** Words of catalogues have no list in the schema: they are taken from the catalogue. */
const CATALOGUES: Readonly<Record<string, readonly string[]>> = {
  reason: reasons.map(({ code }) => code),
  why: ['PERSON_ASKED', 'CAPTURED_BY_MISTAKE', 'WRONG_PERSON', 'TEST_CASE'],
  kind: TAMPER_KINDS,
  exceptions: ['NO_HAND', 'CANNOT_TURN', 'VEIL_PRIVATE_ROOM'],
  because: ['adjudication_claimed', 'forbidden_', 'one_of_a_release_to_come'],
  part: ['cameras'],
  language: ['de'],
  version: ['1.2.3'],
  levelOfAssurance: ['LOA2'],
}

function examplesOf(name: string, member: z.ZodType): unknown[] {
  const { def } = member as unknown as {
    def: { type: string; entries?: Record<string, string>; innerType?: z.ZodType; element?: z.ZodType }
  }
  switch (def.type) {
    case 'enum':
      return Object.values(def.entries ?? {})
    case 'boolean':
      return [true, false]
    case 'number':
      return [1_763_000_000_000]
    case 'nullable':
    case 'optional':
      return def.innerType ? examplesOf(name, def.innerType) : []
    case 'array':
      return def.element ? examplesOf(name, def.element).map((one) => [one]) : []
    default:
      return [...(CATALOGUES[name] ?? [])]
  }
}

test.each([
  ['DARK_IMAGE_QUALITY_OK', true],
  ['BLUR_IMAGE_QUALITY_FAILED', true],
  ['CAPTURE_TOO_FAR_CHECK_WARNING', true],
  ['BIOMETRIC_QUALITY_CHECK_OK', true],
  ['SPECIMEN_DOCUMENT_FAILED', false],
  ['VISUAL_ZONE_MATCH_OK', false],
] as const)('%s is a word about the picture and none about the document: %s', (indicator, is) => {
  expect(isPictureQuality(indicator)).toBe(is)
})

test.each([
  [197.0772, 0],
  [12.345, 1],
  [0.1234, 4],
] as const)('a measurement of %d has %d decimal places', (value, digits) => {
  expect(measuredDigits(value)).toBe(digits)
})
