/**
 * The steps of a proof: each states the judgement at that time, even if the evidence was deleted or replaced
 * afterwards.
 */
import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { ARCHIVE, SEAL, sealAndOpen } from './archive.ts'
import { PICTURES, newIdentity, verifiedPassport } from './common.ts'
import type { Chapter } from './common.ts'

const PORTRAIT = 'POST /v1/identities/{id}/attributes/portrait/capture'
const SESSION = 'POST /v1/identities/{id}/attributes/portrait/capture-session'
const CANCEL = 'DELETE /v1/identities/{id}/attributes/portrait/live-capture-session/{sessionId}'
const FRAUD = 'POST /v1/identities/{id}/antifraud'
/** No other chapter uses this number: otherwise the kit could read an older message. */
const NUMBER = '+33639980003'

export const proofSteps: Chapter = async (kit) => {
  await replacedImpostor(kit)
  await cancelledSession(kit)
  await passcodes(kit)
}

const listNames = (steps: readonly unknown[]): string =>
  steps
    .map((step) => ['type', 'name'].map((name) => String(at(step, 'identityOperation', name))).join(' '))
    .join(', ')
const about = (steps: readonly unknown[], id: string): readonly unknown[] =>
  steps.filter((step) => at(step, 'participantContextId') === id)
const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** An impostor's portrait is rejected, and another one is uploaded. */
async function replacedImpostor(kit: Kit): Promise<void> {
  const id = await newIdentity(kit, ['ID_DOCUMENT', 'PORTRAIT'])
  const params = { id }
  const passport = await verifiedPassport(kit, id)
  const upload = async (title: string, picture: Blob): Promise<readonly [string, string]> => {
    const sent = await kit.must(PORTRAIT, title, { params, form: { Portrait: picture } }, { status: 200 })
    return [field(sent, 'id'), await kit.untilDecided(id, field(sent, 'id'))]
  }
  const [impostor, verdict] = await upload('the portrait of another person', PICTURES.impostor)
  await upload('the portrait of the holder', PICTURES.portrait)
  if (kit.target.own) {
    await kit.must(
      FRAUD,
      'before the proof',
      { params, json: [{ type: 'DUPLICATE_DOCUMENT' }] },
      { status: 200 },
    )
  }
  const archive = await sealAndOpen(kit, id)
  if (!archive) return
  const [added, deleted, ...more] = about(archive.steps, impostor)
  const judged = toItems(at(added, 'evaluationDetails', 'evidences')).find(
    (one) => at(one, 'id') === impostor,
  )
  kit.claim(
    SEAL,
    'a replaced portrait has its addition, as it was judged, and its deletion',
    [
      ...unless(more.length === 0 && deleted !== undefined, 'it has not two steps'),
      ...unless(
        at(judged, 'statusAndScoring', 'status') === verdict,
        `the addition does not state ${verdict}, the verdict of that time`,
      ),
      ...unless(toItems(at(added, 'verificationDetails')).length > 0, 'the addition states no verification'),
      ...unless(
        toItems(at(deleted, 'verificationDetails')).length === 0,
        'the deletion states verifications',
      ),
    ],
    ARCHIVE,
  )
  const evaluated = archive.steps.flatMap((step) => at(step, 'evaluationDetails', 'evaluationDateTime') ?? [])
  kit.claim(
    SEAL,
    'steps state the time of their own evaluation',
    unless(new Set(evaluated).size > 1, 'all evaluations are of one moment'),
    ARCHIVE,
  )
  const [ofPassport] = about(archive.steps, passport)
  const last = archive.steps.findLast((step) => at(step, 'evaluationDetails') !== undefined)
  const readLevel = (step: unknown): unknown =>
    at(step, 'evaluationDetails', 'loaAndUpgradePath', 'levelOfAssurance')
  kit.claim(
    SEAL,
    'steps state the level of their own evaluation',
    unless(
      !kit.target.own || readLevel(ofPassport) !== readLevel(last),
      'the document alone has the last level',
    ),
    { ours: true },
  )
  const participants = archive.steps.flatMap((step) => toItems(at(step, 'verificationDetails')))
  kit.claim(
    SEAL,
    'antifraud checks stand in the proof as participant ANTIFRAUD',
    unless(
      !kit.target.own || participants.some((one) => at(one, 'participantType') === 'ANTIFRAUD'),
      'there is none',
    ),
    { ours: true },
  )
  kit.claim(
    SEAL,
    'no verification of a sealed proof is PROCESSING',
    unless(
      participants.every((one) => at(one, 'participantState') !== 'PROCESSING'),
      'a finished verification says so',
    ),
    ARCHIVE,
  )
}

async function cancelledSession(kit: Kit): Promise<void> {
  const id = await newIdentity(kit, ['PORTRAIT'])
  const params = { id }
  const opened = await kit.must(SESSION, 'before the proof', { params }, { status: 200 })
  const [sessionId, evidenceId] = [field(opened, 'sessionId'), field(opened, 'id')]
  await kit.must(CANCEL, 'before the proof', { params: { id, sessionId } }, { status: 204 })
  const sent = await kit.must(
    PORTRAIT,
    'after a session that was cancelled',
    { params, form: { Portrait: PICTURES.portrait } },
    { status: 200 },
  )
  await kit.untilDecided(id, field(sent, 'id'))
  const archive = await sealAndOpen(kit, id)
  const names = listNames(about(archive?.steps ?? [], evidenceId))
  kit.claim(
    SEAL,
    'a session that was cancelled and replaced has two steps, named alike',
    unless(names === 'ADD LIVENESS_VIDEO, DELETE LIVENESS_VIDEO', `the steps are: ${names || 'none'}`),
    ARCHIVE,
  )
}

/** Only if the kit can read the passcode. */
async function passcodes(kit: Kit): Promise<void> {
  if (!kit.target.own) return
  const id = await newIdentity(kit, ['MOBILE_OTP'])
  const params = { id }
  const submit = 'POST /v1/identities/{id}/contact-details/mobile'
  const type = 'POST /v1/identities/{id}/contact-details/mobile/otp'
  await kit.must(submit, 'before the proof', { params, json: { value: NUMBER } }, { status: 200 })
  const code = await kit.target.own.passcodeFor(NUMBER)
  const wrong = code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
  for (const value of [wrong, code])
    await kit.must(type, 'before the proof', { params, json: { value } }, { status: 204 })
  const archive = await sealAndOpen(kit, id)
  const tries = (archive?.steps ?? []).filter(
    (step) => at(step, 'identityOperation', 'name') === 'OTP_VERIFICATION',
  )
  const told = tries.map((step) =>
    JSON.stringify([
      at(step, 'verificationDetails', 0, 'participantState'),
      at(step, 'contactDetails', 'mobile', 'otp', 'status'),
    ]),
  )
  kit.claim(
    SEAL,
    'a wrong passcode and the right one are told apart',
    unless(told.length === 2 && told[0] !== told[1], 'both tries look alike'),
    { spec: 'Proof archive' },
  )
}
