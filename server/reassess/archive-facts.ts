/** Derives the facts for the LOA from a proof archive, as the appliance had them at sealing. Judges nothing. */
import { buildFacts, type KnownEvidence } from '../proofing/assurance/build-facts.ts'
import type { AssuranceFacts } from '../proofing/assurance/facts.ts'
import { portraitMatches } from '../proofing/assurance/portrait-matches.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { CONTACTS, findContactKind } from '../proofing/contact-kinds.ts'
import {
  EVIDENCE_FAMILIES,
  deriveKind,
  nameSpecFamily,
  type EvidenceContent,
  type EvidenceFamily,
} from '../proofing/evidence.ts'
import { areConsentsGiven, type Consent } from '../proofing/identity.ts'
import { portraitCoding } from '../proofing/portrait-coding.ts'
import { getToday, type Today } from '../proofing/time.ts'
import { EVIDENCE_TYPES, type EvidenceType } from '../proofing/types.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'
import { isFraudCheck } from '../proof/verify/decision-statement.ts'
import {
  evidenceByOperation,
  measuredChecks,
  type Details,
  type Identity,
  type Proof,
} from './archive-parts.ts'

/** One evidence as the archive states it. */
export interface ArchivedEvidence extends KnownEvidence {
  readonly hasPortrait: boolean
  /** The document that it was compared with. */
  readonly referenceId: string | null
  readonly mandatoryMissing: readonly string[]
  /** Checks whose failure prevents VERIFIED. */
  readonly failed: readonly string[]
}

export interface ArchivedParts {
  readonly identity: Identity
  readonly details: Details
  readonly proof: Proof
}

type Entry = Details[number]
type Content = { readonly content: EvidenceContent; readonly submittedAt: Date }

export function readArchivedEvidences(parts: ArchivedParts): readonly ArchivedEvidence[] {
  const { identity, details, proof } = parts
  const contents = collectContents(identity)
  const consents = listConsents(identity)
  const today = deriveToday(proof)
  const ids = [...new Set(details.flatMap(({ evidenceDetails }) => evidenceDetails?.id ?? []))]
  return ids.flatMap((id) => {
    const entries = details.filter(({ evidenceDetails }) => evidenceDetails?.id === id)
    const known = contents.get(id) ?? contactContent(entries)
    return known ? buildEvidence(id, entries, known, consents, today, parts) : []
  })
}

export function readArchivedFacts(
  parts: ArchivedParts,
  evidences = readArchivedEvidences(parts),
): AssuranceFacts {
  const fraudChecks = (parts.identity.antifraud ?? []).map(({ subjects = [], ...check }) => ({
    ...check,
    subjects,
  }))
  return buildFacts(evidences, fraudChecks, deriveToday(parts.proof))
}

/** Returns the possible dates of the sealing, given the uncertainty of the clock. */
function deriveToday({ time, endDateTime }: Proof): Today {
  const at = (text: string): Date => new Date(`${text}Z`)
  return getToday({ earliest: at(time?.earliest ?? endDateTime), latest: at(time?.latest ?? endDateTime) })
}

function buildEvidence(
  id: string,
  entries: readonly Entry[],
  { content, submittedAt }: Content,
  consents: readonly Consent[],
  today: Today,
  { details, proof: { evaluation } }: ArchivedParts,
): readonly ArchivedEvidence[] {
  const about = entries.findLast(({ identityOperation }) => identityOperation.type === 'ADD')
  // Each step states the judgement at its time; the last one counts.
  const judgedIn = (entry: Entry) =>
    entry.evaluationDetails?.evidences.find((one) => one.id === id && one.statusAndScoring)
  const last = details.findLast((entry) => judgedIn(entry) !== undefined)
  const judged = last && judgedIn(last)
  const scoring = judged?.statusAndScoring
  const type = EVIDENCE_TYPES.find((known) => known === about?.evidenceDetails?.type)
  const family = findFamily(about?.evidenceDetails?.family, type)
  if (!about || !scoring || !family || !type) return []
  const isTyped = content.document !== undefined && judged?.extracted === false
  const held = isTyped ? { ...content, submittedAsText: true as const } : content
  const checks = lastRun(id, details)
  const records = checks as readonly Pick<VerificationRecord, 'measurements'>[]
  const referenceId = checks.findLast((check) => check.referenceId !== undefined)?.referenceId ?? null
  return [
    {
      id,
      family,
      type,
      status: scoring.status,
      strength: scoring.strength,
      score: scoring.score,
      content: held,
      submittedAt,
      positiveIndicators: scoring.positiveIndicators,
      otherIndicators: [
        ...scoring.warningIndicators,
        ...scoring.blockingIndicators,
        ...scoring.unverifiedIndicators,
      ],
      mayBeUsed: areConsentsGiven(
        consents,
        consentNeeds(deriveKind({ family, type, content: held }), evaluation.requiredConsents),
        today,
      ),
      matches: family === 'PORTRAIT' ? portraitMatches(records, referenceId) : [],
      codingQuality: family === 'IDDOCUMENT' ? portraitCoding(records as readonly VerificationRecord[]) : 0,
      hasPortrait: entries.some(({ evidenceDetails }) => (evidenceDetails?.photoCrops ?? []).length > 0),
      referenceId,
      mandatoryMissing: scoring.mandatoryCheckRulesMissing,
      failed: [...scoring.blockingIndicators, ...(last?.counterproof?.judgements?.[id]?.withheldBy ?? [])],
    },
  ]
}

const OF_PEOPLE = 'ADJUDICATION'

/** Returns the findings of the last verification and the decisions of adjudicators about it. */
function lastRun(evidenceId: string, details: Details) {
  const subjects = evidenceByOperation(details)
  const checks = details.map((entry) =>
    measuredChecks(entry).filter(({ operationId }) => subjects.get(operationId) === evidenceId),
  )
  const last = checks.findLastIndex((found) =>
    found.some((check) => check.participantType !== OF_PEOPLE && !isFraudCheck(check)),
  )
  return checks.slice(Math.max(last, 0)).flat()
}

/** Maps the family names of the proof to ours: the type tells the kinds of contact details apart. */
function findFamily(named: string | undefined, type: EvidenceType | undefined): EvidenceFamily | undefined {
  const contact = type && findContactKind({ type })
  if (contact) return CONTACTS[contact].family
  return EVIDENCE_FAMILIES.find((family) => nameSpecFamily(family) === named)
}

/** Returns the content of each evidence by id. Deleted evidence is not in identityDetails.json. */
export function collectContents(identity: Identity): ReadonlyMap<string, Content> {
  const { attributes, addresses, idDocuments, portrait, trustedIdClaim, claim } = identity
  const of = (
    { evidenceId, submitDateTime }: { readonly evidenceId: string; readonly submitDateTime: string },
    content: EvidenceContent,
  ): readonly [string, Content] => [evidenceId, { content, submittedAt: new Date(`${submitDateTime}Z`) }]
  const shared = trustedIdClaim?.trustedIdClaimData
  return new Map([
    ...attributes.map((item) =>
      of(item, item.attributesData ? { attributes: present(item.attributesData) } : {}),
    ),
    ...addresses.map((item) =>
      of(item, {
        ...(item.addressData ? { address: present(item.addressData) } : {}),
        ...(item.referenceIds ? { referenceIds: item.referenceIds } : {}),
      }),
    ),
    ...idDocuments.map((item) =>
      of(
        item,
        item.idDocumentData ? ({ document: present(item.idDocumentData) } as unknown as EvidenceContent) : {},
      ),
    ),
    ...(portrait ? [of(portrait, {})] : []),
    ...(trustedIdClaim
      ? [
          of(trustedIdClaim, {
            trustedClaim: {
              idpIdentifier: '',
              oidcGrantType: 'CODE_FLOW',
              ...(shared ? { shared: present(shared) } : {}),
            },
          }),
        ]
      : []),
    ...(claim ? [of(claim, claim.claimData ? { claim: present(claim.claimData) } : {})] : []),
  ])
}

/** The call that submitted contact details contains them; a DELETE entry means that they were withdrawn. */
function contactContent(entries: readonly Entry[]): Content | null {
  const withdrawn = entries.some(({ identityOperation }) => identityOperation.type === 'DELETE')
  const submitted = entries.findLast(({ contactDetails }) => contactDetails !== undefined)
  if (withdrawn || !submitted?.contactDetails) return null
  return {
    content: submitted.contactDetails,
    submittedAt: new Date(`${submitted.startDateTime}Z`),
  }
}

export function listConsents({ consents }: Identity): readonly Consent[] {
  return consents.map(({ consentId, type, approved, validityPeriod }) => ({
    id: consentId,
    type,
    approved,
    validFrom: validityPeriod?.from ?? null,
    validTo: validityPeriod?.to ?? null,
    recordedAt: new Date(0),
  }))
}

type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** Removes members that the parser set to undefined, because they are absent in the evidence. */
function present<T extends object>(value: T): Present<T> {
  return JSON.parse(JSON.stringify(value)) as Present<T>
}
