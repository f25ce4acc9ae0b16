/**
 * The steps of a visit one by one: two sides, corrections, easier ways, phone, login; there is always a next
 * step.
 */
import {
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  QRCodeReader,
  RGBLuminanceSource,
} from '@zxing/library'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildMrz } from '../../../server/proofing/mrz/build.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { makeDocument } from '../../../server/tools/simulator/chip/profiles.ts'
import { walkLogin } from '../../../server/tools/simulator/oidc.ts'
import { importTrustFile } from '../../../server/trust/import-file.ts'
import { readTrustFile } from '../../../server/trust/trust-file.ts'
import { aPassport, HOLDER, picture, scriptedVision } from '../app/scripted-vision.ts'
import { makeChip } from '../../support/chip-documents.ts'
import { openSimulatedReaders, takenAwayAfter } from '../../support/simulated-readers.ts'
import {
  CHECK,
  CONSENT,
  DOCUMENT,
  PORTRAIT,
  startKioskApp,
  type KioskApp,
  type Page,
  type StepOf,
} from './kiosk-app.ts'

/** A card whose lines stand on its back. */
const FRONT = picture({
  shows: 'document',
  lines: null,
  face: 'A',
  quality: {
    framing: { by: 'outline', tiltDeg: 0, resolutionDpi: 300, spanShare: 0.7, missingShare: 0 },
  },
})
const NUMBER = '+33639980001'
const PROBLEM = 'urn:counterproof:problem:'

const readers = openSimulatedReaders()
let kiosk: KioskApp
let page: Page
/** The worker looks at no live picture. */
let isBroken = false
beforeAll(async () => {
  const vision = scriptedVision()
  kiosk = await startKioskApp({
    vision: {
      ...vision,
      trackFace: (input) => (isBroken ? Promise.reject(new Error('broken')) : vision.trackFace(input)),
    },
    sms: true,
    login: true,
    chipReaders: readers,
    config: { readers: { enabled: true } },
    journey: {
      languages: ['en', 'fr'],
      steps: [
        { ...CONSENT, optional: ['MOBILE_OTP'] },
        { kind: 'trusted-login', when: [{ connected: 'identity-providers' }] },
        DOCUMENT,
        CHECK,
        // Only the visits about the chip speak French.
        { kind: 'chip', when: [{ language: ['fr'] }] },
        { ...PORTRAIT, livenessType: 'LIVENESS_ACTIVE', withoutTurning: 'LIVENESS_PASSIVE_VIDEO' },
        { kind: 'phone', when: [{ connected: 'sms' }] },
      ],
    },
  })
})
afterAll(() => kiosk.close())

const storeOf = () => kiosk.app.appliance.store
const identityOf = (reference: string | null) =>
  storeOf().visits.findByReference(reference ?? '')?.identityId ?? ''

/** Up to the document, and no further. */
async function atDocument(): Promise<Page> {
  page = kiosk.page()
  await page.begin({ optional: ['MOBILE_OTP'] })
  await page.do('POST', 'skip', { step: 'trusted-login' })
  return page
}
async function atPortrait(): Promise<Page> {
  await atDocument()
  await page.showDocument(aPassport())
  await page.do('POST', 'check', {})
  return page
}
async function atPhone(): Promise<Page> {
  await atPortrait()
  await page.showFace()
  return page
}
/** Like the camera of a phone. */
function scan(rows: readonly string[]): string {
  const [scale, quiet] = [4, 4]
  const side = (rows.length + 2 * quiet) * scale
  const luminance = new Uint8ClampedArray(side * side).fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const dark = rows[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet] === '1'
      if (dark) luminance[y * side + x] = 0
    }
  const source = new RGBLuminanceSource(luminance, side, side)
  // The search for the corners of a code in a photograph misses some codes.
  const drawn = new Map([[DecodeHintType.PURE_BARCODE, true]])
  return new QRCodeReader().decode(new BinaryBitmap(new HybridBinarizer(source)), drawn).getText()
}
const leave = (by = page) => by.call('DELETE', 'session?why=STOPPED')

describe('the chip', () => {
  const chip = makeChip('eacpace')
  const other = makeDocument('eacpace')
  beforeAll(() => {
    importTrustFile(
      storeOf(),
      readTrustFile(chip.issued.authority),
      { by: 'Ada', confirmedBy: 'Ben' },
      kiosk.now(),
      { actor: 'operator' },
    )
  })
  // A kiosk begins few visits in a minute.
  beforeEach(() => kiosk.passTime(60_000))
  afterEach(() => {
    readers.fail(null)
    readers.place(null)
  })

  async function atChip(show = () => page.showDocument(aPassport())): Promise<Page> {
    page = kiosk.page()
    await page.do('POST', 'session', { language: 'fr' })
    await page.do('POST', 'consent', { approved: true, optional: ['MOBILE_OTP'] })
    await page.do('POST', 'skip', { step: 'trusted-login' })
    await show()
    await page.do('POST', 'check', {})
    return page
  }
  const showCard = async () => {
    const lines = buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1')
    return page.showDocument(FRONT, picture({ shows: 'document', lines, face: null }))
  }
  const begin = (can: string | null = null) => page.do('POST', 'chip', { can })
  const reaches = (state: string) =>
    vi.waitFor(async () => expect(await page.at('chip')).toMatchObject({ state }), { timeout: 20_000 })
  const arrives = (kind: string) =>
    vi.waitFor(async () => expect((await page.view()).step.kind).toBe(kind), { timeout: 20_000 })

  test('is read, continues after the document was taken away, and its check does not hold up the face', async () => {
    await atChip()
    expect(await page.at('chip')).toEqual({
      kind: 'chip',
      state: 'READY',
      documentType: 'PASSPORT',
      part: 'ACCESS',
      progress: 0,
      fault: null,
      mayTypeCan: false,
      mayBeSkipped: true,
    })
    expect((await begin()).step).toMatchObject({ state: 'WAITING' })
    readers.place(takenAwayAfter(readers, chip.card, 25))
    await reaches('LOST')
    readers.place(chip.card)
    await arrives('portrait')
    const { notice, position, reference } = await page.view()
    expect([notice, position.undone]).toEqual(['CHIP_READ', ['trusted-login']])
    await page.showFace()
    const document = storeOf()
      .evidences.list(identityOf(reference))
      .find(({ family }) => family === 'IDDOCUMENT')
    expect(document).toMatchObject({ status: 'VERIFIED', strength: 'LEVEL5' })
    const said = page.answers.join()
    expect(said).not.toMatch(/NFC_|LEVEL5/)
    await leave()
  })

  test('may be left out, and the reader then reads nothing', async () => {
    await atChip()
    await begin()
    const { step, notice, position } = await page.do('POST', 'skip', { step: 'chip' })
    expect([step.kind, notice, position.undone]).toEqual(['portrait', null, ['trusted-login', 'chip']])
    readers.place(chip.card)
    await kiosk.app.runJobs()
    const { reference } = await page.view()
    const [document] = storeOf().evidences.list(identityOf(reference))
    expect(document?.content.chip).toBeUndefined()
    await leave()
  })

  test('of a visit that ends is no longer read: the next document belongs to another person', async () => {
    await atChip()
    await begin()
    await leave()
    readers.place(chip.card)
    await atChip()
    expect(await page.at('chip')).toMatchObject({ state: 'READY' })
    await leave()
  })

  test('that does not open is told in words, and a passport has no number to type', async () => {
    await atChip()
    await begin()
    readers.place(other.card)
    await reaches('KEY_REFUSED')
    expect(await page.at('chip')).toMatchObject({ mayTypeCan: false })
    expect((await page.call('POST', 'chip', { can: '123456' })).status).toBe(403)
    readers.place(chip.card)
    await begin()
    await arrives('portrait')
    await leave()
  })

  test('that is none of a document is told, and the visit continues only when the person wants it', async () => {
    await atChip(showCard)
    await begin()
    readers.place(makeDocument('eac').card)
    await reaches('KEY_REFUSED')
    // This chip knows no card access number.
    await begin('000001')
    await reaches('FAILED')
    expect(await page.at('chip')).toMatchObject({ fault: 'UNREADABLE' })
    const { step, notice } = await page.do('POST', 'skip', { step: 'chip' })
    expect([step.kind, notice]).toEqual(['portrait', null])
    await leave()
  })

  test('of a card is opened with its number, three times and no more', async () => {
    await atChip(showCard)
    await begin()
    readers.place(other.card)
    await reaches('KEY_REFUSED')
    expect(await page.at('chip')).toMatchObject({ documentType: 'IDENTITY_CARD', mayTypeCan: true })
    expect((await page.call('POST', 'chip', { can: '12345' })).status).toBe(400)
    for (const can of ['000001', '000002', '000003']) {
      await begin(can)
      await reaches('KEY_REFUSED')
    }
    expect(await page.at('chip')).toMatchObject({ mayTypeCan: false })
    expect((await page.call('POST', 'chip', { can: '000004' })).status).toBe(403)
    expect(kiosk.app.log()).not.toContain('000001')
    await leave()
  })

  test('a reader that fails is told at once, and the visit continues when it works again', async () => {
    readers.fail('no_daemon')
    await atChip()
    await begin()
    await reaches('FAILED')
    expect(await page.at('chip')).toMatchObject({ fault: 'READER' })
    readers.fail(null)
    await reaches('WAITING')
    readers.place(chip.card)
    await arrives('portrait')
    await leave()
  })
})

describe('the document', () => {
  test('of two sides is handed in as two, and read from its back', async () => {
    await atDocument()
    const back = picture({
      shows: 'document',
      lines: buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1'),
      face: null,
    })
    const view = await page.showDocument(FRONT, back)
    expect(view.step).toMatchObject({ kind: 'check' })
    const evidence = storeOf().evidences.list(identityOf(view.reference)).at(-1)
    expect(evidence).toMatchObject({ type: 'IDENTITY_CARD', status: 'VERIFIED' })
    await leave()
  })

  test('without a chosen type is recognised, before the camera and as a file', async () => {
    await atDocument()
    const opened = await page.open('document/session')
    expect(opened.sides).toEqual(['FRONT', 'BACK'])
    const form = new FormData()
    form.append('Side', new Blob([Buffer.from(aPassport())], { type: 'image/jpeg' }), 'side.jpg')
    const side = `/capture/sessions/${opened.sessionId}/side`
    const { body } = await kiosk.app.json('POST', side, { key: null, body: form })
    expect(body).toMatchObject({ documentType: 'PASSPORT', sidesToCapture: ['FRONT'] })
    await page.do('DELETE', 'document/choice')
    expect(await page.at('document')).toMatchObject({ state: 'CHOOSE' })
    await page.do('DELETE', 'document/kind')
    expect(await page.at('document')).toMatchObject({ state: 'CAPTURE', choice: null })
    await page.do('POST', 'document/file', aPassport())
    await kiosk.app.runJobs()
    expect((await page.view()).step.kind).toBe('check')
    await leave()
  })

  test('as files is asked for side by side, and the last one hands them in', async () => {
    await atDocument()
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'IDENTITY_CARD' })
    const held = await page.do('POST', 'document/file', FRONT)
    expect(held.step).toMatchObject({ state: 'CAPTURE', fileWanted: 'BACK', left: 3 })
    const back = picture({
      shows: 'document',
      lines: buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1'),
      face: null,
    })
    await page.do('POST', 'document/file', back)
    await kiosk.app.runJobs()
    expect((await page.view()).step.kind).toBe('check')
    await leave()
  })

  test('that cannot be read is asked for again with advice; after the last try a person looks at it', async () => {
    await atDocument()
    const dark = picture({ shows: 'document', lines: null, face: null, quality: { luminanceMean: 20 } })
    const first = await page.showDocument(dark)
    expect(first.step).toMatchObject({ kind: 'document', state: 'AGAIN', left: 2 })
    expect((first.step as StepOf<'document'>).guidance).toContain('DOCUMENT_DARK')
    await page.capture(dark)
    const last = await page.capture(dark)
    expect(last.step.kind).toBe('portrait')
    expect(last.position.steps).not.toContain('check')
    expect(last.notice).toBe('DOCUMENT_TO_PERSON')
    await leave()
  })

  test('whose session ends without pictures costs no try', async () => {
    await atDocument()
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
    await page.open('document/session')
    expect(await page.at('document')).toMatchObject({ state: 'CAPTURE', left: 3 })
    // The page asks all the while.
    for (let minute = 0; minute < 10; minute++) {
      expect(await page.at('document')).toMatchObject({ state: 'CAPTURE' })
      await kiosk.passTime(60_000)
    }
    await kiosk.app.runJobs()
    expect(await page.at('document')).toMatchObject({
      state: 'AGAIN',
      guidance: ['DOCUMENT_NOT_TAKEN'],
      left: 3,
    })
    await leave()
  })

  test('may be another one: the choice is taken back, and the session with it', async () => {
    await atDocument()
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
    const { sessionId } = await page.open('document/session')
    const view = await page.do('DELETE', 'document/choice')
    expect(view.step).toMatchObject({ state: 'CHOOSE', choice: null })
    expect(storeOf().captureSessions.find(sessionId)?.state).toBe('CANCELLED')
    await leave()
  })

  test('that the applicant cannot show here goes to an officer: the receipt opens the visit at the counter', async () => {
    await atDocument()
    const view = await page.do('POST', 'skip', { step: 'document', person: true })
    expect(view.step).toMatchObject({ kind: 'waiting', ready: true })
    // Staff know from now on, and not only once the receipt is there.
    expect(storeOf().visits.findByReference(view.reference ?? '')?.sent?.because).toBe('CHOSEN')
    const { step, reference } = await page.do('POST', 'finish')
    expect(step).toMatchObject({ kind: 'result', outcome: 'PERSON', isCaptured: false })
    const id = identityOf(reference)
    await page.call('DELETE', 'session?why=FINISHED')
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    expect(storeOf().visits.findByIdentity(id)).toMatchObject({
      outcome: 'PERSON',
      sent: { because: 'CHOSEN' },
    })
  })
})

describe('the data from the document', () => {
  test('is put right by typing: the statement stands beside the evidence, which keeps its value', async () => {
    await atDocument()
    const { reference } = await page.showDocument(aPassport())
    const corrections = { familyName: 'Erikson', birthDate: '1974-08-13', sex: 'X' }
    expect((await page.do('POST', 'check', { corrections })).step.kind).toBe('portrait')
    const evidences = storeOf().evidences.list(identityOf(reference))
    expect(evidences.find(({ family }) => family === 'ATTRIBUTES')?.content.attributes).toEqual({
      surname: { value: 'Erikson', verified: false },
      dateOfBirth: { value: '1974-08-13', verified: false },
      gender: { value: 'X', verified: false },
    })
    const document = evidences.find(({ family }) => family === 'IDDOCUMENT')
    expect(document?.content.document?.personalAttributes.surname?.value).toBe('ERIKSSON')
    await leave()
  })

  test.each([
    ['a number, which is photographed again', { documentNumber: 'X1' }],
    ['a day that no calendar has', { birthDate: '1974-02-30' }],
    ['a country that is none', { nationality: 'XXX' }],
    ['a line that is not there', { address: 'Storgatan 1' }],
    ['nothing at all', { familyName: '' }],
    ['a text without end', { familyName: 'x'.repeat(201) }],
  ])('is not put right by %s', async (_what, corrections) => {
    await atDocument()
    await page.showDocument(aPassport())
    const { status, body } = await page.call('POST', 'check', { corrections })
    expect([status, body.type]).toEqual([400, `${PROBLEM}validation_failed`])
    for (const value of Object.values(corrections).filter((text) => text.length > 3)) {
      expect(JSON.stringify(body)).not.toContain(value)
    }
    await leave()
  })

  test('may be photographed again, as often as tries are left', async () => {
    await atDocument()
    const first = await page.showDocument(aPassport())
    expect(first.step).toMatchObject({ kind: 'check', left: 2 })
    const again = await page.do('POST', 'check/retake')
    expect(again.step).toMatchObject({ kind: 'document', state: 'CAPTURE', left: 2 })
    await page.capture(aPassport())
    await page.do('POST', 'check/retake')
    expect((await page.capture(aPassport())).step).toMatchObject({ kind: 'check', left: 0 })
    expect((await page.call('POST', 'check/retake')).status).toBe(403)
    await leave()
  })

  test('is shown as it is printed, with the picture of its line, and says what was hard to read', async () => {
    await atDocument()
    const print = ['UTOPIA PASSPORT', 'Surname', 'Eriksson', 'Given names', 'Anna Maria']
    const lines = JSON.parse(Buffer.from(aPassport()).toString()) as { lines: string[] }
    const unsure = picture({ shows: 'document', lines: lines.lines, face: 'A', page: print })
    const { step } = await page.showDocument(unsure)
    const fields = (step as StepOf<'check'>).fields
    expect(fields.find(({ name }) => name === 'familyName')).toMatchObject({
      value: 'Eriksson',
      hasCrop: true,
    })
    const crop = await page.call('GET', 'check/crop/familyName')
    expect([crop.status, crop.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(crop.headers.get('cache-control')).toBe('no-store')
    expect((await page.call('GET', 'check/crop/address')).status).toBe(404)
    expect((await page.call('GET', 'check/crop/__proto__')).status).toBe(404)
    await leave()
  })

  test('of a person with a single name has one field for it', async () => {
    await atDocument()
    const { step } = await page.showDocument(aPassport({ surname: 'SUKARNO', givenNames: [] }))
    const names = (step as StepOf<'check'>).fields.map(({ name }) => name)
    expect(names).toContain('name')
    expect(names).not.toContain('familyName')
    expect(names).not.toContain('givenNames')
    await leave()
  })
})

describe('the face that the journey leaves to an officer', () => {
  let other: KioskApp
  let visitor: Page
  const storeOfOther = () => other.app.appliance.store
  beforeAll(async () => {
    const face = { ...PORTRAIT, livenessType: 'LIVENESS_MLC' }
    const ways = { withoutTurning: 'OFFICER', withoutColours: 'OFFICER' }
    other = await startKioskApp({ journey: { steps: [CONSENT, DOCUMENT, CHECK, { ...face, ...ways }] } })
  })
  afterAll(() => other.close())
  beforeEach(async () => {
    visitor = other.page()
    await visitor.begin()
    await visitor.showDocument(aPassport())
    await visitor.do('POST', 'check', {})
  })
  const findVisit = (reference: string | null) => storeOfOther().visits.findByReference(reference ?? '')
  const listFaces = (reference: string | null) =>
    storeOfOther()
      .evidences.list(findVisit(reference)?.identityId ?? '')
      .filter(({ family }) => family === 'PORTRAIT')

  test.each([{ withoutTurning: true }, { withoutColours: true }])(
    'is offered at the counter, and %j opens no session here',
    async (wish) => {
      const { step, reference } = await visitor.view()
      expect(step).toMatchObject({ withoutTurning: 'COUNTER', withoutColours: 'COUNTER' })
      const { status, body } = await visitor.call('POST', 'portrait/session', wish)
      expect([status, body.type]).toEqual([400, `${PROBLEM}validation_failed`])
      expect(listFaces(reference)).toEqual([])
      await leave(visitor)
    },
  )

  test.each(['CANNOT_TURN', 'NO_COLOURS'])(
    'goes to the counter because of %s, with everything that was shown before',
    async (because) => {
      const { step, reference } = await visitor.do('POST', 'skip', {
        step: 'portrait',
        person: true,
        because,
      })
      expect(step).toMatchObject({ kind: 'waiting', ready: true })
      expect(findVisit(reference)?.sent?.because).toBe(because)
      const end = await visitor.do('POST', 'finish')
      expect(end.step).toMatchObject({ kind: 'result', outcome: 'PERSON', isCaptured: true })
      expect(listFaces(reference)).toEqual([])
      await visitor.call('DELETE', 'session?why=FINISHED')
    },
  )

  test('goes there for no reason that is not on the list', async () => {
    const because = 'The person said so'
    const skip = { step: 'portrait', person: true, because }
    expect((await visitor.call('POST', 'skip', skip)).status).toBe(400)
    await leave(visitor)
  })
})

describe('the face', () => {
  test.each([
    [{}, 'LIVENESS_ACTIVE'],
    [{ withoutTurning: true }, 'LIVENESS_PASSIVE_VIDEO'],
  ])('with the wish %j is asked for as %s', async (wish, livenessType) => {
    await atPortrait()
    const { sessionId } = await page.open('portrait/session', wish)
    expect(storeOf().captureSessions.find(sessionId)?.settings).toMatchObject({ livenessType })
    await leave()
  })

  test('that is filmed in the gentler way is filmed in it again at the next try', async () => {
    await atPortrait()
    const { step } = await page.showFace({ wish: { withoutTurning: true }, scene: { isFlat: true } })
    expect(step).toMatchObject({
      state: 'AGAIN',
      wish: { withoutTurning: true },
      livenessType: 'LIVENESS_PASSIVE_VIDEO',
      withoutTurning: null,
    })
    await leave()
  })

  test('whose film a fault of ours ended is told as that, to the person and to who counts faults', async () => {
    const { reference } = await (await atPortrait()).view()
    isBroken = true
    const { step } = await page.showFace().finally(() => (isBroken = false))
    expect(step).toMatchObject({ state: 'AGAIN', guidance: ['PORTRAIT_OURS', 'PORTRAIT_NOT_DONE'] })
    const visit = storeOf().visits.findByReference(reference ?? '')
    const notes = storeOf().visits.listNotes(visit?.id ?? '')
    const told = notes.map(({ step: at, kind, code }) => `${at} ${kind} ${code}`)
    expect(told).toContain('portrait END PORTRAIT_OURS')
    expect(told).toContain('portrait FAULT PORTRAIT_OURS')
    await leave()
  })

  test('is not spared what the journey has no gentler way for', async () => {
    await atPortrait()
    expect((await page.call('POST', 'portrait/session', { withoutColours: true })).status).toBe(400)
    await leave()
  })

  test('that is no live person is asked for again without a reason, tips first, and then goes to a person', async () => {
    await atPortrait()
    const first = await page.showFace({ scene: { isFlat: true } })
    expect(first.step).toMatchObject({
      kind: 'portrait',
      state: 'AGAIN',
      guidance: ['PORTRAIT_NOT_DONE'],
      left: 2,
      tipsFirst: false,
    })
    const second = await page.showFace({ scene: { isFlat: true } })
    expect(second.step).toMatchObject({ state: 'AGAIN', left: 1, tipsFirst: true })
    const third = await page.showFace({ scene: { isFlat: true } })
    expect(third.step.kind).toBe('phone')
    await page.do('POST', 'skip', { step: 'phone' })
    const { step } = await page.do('POST', 'finish')
    expect(step).toMatchObject({ outcome: 'PERSON' })
    expect(page.answers.join()).not.toMatch(/LIVENESS_CHALLENGE|NOT_VERIFIED|1611/)
  })

  test('of another person continues like any other, and the page is not told', async () => {
    await atPortrait()
    const view = await page.showFace({ face: 'B' })
    expect([view.step.kind, view.notice]).toEqual(['phone', null])
    await leave()
  })
})

describe('the phone', () => {
  test('is sent a code, which verifies it; the number is shown masked', async () => {
    await atPhone()
    await page.do('POST', 'phone', { number: NUMBER })
    await kiosk.app.runJobs()
    expect(await page.at('phone')).toMatchObject({
      state: 'CODE',
      maskedNumber: '+33 •• •• •• 01',
      digits: 6,
      triesLeft: 5,
      mismatch: false,
      mayChangeNumber: true,
    })
    const code = kiosk.gateway?.lastCode() ?? ''
    const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
    expect((await page.do('POST', 'phone/code', { code: wrong })).step).toMatchObject({
      state: 'CODE',
      mismatch: true,
      triesLeft: 4,
    })
    expect((await page.do('POST', 'phone/code', { code })).step.kind).toBe('waiting')
    expect((await page.do('POST', 'finish')).step).toMatchObject({ outcome: 'CONFIRMED' })
    expect(page.answers.join()).not.toContain(NUMBER.slice(3))
  })

  test('is not flooded: again after half a minute, three times an hour, then no number at all', async () => {
    await atPhone()
    const number = '+33639980002'
    await page.do('POST', 'phone', { number })
    await kiosk.app.runJobs()
    const { status, body } = await page.call('POST', 'phone', { number })
    expect([status, body.type]).toEqual([429, `${PROBLEM}rate_limited`])
    for (let sent = 1; sent < 3; sent++) {
      kiosk.tick(31_000)
      await page.do('POST', 'phone', { number })
      await kiosk.app.runJobs()
    }
    expect(await page.at('phone')).toMatchObject({ sendAgainAt: null, mayChangeNumber: false })
    kiosk.tick(31_000)
    const more = await page.call('POST', 'phone', { number: '+33639980003' })
    expect(more.body.type).toBe(`${PROBLEM}otp_attempts_reached`)
    expect((await page.do('POST', 'skip', { step: 'phone' })).step.kind).toBe('waiting')
    await leave()
  })

  test('may be another one, or none', async () => {
    await atPhone()
    await page.do('POST', 'phone', { number: '+33639980004' })
    await kiosk.app.runJobs()
    const other = await page.do('DELETE', 'phone')
    expect(other.step).toMatchObject({ kind: 'phone', state: 'NUMBER', maskedNumber: null })
    const skipped = await page.do('POST', 'skip', { step: 'phone' })
    expect(skipped.position.undone).toEqual(['trusted-login', 'phone'])
    expect((await page.do('POST', 'finish')).step).toMatchObject({ outcome: 'CONFIRMED' })
  })

  test('is not asked for without the applicant’s consent', async () => {
    page = kiosk.page()
    const view = await page.begin({ optional: [] })
    expect(view.position.steps).not.toContain('phone')
    const consents = storeOf().consents.list(identityOf(view.reference))
    expect(consents.find(({ type }) => type === 'MOBILE_OTP')?.approved).toBe(false)
    await leave()
  })
})

describe('the trusted login', () => {
  test('is scanned, done on the own phone, and then is done here', async () => {
    page = kiosk.page()
    const begun = await page.begin({ optional: ['MOBILE_OTP'] })
    expect(begun.step).toEqual({
      kind: 'trusted-login',
      state: 'CHOOSE',
      providers: [{ id: 'bank', name: 'The bank' }],
      login: null,
    })
    const { step } = await page.do('POST', 'trusted-login', { id: 'bank' })
    const { login, state } = step as StepOf<'trusted-login'>
    expect(state).toBe('WAITING')
    expect(login?.qr.rows.length).toBeGreaterThan(40)
    const id = identityOf(begun.reference)
    const claim = storeOf().evidences.list(id).at(-1)
    expect(claim).toMatchObject({ family: 'TRUSTED_ID_CLAIM', status: 'PROCESSING' })
    await leave()
  })

  test('that is given up can be chosen again or left out', async () => {
    page = kiosk.page()
    await page.begin({ optional: ['MOBILE_OTP'] })
    await page.do('POST', 'trusted-login', { id: 'bank' })
    expect((await page.do('DELETE', 'trusted-login')).step).toMatchObject({ state: 'CHOOSE' })
    await page.do('POST', 'trusted-login', { id: 'bank' })
    kiosk.tick(11 * 60_000)
    // As the page does every few seconds.
    expect((await page.call('GET', 'visit')).status).toBe(204)
    await page.begin({ optional: ['MOBILE_OTP'] })
    await page.do('POST', 'trusted-login', { id: 'bank' })
    expect((await page.do('POST', 'skip', { step: 'trusted-login' })).step.kind).toBe('document')
    await leave()
  })

  test('of a provider that is not registered is refused', async () => {
    page = kiosk.page()
    await page.begin({ optional: ['MOBILE_OTP'] })
    expect((await page.call('POST', 'trusted-login', { id: 'elsewhere' })).status).toBe(400)
    await leave()
  })

  test('is confirmed by what the provider shares', async () => {
    page = kiosk.page()
    await page.begin({ optional: ['MOBILE_OTP'] })
    const { step } = await page.do('POST', 'trusted-login', { id: 'bank' })
    const back = await walkLogin(scan((step as StepOf<'trusted-login'>).login?.qr.rows ?? []))
    expect((await fetch(back)).status).toBeLessThan(400)
    expect((await page.view()).step.kind).toBe('document')
    await leave()
  })
})

describe('the course of a visit', () => {
  const dark = picture({ shows: 'document', lines: null, face: null, quality: { luminanceMean: 20 } })
  const courseOf = (reference: string | null) => {
    const visit = storeOf().visits.findByReference(reference ?? '')
    return storeOf()
      .visits.listNotes(visit?.id ?? '')
      .filter(({ kind }) => ['STEP', 'END', 'ACT'].includes(kind))
      .map(({ step, kind, code }) => `${step} ${kind} ${code}`)
  }

  test('says of each try how it ended, once, and what the person did besides', async () => {
    await atDocument()
    const { reference } = await page.showDocument(dark)
    for (let poll = 0; poll < 3; poll++) await page.view()
    await page.do('POST', 'help')
    await page.do('DELETE', 'help')
    await page.do('DELETE', 'document/choice')
    await page.showDocument(aPassport())
    await page.do('POST', 'check/retake')
    await page.showDocument(aPassport())
    await page.do('POST', 'check', { corrections: { sex: 'X' } })
    await page.showFace()
    expect(courseOf(reference)).toEqual([
      'consent STEP consent',
      'trusted-login STEP trusted-login',
      'trusted-login ACT LEFT_OUT',
      'document STEP document',
      'document END DOCUMENT_DARK',
      'document ACT HELP',
      'document ACT BY_HAND',
      'document END GOOD',
      'check STEP check',
      'check END CHECK_RETAKEN',
      'document STEP document',
      'document END GOOD',
      'check STEP check',
      'check END CHECK_TYPED',
      'portrait STEP portrait',
      'portrait END GOOD',
      'phone STEP phone',
    ])
    await leave()
  })

  test('tells staff what the person does not learn: that face and document differ', async () => {
    await atDocument()
    await page.showDocument(aPassport({}, 'B'))
    await page.do('POST', 'check', {})
    const { reference } = await page.showFace()
    expect(courseOf(reference)).toContain('portrait END PORTRAIT_DIFFERS')
    expect(page.answers.join()).not.toContain('PORTRAIT_DIFFERS')
    await leave()
  })

  test('holds a step that was left to a person', async () => {
    await atDocument()
    const { reference } = await page.do('POST', 'skip', { step: 'document', person: true })
    expect(courseOf(reference)).toContain('document ACT TO_PERSON')
    await leave()
  })
})
