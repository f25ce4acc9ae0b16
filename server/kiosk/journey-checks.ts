/**
 * Checks what the schema of a journey cannot: whether its parts fit each other and the configuration of this
 * appliance. A problem refuses the start; a doubtful setting is a warning. Every message says what to do.
 * Pure.
 */
import { consentNeeds } from '../proofing/consent-needs.ts'
import type { EvidenceKind } from '../proofing/evidence.ts'
import type { ConsentType, LivenessType } from '../proofing/types.ts'
import { Journey, type Condition, type JourneyStep, type OtherWay } from './contract/journey.ts'

/** Each has a sentence in every language of the counter (`settings.problem.…`). */
export const JOURNEY_PROBLEMS = [
  'asks_the_same',
  'chip_late',
  'consent_always',
  'consent_first',
  'consent_missing',
  'consent_not_needed',
  'listed_twice',
  'no_face',
  'no_public_address',
  'not_connected',
  'nothing_read',
  'proves_nothing',
  'too_short',
  'unknown_language',
  'unknown_level',
  'unknown_provider',
  'unknown_slot',
  'unknown_text',
  'weaker_grade',
  'without_meaning',
] as const

export interface JourneyFinding {
  readonly severity: 'problem' | 'warning'
  readonly code: string
  /** Such as `steps.2.livenessType`. */
  readonly field: string
  readonly message: string
}

/**
 * The facts outside the journey. Null members are not checked: a file can be checked without an appliance.
 */
export interface JourneyKnowledge {
  /** Files of renderer/locales. */
  readonly languages: readonly string[]
  /** Section `kiosk` of the English file: key → text. */
  readonly texts: Readonly<Record<string, string>>
  /** True if the first type was measured to stop fewer kinds of attack than the second. */
  readonly isWeaker: (type: LivenessType, other: LivenessType) => boolean
  readonly appliance: {
    readonly sms: boolean
    readonly identityProviders: readonly string[]
    readonly hasPublicUrl: boolean
    readonly chipReader: boolean
    /** Types that an external biometric server judges; our page cannot run its sessions. */
    readonly requiredConsents: Readonly<Partial<Record<EvidenceKind, readonly ConsentType[]>>>
    /** Levels of the tenant's policy that some profile reaches. */
    readonly levels: readonly string[]
  } | null
}

type Tell = (field: string, code: (typeof JOURNEY_PROBLEMS)[number], message: string) => void
interface Asked {
  readonly journey: Journey
  readonly known: JourneyKnowledge
  readonly problem: Tell
  readonly warning: Tell
}

export function checkJourney(
  value: unknown,
  known: JourneyKnowledge,
): { readonly journey: Journey | null; readonly findings: readonly JourneyFinding[] } {
  const parsed = Journey.safeParse(value)
  if (!parsed.success) {
    return {
      journey: null,
      findings: parsed.error.issues.map(({ path, message, code }) => ({
        severity: 'problem',
        code,
        field: path.map(String).join('.'),
        message: `${message}; see resources/journeys/README.md for what may stand here`,
      })),
    }
  }
  const findings: JourneyFinding[] = []
  const tell =
    (severity: JourneyFinding['severity']): Tell =>
    (field, code, message) => {
      findings.push({ severity, code, field, message })
    }
  const asked = { journey: parsed.data, known, problem: tell('problem'), warning: tell('warning') }
  for (const check of [
    checkLanguages,
    checkTexts,
    checkOrder,
    checkConsents,
    checkConsentsAreUsed,
    checkFace,
    checkSteps,
    checkLevels,
    checkTimes,
  ]) {
    check(asked)
  }
  return { journey: parsed.data, findings }
}

function checkLanguages({ journey: { languages }, known, problem }: Asked): void {
  for (const [index, tag] of languages.entries()) {
    const field = `languages.${index}`
    if (!known.languages.includes(tag)) {
      const there = known.languages.join(', ')
      problem(field, 'unknown_language', `there is no renderer/locales/${tag}.json; take one of ${there}`)
    } else if (languages.indexOf(tag) < index) {
      problem(field, 'listed_twice', `'${tag}' stands there twice; take one away`)
    }
  }
}

const PLURAL = /_(zero|one|two|few|many|other)$/
const findSlots = (text: string): readonly string[] =>
  [...text.matchAll(/\{([^}]*)\}/g)].map(([, slot = '']) => slot)

function checkTexts({ journey: { languages, texts }, known, problem }: Asked): void {
  const bare = (key: string): string => key.replace(PLURAL, '')
  const ours = new Map<string, readonly string[]>()
  for (const [key, text] of Object.entries(known.texts)) {
    ours.set(bare(key), [...(ours.get(bare(key)) ?? []), ...findSlots(text)])
  }
  for (const [tag, own] of Object.entries(texts)) {
    if (!languages.includes(tag)) {
      problem(
        `texts.${tag}`,
        'unknown_language',
        `'${tag}' is no language of this journey; add it to languages`,
      )
    }
    for (const [key, text] of Object.entries(own)) {
      const field = `texts.${tag}.${key}`
      const slots = ours.get(bare(key))
      if (!slots) {
        problem(
          field,
          'unknown_text',
          'no text of the kiosk has this key; see section kiosk of renderer/locales/en.json',
        )
        continue
      }
      for (const slot of findSlots(text).filter((name) => !slots.includes(name))) {
        const may = slots.length > 0 ? `it may hold ${[...new Set(slots)].join(', ')}` : 'it holds none'
        problem(field, 'unknown_slot', `nothing is put in for {${slot}}: ${may}`)
      }
    }
  }
}

function checkOrder({ journey: { steps }, problem }: Asked): void {
  if (steps[0]?.kind !== 'consent') {
    problem('steps.0', 'consent_first', 'a visit begins with the step consent; put it first')
  } else if (steps[0].when.length > 0) {
    problem('steps.0.when', 'consent_always', 'everybody is asked for consent; take the conditions away')
  }
  for (const [index, { kind }] of steps.entries()) {
    if (steps.findIndex((step) => step.kind === kind) < index) {
      problem(`steps.${index}`, 'listed_twice', `the step ${kind} stands there twice; take one away`)
    }
  }
  const place = (kind: JourneyStep['kind']): number => steps.findIndex((step) => step.kind === kind)
  if (place('check') >= 0 && (place('document') < 0 || place('document') > place('check'))) {
    problem(
      `steps.${place('check')}`,
      'nothing_read',
      'check shows what was read: put the step document before it',
    )
  }
  if (place('details') >= 0 && (place('document') < 0 || place('document') > place('details'))) {
    problem(
      `steps.${place('details')}`,
      'nothing_read',
      'details asks for what a document did not give: put the step document before it',
    )
  }
  if (place('chip') >= 0 && (place('document') < 0 || place('document') > place('chip'))) {
    problem(
      `steps.${place('chip')}`,
      'nothing_read',
      'the chip opens with what was read of the document: put the step document before it',
    )
  }
  if (place('chip') >= 0 && place('portrait') >= 0 && place('portrait') < place('chip')) {
    problem(
      `steps.${place('chip')}`,
      'chip_late',
      'the face is compared with the picture in the chip: put the step chip before portrait',
    )
  }
  if (steps.every(({ kind }) => ['consent', 'phone', 'check', 'chip', 'details'].includes(kind))) {
    problem(
      'steps',
      'proves_nothing',
      'these steps prove no identity: add document, portrait or trusted-login',
    )
  }
}

const KIND_OF: Readonly<Partial<Record<JourneyStep['kind'], EvidenceKind>>> = {
  document: 'IDDOCUMENT',
  portrait: 'PORTRAIT',
  check: 'ATTRIBUTES',
  phone: 'CONTACT',
  'trusted-login': 'TRUSTED_ID_CLAIM',
}

function checkConsents({ journey: { steps }, known, problem }: Asked): void {
  const consent = steps.find((step) => step.kind === 'consent')
  const { required = [], optional = [] } = consent ?? {}
  for (const type of optional.filter((other) => required.includes(other))) {
    problem('steps.0.optional', 'listed_twice', `${type} is required already; take it out of optional`)
  }
  for (const [index, { kind }] of steps.entries()) {
    const evidence = KIND_OF[kind]
    if (!evidence) continue
    const { demanded } = consentNeeds(evidence, known.appliance?.requiredConsents)
    // A phone step is skipped automatically if its consent was refused.
    const given = kind === 'phone' ? [...required, ...optional] : required
    for (const type of demanded.filter((other) => !given.includes(other))) {
      const list = kind === 'phone' ? 'required or optional' : 'required'
      problem(
        `steps.${index}`,
        'consent_missing',
        `${kind} needs the consent ${type}: add it to ${list} of the step consent`,
      )
    }
  }
}

/**
 * The consents that the kiosk explains, and the steps that use them: other consents are for relying services.
 */
const STEP_OF_CONSENT = {
  ID_DOCUMENT: 'document',
  PORTRAIT: 'portrait',
  MOBILE_OTP: 'phone',
} as const satisfies Readonly<Partial<Record<ConsentType, JourneyStep['kind']>>>

function checkConsentsAreUsed({ journey: { steps }, problem }: Asked): void {
  const consent = steps.find((step) => step.kind === 'consent')
  for (const list of ['required', 'optional'] as const) {
    for (const [type, kind] of Object.entries(STEP_OF_CONSENT)) {
      const isAsked = consent?.[list].some((asked) => asked === type) ?? false
      if (!isAsked || steps.some((step) => step.kind === kind)) continue
      problem(
        `steps.0.${list}`,
        'consent_not_needed',
        `${type} is asked for, and no step does what it permits: add the step ${kind}, or take ${type} out of ${list}`,
      )
    }
  }
}

function checkFace({ journey: { steps, confirmedFrom }, warning }: Asked): void {
  const has = (wanted: JourneyStep['kind']): boolean => steps.some(({ kind }) => kind === wanted)
  if (confirmedFrom === 'LOA0' || !has('document') || has('portrait') || has('trusted-login')) return
  warning(
    'steps',
    'no_face',
    'no step takes a picture of the face; most policies then confirm no identity, and the visit goes to the counter',
  )
}

/** The types that need movement or colours (server/capture/README.md); easier ones need neither. */
const TURNS: readonly OtherWay[] = ['LIVENESS_ACTIVE', 'LIVENESS_MLC']
const COLOURS: readonly OtherWay[] = ['LIVENESS_MLC']

function checkSteps(asked: Asked): void {
  const { journey, known, problem, warning } = asked
  for (const [index, step] of journey.steps.entries()) {
    const field = `steps.${index}`
    for (const [at, condition] of step.when.entries())
      checkCondition(asked, condition, `${field}.when.${at}`, index)
    if (step.kind === 'portrait') checkPortrait(asked, step, field)
    if (!known.appliance) continue
    const { sms, identityProviders, hasPublicUrl, chipReader } = known.appliance
    if (step.kind === 'phone' && !sms) {
      warning(
        field,
        'not_connected',
        'never shown: no SMS gateway is configured (connectors.sms), or tenant.features.mobileOtp is off',
      )
    }
    if (step.kind === 'chip' && !chipReader)
      warning(field, 'not_connected', 'never shown: no reader of chips is configured (readers.enabled)')
    if (step.kind !== 'trusted-login') continue
    for (const [at, id] of step.providers.entries()) {
      if (identityProviders.includes(id)) continue
      problem(
        `${field}.providers.${at}`,
        'unknown_provider',
        `'${id}' is not registered: add it to connectors.oidc.providers, or take it away`,
      )
    }
    if (identityProviders.length === 0) {
      warning(
        field,
        'not_connected',
        'never shown: no identity provider is configured (connectors.oidc.providers), or tenant.features.trustedIdClaim is off',
      )
    } else if (!hasPublicUrl) {
      warning(
        field,
        'no_public_address',
        "the person's phone must reach this appliance after the login: set connectors.oidc.publicUrl",
      )
    }
  }
}

function checkPortrait(
  { known, problem, warning }: Asked,
  step: Extract<JourneyStep, { kind: 'portrait' }>,
  field: string,
): void {
  const { livenessType, withoutColours, withoutTurning } = step
  if (withoutColours && COLOURS.includes(withoutColours)) {
    problem(
      `${field}.withoutColours`,
      'asks_the_same',
      `${withoutColours} shows colours, too; choose LIVENESS_ACTIVE or less, or OFFICER`,
    )
  }
  if (withoutTurning && TURNS.includes(withoutTurning)) {
    problem(
      `${field}.withoutTurning`,
      'asks_the_same',
      `${withoutTurning} asks to turn the head, too; choose OFFICER, LIVENESS_PASSIVE_VIDEO or LIVENESS_PASSIVE`,
    )
  }
  if (withoutColours && !COLOURS.includes(livenessType)) {
    problem(
      `${field}.withoutColours`,
      'without_meaning',
      `${livenessType} shows no colours; take withoutColours away`,
    )
  }
  const ways = COLOURS.includes(livenessType) ? { withoutColours, withoutTurning } : { withoutTurning }
  for (const [name, way] of Object.entries(ways)) {
    if (!way || way === 'OFFICER' || !known.isWeaker(way, livenessType)) continue
    warning(
      `${field}.${name}`,
      'weaker_grade',
      `${way} was measured to stop fewer kinds of attack than ${livenessType}: a person who chooses it reaches a lower level; set it to OFFICER`,
    )
  }
}

function checkCondition(
  { journey, known, problem }: Asked,
  condition: Condition,
  field: string,
  index: number,
): void {
  if ('levelBelow' in condition) checkLevel(known, condition.levelBelow, `${field}.levelBelow`, problem)
  if ('language' in condition) {
    for (const tag of condition.language.filter((other) => !journey.languages.includes(other))) {
      problem(
        `${field}.language`,
        'unknown_language',
        `'${tag}' is no language of this journey; add it to languages or take it away`,
      )
    }
  }
  const document = journey.steps.findIndex(({ kind }) => kind === 'document')
  if ('documentRead' in condition && (document < 0 || document >= index)) {
    problem(field, 'nothing_read', 'no document was shown before this step; put the step document before it')
  }
}

function checkLevels({ journey, known, problem }: Asked): void {
  checkLevel(known, journey.confirmedFrom, 'confirmedFrom', problem)
}

function checkLevel({ appliance }: JourneyKnowledge, level: string, field: string, problem: Tell): void {
  if (!appliance || level === 'LOA0' || appliance.levels.includes(level)) return
  const there = appliance.levels.join(', ') || 'none'
  problem(field, 'unknown_level', `the tenant's policy does not reach ${level}; it reaches ${there}`)
}

/** Shorter times are too short for an applicant with reading glasses or speech (starting values). */
const MIN_SECONDS = { welcome: 15, reading: 60, capture: 60, result: 30, goodbye: 5, warning: 20 } as const

function checkTimes({ journey: { idleSeconds }, warning }: Asked): void {
  for (const [name, least] of Object.entries(MIN_SECONDS)) {
    const seconds = idleSeconds[name as keyof typeof MIN_SECONDS]
    if (seconds >= least) continue
    warning(
      `idleSeconds.${name}`,
      'too_short',
      `${seconds} s are too short for many people; give at least ${least} s`,
    )
  }
}
