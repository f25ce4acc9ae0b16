/**
 * One proofing with all that staff may see of it: the person, the evidence, what was found and what came of it. Opening it is
 * an event, and looking at the face another one. Decides nothing; words for what is said here are the page's.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { explain } from '../proofing/assurance/explain.ts'
import { wordsOf } from '../proofing/assurance/known-checks.ts'
import type { Missing } from '../proofing/assurance/closest.ts'
import type { AddressData, Evidence, NamedValue, PersonalAttributes } from '../proofing/evidence.ts'
import type { Identity } from '../proofing/identity.ts'
import type { StoredEvent } from '../store/events.ts'
import type { StoredImage } from '../store/images.ts'
import { assuranceFacts } from './assurance-facts.ts'
import { byCaller } from './author.ts'
import type { StaffCaller } from './desk-review.ts'
import { isOnHold } from './legal-hold.ts'

/** Longer timelines are those of a fault. */
const MOST_EVENTS = 500

export type OpenedProofing = ReturnType<typeof openProofing>

/** Throws `not_found` for another tenant's and for an erased one. */
export function openProofing(ctx: Context, caller: StaffCaller, identityId: string) {
  const identity = ctx.store.transaction(() => {
    const found = ctx.store.identities.get(caller.tenantId, identityId)
    ctx.store.events.append('proofing.opened', found.id, {}, ctx.clock.now(), byCaller(caller))
    return found
  })
  const evidences = ctx.store.evidences.list(identity.id)
  const proof = ctx.store.proofs.find(identity.id)
  const retention = ctx.store.deadlines.find('retention', identity.id)
  const legalHold = isOnHold(ctx, identity.id)
  const isJoined = (ctx.store.enrolments.find()?.membership ?? null) !== null
  return {
    identityId: identity.id,
    status: identity.status,
    levelOfAssurance: identity.levelOfAssurance,
    createdAt: identity.createdAt.toISOString(),
    evaluatedAt: identity.evaluatedAt.toISOString(),
    name: nameOf(evidences.find(({ id }) => id === identity.nameReferenceId)),
    consents: ctx.store.consents
      .list(identity.id)
      .map(({ type, approved, recordedAt }) => ({ type, approved, recordedAt: recordedAt.toISOString() })),
    evidences: evidences.map((evidence) => evidenceCard(ctx, evidence)),
    timeline: timelineOf(ctx, identity),
    level: levelOf(ctx, identity, evidences),
    seal: proof && {
      proofId: proof.id,
      sealedAt: proof.sealedAt.toISOString(),
      retrieved: ctx.store.proofs.retrievedAt(proof.id) !== null,
      handedOver: isJoined ? ctx.store.outbox.findByProof(proof.id)?.state === 'ACKNOWLEDGED' : null,
    },
    retention: { erasedAfter: legalHold ? null : (retention?.toISOString() ?? null), legalHold },
  }
}

/** The picture, if it belongs to this identity. A portrait that is looked at is an event. */
export function openImage(ctx: Context, caller: StaffCaller, identityId: string, imageId: string) {
  const identity = ctx.store.identities.get(caller.tenantId, identityId)
  const image = ctx.store.images.find(imageId)
  if (image?.identityId !== identity.id || image.evidenceId === null) throw noImage()
  const evidence = ctx.store.evidences.find(image.evidenceId)
  if (!evidence || evidence.deletedAt !== null) throw noImage()
  const { kind, mediaType } = image
  if (kind === 'PORTRAIT' || kind === 'DOCUMENT_CROP') {
    const body = { evidenceId: evidence.id }
    ctx.store.events.append('proofing.portrait_seen', identity.id, body, ctx.clock.now(), byCaller(caller))
  }
  return { bytes: ctx.store.images.read(image), mediaType }
}

function noImage(): AppError {
  return new AppError('not_found', { resource: 'image' })
}

/** As printed where that is known, else its parts. Null: nobody knows it yet. */
function nameOf(evidence: Evidence | undefined): string | null {
  const { content } = evidence ?? {}
  const person = content?.document?.personalAttributes ?? content?.trustedClaim?.shared?.personalAttributes
  if (!person) return null
  if (person.fullname) return person.fullname.value
  const parts = [...(person.givenNames ?? []), ...(person.surname ? [person.surname] : [])]
  return parts.length > 0 ? parts.map(({ value }) => value).join(' ') : null
}

export function evidenceCard(ctx: Context, evidence: Evidence) {
  const { id, family, type, status, strength, score, submittedAt, deletedAt, evaluation } = evidence
  const isGone = deletedAt !== null
  return {
    evidenceId: id,
    family,
    type,
    status,
    strength,
    score,
    submittedAt: submittedAt.toISOString(),
    deleted: isGone,
    images: isGone ? [] : imagesOf(ctx, id).map(imageOf),
    values: isGone ? [] : valuesOf(evidence),
    errors: evaluation.errors,
    findings: isGone ? [] : findingsOf(ctx, evidence),
    attendance: isGone ? null : attendanceOf(evidence),
  }
}

/** Those of a side and of a portrait, then further frames. */
export function imagesOf({ store }: Pick<Context, 'store'>, evidenceId: string): readonly StoredImage[] {
  return [...store.images.listByEvidence(evidenceId), ...store.images.listFrames(evidenceId)]
}

const KINDS = {
  FRONT: 'FRONT',
  BACK: 'BACK',
  PORTRAIT: 'PORTRAIT',
  DOCUMENT_CROP: 'DOCUMENT_PORTRAIT',
  ADDITIONAL_FILE: 'FRONT',
} as const satisfies Record<StoredImage['kind'], string>

export function kindOfImage({ kind, frame }: StoredImage) {
  if (!frame) return KINDS[kind]
  return kind === 'PORTRAIT' ? ('LIVE_FRAME' as const) : ('TILTED' as const)
}

function imageOf(image: StoredImage) {
  const { id, identityId, evidenceId } = image
  const href = `proofings/${identityId}/evidences/${evidenceId ?? ''}/images/${id}`
  return { imageId: id, kind: kindOfImage(image), href }
}

type Value = { readonly field: string; readonly value: string; readonly verified: boolean }

/** Every value of an evidence by its field. Personal. */
export function valuesOf({ content }: Evidence): readonly Value[] {
  const { document, attributes, address, mobile, trustedClaim, claim } = content
  const of = (field: string, value: string | undefined): readonly Value[] =>
    value === undefined ? [] : [{ field, value, verified: false }]
  const shared = trustedClaim?.shared
  return [
    ...(document
      ? [
          ...personValues(document.personalAttributes),
          ...of('documentNumber', document.idDocumentNumber),
          ...of('cardNumber', document.cardNumber),
          ...of('issuingCountry', document.issuingCountry),
          ...of('issuingState', document.issuingState),
          ...of('issuingDate', document.issuingDate),
          ...of('expiryDate', document.expiryDate),
          ...(document.address ? addressValues(document.address) : []),
        ]
      : []),
    ...(attributes ? personValues(attributes) : []),
    ...(address ? addressValues(address) : []),
    ...(shared?.personalAttributes ? personValues(shared.personalAttributes) : []),
    ...(claim?.attributesData ? personValues(claim.attributesData) : []),
    ...(mobile ? [{ field: 'mobile', ...mobile }] : []),
  ]
}

function personValues(person: PersonalAttributes): readonly Value[] {
  const of = (field: string, named: NamedValue | undefined): readonly Value[] =>
    named ? [{ field, value: named.value, verified: named.verified }] : []
  const given = person.givenNames ?? []
  return [
    ...of('name', person.fullname),
    ...(given.length > 0
      ? [
          {
            field: 'givenNames',
            value: given.map(({ value }) => value).join(' '),
            verified: given.every(({ verified }) => verified),
          },
        ]
      : []),
    ...of('familyName', person.surname),
    ...of('birthDate', person.dateOfBirth),
    ...of('sex', person.gender),
    ...of('nationality', person.nationality),
    ...of('height', person.height),
    ...of('eyeColor', person.eyeColor),
  ]
}

function addressValues(address: AddressData): readonly Value[] {
  const { streetDetails, postcode, city, state, country, fullAddress, verified } = address
  const lines = [
    fullAddress,
    ...(streetDetails?.streetLines ?? []),
    [postcode, city].filter((part) => part !== undefined).join(' '),
    state,
    country,
  ].filter((line) => line !== undefined && line !== '')
  return lines.length > 0 ? [{ field: 'address', value: lines.join('\n'), verified }] : []
}

export function findingsOf(ctx: Context, evidence: Evidence) {
  const mitigations = evidence.evaluation.mitigations ?? []
  return ctx.store.evidences.verification(evidence).flatMap(({ measurements, models }) =>
    measurements.map(({ check, outcome, measured }) => ({
      check,
      outcome,
      measured: Object.entries(measured).map(([name, value]) => ({ name, value })),
      measuredBy: models.map(({ id, version }) => `${id} ${version}`),
      mitigatedBy:
        mitigations.find(({ indicator }) => indicator.replace(/_(FAILED|UNVERIFIED)$/, '') === check)
          ?.mitigatedBy ?? null,
    })),
  )
}

export function attendanceOf({ content: { attendance } }: Evidence) {
  if (!attendance) return null
  const { staffId, at, features, exceptions } = attendance
  return {
    staffId,
    at: `${at}Z`,
    answers: features.map(({ id, answer }) => ({ feature: id, answer })),
    exceptions,
  }
}

/** What of an event's body is worth a line: words of closed lists, never an id. */
const TOLD = [
  'type',
  'kind',
  'status',
  'state',
  'score',
  'levelOfAssurance',
  'approved',
  'outcome',
  'reason',
  'why',
  'answer',
  'display',
  'language',
  'tactile',
  'channel',
  'because',
] as const

function timelineOf(ctx: Context, identity: Identity) {
  const events = ctx.store.eventPages.page({ identityId: identity.id, limit: MOST_EVENTS })
  return [...events].reverse().map((event) => ({
    seq: event.seq,
    at: event.at.toISOString(),
    who: whoOf(ctx, event),
    what: event.type,
    details: detailsOf(event),
  }))
}

function detailsOf({ body, reason }: StoredEvent) {
  const told = TOLD.flatMap((name) => {
    const value = body[name]
    return value === undefined || value === null ? [] : [{ name, value: String(value) }]
  })
  return reason === null || told.some(({ name }) => name === 'reason')
    ? told
    : [...told, { name: 'reason' as const, value: reason }]
}

const OURS = ['appliance', 'operator', 'centre']

function whoOf({ store, config, clock }: Context, { actor }: StoredEvent): string {
  if (OURS.includes(actor) || actor.startsWith('STAFF:')) return actor
  const [role, applicationId] = actor.split(':')
  if (role === 'USER_AGENT') return 'person'
  const kiosk = store.apiKeys.ensureApplication(config.tenant.id, 'kiosk', clock.now())
  return applicationId === kiosk ? 'kiosk' : 'service'
}

function levelOf(ctx: Context, identity: Identity, evidences: readonly Evidence[]) {
  const policy = ctx.policy(identity.tenantId)
  const explained = explain(policy, assuranceFacts(ctx, identity.id, evidences))
  return {
    levelOfAssurance: identity.levelOfAssurance,
    policy: explained.policy,
    profile: identity.assessment?.profile ?? null,
    heldDownBy: identity.assessment?.heldDownBy ?? [],
    evidences: explained.evidences.map(({ id, type, counted, leftOut }) => ({
      evidenceId: id,
      type,
      counted,
      leftOut,
    })),
    profiles: explained.profiles.map(({ name, levelOfAssurance, met, missing }) => ({
      name,
      levelOfAssurance,
      met,
      missing: missing.map(missingOf),
    })),
    upgradePaths: identity.upgradePaths,
  }
}

function missingOf(missing: Missing) {
  const of = (name: string, needed?: string | number, reached?: string | number, words?: string) => ({
    what: missing.what,
    name,
    needed: needed === undefined ? null : String(needed),
    reached: reached === undefined ? null : String(reached),
    words: words ?? null,
  })
  switch (missing.what) {
    case 'PIECE':
      return of(missing.evidence)
    case 'MARK':
      return of(missing.mark, missing.needed, missing.reached)
    case 'SCALE':
      return of(missing.scale, missing.needed, missing.reached)
    case 'SCORE':
    case 'STRENGTH':
      return of(missing.what, missing.needed, missing.reached)
    case 'CHECK':
      return of(missing.check, undefined, undefined, wordsOf(missing.check))
    case 'CAP':
      return of(missing.indicator, undefined, missing.maximum)
  }
}
