/**
 * Builds the view of a case for its adjudicator: pictures and data first; the measurements only after the
 * adjudicator has answered, and the decisions of others never before the end. Changes nothing.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  ADJUDICATION_DECISIONS,
  findDeskRefusal,
  isDisputed,
  isInForce,
  isSameAdjudicator,
  type DeskRefusal,
} from '../proofing/adjudication-decision.ts'
import { applyAdjudication } from '../proofing/adjudication-outcome.ts'
import { listUnacceptableChecks, reasonsFor } from '../proofing/adjudication-rules.ts'
import { ALPHA_2 } from '../proofing/country-codes.ts'
import { withPersonRead } from '../proofing/read-by-person.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import type { Evidence } from '../proofing/evidence.ts'
import { listFailedChecks } from '../proofing/judge.ts'
import { toReference } from '../screens/receipt.ts'
import type { StoredImage } from '../store/images.ts'
import {
  listQuestions,
  toAdjudicator,
  getDecisionRule,
  type DeskCaller,
} from '../workflows/adjudication/desk-review.ts'
import { requireCase, type Case } from '../workflows/adjudication/find-adjudication.ts'
import { isPortrait, listFindings, listImages, kindOfImage } from '../workflows/staff/shown-evidence.ts'
import { needsReading } from '../workflows/adjudication/require-decision.ts'
import { comparedRows } from './compared-rows.ts'
import { FACE_FEATURES } from './contract/desk.ts'
import type { DeskCase, DeskEntry, DeskImage } from './contract/desk.ts'
import type { EyeFinder } from './eyes.ts'

export interface Looking {
  readonly ctx: Context
  readonly caller: DeskCaller
}

export function deskEntry(looking: Looking, found: Case): DeskEntry {
  const { ctx } = looking
  const { adjudication, evidence, deliberation, identity } = found
  const { id, status, requestedAt } = adjudication
  return {
    adjudicationId: id,
    reference: ctx.store.visits.findByIdentity(identity.id)?.reference ?? toReference(identity.id),
    type: evidence.type,
    status,
    requestedAt: requestedAt.toISOString(),
    dueAt: ctx.store.deadlines.find('adjudication', id)?.toISOString() ?? null,
    reviewers: { done: deliberation.decisions.length, needed: deliberation.fourEyes ? 2 : 1 },
    disagreement: isDisputed(deliberation),
    mine: isMine(looking, found),
    refusedBecause: findRefusal(looking, found),
  }
}

/** Claimed by this officer, and the claim has not expired. */
function isMine({ ctx, caller }: Looking, { adjudication: { claim } }: Case): boolean {
  return isInForce(claim, ctx.clock.now()) && isSameAdjudicator(claim.adjudicator, toAdjudicator(caller))
}

/** Null: this officer may take it. */
export function findRefusal({ ctx, caller }: Looking, found: Case): DeskRefusal | null {
  const { adjudication, deliberation, officers } = found
  const isUnderWay = ctx.store.deskWork.findPending(adjudication.id) !== null
  const request = { claim: adjudication.claim, deliberation, officers, isUnderWay }
  return findDeskRefusal(toAdjudicator(caller), caller.authority.mayOverrule, request, ctx.clock.now())
}

/** Personal data stays empty for an officer who has not claimed the case. */
export async function deskCase(looking: Looking, adjudicationId: string, eyes: EyeFinder): Promise<DeskCase> {
  const { ctx, caller } = looking
  const found = requireCase(ctx, caller, adjudicationId, 'READ')
  const { adjudication, identity, evidence, reference, deliberation } = found
  const mine = isMine(looking, found)
  const work = mine ? ctx.store.deskWork.find(adjudicationId, caller.staffId) : null
  const questions = listQuestions(evidence.family, reference !== null)
  const { claim } = adjudication
  const isHeld = isInForce(claim, ctx.clock.now())
  const pending = work?.pending ?? null
  return {
    ...deskEntry(looking, found),
    identityId: identity.id,
    claimedUntil: isHeld ? claim.expiresAt.toISOString() : null,
    images: mine ? await imagesFor(ctx, found, eyes) : [],
    rows: mine ? comparedRows(evidence, ctx.store.evidences.list(identity.id), ctx.clock.now()) : [],
    reading: mine && needsReading(evidence) ? buildReading(ctx, found, work?.typed ?? null) : null,
    questions: {
      samePerson: questions.includes('samePerson'),
      documentReal: questions.includes('documentReal'),
      dataAgree: questions.includes('dataAgree'),
      features: questions.includes('samePerson') ? FACE_FEATURES : [],
    },
    answers: work?.examination ? readAnswers(work.examination) : null,
    machine: work?.examination ? machineView(ctx, evidence) : null,
    choices: work?.examination ? listChoices(ctx, found) : [],
    pending: pending && {
      decision: pending.decision,
      reason: pending.reason,
      undoUntil: new Date(pending.undoUntil).toISOString(),
    },
    reviewers: {
      done: deliberation.decisions.length,
      needed: deliberation.fourEyes ? 2 : 1,
    },
  }
}

/** A document that is typed from a picture may come from any country; in test mode also from Utopia. */
const COUNTRIES = [...ALPHA_2].map(([iso3, iso2]) => ({ iso3, iso2 }))
const UTOPIA = { iso3: 'UTO', iso2: null }

function buildReading(
  ctx: Context,
  { identity, evidence, reference }: Case,
  typed: NonNullable<DeskCase['reading']>['typed'],
): DeskCase['reading'] {
  const policy = ctx.policy(identity.tenantId)
  return {
    kinds: DOCUMENT_TYPES.filter((idDocumentType) => {
      const read = withPersonRead(evidence, { idDocumentType })
      return applyAdjudication(policy, read, 'ACCEPTED', reference).score !== 'LEVEL0'
    }),
    countries: ctx.config.tenant.mode === 'test' ? [UTOPIA, ...COUNTRIES] : COUNTRIES,
    typed,
  }
}

function readAnswers(
  examination: NonNullable<NonNullable<ReturnType<Context['store']['deskWork']['find']>>['examination']>,
): NonNullable<DeskCase['answers']> {
  const features = FACE_FEATURES.filter((feature) => examination.features.includes(feature))
  return { ...examination, features }
}

/** Returns the evidence's own pictures, then those of the document that a portrait is compared with. */
async function imagesFor(ctx: Context, found: Case, eyes: EyeFinder): Promise<readonly DeskImage[]> {
  const { adjudication, evidence, reference } = found
  const own = listImages(ctx, evidence.id)
  const others = reference
    ? listImages(ctx, reference.id).filter(({ frame, kind }) => !frame && kind !== 'BACK')
    : []
  const lines = evidence.content.readLines ?? []
  const toDeskImage = async (image: StoredImage): Promise<DeskImage> => {
    const hasFace = isPortrait(image.kind)
    return {
      imageId: image.id,
      evidenceId: image.evidenceId ?? '',
      kind: kindOfImage(image),
      href: `desk/${adjudication.id}/images/${image.id}`,
      eyes: hasFace && !image.frame ? await eyes.of(image) : null,
      fields:
        image.evidenceId === evidence.id && !image.frame
          ? lines.flatMap(({ field, place }) =>
              place?.side === image.kind ? [{ field, box: computeBox(place) }] : [],
            )
          : [],
    }
  }
  const views: DeskImage[] = []
  // Sequentially: the worker has one lane for this, and applicants have priority.
  for (const image of [...own, ...others]) views.push(await toDeskImage(image))
  return views
}

type Place = NonNullable<NonNullable<Evidence['content']['readLines']>[number]['place']>

/** Returns the place of a line as an upright rectangle of the picture; exact enough to zoom to it. */
function computeBox({ frame, box }: Place) {
  const at = (u: number, v: number) => {
    const [a, b, c, d] = frame
    const mix = (p: number, q: number, r: number, s: number): number =>
      (1 - v) * ((1 - u) * p + u * q) + v * ((1 - u) * s + u * r)
    return { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) }
  }
  const corners = [
    at(box.x, box.y),
    at(box.x + box.width, box.y),
    at(box.x + box.width, box.y + box.height),
    at(box.x, box.y + box.height),
  ]
  const xs = corners.map(({ x }) => x)
  const ys = corners.map(({ y }) => y)
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

function machineView(ctx: Context, evidence: Evidence): NonNullable<DeskCase['machine']> {
  const { positiveIndicators, warningIndicators, unverifiedIndicators } = evidence.evaluation
  const failed = listFailedChecks(evidence.evaluation)
  return {
    indicators: {
      positive: positiveIndicators,
      warning: warningIndicators.filter((name) => !failed.some((check) => name === `${check}_WARNING`)),
      // The checks that withhold the verdict are the adjudicator's question.
      blocking: failed.map((check) => `${check}_FAILED`),
      unverified: unverifiedIndicators,
    },
    // The records also contain the decisions of other adjudicators; they stay hidden.
    findings: listFindings(ctx, evidence).filter(({ check }) => check !== 'ADJUDICATION'),
  }
}

function listChoices(ctx: Context, found: Case): DeskCase['choices'] {
  const { evidence, reference, deliberation } = found
  const { rules } = ctx.adjudication
  const mayAccept =
    listUnacceptableChecks(rules, evidence).length === 0 &&
    (evidence.family !== 'PORTRAIT' || reference !== null)
  const isLastWord = getDecisionRule(found) === 'OVERRULE'
  return ADJUDICATION_DECISIONS.filter((decision) => decision !== 'ACCEPTED' || mayAccept).map(
    (decision) => ({
      decision,
      reasons: reasonsFor(rules, evidence.family, decision).map(({ code, text }) => ({ code, text })),
      byTwo: !isLastWord && (decision === 'REJECTED' || (decision === 'ACCEPTED' && deliberation.fourEyes)),
    }),
  )
}

/** Throws `adjudication_not_claimed` for an officer who has not claimed it. */
export function requireMine(looking: Looking, found: Case): void {
  if (!isMine(looking, found)) throw new AppError('adjudication_not_claimed')
}
