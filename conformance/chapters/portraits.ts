import { at, field, unless } from '../kit.ts'
import { readMultipart } from '../multipart.ts'
import { portrait, portraitSession, buildStatusShape } from '../spec.ts'
import { oneOf } from '../shapes.ts'
import { PICTURES, newIdentity, verifiedPassport } from './common.ts'
import type { Chapter } from './common.ts'

const PRECEDES = { status: 403, spec: 'Consents: PORTRAIT precedes portrait processing' }
const OF_PORTRAIT = { status: 200, shape: buildStatusShape(oneOf('PORTRAIT')) }

export const portraits: Chapter = async (kit) => {
  const submit = 'POST /v1/identities/{id}/attributes/portrait/capture'
  const read = 'GET /v1/identities/{id}/attributes/portrait'
  const picture = 'GET /v1/identities/{id}/attributes/portrait/capture'
  const drop = 'DELETE /v1/identities/{id}/attributes/portrait'
  const form = { Portrait: PICTURES.portrait }
  const without = await kit.call(
    submit,
    'without the consent PORTRAIT',
    { params: { id: await newIdentity(kit) }, form },
    PRECEDES,
  )
  const named = Buffer.from(without.bytes).includes('PORTRAIT')
  kit.claim(submit, 'the refusal names the consent that is missing', unless(named, 'it does not'), {
    ours: true,
  })

  const id = await newIdentity(kit, ['ID_DOCUMENT', 'PORTRAIT'])
  const params = { id }
  await kit.call(picture, 'no portrait yet', { params }, { status: 404 })
  await kit.call(read, 'no portrait yet', { params }, { status: 404, spec: 'Errors' })
  await verifiedPassport(kit, id)
  const submitted = await kit.must(
    submit,
    'a photograph of the holder',
    { params, form, key: 'user-agent' },
    OF_PORTRAIT,
  )
  const verdict = await kit.untilDecided(id, field(submitted, 'id'))
  kit.claim(
    submit,
    'the holder of the specimen passport is recognised',
    unless(!kit.target.own || verdict === 'VERIFIED', `it ended as ${verdict}`),
    { ours: true },
  )
  await kit.call(
    read,
    'the portrait',
    { params, query: { detailed: 'true' } },
    { status: 200, shape: portrait },
  )
  await kit.call(
    read,
    'with the user-agent key',
    { params, key: 'user-agent' },
    { status: 200, shape: portrait },
  )
  const shown = await kit.call(picture, 'the picture', { params }, { status: 200 })
  const parts = readMultipart(shown.headers.get('content-type') ?? '', shown.bytes)
  const part = parts?.find(({ name }) => name === 'Portrait')
  kit.claim(picture, 'a form with the part Portrait', unless(part !== undefined, 'there is no such part'))
  kit.claim(
    picture,
    'the picture that was sent',
    unless(part?.bytes.byteLength === PICTURES.portrait.size, 'another picture came'),
    { ours: true },
  )

  await kit.call(
    submit,
    'a picture that is none',
    { params, form: { Portrait: PICTURES.notAPicture } },
    { status: 400 },
  )
  await kit.call(submit, 'no picture', { params, form: { Other: 'x' } }, { status: 400 })
  const replaced = await kit.call(submit, 'a PNG', { params, form: { Portrait: PICTURES.png } }, OF_PORTRAIT)
  if (replaced.status === 200) await kit.untilDecided(id, field(replaced, 'id'))
  const pdf = await kit.call(submit, 'a PDF', { params, form: { Portrait: PICTURES.pdf } }, OF_PORTRAIT)
  if (pdf.status === 200) await kit.untilDecided(id, field(pdf, 'id'))

  await kit.call(drop, 'picture and results', { params }, { status: 204 })
  await kit.call(picture, 'a deleted portrait', { params }, { status: 404 })
  await kit.call(drop, 'a deleted portrait', { params }, { status: 404 })
}

const NEW_NAME = 'POST /v1/identities/{id}/attributes/portrait/capture-session'
const OLD_NAME = 'POST /v1/identities/{id}/attributes/portrait/live-capture-session'
const CANCEL = 'DELETE /v1/identities/{id}/attributes/portrait/live-capture-session/{sessionId}'
const TYPES = ['LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE', 'LIVENESS_PASSIVE', 'LIVENESS_MLC']

export const portraitSessions: Chapter = async (kit) => {
  await kit.call(
    NEW_NAME,
    'without the consent PORTRAIT',
    { params: { id: await newIdentity(kit) } },
    PRECEDES,
  )
  const id = await newIdentity(kit, ['PORTRAIT'])
  const ofSession = { status: 200, shape: portraitSession }
  for (const operation of [NEW_NAME, OLD_NAME] as const) {
    const opened = await kit.must(operation, 'no body: defaults of the tenant', { params: { id } }, ofSession)
    const sessionId = field(opened, 'sessionId')
    await kit.call(CANCEL, 'a session that is open', { params: { id, sessionId } }, { status: 204 })
    await kit.call(CANCEL, 'a session that was ended', { params: { id, sessionId } }, { status: [204, 404] })
    if (operation === OLD_NAME) {
      const { headers } = opened
      kit.claim(
        OLD_NAME,
        'says that it is deprecated, and what to call instead',
        [
          ...unless(headers.has('deprecation'), 'the header Deprecation is missing'),
          ...unless(
            /capture-session>.*successor-version/.test(headers.get('link') ?? ''),
            'the header Link is missing',
          ),
        ],
        { ours: true },
      )
    }
  }
  for (const mode of ['webSDK', 'nativeSDK']) {
    await kit.call(
      NEW_NAME,
      `mode ${mode}`,
      { params: { id }, query: { mode }, key: 'user-agent' },
      ofSession,
    )
  }
  for (const type of TYPES) {
    const query = type === 'LIVENESS_MLC' ? { query: { mode: 'nativeSDK' } } : {}
    await kit.call(
      NEW_NAME,
      type,
      { params: { id }, json: { type }, ...query },
      { ...ofSession, spec: 'Liveness parameters' },
    )
  }
  const active = { type: 'LIVENESS_ACTIVE' }
  for (const nbChallenge of [1, 2, 3])
    await kit.call(
      NEW_NAME,
      `${nbChallenge} challenges`,
      { params: { id }, json: { ...active, nbChallenge } },
      { ...ofSession, spec: 'Limits' },
    )
  for (const nbChallenge of [0, 4, 1.5])
    await kit.call(
      NEW_NAME,
      `${nbChallenge} challenges`,
      { params: { id }, json: { ...active, nbChallenge } },
      { status: 400, spec: 'Limits' },
    )
  await kit.call(
    NEW_NAME,
    'a type that is none',
    { params: { id }, json: { type: 'LIVENESS_BY_FAX' } },
    { status: 400, spec: 'Liveness parameters' },
  )
  await kit.call(
    NEW_NAME,
    'a mode that is none',
    { params: { id }, query: { mode: 'faxSDK' } },
    { status: 400 },
  )
  await kit.call(
    NEW_NAME,
    'LIVENESS_HIGH and a security level',
    { params: { id }, json: { type: 'LIVENESS_HIGH', securityLevel: 'LOW' } },
    { ...ofSession, ours: true },
  )

  const opened = await kit.must(NEW_NAME, 'another one', { params: { id } }, ofSession)
  const answer = await kit.call(
    'GET /v1/identities/{id}/status/{evidenceId}',
    'while it is filmed',
    { params: { id, evidenceId: field(opened, 'id') } },
    { ...OF_PORTRAIT, spec: 'Portrait and liveness' },
  )
  kit.claim(
    NEW_NAME,
    'is PROCESSING',
    unless(at(answer.json, 'status') === 'PROCESSING', 'another status came'),
    { spec: 'States and transitions' },
  )
}
