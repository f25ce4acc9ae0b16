import { setTimeout as pause } from 'node:timers/promises'
import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { adjudicationOfOurs, anyObject, identity, identityStatus } from '../spec.ts'
import { listOf } from '../shapes.ts'
import { ADDRESS, PICTURES, UNKNOWN_ID, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const STATUSES = ['TO_PROCESS', 'PROCESSING', 'UNSURE', 'ACCEPTED', 'REJECTED', 'ERROR', 'TIME_OUT']

export const adjudication: Chapter = async (kit) => {
  const list = 'GET /v1/identities/{id}/adjudications'
  const read = 'GET /v1/identities/{id}/adjudications/{evidenceId}'
  const ask = 'POST /v1/identities/{id}/adjudications/{evidenceId}'
  const id = await newIdentity(kit, ['ID_DOCUMENT'])
  const params = { id }
  const ofList = { status: 200, shape: listOf(anyObject) }
  await kit.call(list, 'none yet', { params }, ofList)
  const evidenceId = await unreadableDocument(kit, id)
  const here = { id, evidenceId }
  await kit.call(read, 'not asked for', { params: here }, { status: 404, spec: 'Errors' })
  const asked = await kit.must(
    ask,
    'a document that was not verified',
    { params: here },
    { status: 200, shape: anyObject },
  )
  kit.claim(ask, 'what was asked for', adjudicationOfOurs(asked.json, 'answer'), { ours: true })
  const one = await kit.call(read, 'what was asked for', { params: here }, { status: 200, shape: anyObject })
  kit.claim(read, 'what was asked for', adjudicationOfOurs(one.json, 'answer'), { ours: true })
  const all = await kit.call(
    list,
    'what was asked for',
    { params },
    { status: 200, shape: listOf(anyObject, 1) },
  )
  kit.claim(list, 'each of them', listOf(adjudicationOfOurs, 1)(all.json, 'answer'), { ours: true })
  for (const status of STATUSES)
    await kit.call(list, `those ${status}`, { params, query: { status } }, ofList)
  await kit.call(list, 'a status that is none', { params, query: { status: 'DONE' } }, { status: 404 })
  await kit.call(
    ask,
    'an evidence that does not exist',
    { params: { id, evidenceId: UNKNOWN_ID } },
    { status: 404 },
  )
  const status = await kit.call(
    'GET /v1/identities/{id}/status',
    'while a person decides',
    { params },
    { status: 200, shape: identityStatus },
  )
  const evidence = await kit.call(
    'GET /v1/identities/{id}/status/{evidenceId}',
    'while a person decides',
    { params: here },
    { status: 200 },
  )
  kit.claim(
    ask,
    'the evidence is in ADJUDICATION',
    unless(field(evidence, 'status') === 'ADJUDICATION', 'another status came'),
    { spec: 'States and transitions' },
  )
  kit.claim(
    'GET /v1/identities/{id}/status',
    'answers while a person decides',
    unless(status.status === 200, 'no status came'),
  )
}

/**
 * Submits a passport that was declared to be a licence: the machine does not decide, and an adjudicator has
 * something to examine.
 */
async function unreadableDocument(kit: Kit, id: string): Promise<string> {
  const capture = 'POST /v1/identities/{id}/id-documents/capture'
  const details = JSON.stringify({ documentType: 'DRIVING_LICENSE' })
  const form = {
    DocumentFront: PICTURES.passport,
    DocumentCaptureDetails: new File([details], 'details.json', { type: 'application/json' }),
  }
  const submitted = await kit.must(
    capture,
    'a passport that was declared to be a licence',
    { params: { id }, form },
    { status: 200 },
  )
  const evidenceId = field(submitted, 'id')
  await kit.untilDecided(id, evidenceId)
  return evidenceId
}

const PAUSED_WITHIN_MS = 240_000
const POLL_MS = 250

/** Waiting is possible only for a server whose lifetimes are known. */
export const pausing: Chapter = async (kit) => {
  if (!kit.target.own) return
  const resume = 'GET /v1/identities/{id}/resume'
  const read = 'GET /v1/identities/{id}/status'
  const id = await newIdentity(kit, ['ID_DOCUMENT'])
  const params = { id }
  const evidenceId = await unreadableDocument(kit, id)
  const ask = 'POST /v1/identities/{id}/adjudications/{evidenceId}'
  await kit.must(ask, 'before the lifetime is over', { params: { id, evidenceId } }, { status: 200 })
  const statusNow = async (title: string): Promise<unknown> => {
    const answer = await kit.must(read, title, { params }, { status: 200, shape: identityStatus })
    return at(answer.json, 'globalStatus', 'status')
  }
  const until = Date.now() + PAUSED_WITHIN_MS
  let status = await statusNow('until the lifetime is over')
  while (status !== 'PAUSED' && Date.now() < until) {
    await pause(POLL_MS)
    status = await statusNow('until the lifetime is over')
  }
  const spec = 'States and transitions: pause and resume'
  const paused = unless(status === 'PAUSED', `the status is ${String(status)}`)
  kit.claim(read, 'a lifetime that ends while a person decides leaves PAUSED', paused, { spec })
  const late = { params, json: ADDRESS }
  await kit.call('POST /v1/identities/{id}/addresses', 'while paused', late, { status: 403, ours: true })
  await kit.call(resume, 'a paused identity', { params }, { status: 200, shape: identity, spec })
  const resumed = await statusNow('after it was resumed')
  const fault = `the status is ${String(resumed)}`
  kit.claim(
    resume,
    'is not paused any more',
    unless(['EXPECTING_INPUT', 'PROCESSING'].includes(String(resumed)), fault),
    { spec },
  )
}
