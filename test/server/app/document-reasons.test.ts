/**
 * One sentence on what is wrong with a document: drawn pictures, the real models, one appliance. The relying service, a user
 * agent, the kiosk and the counter are asked about the same picture, and none of them is told a value.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssistView } from '../../../server/counter/contract/assist.ts'
import type { ProofingDetail, ProofingPage } from '../../../server/counter/contract/today.ts'
import { inventCard } from '../../../server/tools/specimen/documents/card-facts.ts'
import { forgeFacts } from '../../../server/tools/specimen/documents/forge-facts.ts'
import { DESIGNS, renderDocumentSide } from '../../../server/tools/specimen/documents/render.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'
import { lendVision } from '../../support/remembering-vision.ts'
import { anAssisted } from '../counter/work.ts'
import { aJourney, Page, type KioskApp, type StepOf } from '../kiosk/kiosk-app.ts'

const SPECIMENS = join(import.meta.dirname, '..', '..', '..', 'resources', 'specimens')
const PAGE_PX = 1250
const DPI = 300
/** Seeds of the generator: a valid passport, and a forger's change of its MRZ. */
const [SEED, FORGED_SEED] = [4, 5]

/** A picture of these pages side by side on a table. */
async function onTable(...pages: readonly Buffer[]): Promise<Buffer> {
  const [width, height] = [pages.length * (PAGE_PX + 260) + 240, 1500]
  return sharp({ create: { width, height, channels: 3, background: { r: 116, g: 92, b: 70 } } })
    .composite(pages.map((input, at) => ({ input, left: 220 + at * (PAGE_PX + 220), top: 300 + at * 40 })))
    .jpeg({ quality: 92 })
    .toBuffer()
}

const specimenPage = (who: string): Promise<Buffer> =>
  sharp(join(SPECIMENS, who, 'passport-page.png'))
    .resize(PAGE_PX)
    .toBuffer()

interface Drawn {
  readonly page: Buffer
  readonly lines: readonly string[]
}

/** A passport of the generator. `smudge` copies one character of its zone over the next: its digits fit no more. */
async function passport(forgedSeed: number | null, smudge?: readonly [line: number, column: number]) {
  const { pixels, widthPx, heightPx, truth } = await renderDocumentSide('passport', SEED, 0, DPI, forgedSeed)
  const drawn = sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: 3 } }).png()
  let picture = await drawn.toBuffer()
  const { zone } = truth
  if (!zone) throw new Error('a passport has a zone')
  if (smudge) {
    const [line, column] = smudge
    const px = (mm: number): number => (mm * DPI) / 25.4
    const pitch = px(zone.box.width) / zone.lines[0].length
    const place = (at: number) => ({
      left: Math.round(px(zone.box.x) + at * pitch),
      top: Math.round(px(zone.box.y) + (line * px(zone.box.height)) / 2),
    })
    const [width, height] = [Math.round(pitch), Math.round(px(zone.box.height) / 2)]
    const copied = await sharp(picture)
      .extract({ ...place(column), width, height })
      .toBuffer()
    picture = await sharp(picture)
      .composite([{ input: copied, ...place(column + 1) }])
      .toBuffer()
  }
  return { page: await sharp(picture).resize(PAGE_PX).toBuffer(), lines: zone.lines } satisfies Drawn
}

interface Reason {
  readonly code: string
  readonly message: string
  readonly field?: string
}

interface Place extends CounterApp {
  readonly officer: CounterBrowser
}

async function open(over: { tenant?: object; now?: Date } = {}): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  mkdirSync(join(dataDir, 'journeys'))
  writeFileSync(join(dataDir, 'journeys', 'of-a-test.json'), JSON.stringify(aJourney()))
  const { now } = over
  const place = await startCounterApp({
    dataDir,
    // Lent to each appliance, because an appliance closes its vision worker when it ends.
    vision: await lendVision(),
    config: {
      tenant: { ...SHARING_TENANT, ...over.tenant },
      kiosk: { journey: 'of-a-test' },
      rateLimits: { relyingServicePerMinute: 10_000, userAgentPerMinute: 10_000 },
    },
    ...(now ? { clock: { now: () => now } } : {}),
  })
  return Object.assign(place, { officer: await place.signedIn('officer') })
}

interface Chosen {
  readonly country: string
  readonly documentType: string
}

interface Told {
  readonly relyingService: Reason | undefined
  readonly userAgent: Reason | undefined
  readonly counter: { readonly code: string; readonly field: string | null } | null | undefined
  /** Empty: nothing is said, a person looks at it. */
  readonly kiosk: readonly string[]
  readonly kioskField: string | null
}

async function ask(place: Place, image: Buffer, chosen: Partial<Chosen> = {}): Promise<Told> {
  const choice = { country: 'UTO', documentType: 'PASSPORT', ...chosen }
  const { app, officer } = place
  const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  await app.json('POST', `/v1/identities/${id}/consents`, {
    payload: [{ approved: true, type: 'ID_DOCUMENT' }],
  })
  const form = new FormData()
  form.append('DocumentFront', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), 'front.jpg')
  const details = JSON.stringify({ documentType: choice.documentType, jurisdiction: choice.country })
  form.append('DocumentCaptureDetails', new Blob([details]), 'details.json')
  await app.call('POST', `/v1/identities/${id}/id-documents/capture`, { body: form })
  await app.runJobs()
  const reasonFor = async (key?: string) => {
    const answer = await app.json('GET', `/v1/identities/${id}`, key === undefined ? {} : { key })
    const { counterproof } = answer.body as {
      counterproof?: { documents?: Readonly<Record<string, { reason?: Reason }>> }
    }
    return Object.values(counterproof?.documents ?? {})[0]?.reason
  }
  const proofing = await officer.call<ProofingDetail>('GET', `proofings/${id}`)
  const step = await atKiosk(place, image, choice)
  return {
    relyingService: await reasonFor(),
    userAgent: await reasonFor(app.userAgentKey),
    counter: proofing.body.evidences[0]?.fault,
    kiosk: step?.guidance ?? [],
    kioskField: step?.guidanceField ?? null,
  }
}

/** Null: the visit continues, and says nothing about the document. */
async function atKiosk({ app }: Place, image: Buffer, choice: Chosen): Promise<StepOf<'document'> | null> {
  const page = new Page({ app } as KioskApp)
  await page.begin()
  await page.do('POST', 'document/choice', choice)
  const sent = await page.do('POST', 'document/file', new Uint8Array(image))
  // A card is asked for side by side: another picture of the same side does for its back.
  const isHeld = sent.step.kind === 'document' && sent.step.fileWanted === 'BACK'
  if (isHeld) await page.do('POST', 'document/file', new Uint8Array(await sharp(image).jpeg().toBuffer()))
  await app.runJobs()
  const { step } = await page.view()
  await page.call('DELETE', 'session?why=STOPPED')
  return step.kind === 'document' ? step : null
}

let place: Place
beforeAll(async () => {
  place = await open()
})
afterAll(() => place.close())

/** Every caller is told the same reason. */
function expectAll(told: Told, code: string, message: string, field?: string): void {
  const reason = { code, message, ...(field === undefined ? {} : { field }) }
  expect(told).toEqual({
    relyingService: reason,
    userAgent: reason,
    counter: { code, field: field ?? null },
    kiosk: [code],
    kioskField: field ?? null,
  })
}

describe('every caller is told the same of', () => {
  test('a table on which no document lies', async () => {
    const told = await ask(place, readFileSync(join(SPECIMENS, 'nothing.jpg')))
    expectAll(told, 'DOCUMENT_NONE', 'There is no identity document in this picture. Show one.')
  })

  test('a sheet of paper that is no identity document', async () => {
    const letter = await sharp({
      text: {
        text: 'Dear customer,\n\nthank you for your order.\nWe send it on Monday.\n\nYour shop',
        dpi: 220,
      },
    })
      .flatten({ background: '#ffffff' })
      .negate({ alpha: false })
      .extend({ top: 90, bottom: 90, left: 90, right: 90, background: '#ffffff' })
      .resize(PAGE_PX)
      .png()
      .toBuffer()
    const told = await ask(place, await onTable(letter))
    expectAll(told, 'DOCUMENT_NONE', 'There is no identity document in this picture. Show one.')
  })

  test('two passports side by side', async () => {
    const told = await ask(place, await onTable(await specimenPage('alba'), await specimenPage('cole')))
    expectAll(told, 'DOCUMENT_SEVERAL', 'There are two documents in this picture. Show only one.')
  })

  test('a passport in a mirror', async () => {
    const told = await ask(
      place,
      await sharp(await onTable(await specimenPage('alba')))
        .flop()
        .toBuffer(),
    )
    expectAll(told, 'DOCUMENT_MIRRORED', 'The picture is mirrored, left and right. Take it without a mirror.')
  })

  test('a passport where an identity card was chosen', async () => {
    const told = await ask(place, await onTable(await specimenPage('alba')), {
      documentType: 'IDENTITY_CARD',
    })
    expectAll(
      told,
      'DOCUMENT_OTHER',
      'This is another kind of document. Choose it again, or show the one you chose.',
    )
  })

  test('a passport of which the picture shows a part', async () => {
    const whole = await onTable(await specimenPage('alba'))
    const { width = 0, height = 0 } = await sharp(whole).metadata()
    const part = { left: 0, top: 0, width: Math.round(width * 0.55), height }
    const told = await ask(place, await sharp(whole).extract(part).jpeg().toBuffer())
    expectAll(
      told,
      'DOCUMENT_CUT',
      'The document is not whole in the picture. Show the whole page, with all four corners.',
    )
  })

  test('a sheet of paper of which the picture shows a part is no document, whose corners would help', async () => {
    const paper = {
      width: PAGE_PX,
      height: Math.round(PAGE_PX * 0.7),
      channels: 3 as const,
      background: '#fdfdfb',
    }
    const whole = await onTable(await sharp({ create: paper }).png().toBuffer())
    const { width = 0, height = 0 } = await sharp(whole).metadata()
    const part = { left: 0, top: 0, width: Math.round(width * 0.7), height }
    const told = await ask(place, await sharp(whole).extract(part).jpeg().toBuffer())
    expectAll(told, 'DOCUMENT_NONE', 'There is no identity document in this picture. Show one.')
  })

  test('a passport of whose MRZ the birth date cannot be read', async () => {
    const { lines } = await passport(null)
    // Two neighbours that differ, within the six figures of the date.
    const column = [13, 14, 15, 16, 17].find((at) => lines[1][at] !== lines[1][at + 1]) ?? 13
    const told = await ask(place, await onTable((await passport(null, [1, column])).page))
    expectAll(told, 'DOCUMENT_FIELD', 'This could not be read on the document: Born', 'birthDate')
  })

  test('a passport that has expired', async () => {
    const later = await open({ now: new Date('2049-01-15T12:00:00Z') })
    try {
      const told = await ask(later, await onTable(await specimenPage('alba')))
      expectAll(told, 'DOCUMENT_ENDED', 'This document has expired. Show another one.')
    } finally {
      await later.close()
    }
  })

  test('a specimen, where the appliance is in use and not tried', async () => {
    const inUse = await open({ tenant: { mode: 'production' } })
    try {
      // Utopia cannot be chosen there.
      const told = await ask(inUse, await onTable(await specimenPage('alba')), { country: 'FRA' })
      expectAll(told, 'DOCUMENT_SPECIMEN', 'This is a specimen and no real document. Show your own.')
    } finally {
      await inUse.close()
    }
  })
})

test('a VIZ that differs from the MRZ is named to the relying service and staff, and not to the user agent', async () => {
  const { numberStyle, validYears } = DESIGNS.passport
  const { field } = forgeFacts(inventCard(SEED, numberStyle, validYears), FORGED_SEED)
  const told = await ask(place, await onTable((await passport(FORGED_SEED)).page))
  expect(told.relyingService).toMatchObject({ code: 'DOCUMENT_DIFFERS', field })
  expect(told.relyingService?.message).toMatch(
    /^The print says something else than the part for machines: \w/,
  )
  expect(told.counter).toEqual({ code: 'DOCUMENT_DIFFERS', field })
  expect(told.userAgent).toMatchObject({ code: 'DOCUMENT_UNCLEAR' })
  expect(told.kiosk).toEqual(['DOCUMENT_UNCLEAR'])
})

describe('a live picture before the document camera', () => {
  const hintFor = async (image: Buffer): Promise<string> => {
    const { app } = place
    const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
    await app.json('POST', `/v1/identities/${id}/consents`, {
      payload: [{ approved: true, type: 'ID_DOCUMENT' }],
    })
    const opened = await app.json('POST', `/v1/identities/${id}/id-documents/live-capture-session`, {
      payload: {},
    })
    const { sessionId } = opened.body as { sessionId: string }
    const body = new FormData()
    body.append('Frame', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), 'frame.jpg')
    const answer = await app.json('POST', `/capture/sessions/${sessionId}/frame`, { key: null, body })
    return (answer.body as { hint: string }).hint
  }

  test.each(['alba', 'amber', 'cole', 'dorian'])(
    'of %s is called a face, whatever its distance',
    async (who) => {
      for (const picture of ['live.jpg', 'near-40cm.jpg', 'far-80cm.jpg'])
        expect(await hintFor(readFileSync(join(SPECIMENS, who, picture)))).toBe('SHOW_DOCUMENT_NOT_FACE')
    },
  )

  test('of a passport, near or far, or of a table is not', async () => {
    const page = await onTable(await specimenPage('alba'))
    const middle = { left: 260, top: 340, width: 900, height: 506 }
    const tooNear = await sharp(page).extract(middle).resize(1920).jpeg().toBuffer()
    expect(await hintFor(page)).toBe('TAKE_PICTURE')
    expect(await hintFor(tooNear)).toBe('MOVE_AWAY')
    expect(await hintFor(readFileSync(join(SPECIMENS, 'nothing.jpg')))).toBe('SHOW_DOCUMENT')
  })
})

describe('the list of the counter', () => {
  const flagsOf = async (image: Buffer, answers: Readonly<Record<string, string>> = {}) => {
    const { app, officer, origin } = place
    const { visitId } = await anAssisted(place, officer)
    const form = new FormData()
    form.append('front', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), 'front.jpg')
    const path = `assist/${visitId}/document/file?country=UTO&documentType=PASSPORT`
    await fetch(`${origin}/counter/api/${path}`, {
      method: 'POST',
      headers: { origin, 'x-counterproof': 'counter', cookie: officer.cookie ?? '' },
      body: form,
    })
    await app.runJobs()
    const [document] = (await officer.call<AssistView>('GET', `assist/${visitId}`)).body.documents
    if (Object.keys(answers).length > 0) {
      const attendance = `assist/${visitId}/evidences/${document.evidenceId}/attendance`
      await officer.call('POST', attendance, { present: false, sameDocument: true, answers })
      await app.runJobs()
    }
    const [{ status }] = (await officer.call<AssistView>('GET', `assist/${visitId}`)).body.documents
    const { rows } = (await officer.call<ProofingPage>('GET', 'proofings')).body
    return { status, flags: rows.find((row) => row.visitId === visitId)?.flags }
  }

  test('marks a blurred passport as hard to read', async () => {
    const blurred = await sharp(await onTable(await specimenPage('alba')))
      .blur(9)
      .jpeg()
      .toBuffer()
    expect(await flagsOf(blurred)).toEqual({ status: 'NOT_VERIFIED', flags: ['HARD_TO_READ'] })
  })

  test('does not mark a passport that was read well, even if its edges are wrong in the hand', async () => {
    const sharpPage = await onTable(await specimenPage('alba'))
    expect(await flagsOf(sharpPage)).toEqual({ status: 'VERIFIED', flags: [] })
    expect(await flagsOf(sharpPage, { EDGES: 'DIFFERENT' })).toEqual({ status: 'NOT_VERIFIED', flags: [] })
  })
})

test('nothing is said of a passport that is verified', async () => {
  const told = await ask(place, await onTable(await specimenPage('alba')))
  expect(told).toEqual({
    relyingService: undefined,
    userAgent: undefined,
    counter: null,
    kiosk: [],
    kioskField: null,
  })
})
