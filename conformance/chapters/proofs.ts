import { createHash, createPublicKey, verify } from 'node:crypto'
import type { JsonWebKeyInput } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { detailsFile, identityDetailsFile, proofFile } from '../spec.ts'
import { isObject } from '../shapes.ts'
import { ARCHIVE, openEnvelope, parseFile, SEAL, untilNothingIsProcessed } from './archive.ts'
import { ADDRESS, PICTURES, consentTo, newIdentity, verifiedPassport } from './common.ts'
import type { Chapter } from './common.ts'

const READ = 'GET /v1/identities/{id}'
const MEDIA_FOLDERS = ['images', 'videos', 'additionalFiles'] as const

export const proofs: Chapter = async (kit) => {
  const id = await newIdentity(kit, ['ID_DOCUMENT', 'PORTRAIT', 'ADDRESS'])
  const params = { id }
  const capture = 'POST /v1/identities/{id}/attributes/portrait/capture'
  const first = await kit.must(
    capture,
    'a portrait that will be deleted',
    { params, form: { Portrait: PICTURES.portrait } },
    { status: 200 },
  )
  await kit.call(SEAL, 'while evidence is PROCESSING', { params }, { status: 403 })
  const deletedId = field(first, 'id')
  await kit.untilDecided(id, deletedId)
  await kit.must(
    'DELETE /v1/identities/{id}/attributes/portrait',
    'before the proof',
    { params },
    { status: 204 },
  )
  await verifiedPassport(kit, id)
  await kit.must(
    'POST /v1/identities/{id}/addresses',
    'before the proof',
    { params, json: ADDRESS },
    { status: 200 },
  )
  const form = { File: PICTURES.pdf, Metadata: '[{"key":"KIND","value":"letter"}]' }
  await kit.must(
    'POST /v1/identities/{id}/additional-files',
    'before the proof',
    { params, form },
    { status: 200 },
  )
  await untilNothingIsProcessed(kit, id)

  const before = await kit.must(READ, 'before the proof', { params }, { status: 200 })
  const sealed = await kit.must(SEAL, 'the archive', { params }, { status: 200 })
  const files = openEnvelope(kit, id, sealed.headers.get('content-type') ?? '', sealed.bytes)
  if (files) await checkArchive(kit, id, deletedId, files, before.json)

  const again = await kit.call(SEAL, 'a second time', { params }, { status: 200, ours: true })
  kit.claim(
    SEAL,
    'a second time byte for byte',
    unless(Buffer.compare(again.bytes, sealed.bytes) === 0, 'other bytes came'),
    { ours: true },
  )
  const late = { params, json: [{ type: 'GIV', approved: true }] }
  await kit.call('POST /v1/identities/{id}/consents', 'after the proof', late, {
    status: 403,
    spec: 'What the service does: retrieving the proof ends the transaction',
  })
  await kit.call(
    'POST /v1/identities/{id}/addresses',
    'after the proof',
    { params, json: ADDRESS },
    { status: 403, spec: 'What the service does: retrieving the proof ends the transaction' },
  )
}

async function checkArchive(
  kit: Kit,
  id: string,
  deletedId: string,
  files: ReadonlyMap<string, Buffer>,
  identityBefore: unknown,
): Promise<void> {
  const [proof, identityDetails, details] = [
    'proof.json',
    'identityDetails.json',
    'verificationAndEvaluationDetails.json',
  ].map((name) => parseFile(files.get(name)))
  kit.claim(SEAL, 'proof.json', proofFile(proof, 'proof'), ARCHIVE)
  kit.claim(
    SEAL,
    'proof.json names the identity',
    unless(at(proof, 'identityId') === id, 'it names another'),
    ARCHIVE,
  )
  kit.claim(SEAL, 'identityDetails.json', identityDetailsFile(identityDetails, 'identityDetails'), ARCHIVE)
  kit.claim(SEAL, 'verificationAndEvaluationDetails.json', detailsFile(details, 'details'), ARCHIVE)
  kit.claim(SEAL, 'hashes', hashFaults(proof, files), ARCHIVE)
  kit.claim(SEAL, 'signature', await signatureFaults(kit, proof), ARCHIVE)
  const same = isDeepStrictEqual(withoutTime(identityDetails), withoutTime(identityBefore))
  kit.claim(
    SEAL,
    'identityDetails.json equals GET identity with the back-end key',
    unless(same, 'they differ'),
    ARCHIVE,
  )
  kit.claim(SEAL, 'one entry per evidence and consent', undetailed(identityDetails, details), ARCHIVE)

  const steps = (Array.isArray(details) ? (details as unknown[]) : []).filter(
    (step) => at(step, 'participantContextId') === deletedId,
  )
  const types = steps.map((step) => at(step, 'identityOperation', 'type')).join(', ')
  const last = steps.at(-1)
  const extra = Object.keys((at(last, 'evidenceDetails') as object | undefined) ?? {}).filter(
    (name) => !['id', 'type', 'family'].includes(name),
  )
  kit.claim(
    SEAL,
    'a deleted evidence has two steps',
    [
      ...unless(types === 'ADD, DELETE', `the steps are: ${types || 'none'}`),
      ...unless(
        at(steps[0], 'evidenceDetails', 'captureImages') === undefined ||
          JSON.stringify(at(steps[0], 'evidenceDetails', 'captureImages')) === '[]',
        'the addition still names images',
      ),
      ...unless(extra.length === 0, `the deletion's evidenceDetails hold ${extra.join(', ')}`),
      ...unless(isObject(at(last, 'processingDetails')), 'the deletion has no processingDetails'),
      ...unless(isObject(at(last, 'evaluationDetails')), 'the deletion has no evaluationDetails'),
      ...unless(
        JSON.stringify(at(last, 'verificationDetails') ?? []) === '[]',
        'the deletion has verificationDetails',
      ),
    ],
    ARCHIVE,
  )
  await consentAfterwardsIsRefused(kit, id)
}

async function consentAfterwardsIsRefused(kit: Kit, closed: string): Promise<void> {
  const other = await newIdentity(kit)
  kit.claim(
    SEAL,
    'ends its own transaction alone',
    unless(other !== closed, 'the closed identity came again'),
  )
  await consentTo(kit, other, ['GIV'])
}

function hashFaults(proof: unknown, files: ReadonlyMap<string, Buffer>): readonly string[] {
  const hashes = at(proof, 'hashes')
  const listed = MEDIA_FOLDERS.flatMap((folder) => {
    const media = at(hashes, folder)
    return Array.isArray(media) ? (media as { path: string; hash: string }[]) : []
  })
  const expected = [
    { path: 'identityDetails.json', hash: at(hashes, 'identityDetails') },
    { path: 'verificationAndEvaluationDetails.json', hash: at(hashes, 'verificationAndEvaluationDetails') },
    ...listed,
  ]
  const wrong = expected.flatMap(({ path, hash }) => {
    const bytes = find(files, path)
    if (!bytes) return ['a listed file is missing']
    const real = createHash('sha256').update(bytes).digest('hex')
    return unless(
      real === String(hash).toLowerCase(),
      `the hash of a file below ${path.split('/')[0]} differs`,
    )
  })
  const media = [...files.keys()].filter((path) =>
    MEDIA_FOLDERS.some((folder) => path.startsWith(`${folder}/`)),
  )
  return [
    ...wrong,
    ...unless(media.length === listed.length, `${media.length} media files, ${listed.length} listed`),
  ]
}

/** A path may start with the root folder or below it. */
function find(files: ReadonlyMap<string, Buffer>, path: string): Buffer | undefined {
  return files.get(path) ?? files.get(path.slice(path.indexOf('/') + 1))
}

/** "header holds only the algorithm, payload is base64 of the minimized proof JSON". */
async function signatureFaults(kit: Kit, proof: unknown): Promise<readonly string[]> {
  const [header = '', payload = '', signature = ''] = String(at(proof, 'signature')).split('.')
  const decoded = parseFile(Buffer.from(header, 'base64url'))
  const signed = parseFile(Buffer.from(payload, 'base64url'))
  const unsigned = isObject(proof)
    ? Object.fromEntries(Object.entries(proof).filter(([name]) => name !== 'signature'))
    : null
  const keySet = await kit.call(
    'GET /.well-known/jwks.json',
    'to verify a proof',
    { key: null },
    { status: 200 },
  )
  const keys = at(keySet.json, 'keys')
  const isGood = (jwk: JsonWebKeyInput['key']): boolean =>
    verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    )
  return [
    ...unless(isDeepStrictEqual(decoded, { alg: 'RS256' }), 'the header holds more than alg RS256'),
    ...unless(isDeepStrictEqual(signed, unsigned), 'the payload is not the proof without its signature'),
    // A server may publish its key by other means; then there is nothing to verify with.
    ...(keySet.status === 200
      ? unless(Array.isArray(keys) && keys.some(isGood), 'no public key verifies it')
      : []),
  ]
}

function undetailed(identity: unknown, details: unknown): readonly string[] {
  const detailed = JSON.stringify(details)
  const ids = [
    ...['attributes', 'addresses', 'idDocuments'].flatMap((list) => idsIn(at(identity, list), 'evidenceId')),
    ...idsIn(at(identity, 'consents'), 'consentId'),
  ]
  const missing = ids.filter((id) => !detailed.includes(`"${id}"`))
  return unless(missing.length === 0, `${missing.length} of ${ids.length} have no entry`)
}

function idsIn(list: unknown, name: string): string[] {
  return Array.isArray(list) ? list.map((item) => String(at(item, name))) : []
}

/**
 * Sealing closes the transaction: its status and the time of evaluation may differ from those read before.
 */
function withoutTime(identity: unknown): unknown {
  const copy = structuredClone(identity)
  const summary = at(copy, 'globalStatus')
  if (isObject(summary)) {
    delete summary.status
    delete summary.evaluationDateTime
  }
  return copy
}
