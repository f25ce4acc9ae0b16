/**
 * Identities with random evidence in a real database, judged and sealed by the appliance's code: without
 * pictures, so that hundreds are created in seconds. The findings are random; the scores follow from the
 * policy, as in a verification.
 */
import { generateKeyPairSync } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { v7 as uuidv7 } from 'uuid'
import { loadAddressFormats } from '../../server/config/address-formats.ts'
import { loadConfig } from '../../server/config/config.ts'
import { loadDocumentFaults } from '../../server/config/document-faults.ts'
import { combineAddressRegisters } from '../../server/connectors/address-register/address-registers.ts'
import type { Context } from '../../server/context.ts'
import { createKeySigner } from '../../server/proof/sign.ts'
import type { Policy } from '../../server/proofing/assurance/policy.ts'
import { documentScore, listPassedChecks, ruleStrength } from '../../server/proofing/assurance/scores.ts'
import { NOT_YET_EVALUATED, type Evidence, type EvidenceContent } from '../../server/proofing/evidence.ts'
import type { Identity } from '../../server/proofing/identity.ts'
import type { ConsentType, Level } from '../../server/proofing/types.ts'
import type { VerificationRecord } from '../../server/proofing/verification-record.ts'
import type { OperationName } from '../../server/store/operations.ts'
import { APPLIANCE } from '../../server/store/scope.ts'
import { buildArchive } from '../../server/workflows/proof/build-archive.ts'
import { evaluateIdentity } from '../../server/workflows/identity/evaluate-identity.ts'
import { AT, openTestStore, type TestStore } from './store.ts'
import type { DrawnConsent, DrawnEvidence, DrawnIdentity } from './drawn-identities.ts'

const DAY_MS = 86_400_000
const PEOPLE = [
  { surname: 'ERIKSSON', givenNames: ['ANNA', 'MARIA'], dateOfBirth: '1974-08-12' },
  { surname: 'OKONKWO', givenNames: ['ADA'], dateOfBirth: '1990-01-31' },
  { surname: 'LINDQVIST', givenNames: ['SVEN'], dateOfBirth: '1955-12-01' },
] as const

export interface Bench {
  readonly store: TestStore
  /** Judged by this policy. */
  make(policy: Policy, drawn: DrawnIdentity): Identity
  /** The identity after this consent was withdrawn. */
  withdraw(policy: Policy, identity: Identity, type: ConsentType): Identity
  /** The identity after it was judged by another policy. */
  judge(policy: Policy, identity: Identity): Identity
  /** The bytes of the archive of an identity in its present state. */
  seal(policy: Policy, identity: Identity): Promise<Uint8Array>
  close(): void
}

export function openBench(): Bench {
  const store = openTestStore()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signer = createKeySigner(privateKey)
  const documentFaults = loadDocumentFaults()
  const addressRegisters = combineAddressRegisters([], loadAddressFormats())
  const contextFor = (policy: Policy): Context =>
    ({
      config: loadConfig({ dataDir: store.dataDir }),
      documentFaults,
      addressRegisters,
      store: store.store,
      clock: { now: () => AT },
      time: { statement: () => ({ source: 'SYSTEM', uncertaintyMs: 0, earliest: AT, latest: AT }) },
      signer: { current: () => signer },
      timestamper: null,
      policy: () => policy,
      newId: () => uuidv7(),
      wakeJobs: () => undefined,
      wakeSync: () => undefined,
      backups: () => null,
      wakeWebhooks: () => undefined,
    }) as unknown as Context
  return {
    store,
    make: (policy, drawn) => {
      const identity = store.addIdentity()
      const ctx = contextFor(policy)
      store.store.transaction(() => {
        // The API requires the portrait's own consent.
        const given = { type: 'PORTRAIT' as const, approved: true, endsInDays: null }
        for (const consent of [given, ...drawn.consents]) addConsent(store, identity.id, consent)
        const subjects = addEvidences(store, policy, identity.id, drawn.evidences)
        for (const check of drawn.fraudChecks) {
          const decided = { status: 'VERIFIED', measured: {}, requestedAt: AT, evaluatedAt: AT } as const
          store.store.fraudChecks.put(identity.id, { ...check, ...decided, subjects })
        }
        evaluateIdentity(ctx, identity.id)
      })
      return store.store.identities.get(APPLIANCE, identity.id)
    },
    withdraw: (policy, identity, type) => {
      store.store.transaction(() => {
        addConsent(store, identity.id, { type, approved: false, endsInDays: null })
        evaluateIdentity(contextFor(policy), identity.id)
      })
      return store.store.identities.get(APPLIANCE, identity.id)
    },
    judge: (policy, identity) => {
      store.store.transaction(() => {
        evaluateIdentity(contextFor(policy), identity.id)
      })
      return store.store.identities.get(APPLIANCE, identity.id)
    },
    seal: async (policy, identity) => {
      const proofId = '01990000-0000-7000-8000-00000000000a'
      const archive = await buildArchive(contextFor(policy), identity, proofId, AT)
      return buffer(Readable.from(archive.read()))
    },
    close: () => store.close(),
  }
}

/** The latest consent of a type is decisive. */
function addConsent(
  store: TestStore,
  identityId: string,
  { type, approved, endsInDays }: DrawnConsent,
): void {
  const id = uuidv7()
  const validTo =
    endsInDays === null ? null : new Date(AT.getTime() + endsInDays * DAY_MS).toISOString().slice(0, 10)
  store.store.consents.add(identityId, { id, type, approved, validFrom: null, validTo, recordedAt: AT })
  addOperation(store, identityId, id, 'CONSENTS')
}

function addEvidences(
  store: TestStore,
  policy: Policy,
  identityId: string,
  drawn: readonly DrawnEvidence[],
): readonly string[] {
  // An identity has one portrait: the next one replaces it.
  const lastPortrait = drawn.findLastIndex(({ family }) => family === 'PORTRAIT')
  const made: { readonly evidence: Evidence; readonly person: number }[] = []
  for (const [index, item] of drawn.entries()) {
    if (item.family === 'PORTRAIT' && index !== lastPortrait) continue
    const documents = made.filter(
      ({ evidence, person }) => evidence.family === 'IDDOCUMENT' && person === item.person,
    )
    const evidence = evidenceOf(
      policy,
      identityId,
      item,
      index,
      documents.map(({ evidence: one }) => one),
    )
    store.store.evidences.add(evidence)
    store.store.evidences.addVerification(evidence, uuidv7(), AT, recordsOf(evidence, documents.length > 1))
    addOperation(store, identityId, evidence.id, OPERATIONS[item.family])
    made.push({ evidence, person: item.person })
  }
  return made.map(({ evidence }) => evidence.id)
}

const OPERATIONS: Readonly<Record<DrawnEvidence['family'], OperationName>> = {
  IDDOCUMENT: 'ID_DOCUMENT_CAPTURE',
  PORTRAIT: 'PORTRAIT_CAPTURE',
  ATTRIBUTES: 'ATTRIBUTES',
  ADDRESS: 'ATTRIBUTES',
  TRUSTED_ID_CLAIM: 'TRUSTED_ID_CLAIM',
}

function evidenceOf(
  policy: Policy,
  identityId: string,
  { family, type, status, passed, raised, person, issuedDaysAgo }: DrawnEvidence,
  index: number,
  documents: readonly Evidence[],
): Evidence {
  const reference = family === 'PORTRAIT' ? (documents.at(-1) ?? null) : null
  const positiveIndicators = [...passed]
    // A portrait without a comparison has no match.
    .filter((check) => check !== 'BIOMETRIC_MATCHING_CHECK' || reference !== null)
    .map((check) => `${check}_OK`)
  const strength = ruleStrength(policy, type, listPassedChecks(positiveIndicators))
  const score = scoreOf(policy, {
    family,
    type,
    status,
    positiveIndicators,
    reference,
    strength: strength.level,
  })
  const issuingDate = new Date(AT.getTime() - issuedDaysAgo * DAY_MS).toISOString().slice(0, 10)
  const submittedAt = new Date(AT.getTime() - 60_000 + index * 1000)
  return {
    id: uuidv7(),
    identityId,
    family,
    type,
    status,
    strength: strength.level,
    score,
    evaluation: {
      ...NOT_YET_EVALUATED,
      positiveIndicators,
      unverifiedIndicators: raised,
      strengthRule: strength.rule,
    },
    submittedAt,
    evaluatedAt: AT,
    deletedAt: null,
    matchedReferenceId: reference?.id ?? null,
    content: contentOf(family, type, PEOPLE[person] ?? PEOPLE[0], issuingDate),
    revision: 1,
  }
}

function scoreOf(
  policy: Policy,
  of: Pick<Evidence, 'family' | 'type' | 'status' | 'strength'> & {
    readonly positiveIndicators: readonly string[]
    readonly reference: Evidence | null
  },
): Level {
  if (of.status !== 'VERIFIED') return 'LEVEL0'
  if (of.family === 'PORTRAIT') return of.reference?.score ?? 'LEVEL0'
  return of.family === 'IDDOCUMENT'
    ? documentScore(policy, of.type, listPassedChecks(of.positiveIndicators)).level
    : of.strength
}

function contentOf(
  family: DrawnEvidence['family'],
  type: Evidence['type'],
  { surname, givenNames, dateOfBirth }: (typeof PEOPLE)[number],
  issuingDate: string,
): EvidenceContent {
  const said = (value: string) => ({ value, verified: true })
  const attributes = {
    surname: said(surname),
    givenNames: givenNames.map(said),
    dateOfBirth: said(dateOfBirth),
  }
  switch (family) {
    case 'IDDOCUMENT':
      return {
        document: { idDocumentType: type as 'PASSPORT', issuingDate, personalAttributes: attributes },
      }
    case 'PORTRAIT':
      return { portrait: { source: 'OTHER', metadata: [], portraitQuality: true } }
    case 'ATTRIBUTES':
      return { attributes }
    case 'ADDRESS':
      return { address: { city: 'Uppsala', country: 'SWE', verified: false } }
    case 'TRUSTED_ID_CLAIM':
      return {
        trustedClaim: {
          idpIdentifier: 'bank',
          oidcGrantType: 'CODE_FLOW',
          shared: { personalAttributes: attributes },
        },
      }
  }
}

function recordsOf(evidence: Evidence, hasFurther: boolean): readonly VerificationRecord[] {
  const measurements: VerificationRecord['measurements'] =
    evidence.family === 'PORTRAIT' && evidence.matchedReferenceId !== null
      ? [
          {
            check: 'BIOMETRIC_MATCHING_CHECK',
            outcome: evidence.evaluation.positiveIndicators.includes('BIOMETRIC_MATCHING_CHECK_OK')
              ? 'passed'
              : 'inconclusive',
            measured: { score: 0.7 },
          },
          ...(hasFurther
            ? [
                {
                  check: 'BIOMETRIC_MATCHING_FURTHER',
                  outcome: 'passed' as const,
                  measured: { matching: '' },
                },
              ]
            : []),
        ]
      : []
  return [
    {
      startDateTime: '2026-03-01T10:00:00.000',
      endDateTime: '2026-03-01T10:00:01.000',
      sessionCreationTime: '2026-03-01T10:00:00.000',
      participantType: evidence.family === 'PORTRAIT' ? 'BIOMETRIC_MATCHING' : 'IMAGE_OCR',
      participantState: 'ACCEPTED',
      isBlockingParticipant: false,
      errors: [],
      raisedIndicators: [],
      verificationServices: [{ serviceName: 'drawn', isTechnicalError: false, responseTimeMS: 1 }],
      measurements,
      models: [],
    },
  ]
}

function addOperation(store: TestStore, identityId: string, subjectId: string, name: OperationName): void {
  store.store.operations.add({
    id: uuidv7(),
    identityId,
    subjectId,
    name,
    kind: 'ADD',
    startedAt: AT,
    call: {
      method: 'POST',
      uri: `/v1/identities/${identityId}`,
      role: 'RELYING_SERVICE',
      remoteAddress: null,
      startedAt: '2026-03-01T10:00:00.000',
      endedAt: '2026-03-01T10:00:00.100',
      httpCode: 200,
    },
  })
}
