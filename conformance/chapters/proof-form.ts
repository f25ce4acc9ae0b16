/**
 * The format of an archive: the members that a reader of the specification expects, and the schema that
 * describes it.
 */
import { at, unless } from '../kit.ts'
import { isObject } from '../shapes.ts'
import { ARCHIVE, SEAL, sealAndOpen } from './archive.ts'
import { newIdentity, verifiedPassport } from './common.ts'
import type { Chapter } from './common.ts'

const SCHEMA = 'GET /proof-schema'

/** Members that the specification names, section "Proof archive" and section "Identity (response of GET identity)". */
const KNOWN = {
  proof:
    'version proofId identityId tenantId tenantRole tenantUsed transactionId previousProofId ips startDateTime endDateTime componentVersion hashes signature',
  identityDetails:
    'globalStatus consents attributes addresses idDocuments portrait trustedIdClaim contactDetails claim Claim context',
  document: 'evidenceId submitDateTime type evidenceStatus referenceIds idDocumentData',
  step: 'identityOperation participantContextId progress startDateTime sessionId businessId identityOperationParent identityOperationChild additionalFile consentsDetails contactDetails evaluationDetails evidenceDetails processingDetails verificationDetails',
  evaluation: 'evaluationDateTime evidences loaAndUpgradePath updateOnIdentitySuccess',
  verification:
    'startDateTime endDateTime sessionCreationTime participantType participantState isBlockingParticipant errors raisedIndicators referenceId referenceType candidateId candidateType verificationId sessionId mainOcrService linkedIdentityOperation verificationServices',
} as const

function unknownIn(known: string, values: readonly unknown[]): readonly string[] {
  const names = known.split(' ')
  const all = values.flatMap((value) => (isObject(value) ? Object.keys(value) : []))
  return [...new Set(all.filter((name) => !names.includes(name)))]
}
const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

export const proofForm: Chapter = async (kit) => {
  const id = await newIdentity(kit, ['ID_DOCUMENT'])
  await verifiedPassport(kit, id)
  const archive = await sealAndOpen(kit, id)
  if (archive) {
    const { proof, identityDetails, steps } = archive
    const outside: readonly (readonly [string, string, readonly unknown[]])[] = [
      ['proof.json', KNOWN.proof, [proof]],
      ['identityDetails.json', KNOWN.identityDetails, [identityDetails]],
      ['an entry of verificationAndEvaluationDetails.json', KNOWN.step, steps],
    ]
    for (const [file, known, values] of outside) {
      const members = unknownIn(known, values)
      kit.claim(
        SEAL,
        `${file} has one member at most that the specification does not name`,
        unless(members.length <= 1, `it has ${members.join(', ')}`),
        ARCHIVE,
      )
    }
    const within = [
      ...unknownIn(KNOWN.document, toItems(at(identityDetails, 'idDocuments'))),
      ...unknownIn(
        KNOWN.evaluation,
        steps.map((step) => at(step, 'evaluationDetails')),
      ),
      ...unknownIn(
        KNOWN.verification,
        steps.flatMap((step) => toItems(at(step, 'verificationDetails'))),
      ),
    ]
    kit.claim(
      SEAL,
      'within documents, evaluations and verifications there is none',
      unless(within.length === 0, `there are ${within.join(', ')}`),
      ARCHIVE,
    )
  }
  const described = await kit.call(SCHEMA, 'the form of an archive', { key: null }, { status: 200 })
  const files = at(described.json, '$defs')
  kit.claim(
    SCHEMA,
    'describes every JSON file of the archive',
    unless(
      ['proof.json', 'identityDetails.json', 'verificationAndEvaluationDetails.json'].every(
        (file) => isObject(files) && isObject(files[file]),
      ),
      'a file has no schema',
    ),
    { ours: true },
  )
}
