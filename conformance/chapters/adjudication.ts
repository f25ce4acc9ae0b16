import { field, unless } from '../kit.ts'
import { adjudicationOfOurs, anyObject, identityStatus } from '../spec.ts'
import { listOf } from '../shapes.ts'
import { PICTURES, UNKNOWN_ID, newIdentity } from './common.ts'
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
  // A portrait is no document: whatever reads it cannot be sure, and a person may decide.
  const form = { DocumentFront: PICTURES.portrait }
  const submitted = await kit.must(
    'POST /v1/identities/{id}/id-documents/capture',
    'a picture without a document',
    { params, form },
    { status: 200 },
  )
  const evidenceId = field(submitted, 'id')
  const verdict = await kit.untilDecided(id, evidenceId)
  const here = { id, evidenceId }
  await kit.call(read, 'not asked for', { params: here }, { status: 404, spec: 'Errors' })
  const asked = await kit.must(
    ask,
    `a document that is ${verdict}`,
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
