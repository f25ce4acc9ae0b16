/** Decides the steps of a visit and the present one, from the known facts. Pure. */
import { getCapture, findEvidence, type Known } from './known.ts'
import type { ConsentType } from '../proofing/types.ts'
import type { Condition, JourneyStep, StepKind } from './contract/journey.ts'
import type { DetailQuestion } from './contract/visit.ts'

export interface VisitSteps {
  /** Steps that were or will be shown, RESULT at the end; WAITING is part of it. */
  readonly steps: readonly StepKind[]
  /** Index of the present step in `steps`. */
  readonly place: number
  /** Earlier steps that were skipped, or that an officer has to do. */
  readonly undone: readonly StepKind[]
  readonly present: StepKind
}

/** PENDING: the applicant has to act · CHECKING: only time is needed · DONE. */
export type Progress = 'PENDING' | 'CHECKING' | 'DONE'

export function listSteps(known: Known): VisitSteps {
  const { journey, facts } = known
  // A step that an officer continues is not asked again here, but it stays in the list.
  const shown: Shown[] = []
  for (const step of journey.steps) {
    if (!belongs(known, step)) continue
    const progress = getProgress(known, step)
    shown.push({ kind: step.kind, progress, isUndone: isUndone(known, step, progress) })
  }
  const steps: readonly StepKind[] = [...shown.map(({ kind }) => kind), 'result']
  const present = facts.receipt ? 'result' : chooseStep(shown, known)
  const at = steps.indexOf(present)
  const place = at < 0 ? steps.length - 1 : at
  const undone = shown
    .slice(0, place)
    .filter((step) => step.isUndone)
    .map(({ kind }) => kind)
  return { steps, place, undone, present }
}

/** Whether a step that is behind the applicant was not done. DONE alone says only that nothing more is asked here. */
function isUndone(known: Known, { kind }: JourneyStep, progress: Progress): boolean {
  const { facts } = known
  if (progress === 'PENDING' || facts.skipped.includes(kind)) return true
  // The last picture was not good enough, and the applicant was told that an officer examines it.
  if (kind === 'document' || kind === 'portrait') return getCapture(known, kind).keptForPerson
  if (kind === 'check') return facts.checkedId === null
  if (kind === 'details') return facts.leftOut.length > 0
  return kind === 'phone' && !isPhoneVerified(known)
}

interface Shown {
  readonly kind: StepKind
  readonly progress: Progress
  readonly isUndone: boolean
}

/**
 * A check that is still running does not keep the applicant at its step, unless other steps need an act, or
 * the values read are checked next.
 */
function chooseStep(shown: readonly Shown[], { facts, chip }: Known): StepKind {
  // The document is verified again with what was read of its chip, while the applicant continues.
  const isAgain = chip?.isBegun === true
  const first = shown.find(
    ({ kind, progress }) =>
      progress === 'PENDING' || (progress === 'CHECKING' && !(isAgain && kind === 'document')),
  )
  if (!first || facts.toPerson) return 'waiting'
  const more = shown.some(({ progress }) => progress === 'PENDING')
  // After the document comes the check of its values.
  const isReadNext = first.kind === 'document' && shown.some(({ kind }) => kind === 'check')
  return more || isReadNext ? first.kind : 'waiting'
}

export function getProgress(known: Known, step: JourneyStep): Progress {
  const { facts, identity, fields } = known
  if (facts.skipped.includes(step.kind)) return 'DONE'
  switch (step.kind) {
    case 'consent':
      return facts.consented ? 'DONE' : 'PENDING'
    case 'document':
    case 'portrait': {
      const { state } = getCapture(known, step.kind)
      return state === 'CHECKING' || state === 'DONE' ? state : 'PENDING'
    }
    case 'check': {
      const { current } = facts.document
      const isRead = fields.length > 0 && getCapture(known, 'document').state === 'DONE'
      return isRead && current !== null && facts.checkedId !== current.evidenceId ? 'PENDING' : 'DONE'
    }
    case 'chip':
      return known.chip?.isOver === false ? 'PENDING' : 'DONE'
    case 'details':
      return findDetailQuestion(known) === null ? 'DONE' : 'PENDING'
    case 'phone':
      // The consent or the gateway may have gone since the step was shown: it cannot be done any more.
      return isPhoneVerified(known) || !isPhonePossible(known) ? 'DONE' : 'PENDING'
    case 'trusted-login': {
      const claim = findEvidence(identity, facts.login?.evidenceId)
      return claim?.evidenceStatus.status === 'VERIFIED' ? 'DONE' : 'PENDING'
    }
  }
}

/** Whether a step is in the list: it was shown before, or its turn will come as far as is known now. */
function belongs(known: Known, step: JourneyStep): boolean {
  if (known.facts.seen.includes(step.kind)) return true
  return isPossible(known, step) && step.when.every((condition) => holds(known, condition))
}

/** Whether the requirements of the step are met. */
function isPossible(known: Known, step: JourneyStep): boolean {
  const { facts, journey } = known
  if (step.kind === 'trusted-login') return listProviders(known, step).length > 0
  if (step.kind === 'phone') return isPhonePossible(known)
  if (step.kind === 'details') return findDetailQuestion(known) !== null
  // The keys of the chip are known when the document is decided.
  if (step.kind === 'chip') return known.chip !== null && getCapture(known, 'document').state === 'DONE'
  if (step.kind !== 'check') return true
  // A document without values needs no check. Before the document is submitted, values are expected.
  const { state } = getCapture(known, 'document')
  const mayBeRead = !facts.skipped.includes('document') && state !== 'DONE'
  return journey.steps.some(({ kind }) => kind === 'document') && (mayBeRead || known.fields.length > 0)
}

/** The question of the step details that is asked now; null: none, or all are answered or left out. */
export function findDetailQuestion(known: Known): DetailQuestion | null {
  const { facts, missing, address } = known
  const { detailedId, leftOut } = facts
  const isDetailed = detailedId !== null && detailedId === facts.document.current?.evidenceId
  if (missing && !isDetailed && !leftOut.includes('DOCUMENT')) return 'DOCUMENT'
  if (!address || leftOut.includes('ADDRESS') || lacksFace(known)) return null
  if (facts.address) return facts.address.isOver ? null : 'ADDRESS'
  // An address that a document or a register has shown is not asked for again.
  return address.left > 0 && !address.isVerified ? 'ADDRESS' : null
}

/**
 * The journey takes the face first, and it is not shown to be that of the document: another person must not learn where the holder lives.
 * An officer may take the face later, so leaving it out here opens no way around it.
 */
function lacksFace(known: Known): boolean {
  const { journey, facts, identity } = known
  const place = (wanted: StepKind): number => journey.steps.findIndex(({ kind }) => kind === wanted)
  if (place('portrait') < 0 || place('portrait') > place('details')) return false
  if (facts.skipped.includes('portrait')) return true
  const face = findEvidence(identity, facts.portrait.current?.evidenceId)
  return getCapture(known, 'portrait').state === 'DONE' && face?.evidenceStatus.status !== 'VERIFIED'
}

const isPhoneVerified = ({ identity }: Known): boolean =>
  identity?.contactDetails?.mobile?.otp.status === 'DONE'

/** The consents count as they are recorded, because the configuration may have changed since they were asked. */
function isPhonePossible({ settings, identity, journey }: Known): boolean {
  const consent = journey.steps.find((step) => step.kind === 'consent')
  const asked = [...(consent?.required ?? []), ...(consent?.optional ?? [])]
  const isGiven = (type: ConsentType) =>
    identity === null
      ? asked.includes(type)
      : identity.consents.findLast((given) => given.type === type)?.approved === true
  return settings.sms && settings.phoneConsents.every(isGiven)
}

export function listProviders(
  { settings }: Pick<Known, 'settings'>,
  { providers }: Extract<JourneyStep, { kind: 'trusted-login' }>,
): readonly { readonly id: string; readonly name: string }[] {
  if (providers.length === 0) return settings.identityProviders
  return providers.flatMap((id) => settings.identityProviders.find((provider) => provider.id === id) ?? [])
}

function holds(known: Known, condition: Condition): boolean {
  if ('connected' in condition) {
    return condition.connected === 'sms' ? known.settings.sms : known.settings.identityProviders.length > 0
  }
  if ('levelBelow' in condition) {
    return levelNumber(known.identity?.globalStatus.levelOfAssurance) < levelNumber(condition.levelBelow)
  }
  if ('language' in condition) return condition.language.includes(known.language)
  const { state } = getCapture(known, 'document')
  const isRead = known.fields.length > 0
  // Not known yet: the list assumes the usual case.
  return state === 'DONE' ? isRead === condition.documentRead : condition.documentRead
}

/** Turns LOA3 into 3, and any other text into -1. */
export function levelNumber(level: string | undefined): number {
  const digits = /^LOA(\d)$/.exec(level ?? '')?.[1]
  return digits === undefined ? -1 : Number(digits)
}
