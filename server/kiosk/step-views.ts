/** Builds the view of each step for the page: states and advice, no score, level or verdict. Pure. */
import { getCapture, findEvidence, findStep, type Known } from './known.ts'
import { findDetailQuestion, levelNumber, getProgress, listProviders, type VisitSteps } from './steps.ts'
import { livenessTypeFor, NO_WISH } from './liveness-wish.ts'
import { qrCode } from '../screens/receipt.ts'
import { showsPresence } from '../proofing/presence.ts'
import { SPECIMEN_COUNTRY } from '../proofing/country-codes.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { ChipQuestion } from '../workflows/capture/find-chip-question.ts'
import type { AddressQuestion } from '../workflows/evidence/state-address.ts'
import type {
  AddressCountry,
  AddressStep,
  CheckStep,
  ChipStep,
  DetailsStep,
  ConsentStep,
  DocumentStep,
  Outcome,
  PhoneStep,
  PortraitStep,
  ResultStep,
  StepKind,
  StepView,
  TrustedLoginStep,
  VisitView,
  WaitingStep,
} from './contract/index.ts'
import type { ConsentType } from '../proofing/types.ts'
import type { JourneyStep, OtherWay } from './contract/journey.ts'

/** Ux: "Send again" after 30 s. */
export const SEND_AGAIN_MS = 30_000
/** Ux: after two consecutive tries the tips come first. */
const TIPS_AFTER = 2

export function stepView(known: Known, { present }: VisitSteps): StepView {
  return VIEWS[present](known)
}

const VIEWS: Readonly<Record<StepKind, (known: Known) => StepView>> = {
  consent: consentStep,
  'trusted-login': trustedLoginStep,
  phone: phoneStep,
  document: documentStep,
  check: checkStep,
  chip: chipStep,
  details: detailsStep,
  portrait: portraitStep,
  waiting: waitingStep,
  result: resultStep,
}

function required<K extends JourneyStep['kind']>(known: Known, kind: K) {
  const step = findStep(known, kind)
  if (!step) throw new TypeError(`the journey has no step ${kind}`)
  return step
}

function consentStep(known: Known): ConsentStep {
  return {
    kind: 'consent',
    required: listRequiredConsents(known),
    optional: listOptionalConsents(known),
    disclosures: known.settings.disclosures,
    retention: known.settings.retention,
  }
}

export const listRequiredConsents = (known: Known): readonly ConsentType[] =>
  withoutUnconnected(known, required(known, 'consent').required)

/**
 * Asks for GIV and ADDRESS also if the journey does not name them: a tenant who has issuers or registers of addresses asked needs them.
 */
export function listOptionalConsents(known: Known): readonly ConsentType[] {
  const { required: demanded, optional } = required(known, 'consent')
  const asksIssuers = findStep(known, 'document') !== undefined
  const asksRegisters =
    findStep(known, 'details') !== undefined && known.settings.disclosures.ADDRESS !== undefined
  const added = [...(asksIssuers ? (['GIV'] as const) : []), ...(asksRegisters ? (['ADDRESS'] as const) : [])]
  const all = [...new Set([...optional, ...added])]
  return withoutUnconnected(
    known,
    all.filter((type) => !demanded.includes(type)),
  )
}

/** Leaves out consents for messages, operator and issuers if no message is sent, and none of them is asked. */
function withoutUnconnected(known: Known, types: readonly ConsentType[]): readonly ConsentType[] {
  const { sms, operator, disclosures } = known.settings
  const phone = findStep(known, 'phone') !== undefined && sms
  const out: readonly ConsentType[] = phone ? (operator ? [] : ['MOBILE']) : ['MOBILE', 'MOBILE_OTP']
  return types.filter((type) => !out.includes(type) && (type !== 'GIV' || disclosures.GIV !== undefined))
}

function trustedLoginStep(known: Known): TrustedLoginStep {
  const { facts, identity, now } = known
  const { login } = facts
  const providers = listProviders(known, required(known, 'trusted-login'))
  const base = { kind: 'trusted-login' as const, providers }
  if (!login) return { ...base, state: 'CHOOSE', login: null }
  const status = findEvidence(identity, login.evidenceId)?.evidenceStatus.status
  if (status !== 'PROCESSING' || login.expiresAt <= now) return { ...base, state: 'FAILED', login: null }
  return {
    ...base,
    state: 'WAITING',
    // Error correction L: the address is long, and a screen has no damaged modules.
    login: { qr: qrCode(login.url, 'L'), expiresAt: login.expiresAt.toISOString() },
  }
}

function phoneStep(known: Known): PhoneStep {
  const { facts, identity, settings, now } = known
  const { phone } = facts
  const mobile = phone.askAgain ? undefined : identity?.contactDetails?.mobile
  const sent = phone.sentAt.filter((at) => now.getTime() - at.getTime() < HOUR_MS)
  const isUsedUp = sent.length >= settings.otp.perHour
  const last = sent.at(-1)
  return {
    kind: 'phone',
    state: phoneState(mobile?.otp.status, settings.otp.attempts - phone.wrong),
    maskedNumber: mobile ? maskedNumber(mobile.value) : null,
    digits: settings.otp.digits,
    triesLeft: Math.max(0, settings.otp.attempts - phone.wrong),
    sendAgainAt:
      !last || isUsedUp || phone.exhausted ? null : new Date(last.getTime() + SEND_AGAIN_MS).toISOString(),
    mayChangeNumber: !isUsedUp,
    mismatch: mobile !== undefined && phone.wrong > 0,
    mayBeSkipped: required(known, 'phone').mayBeSkipped,
  }
}

function phoneState(status: string | undefined, triesLeft: number): PhoneStep['state'] {
  if (status === undefined) return 'NUMBER'
  if (triesLeft <= 0) return 'FAILED'
  if (status === 'PROCESSING') return 'SENDING'
  return status === 'PENDING' ? 'CODE' : 'FAILED'
}

/** `+33 •• •• •• 42`: enough to notice a typing error, too little for a bystander. */
export function maskedNumber(number: string): string {
  // Country codes have one to three digits; the first two or three characters identify the country.
  const shown = /^\+(1|7|[2-9][0-9])/.exec(number)?.[0] ?? '+'
  return `${shown} •• •• •• ${number.slice(-2)}`
}

/** Never in a kiosk's own window, whatever the journey says: an applicant has no files there. */
export function mayUpload(known: Known, kind: 'document' | 'portrait'): boolean {
  return required(known, kind).uploadAllowed && !known.settings.ownWindow
}

function documentStep(known: Known): DocumentStep {
  const { facts } = known
  const { state, guidance, field, left } = getCapture(known, 'document')
  return {
    kind: 'document',
    state: facts.isChoosing ? 'CHOOSE' : state === 'AGAIN' || state === 'CHECKING' ? state : 'CAPTURE',
    choice: facts.choice,
    guidance,
    guidanceField: field,
    left,
    uploadAllowed: mayUpload(known, 'document'),
    fileWanted: facts.heldFront ? 'BACK' : 'FRONT',
  }
}

function checkStep(known: Known): CheckStep {
  const { maxSubmissions } = required(known, 'document')
  const { spent } = known.facts.document
  return { kind: 'check', fields: known.fields, left: Math.max(0, maxSubmissions - spent - 1) }
}

/** Each typed number is tried by the chip, which takes longer after each wrong one (BSI TR-03110-2, 3.3.1). */
const MAX_CANS = 3
const START: NonNullable<ChipQuestion['reading']> = {
  state: 'WAITING',
  part: 'ACCESS',
  progress: 0,
  fault: null,
}

function chipStep(known: Known): ChipStep {
  const { chip, facts } = known
  if (!chip) throw new TypeError('no chip may be read')
  const { part, progress } = chip.reading ?? START
  const base = {
    kind: 'chip' as const,
    documentType: chip.documentType,
    part,
    progress,
    mayTypeCan: chip.documentType !== 'PASSPORT' && facts.typedCans < MAX_CANS,
    mayBeSkipped: required(known, 'chip').mayBeSkipped,
  }
  return { ...base, ...chooseChipState(known, chip) }
}

function chooseChipState(known: Known, { reading }: ChipQuestion): Pick<ChipStep, 'state' | 'fault'> {
  const isRunning = reading !== null && ['WAITING', 'READING', 'LOST'].includes(reading.state)
  // Another reading may begin only when the document is verified with what was read before.
  if (!isRunning && getCapture(known, 'document').state === 'CHECKING')
    return { state: 'CHECKING', fault: null }
  if (reading === null) return { state: 'READY', fault: null }
  // The reading is over, and the step is not: the chip gave nothing.
  if (reading.state === 'ENDED') return { state: 'FAILED', fault: 'UNREADABLE' }
  const fault = reading.fault === null ? null : (FAULT_OF[reading.fault] ?? 'READER')
  if (reading.state === 'FAILED') return { state: 'FAILED', fault: fault ?? 'READER' }
  // The reading waits for its reader; the applicant need not.
  return { state: fault === 'READER' ? 'FAILED' : reading.state, fault }
}

type ReaderFault = NonNullable<NonNullable<ChipQuestion['reading']>['fault']>
/** Faults that the applicant can mend or that concern this document; every other one is the reader's. */
const FAULT_OF: Readonly<Partial<Record<ReaderFault, ChipStep['fault']>>> = {
  no_card: 'NO_DOCUMENT',
  several_cards: 'SEVERAL',
  card_unusable: 'UNREADABLE',
  too_slow: 'UNREADABLE',
}

function detailsStep(known: Known): DetailsStep {
  const { missing, address } = known
  const question = findDetailQuestion(known)
  if (question === 'DOCUMENT' && missing) return { kind: 'details', question, ...missing }
  if (question === 'ADDRESS' && address) return addressStep(known, address)
  throw new TypeError('nothing is asked')
}

function addressStep(known: Known, { countries, left, answers }: AddressQuestion): AddressStep {
  const { facts, identity } = known
  const answer = answers.find(({ evidenceId }) => evidenceId === facts.address?.evidenceId)
  const documentId = facts.document.current?.evidenceId
  const document = identity?.idDocuments?.find(({ evidenceId }) => evidenceId === documentId)
  const issuer = document?.idDocumentData?.issuingCountry
  const isLikely = ({ iso3 }: AddressQuestion['countries'][number]) => iso3 === issuer
  const first = [...countries.filter(isLikely), ...countries.filter((one) => !isLikely(one))]
  return {
    kind: 'details',
    question: 'ADDRESS',
    state: !facts.address ? 'TYPE' : answer?.says === null ? 'CHECKING' : 'ANSWERED',
    countries: first.flatMap(({ iso2, ...asked }): AddressCountry[] => {
      if (asked.iso3 === SPECIMEN_COUNTRY.iso3) return [{ ...asked, ...SPECIMEN_COUNTRY }]
      return iso2 === null ? [] : [{ ...asked, iso2, name: null }]
    }),
    isFirstLikely: countries.some(isLikely),
    left,
    // An address that was deleted meanwhile has no answer any more.
    answer:
      facts.address && answer?.says !== null
        ? { source: answer?.source ?? null, says: answer?.says ?? 'UNASKED' }
        : null,
  }
}

function portraitStep(known: Known): PortraitStep {
  const { facts } = known
  const step = required(known, 'portrait')
  const { withoutColours, withoutTurning } = step
  const wished = livenessTypeFor(step, facts.portraitWish)
  // The journey may have changed since the wish.
  const wish = wished === null ? NO_WISH : facts.portraitWish
  const { state, guidance, left, missed } = getCapture(known, 'portrait')
  return {
    kind: 'portrait',
    state: state === 'AGAIN' || state === 'CHECKING' ? state : 'READY',
    guidance,
    left,
    livenessType: wished ?? step.livenessType,
    wish,
    withoutColours: findPlace(known, withoutColours),
    withoutTurning: wish.withoutTurning ? null : findPlace(known, withoutTurning),
    uploadAllowed: mayUpload(known, 'portrait'),
    tipsFirst: facts.portrait.misses + (missed ? 1 : 0) >= TIPS_AFTER,
  }
}

function findPlace({ judgesLiveness }: Known, way: OtherWay | undefined): PortraitStep['withoutTurning'] {
  if (way === 'OFFICER') return 'COUNTER'
  // A type that this machine cannot judge would fail each time.
  return way !== undefined && judgesLiveness(way) ? 'HERE' : null
}

const ROWS = ['document', 'portrait', 'phone', 'trusted-login'] as const

function waitingStep(known: Known): WaitingStep {
  const rows = ROWS.flatMap((name) => {
    const step = findStep(known, name)
    if (!step || !known.facts.seen.includes(name) || known.facts.skipped.includes(name)) return []
    const progress = getProgress(known, step)
    // An officer has to finish it: nothing is in progress.
    if (progress === 'PENDING') return []
    return [{ name, state: progress === 'CHECKING' ? ('DOING' as const) : ('DONE' as const) }]
  })
  const ready = rows.every(({ state }) => state === 'DONE')
  return {
    kind: 'waiting',
    ready,
    rows: [...rows, { name: 'seal', state: ready ? 'DOING' : 'TODO' }],
    mayLeave: true,
  }
}

function resultStep(known: Known): ResultStep {
  const { facts, offline } = known
  if (!facts.receipt || !facts.outcome) throw new TypeError('a result has a receipt')
  const isCaptured = (['document', 'portrait'] as const).some(
    (step) =>
      findStep(known, step) !== undefined && (facts[step].spent > 0 || getCapture(known, step).counts),
  )
  return { kind: 'result', outcome: facts.outcome, receipt: facts.receipt, isCaptured, offline }
}

/**
 * Shown above a step that a restart interrupted, and above the step that follows a last picture for an
 * officer.
 */
export function chooseNotice(known: Known, { steps, place, present }: VisitSteps): VisitView['notice'] {
  if (known.facts.beginsAnew === present) return 'BEGINS_ANEW'
  const before = present === 'result' ? undefined : steps[place - 1]
  if (present === 'details' && findDetailQuestion(known) === 'ADDRESS') return noticeOfIssuer(known)
  if (before === 'chip') return known.chip?.isOver === true ? 'CHIP_READ' : null
  // Shown beside the question about the address already.
  if (before === 'details') return known.address ? null : noticeOfIssuer(known)
  if (before !== 'document' && before !== 'portrait') return null
  if (!getCapture(known, before).keptForPerson) return null
  return before === 'document' ? 'DOCUMENT_TO_PERSON' : 'PORTRAIT_TO_PERSON'
}

/** Says that the source answered, not what: a reason would help a forger. Null: it was not asked. */
function noticeOfIssuer({ facts, identity }: Known): VisitView['notice'] {
  if (facts.detailedId === null || facts.leftOut.includes('DOCUMENT')) return null
  const { unverifiedIndicators = [] } = findEvidence(identity, facts.detailedId)?.evidenceStatus ?? {}
  return unverifiedIndicators.includes('GIV_VERIFICATION_UNVERIFIED') ? 'ISSUER_SILENT' : 'ISSUER_ANSWERED'
}

/**
 * Returns the outcome for the applicant. Everything that is not fully confirmed needs an officer, and the
 * page is not told why. A picture file proves no presence, and neither does a document alone, so neither
 * confirms an identity, whatever level it reaches. The caller itself knows `LATER`: checks still run.
 */
export function decideOutcome(known: Known): Exclude<Outcome, 'LATER'> {
  const { facts, identity, journey } = known
  const findStatus = (step: 'document' | 'portrait') =>
    findEvidence(identity, facts[step].current?.evidenceId)?.evidenceStatus
  const asked = (['document', 'portrait'] as const).filter(
    (kind) => facts.seen.includes(kind) && journey.steps.some((step) => step.kind === kind),
  )
  const isLive = showsPresence(findStatus('portrait')?.positiveIndicators)
  const isProven = isLive && asked.every((step) => findStatus(step)?.status === 'VERIFIED')
  const level = levelNumber(identity?.globalStatus.levelOfAssurance)
  return !facts.toPerson && isProven && level >= levelNumber(journey.confirmedFrom) ? 'CONFIRMED' : 'PERSON'
}
