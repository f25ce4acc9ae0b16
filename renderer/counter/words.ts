/** Texts for the server's codes, the same on every page: steps, outcomes, flags, evidence, languages. */
import type { EvidenceCard, ProofingFlag, ProofingRow } from '../../server/counter/contract/today.ts'
import type { Texts } from './text.tsx'
import type { Tone } from './ui/badge.tsx'
import type { IconName } from './ui/icon.tsx'

/** Spells out a code that has no text: "BARCODE_DATES" → "barcode dates", "unreadLines" → "unread lines". */
export function spellCode(code: string): string {
  return code
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[_.-]+/g, ' ')
}

/** Translates a measured text: names of fields are translated, codes are spelled out. */
export function measuredText(text: string, { known }: Known): string {
  if (text === 'none') return known('measure.none', text)
  const whole = known(`measured.${text}`, '')
  if (whole !== '') return whole
  return text
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z\d]+)+\b/g, (name) => known(`field.${name}`, spellCode(name)))
    .replaceAll(/\b[A-Z]+(?:_[A-Z\d]+)+\b/g, (code) =>
      known(`assist.handled.${code}`, known(`fault.${code}`, spellCode(code))),
    )
}

/** Decimal places of a measurement: four for a share or a score, none for a large count. */
export const measuredDigits = (value: number): number =>
  Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 4

const BOUNDS = {
  AtLeast: 'measure.at-least',
  AtLeastMs: 'measure.at-least',
  AtMost: 'measure.at-most',
  AtMostMs: 'measure.at-most',
  Below: 'measure.at-most',
  Low: 'measure.ci-low',
  Ci95From: 'measure.ci-low',
  High: 'measure.ci-high',
  Ci95To: 'measure.ci-high',
  Trials: 'measure.trials',
} as const
const BOUND = new RegExp(`^(.+?)(${Object.keys(BOUNDS).join('|')})$`)

/**
 * Names a measure (`proofing/measures.ts`), a limit of one, or a name made from data: a score by model or
 * document, a PAI species, a field, a feature that staff looked at, a list by its number. Readers see no raw
 * name.
 */
export function measureWord(name: string, { known, t }: Pick<Texts, 'known' | 't'>): string {
  const whole = known(`measure.${name}`, '')
  if (whole !== '') return whole
  const [, measure, bound] = BOUND.exec(name) ?? []
  if (measure !== undefined && bound !== undefined) {
    return t(BOUNDS[bound as keyof typeof BOUNDS], { measure: measureWord(measure, { known, t }) })
  }
  const [, of] = /^score:(.+)$/.exec(name) ?? []
  if (of !== undefined) return t('measure.score-of', { of })
  const [, attack] = /^apcer\.(\w+)$/.exec(name) ?? []
  if (attack !== undefined) return t('measure.apcer', { kind: known(`attack.${attack}`, spellCode(attack)) })
  const [, number, member = ''] = /^list(\d+)(\w*)$/.exec(name) ?? []
  if (number !== undefined) return `${known(`measure.list${member}`, t('measure.other'))} ${number}`
  return known(`field.${name}`, known(`assist.feature.${name}`, t('measure.other')))
}

const OF_THE_METHOD =
  /^(bpcer|apcer\.|fmr|fnmr|measuredFn?mr|falseAlarmRate|missRate|ratesFrom|source$|measuredOn$|operatingPoint$|reviewOperatingPoint$|engine$)/

/**
 * Filters measures by role. Error rates of a method say nothing about the applicant: only roles that are
 * responsible for the methods (`charts:see`) see them. All others see the measurements of this applicant and
 * this document.
 */
export function measuresFor<M extends { readonly name: string }>(
  measured: readonly M[],
  can: (permission: 'charts:see') => boolean,
): readonly M[] {
  return can('charts:see') ? measured : measured.filter(({ name }) => !OF_THE_METHOD.test(name))
}

type Known = Pick<Texts, 'known'>

export const stepWord = (step: string, { known }: Known): string => known(`step.${step}`, spellCode(step))
export const evidenceWord = (type: string, { known }: Known): string =>
  known(`evidence.${type}`, spellCode(type))
export const fieldWord = (field: string, { known }: Known): string =>
  known(`field.${field}`, spellCode(field))
/** Describes an improvement, or a problem of the document; `field`: the one that the sentence names. */
export const guidanceWord = (code: string, field: string | null, { known }: Known): string =>
  known(`assist.guidance.${code}`, spellCode(code), {
    field: field === null ? '' : fieldWord(field, { known }),
  })
/** Describes the check as passed: "The document is in date". */
export const checkWord = (check: string, { known }: Known): string =>
  known(`check.${check}`, spellCode(check))
/** Names the way a level was reached. Names of a tenant's own policy stay unchanged. */
export const profileWord = (profile: string, { known }: Known): string =>
  known(`profile.${profile}`, profile.replaceAll('-', ' '))

/** Translates `LEVEL3`, of strengths and scores; `LOA3` and the like are names and stay. */
export function levelWord(level: string, { t }: Pick<Texts, 't'>): string {
  const n = /^LEVEL(\d)$/.exec(level)?.[1]
  return n === undefined ? level : t('level.number', { n })
}

/**
 * Maps the indicators of a degraded appliance (`resources/degraded.json`) to the texts of the devices' page.
 */
export const FAULT_OF: Readonly<Record<string, string>> = {
  FACE_MODELS_UNVERIFIED: 'FACE_MODELS_MISSING',
  LIVENESS_MODELS_UNVERIFIED: 'LIVENESS_MODELS_MISSING',
  PAD_MODEL_UNVERIFIED: 'PAD_MODEL_MISSING',
  READING_MODELS_UNVERIFIED: 'READING_MODELS_MISSING',
  CAMERA_IDENTITY_UNVERIFIED: 'CAMERA_NOT_PINNED',
  CAMERA_UNVERIFIED: 'CAMERA_MISSING',
  CLOCK_UNVERIFIED: 'CLOCK_UNSURE',
  CONNECTOR_UNVERIFIED: 'CONNECTOR_DOWN',
  CENTRE_CONTACT_UNVERIFIED: 'OFFLINE_TOO_LONG',
  INSPECTION_UNVERIFIED: 'INSPECTION_OVERDUE',
  TAMPER_EVIDENCE_UNVERIFIED: 'TAMPERED',
  WATCHLIST_CURRENCY_UNVERIFIED: 'WATCHLIST_OUTDATED',
}

/**
 * Describes the result of a check: by its own text, by that of a fault, or by the check's name and its end.
 */
export function indicatorWord(indicator: string, texts: Pick<Texts, 'known' | 't'>): string {
  const fault = FAULT_OF[indicator]
  if (fault !== undefined) return texts.known(`fault.${fault}`, spellCode(indicator))
  const [check = indicator, end] = splitEnd(indicator)
  const passed = checkWord(check, texts)
  return texts.known(
    `indicator.${indicator}`,
    end === undefined ? passed : texts.t(`indicator.ends.${end}`, { check: passed }),
  )
}

/** Checks of the picture alone: passing them is no sign of a genuine document, and failing them no sign of a forgery. */
export function isPictureQuality(indicator: string): boolean {
  const [check = indicator] = splitEnd(indicator)
  return /_IMAGE_QUALITY$|^CAPTURE_TOO_|^BIOMETRIC_QUALITY_CHECK$|^DOCUMENT_DETECTION$/.test(check)
}

/** `DOCUMENT_READING_FAILED` → the check and its end; a passed check has no end. */
function splitEnd(indicator: string): readonly [check?: string, end?: 'FAILED' | 'WARNING' | 'UNVERIFIED'] {
  const [, check, end] = /^(.+)_(OK|FAILED|WARNING|UNVERIFIED)$/.exec(indicator) ?? []
  return end === 'OK' ? [check] : [check, end as 'FAILED' | 'WARNING' | 'UNVERIFIED' | undefined]
}

type Outcome = NonNullable<ProofingRow['outcome']>

export const OUTCOME_TONE: Readonly<Record<Outcome, Tone>> = {
  CONFIRMED: 'done',
  NOT_CONFIRMED: 'attention',
  PERSON: 'attention',
  LATER: 'waiting',
  REFUSED: 'quiet',
  STOPPED: 'quiet',
  WALKED_AWAY: 'quiet',
  UNATTENDED: 'attention',
  TAKEN_OVER: 'note',
  INTERRUPTED: 'attention',
}

export const FLAG_LOOKS: Readonly<Record<ProofingFlag, { readonly tone: Tone; readonly icon: IconName }>> = {
  HELP: { tone: 'note', icon: 'help' },
  HARD_TO_READ: { tone: 'attention', icon: 'eye-off' },
  FACE_DIFFERS: { tone: 'problem', icon: 'portrait' },
  FOR_A_PERSON: { tone: 'attention', icon: 'desk' },
  FAULT: { tone: 'problem', icon: 'octagon' },
  MANY_TRIES: { tone: 'attention', icon: 'retry' },
  TAKEN_OVER: { tone: 'note', icon: 'assist' },
  GOES_ON: { tone: 'note', icon: 'assist' },
  CHECK_STOPPED: { tone: 'problem', icon: 'waiting' },
}

export const EVIDENCE_TONE: Readonly<Record<EvidenceCard['status'], Tone>> = {
  VERIFIED: 'done',
  INVALID: 'problem',
  NOT_VERIFIED: 'attention',
  PROCESSING: 'waiting',
  ADJUDICATION: 'attention',
}

export const FINDING_TONE = { passed: 'done', failed: 'problem', inconclusive: 'attention' } as const
