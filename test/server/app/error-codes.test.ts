/** Every code of the catalogue, reached through HTTP: by a call that fails with it, or in a result that is read back. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import {
  CAPTURE_ADVICE,
  ERROR_CATALOGUE,
  RESULT_CODES,
  type ResultCode,
} from '../../../server/proofing/error-codes.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { ImageFaultError, type Vision } from '../../../server/vision/protocol.ts'
import { sendAnswer } from '../../support/adjudication-service.ts'
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import { walkLogin } from '../../../server/tools/simulator/oidc.ts'
import { accept, answerWith } from '../../../server/tools/simulator/sms.ts'
import { aPassport, HOLDER, picture, type Scene } from './scripted-vision.ts'
import { startWholeApp, type WholeApp } from './whole-app.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
beforeEach(() => {
  whole.see()
  whole.gateway.answer(accept)
})
afterAll(() => whole.close())

const identities: string[] = []
async function anIdentity(): Promise<string> {
  const id = await whole.anIdentity()
  identities.push(id)
  return id
}

const at = (id: string, path: string): string => `/v1/identities/${id}/${path}`
const value = (text: string) => ({ value: text })

/** The codes of a result or of a refused call, and the status of the call. */
interface Reached {
  readonly codes: readonly string[]
  readonly status: number | null
}

async function refused(method: string, path: string, options?: CallOptions): Promise<Reached> {
  const { status, errors } = await whole.refusal(method, path, options)
  return { codes: errors.map(({ code }) => code), status }
}

type Place = 'document' | 'portrait' | 'attributes' | 'claim' | 'mobile' | 'trustedIdClaim'

/** The codes that GET identity shows in one place, when nothing of it is in work any more. */
async function found(id: string, place: Place): Promise<Reached> {
  await whole.endJobs(id)
  const identity = await whole.ask('Identity', 'GET', `/v1/identities/${id}`)
  const { idDocuments, portrait, attributes, claim, contactDetails, trustedIdClaim } = identity
  const errors = {
    document: idDocuments[0]?.evidenceStatus.errors,
    portrait: portrait?.evidenceStatus.errors,
    attributes: attributes[0]?.evidenceStatus.errors,
    claim: claim?.evidenceStatus?.errors,
    mobile: contactDetails?.mobile?.errors,
    trustedIdClaim: trustedIdClaim?.evidenceStatus.errors,
  }[place]
  return { codes: (errors ?? []).map(({ code }) => code), status: null }
}

async function post(id: string, path: string, options: CallOptions = {}): Promise<unknown> {
  const { status, body } = await whole.app.json('POST', at(id, path), options)
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

async function submitDocument(id: string, image: Uint8Array, details?: object): Promise<void> {
  const body = documentForm(image)
  if (details) {
    const part = new Blob([JSON.stringify(details)], { type: 'application/json' })
    body.append('DocumentCaptureDetails', part, 'details.json')
  }
  await post(id, 'id-documents/capture', { body })
}
const submitPortrait = (id: string, face: string | null): Promise<unknown> =>
  post(id, 'attributes/portrait/capture', { body: portraitForm(picture({ shows: 'person', face })) })
/** Another number for each submission, because passcodes are counted per number for all callers. */
let lines = 0
const aNumber = (): string => `+336123456${String(++lines).padStart(2, '0')}`
const submitMobile = (id: string, number = aNumber()): Promise<unknown> =>
  post(id, 'contact-details/mobile', { payload: value(number) })

async function documentOf(
  scene: Partial<Extract<Scene, { shows: 'document' }>>,
  details?: object,
): Promise<Reached> {
  const id = await anIdentity()
  await submitDocument(id, picture({ shows: 'document', lines: null, face: 'A', ...scene }), details)
  return found(id, 'document')
}

async function documentSeenBy(vision: Partial<Vision>): Promise<Reached> {
  const id = await anIdentity()
  whole.see(vision)
  await submitDocument(id, aPassport())
  return found(id, 'document')
}

async function portraitOf(face: string | null): Promise<Reached> {
  const id = await anIdentity()
  await submitDocument(id, aPassport())
  await submitPortrait(id, face)
  return found(id, 'portrait')
}

async function sentBy(status: number): Promise<Reached> {
  whole.gateway.answer(answerWith(status))
  const id = await anIdentity()
  await submitMobile(id)
  return found(id, 'mobile')
}

/** A session that is opened and then brings nothing, because of `end`. */
async function session(
  place: 'document' | 'portrait',
  end: (sessionId: string) => Promise<unknown>,
): Promise<Reached> {
  const id = await anIdentity()
  const path = {
    document: 'id-documents/live-capture-session',
    portrait: 'attributes/portrait/capture-session',
  }
  const { sessionId } = (await post(id, path[place], { payload: {} })) as { sessionId: string }
  await end(sessionId)
  return found(id, place)
}
const abandon = (sessionId: string): Promise<unknown> =>
  whole.app.call('DELETE', `/capture/sessions/${sessionId}`, { key: null })

/** A claim at the provider; `back` is what becomes of the browser that was sent there. */
async function trustedClaim(back: (authorizeUrl: string) => Promise<unknown>): Promise<Reached> {
  const id = await anIdentity()
  const begun = await post(id, 'trusted-id-claim/oidc', { payload: { idpIdentifier: 'bank' } })
  await back((begun as { idpAuthorizeEndpoint: string }).idpAuthorizeEndpoint)
  return found(id, 'trustedIdClaim')
}

/** A document that was sent to the adjudication service, and what it answered. */
async function answered(answer: object): Promise<Reached> {
  const id = await anIdentity()
  await submitDocument(id, picture({ shows: 'document', lines: null, face: 'A' }))
  await whole.endJobs(id)
  const { idDocuments } = await whole.ask('Identity', 'GET', at(id, ''))
  await post(id, `adjudications/${idDocuments[0]?.evidenceId}`)
  const { adjudications } = await whole.ask('DeskList', 'GET', '/v1/adjudications?limit=200')
  const adjudicationId = adjudications.find(({ identityId }) => identityId === id)?.adjudicationId
  const { status } = await sendAnswer(whole.app.url, { adjudicationId, ...answer }, { at: whole.now() })
  expect(status).toBe(204)
  return found(id, 'document')
}

/** While a file lies where one of the appliance's folders was. */
async function withoutFolder(name: 'images' | 'proofs', call: () => Promise<Reached>): Promise<Reached> {
  const path = join(whole.app.dataDir, name)
  renameSync(path, `${path}.aside`)
  writeFileSync(path, '')
  try {
    return await call()
  } finally {
    rmSync(path)
    renameSync(`${path}.aside`, path)
  }
}

const failing = (error: Error) => async () => Promise.reject(error)
const LICENCE = { documentType: 'DRIVING_LICENSE', jurisdiction: 'USA' }

const SCENARIOS: Readonly<Record<ResultCode, () => Promise<Reached>>> = {
  '1021': async () => {
    const id = await anIdentity()
    whole.see({ measurePortrait: failing(new Error('the network broke')) })
    await submitPortrait(id, 'A')
    return found(id, 'portrait')
  },
  '1033': () => sentBy(401),
  '1034': async () => {
    const id = await anIdentity()
    expect((await whole.app.call('GET', at(id, 'proof'))).status).toBe(200)
    await whole.passTime(DAY_MS)
    return refused('GET', at(id, 'proof'))
  },
  '1081': async () => {
    const id = await anIdentity()
    const body = documentForm(aPassport())
    return withoutFolder('images', () => refused('POST', at(id, 'id-documents/capture'), { body }))
  },
  '1082': async () => {
    const id = await anIdentity()
    return withoutFolder('proofs', () => refused('GET', at(id, 'proof')))
  },
  '1100': () => sentBy(503),
  '1101': async () => {
    const id = await anIdentity()
    return refused('POST', at(id, 'contact-details/mobile/otp'), { payload: value('123456') })
  },
  '1105': () => sentBy(422),
  '1117': async () => {
    const id = await anIdentity()
    for (let sent = 1; sent <= 3; sent++) await submitMobile(id)
    return refused('POST', at(id, 'contact-details/mobile'), { payload: value(aNumber()) })
  },
  '1118': async () => {
    const id = await anIdentity()
    await submitMobile(id)
    await whole.endJobs(id)
    const payload = value(whole.gateway.lastCode())
    await post(id, 'contact-details/mobile/otp', { payload })
    return refused('POST', at(id, 'contact-details/mobile/otp'), { payload })
  },
  '1131': async () => {
    const id = await anIdentity()
    await submitDocument(id, aPassport())
    await whole.endJobs(id)
    await post(id, 'attributes', { payload: { surname: value('Andersson') } })
    return found(id, 'attributes')
  },
  '1151': async () => {
    const id = await anIdentity()
    await post(id, 'claim', { payload: { contactDetails: { mobile: value(aNumber()) } } })
    await submitMobile(id)
    return found(id, 'claim')
  },
  '1508': () => documentOf({}, { documentType: 'IDENTITY_CARD' }),
  '1531': () => documentOf({ quality: { luminanceMean: 8 } }),
  '1532': () => documentOf({ quality: { clippedShare: 0.99 } }),
  '1533': () => documentOf({ quality: { edgeWidthPx: 30 } }),
  '1535': () => documentOf({ face: null }),
  '1539': () => documentOf({ band: { turnDeg: 40 } }),
  '1540': () => documentOf({ band: { widthShare: 1.1, isCut: true } }),
  '1541': () => documentOf({ band: { characterPitchPx: 4 } }),
  '1542': async () => {
    const id = await anIdentity()
    const front = picture({ shows: 'document', lines: null, face: 'A' })
    const body = documentForm(front)
    const back = picture({ shows: 'document', lines: null, face: null, barcode: null })
    body.append('DocumentBack', new Blob([back as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
    body.append('DocumentCaptureDetails', new Blob([JSON.stringify(LICENCE)]), 'details.json')
    await post(id, 'id-documents/capture', { body })
    return found(id, 'document')
  },
  '1543': () => documentOf({}),
  '1544': () => documentOf({ lines: buildTd3({ ...HOLDER, expiryDate: '200101' }) }),
  '1597': () => answered({ decision: 'ERROR' }),
  '1598': () => answered({ decision: 'REJECTED', reason: 'DOCUMENT_TAMPERED', adjudicator: 'a.1' }),
  '1599': async () => {
    const id = await anIdentity()
    const card = {
      cardNumber: '2123456711',
      cardType: 'G',
      expiryDate: '2040-08-01',
      personalAttributes: { fullname: value('Anna Eriksson'), dateOfBirth: value('1974-08-12') },
    }
    await post(id, 'id-document/aus/medicare', { payload: card })
    return found(id, 'document')
  },
  '1600': () => portraitOf('B'),
  '1601': () => portraitOf(null),
  '1609': () => session('portrait', () => whole.passTime(2 * MINUTE_MS)),
  '1610': () => session('portrait', () => whole.restart()),
  '1611': () => session('portrait', abandon),
  '2301': () => trustedClaim(() => whole.passTime(11 * MINUTE_MS)),
  '2302': () =>
    trustedClaim(async (url) => {
      const back = await walkLogin(url)
      await whole.provider.goDown()
      await fetch(back, { redirect: 'manual' })
      await whole.provider.comeBack()
    }),
  '2303': () =>
    trustedClaim(async (url) => fetch(await walkLogin(url, { decision: 'deny' }), { redirect: 'manual' })),
  '2400': () => documentSeenBy({ measureDocument: failing(new ImageFaultError('damaged')) }),
  '2401': () => session('document', () => whole.passTime(11 * MINUTE_MS)),
  '2402': () => session('document', abandon),
  '2403': () => documentSeenBy({ measureDocument: failing(new Error('the network broke')) }),
  '2404': () => documentSeenBy({ measureDocument: failing(new AppError('vision_unavailable')) }),
}

test('every code of the catalogue has a scenario, and every scenario a code', () => {
  expect(Object.keys(SCENARIOS).sort()).toEqual([...RESULT_CODES].sort())
})

test.each(RESULT_CODES.map((code) => [code, ERROR_CATALOGUE[code].meaning] as const))(
  '%s: %s',
  async (code) => {
    const { codes, status } = await SCENARIOS[code]()
    expect(codes).toContain(code)
    // A code that fails a call does so with the catalogue's status.
    if (status !== null) expect(status).toBe(ERROR_CATALOGUE[code].httpStatus)
  },
)

// @clause NIST-63A-4/3.2.1-inference
test('of all this a user agent is told every code of evidence with advice, and of none which check it was', async () => {
  const told = new Set<string>()
  const fields = new Set<string>()
  for (const id of identities) {
    const { body } = await whole.app.json('GET', `/v1/identities/${id}`, { key: whole.app.userAgentKey })
    const verified = JSON.stringify(body, (key, item: unknown) =>
      key === 'contactDetails' ? undefined : item,
    )
    for (const [, code, rest] of verified.matchAll(/"code":"(\d{4})"([^}]*)/g)) {
      told.add(code)
      if (!CAPTURE_ADVICE.some((advice) => advice === code) && rest.includes('"field"')) fields.add(code)
    }
  }
  // Codes of a call, of the phone, or of the proof only.
  const elsewhere = ['1033', '1034', '1081', '1082', '1100', '1101', '1105', '1117', '1118']
  expect([...told].sort()).toEqual(RESULT_CODES.filter((code) => !elsewhere.includes(code)).sort())
  expect([...fields]).toEqual([])
})
