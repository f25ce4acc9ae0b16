/** The chapters in the order in which they run. */
import { additionalFiles } from './additional-files.ts'
import { addressesAndAttributes } from './addresses-and-attributes.ts'
import { adjudication, pausing } from './adjudication.ts'
import { antifraud } from './antifraud.ts'
import { applications } from './applications.ts'
import { claims } from './claims.ts'
import type { Chapter } from './common.ts'
import { consents } from './consents.ts'
import { documentSessions, documentsAsText, photographedDocuments } from './documents.ts'
import { identities } from './identities.ts'
import { keysAndRoles, unknownIds } from './keys-and-roles.ts'
import { idempotency, limits, polling } from './limits.ts'
import { mobile } from './mobile.ts'
import { monitoring } from './monitoring.ts'
import { portraitSessions, portraits } from './portraits.ts'
import { indicators } from './indicators.ts'
import { proofForm } from './proof-form.ts'
import { proofSteps } from './proof-steps.ts'
import { proofs } from './proofs.ts'
import { retention } from './retention.ts'
import { trustedClaims } from './trusted-claims.ts'
import { webhooks } from './webhooks.ts'

export const CHAPTERS: readonly (readonly [string, Chapter])[] = [
  ['monitoring', monitoring],
  ['keys and roles', keysAndRoles],
  ['unknown ids', unknownIds],
  ['applications', applications],
  ['identities', identities],
  ['consents', consents],
  ['addresses and attributes', addressesAndAttributes],
  ['photographed documents', photographedDocuments],
  ['documents as text', documentsAsText],
  ['document sessions', documentSessions],
  ['portraits', portraits],
  ['portrait sessions', portraitSessions],
  ['additional files', additionalFiles],
  ['adjudication', adjudication],
  ['antifraud', antifraud],
  ['trusted claims', trustedClaims],
  ['claims', claims],
  ['mobile', mobile],
  ['indicators', indicators],
  ['proofs', proofs],
  ['steps of a proof', proofSteps],
  ['form of a proof', proofForm],
  ['retention', retention],
  ['webhooks', webhooks],
  ['idempotency', idempotency],
  ['polling', polling],
  ['limits', limits],
]

/** Runs beside the others from the beginning, because it waits for a lifetime to end. */
export const BESIDE: readonly [string, Chapter] = ['pausing', pausing]
