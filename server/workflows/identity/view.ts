/** Converts domain objects to the shapes of the API and the proof (spec "Resources and their fields"). */
import { agreementIndicators } from '../../proofing/assurance/agreement.ts'
import { CONTACT_KINDS, CONTACTS, findContactKind, type ContactKind } from '../../proofing/contact-kinds.ts'
import { CONTACT_ADVICE } from '../../proofing/error-codes.ts'
import { faultForPerson, chooseFault } from '../../proofing/document-fault.ts'
import {
  captureSource,
  findCurrent,
  deriveKind,
  type Evidence,
  type IdDocumentData,
} from '../../proofing/evidence.ts'
import { hasIssuer } from '../../proofing/consent-disclosures.ts'
import { isUsed } from '../../proofing/consent-needs.ts'
import type { Consent, Identity } from '../../proofing/identity.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Context } from '../../context.ts'
import type { StoredFraudCheck } from '../../store/fraud-checks.ts'
import { hasPicture } from '../evidence/has-picture.ts'
import { electedView } from './elected-view.ts'
import { isLifetimeOver } from './lifetime.ts'
import { agreementWithReference, mismatchedAttributes, findNameReference } from './reference-agreement.ts'
import { evidenceStatusView, type EvidenceViewOptions } from '../evidence/evidence-status.ts'

export type { EvidenceViewOptions } from '../evidence/evidence-status.ts'

/** Our own status: EXPIRED, so that a polling client does not continue to submit. */
export function viewGlobalStatus(ctx: Context, identity: Identity) {
  const isExpired = identity.status === 'EXPECTING_INPUT' && isLifetimeOver(ctx, identity.id)
  return {
    id: identity.id,
    status: isExpired ? ('EXPIRED' as const) : identity.status,
    levelOfAssurance: identity.levelOfAssurance,
    creationDateTime: formatSpecDateTime(identity.createdAt),
    evaluationDateTime: formatSpecDateTime(identity.evaluatedAt),
    ...(identity.nameReferenceId ? { nameReferenceEvidenceId: identity.nameReferenceId } : {}),
    ...(identity.portraitReferenceId ? { portraitReferenceEvidenceId: identity.portraitReferenceId } : {}),
    upgradePaths: isExpired ? {} : identity.upgradePaths,
  }
}

/** Spec "Session and status responses". */
export function singleStatus(evidence: Evidence) {
  return { status: evidence.status, type: evidence.type, id: evidence.id }
}

/** Spec "Consent". */
export function viewRecordedConsent({ id: consentId, approved, type, validFrom, validTo }: Consent) {
  const validityPeriod = { ...(validFrom ? { from: validFrom } : {}), ...(validTo ? { to: validTo } : {}) }
  return { consentId, approved, type, ...(validFrom || validTo ? { validityPeriod } : {}) }
}

export function viewConsent({ config }: Pick<Context, 'config'>, consent: Consent) {
  // GIV is demanded by no kind of evidence, but permits to ask the issuers that are configured.
  const permitsQuestion = consent.type === 'GIV' && hasIssuer(config)
  const used = permitsQuestion || isUsed(consent.type, config.tenant.requiredConsents)
  return { ...viewRecordedConsent(consent), used }
}

function commonView(evidence: Evidence, options: EvidenceViewOptions) {
  return {
    evidenceId: evidence.id,
    submitDateTime: formatSpecDateTime(evidence.submittedAt),
    type: evidence.type,
    evidenceStatus: evidenceStatusView(evidence, options),
    ...(options.detailed && !options.redacted ? { verificationDetails: options.verification } : {}),
  }
}

/**
 * Which value was confirmed is a detail of the verification, hidden from a user agent. Values in a new
 * verification count as unconfirmed.
 */
function shown<T>(data: T, { redacted }: Pick<EvidenceViewOptions, 'redacted'>, isOpen = false): T {
  if (!redacted && !isOpen) return data
  return JSON.parse(JSON.stringify(data), (key, value: unknown) => (key === 'verified' ? false : value)) as T
}

/** It is being compared again, or the document that confirmed it no longer counts. */
function isUnconfirmed(
  { status, family, matchedReferenceId }: Evidence,
  { nameReferenceId }: EvidenceViewOptions,
): boolean {
  return status === 'PROCESSING' || (family !== 'IDDOCUMENT' && matchedReferenceId !== nameReferenceId)
}

function documentView(evidence: Evidence, options: EvidenceViewOptions) {
  const { document } = evidence.content
  return {
    ...commonView(evidence, options),
    ...(document
      ? { idDocumentData: shown(specData(document), options, evidence.status === 'PROCESSING') }
      : {}),
  }
}

/** Removes members that the spec does not have. */
function specData({ cardNumber: _, medicare: __, readByPerson: ___, ...data }: IdDocumentData) {
  return data
}

/** Our own notes, by id of the document; only documents with a note. */
function documentNotes(documents: readonly Evidence[], options: (of: Evidence) => EvidenceViewOptions) {
  return Object.fromEntries(
    documents.flatMap((evidence) => {
      const { cardNumber, medicare, readByPerson } = evidence.content.document ?? {}
      const note = {
        ...describeReason(evidence, options(evidence)),
        ...(cardNumber ? { cardNumber } : {}),
        ...(medicare ? { medicare } : {}),
        ...(readByPerson ? { readByPerson } : {}),
      }
      return Object.keys(note).length > 0 ? [[evidence.id, note] as const] : []
    }),
  )
}

/** The one sentence on the fault of a captured document; a user agent gets the kiosk's version. */
function describeReason(evidence: Evidence, { faults, redacted }: EvidenceViewOptions) {
  const { status, evaluation } = evidence
  if (deriveKind(evidence) !== 'IDDOCUMENT') return {}
  const fault = (redacted ? faultForPerson : chooseFault)({ status, ...evaluation }, faults.rules)
  if (!fault) return {}
  const { code, field } = fault
  return { reason: { code, message: faults.sentence(fault), ...(field === null ? {} : { field }) } }
}

/**
 * A user agent does not get the quality of a session's portrait, because it would reveal the liveness:
 * quality is checked only after that.
 */
export function viewPortrait(evidence: Evidence, options: EvidenceViewOptions) {
  const { portrait } = evidence.content
  return {
    ...commonView(evidence, options),
    ...(portrait
      ? {
          ...(portrait.portraitQuality === null || (options.redacted && evidence.content.liveness)
            ? {}
            : { portraitQuality: portrait.portraitQuality }),
          ...(portrait.livenessDiagnostic === undefined || options.redacted
            ? {}
            : { livenessDiagnostic: portrait.livenessDiagnostic }),
          portraitData: {
            source: captureSource(portrait.source),
            ...(portrait.channel ? { channel: portrait.channel } : {}),
            metadata: portrait.metadata,
          },
        }
      : {}),
  }
}

export function viewAttributes(evidence: Evidence, options: EvidenceViewOptions) {
  const { attributes } = evidence.content
  return {
    ...commonView(evidence, options),
    ...(attributes ? { attributesData: shown(attributes, options, isUnconfirmed(evidence, options)) } : {}),
  }
}

export function viewAddress(evidence: Evidence, options: EvidenceViewOptions) {
  const { address, referenceIds } = evidence.content
  return {
    ...commonView(evidence, options),
    ...(referenceIds ? { referenceIds } : {}),
    ...(address ? { addressData: shown(address, options) } : {}),
  }
}

export function viewTrustedClaim(evidence: Evidence, options: EvidenceViewOptions) {
  const { trustedClaim } = evidence.content
  return {
    ...commonView(evidence, options),
    idpIdentifier: trustedClaim?.idpIdentifier ?? '',
    oidcGrantType: trustedClaim?.oidcGrantType ?? 'CODE_FLOW',
    ...(trustedClaim?.portraitReferenceId ? { portraitReferenceId: trustedClaim.portraitReferenceId } : {}),
    ...(trustedClaim?.shared ? { trustedIdClaimData: shown(trustedClaim.shared, options) } : {}),
  }
}

/**
 * Spec: "When claim data is configured to be hidden, Claim carries only evidenceId, submitDateTime and type." `contact`:
 * the phone number in verification.
 */
export function claimView(
  ctx: Context,
  evidence: Evidence,
  contact: Evidence | undefined,
  options: EvidenceViewOptions,
) {
  const { evidenceId, submitDateTime, type, ...rest } = commonView(evidence, options)
  if (ctx.config.tenant.hideClaimData) return { evidenceId, submitDateTime, type }
  const { claim } = evidence.content
  if (!claim) return { evidenceId, submitDateTime, type, ...rest }
  const { attributesData, addressesData, contactDetails, creditCardDetails } = claim
  const claimData = {
    ...(attributesData ? { attributesData } : {}),
    ...(addressesData ? { addressesData } : {}),
    ...(contactDetails
      ? {
          contactDetails: {
            mobile: {
              ...contactDetails.mobile,
              ...describeOtp(ctx, contactDetails.mobile.value, contact, options),
            },
          },
        }
      : {}),
    // "Only verified is returned" of a payment card.
    ...(creditCardDetails ? { creditCardDetails: { verified: creditCardDetails.verified } } : {}),
  }
  return {
    evidenceId,
    submitDateTime,
    type,
    ...rest,
    claimData: shown(claimData, options, isUnconfirmed(evidence, options)),
  }
}

/** The passcode that verifies a claimed number, if that is the number in verification. */
function describeOtp(
  ctx: Context,
  number: string,
  contact: Evidence | undefined,
  options: EvidenceViewOptions,
) {
  if (contact?.content.mobile?.value !== number) return { otp: { status: 'NOT_INITIATED' as const } }
  const { otp, errors } = viewContact(ctx, contact, options)
  return { otp, errors }
}

/** Spec "Contact details (mobile)"; an e-mail address and a landline have the same members. */
export function viewContact(ctx: Context, evidence: Evidence, options = { redacted: false }) {
  const otp = ctx.store.otps.find(evidence.id)
  const kind = findContactKind(evidence)
  const { value, verified } = (kind && evidence.content[kind]) ?? { value: '', verified: false }
  return {
    ...shown({ value, verified }, options),
    otp: otp
      ? { status: otp.status, creationTime: formatSpecDateTime(otp.createdAt), timeout: otp.timeoutMs }
      : { status: 'INITIATE' as const },
    errors: [...(otp?.errors ?? []), ...evidence.evaluation.errors].filter(
      ({ code }, index, all) =>
        all.findIndex((other) => other.code === code) === index &&
        (!options.redacted || CONTACT_ADVICE.some((advice) => advice === code)),
    ),
    // An attacker must not learn what the operator said.
    ...(evidence.evaluatedAt && !options.redacted ? { counterproof: listReasons(evidence) } : {}),
  }
}

type ContactView = ReturnType<typeof viewContact>

function viewContacts(ctx: Context, evidences: readonly Evidence[], show: { readonly redacted: boolean }) {
  const views = CONTACT_KINDS.flatMap((kind) => {
    const evidence = findCurrent(evidences, CONTACTS[kind].family)
    return evidence ? [[kind, viewContact(ctx, evidence, show)] as const] : []
  })
  return Object.fromEntries(views) as Readonly<Partial<Record<ContactKind, ContactView>>>
}

/** The findings that keep a number from being verified; the spec's errors have no code for them. */
function listReasons({ status, evaluation: { warningIndicators, unverifiedIndicators } }: Evidence) {
  return { status, warningIndicators, unverifiedIndicators }
}

/** Only for the relying service and the proof. */
export function viewFraudCheck(check: StoredFraudCheck) {
  const isDecided = check.status !== 'PROCESSING'
  return {
    type: check.type,
    status: check.status,
    indicators: check.indicators,
    // During a repeated run these are of the run before.
    ...(isDecided ? { subjects: check.subjects, measured: check.measured } : {}),
    ...(check.evaluatedAt ? { evaluationDateTime: formatSpecDateTime(check.evaluatedAt) } : {}),
  }
}

export function viewAdditionalFiles({ store: { images } }: Context, identityId: string) {
  return images.listFiles(identityId).map((file) => ({ id: file.id, metadata: images.metadata(file) }))
}

/** Chooses this caller's view of evidence: details only on request, and never for a user agent. */
export function viewOptions(
  ctx: Context,
  identity: Identity,
  show: { readonly detailed: boolean; readonly redacted: boolean },
): (evidence: Evidence) => EvidenceViewOptions {
  const reference = show.redacted ? null : findNameReference(ctx, identity)
  const decide = (evidence: Evidence): EvidenceViewOptions => ({
    ...show,
    nameReferenceId: identity.nameReferenceId,
    hasPicture: hasPicture(ctx, evidence),
    mismatched: show.redacted ? [] : mismatchedAttributes(identity, evidence, reference),
    agreement: agreementIndicators(agreementWithReference(evidence, reference)),
    adjudication: ctx.config.tenant.features.adjudication,
    faults: ctx.documentFaults,
    verification: show.detailed && !show.redacted ? ctx.store.evidences.verification(evidence) : [],
  })
  // A document is shown in two members of an identity.
  const decided = new Map<Evidence, EvidenceViewOptions>()
  return (evidence) => {
    const options = decided.get(evidence) ?? decide(evidence)
    decided.set(evidence, options)
    return options
  }
}

export type IdentityView = ReturnType<typeof viewIdentity>

/** The whole identity: GET identity, and identityDetails.json of the proof. */
export function viewIdentity(
  ctx: Context,
  identity: Identity,
  show: { detailed: boolean; redacted: boolean },
) {
  const { store } = ctx
  const all = store.evidences.list(identity.id)
  const evidences = all.filter((evidence) => !evidence.deletedAt)
  const options = viewOptions(ctx, identity, show)
  const of = (family: Evidence['family']): Evidence[] =>
    evidences.filter((evidence) => evidence.family === family)
  const portrait = findCurrent(evidences, 'PORTRAIT')
  const trustedClaim = findCurrent(evidences, 'TRUSTED_ID_CLAIM')
  const claim = findCurrent(evidences, 'ID_CLAIM')
  const context = store.identities.context(identity.id)
  const ours = {
    ...presentOnly({ documents: documentNotes(of('IDDOCUMENT'), options) }),
    ...(show.redacted ? {} : electedView(ctx, identity, all, show)),
    ...(show.redacted ? {} : withheldFromUserAgents(ctx, identity)),
  }
  return {
    globalStatus: viewGlobalStatus(ctx, identity),
    consents: store.consents.list(identity.id).map(viewRecordedConsent),
    attributes: of('ATTRIBUTES').map((evidence) => viewAttributes(evidence, options(evidence))),
    addresses: of('ADDRESS').map((evidence) => viewAddress(evidence, options(evidence))),
    idDocuments: of('IDDOCUMENT').map((evidence) => documentView(evidence, options(evidence))),
    ...(portrait ? { portrait: viewPortrait(portrait, options(portrait)) } : {}),
    ...(trustedClaim ? { trustedIdClaim: viewTrustedClaim(trustedClaim, options(trustedClaim)) } : {}),
    ...(claim ? { claim: claimView(ctx, claim, findCurrent(evidences, 'CONTACT'), options(claim)) } : {}),
    ...presentOnly({ contactDetails: viewContacts(ctx, evidences, show) }),
    ...(context.length > 0 ? { context } : {}),
    // Our own members are in one object, so that a strict reader of the spec meets only one unknown member.
    ...presentOnly({ counterproof: ours }),
  }
}

/** Empty if the object is empty. */
function presentOnly<Name extends string, T extends object>(named: Readonly<Record<Name, T>>) {
  const present = Object.entries<T>(named).filter(([, value]) => Object.keys(value).length > 0)
  return Object.fromEntries(present) as Partial<Record<Name, T>>
}

function withheldFromUserAgents(ctx: Context, identity: Identity) {
  // An attacker must not learn from a fraud check, or from left-out evidence, what was detected.
  const fraudChecks = ctx.store.fraudChecks.list(identity.id)
  // The sender has the files already: a user agent cannot read back files or their metadata.
  const additionalFiles = viewAdditionalFiles(ctx, identity.id)
  return {
    ...(identity.assessment ? { assessment: identity.assessment } : {}),
    ...(fraudChecks.length > 0 ? { antifraud: fraudChecks.map(viewFraudCheck) } : {}),
    ...(additionalFiles.length > 0 ? { additionalFiles } : {}),
  }
}
