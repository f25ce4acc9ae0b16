/** Hostile and broken uploads against the real vision worker: refused clearly, and the appliance continues. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProblemDocument } from '../../../server/api/contract/index.ts'
import { HOSTILE_PDFS } from '../../../server/tools/bench/fuzz/hostile-pdfs.ts'
import { documentForm, portraitForm, startTestApp } from '../../support/app.ts'
import type { TestApp } from '../../support/app.ts'

/** Loading the models is allowed this long on a busy machine. */
const START_MS = 120_000

let app: TestApp
let jpeg: Buffer
let png: Buffer
let identity: string

beforeAll(async () => {
  app = await startTestApp()
  const created = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  identity = `/v1/identities/${created.id}`
  await app.json('POST', `${identity}/consents`, { payload: [{ type: 'PORTRAIT', approved: true }] })
  // Nothing to see on it: quickly decided.
  const grey = sharp({ create: { width: 800, height: 600, channels: 3, background: '#808080' } })
  jpeg = await grey.clone().jpeg({ quality: 100 }).toBuffer()
  png = await grey.clone().png({ compressionLevel: 0 }).toBuffer()
}, START_MS)
afterAll(() => app.close())

/** Signature, header and a little pixel data: all that a PNG needs to claim any size. */
function pngClaiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.byteLength)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const BAD: readonly [string, () => [Uint8Array, string], string, string][] = [
  ['a JPEG that says it is a PNG', () => [jpeg, 'image/png'], 'unsupported_image', 'type_mismatch'],
  ['a PNG that says it is a JPEG', () => [png, 'image/jpeg'], 'unsupported_image', 'type_mismatch'],
  [
    'a header of 60 000 × 60 000 pixels',
    () => [pngClaiming(60_000, 60_000), 'image/png'],
    'unsupported_image',
    'too_many_pixels',
  ],
  [
    'a JPEG cut in half',
    () => [jpeg.subarray(0, jpeg.byteLength / 2), 'image/jpeg'],
    'unreadable_image',
    'damaged',
  ],
  [
    'a PNG cut in half',
    () => [png.subarray(0, png.byteLength / 2), 'image/png'],
    'unreadable_image',
    'damaged',
  ],
  [
    'a scan whose page draws itself without end',
    () => [HOSTILE_PDFS['pdf-recursive-form'](jpeg, () => 0) as Uint8Array, 'application/pdf'],
    'unsupported_image',
    'too_complex',
  ],
  ['text', () => [Buffer.from('no image at all'), 'image/jpeg'], 'unsupported_image', 'not_an_image'],
  ['an empty file', () => [new Uint8Array(), 'image/jpeg'], 'unsupported_image', 'not_an_image'],
]

test.each(BAD)('%s is 400 with its name, and the worker continues', async (_name, upload, code, fault) => {
  const [bytes, type] = upload()
  const { status, body } = await app.json('POST', `${identity}/id-documents/capture`, {
    body: documentForm(bytes, type),
  })
  const problem = ProblemDocument.parse(body)
  expect([status, problem.type.split(':').at(-1), problem.errors.map((error) => error.code)]).toEqual([
    400,
    code,
    [fault],
  ])
  const good = await app.json('POST', `${identity}/attributes/portrait/capture`, {
    body: portraitForm(jpeg),
  })
  expect(good).toMatchObject({ status: 200, body: { status: 'PROCESSING' } })
})

test(
  'after all of them the appliance is up, nothing of them was kept, and the good picture was decided',
  async () => {
    await app.runJobs()
    const { body } = await app.json('GET', '/healthcheck', { key: null })
    expect(body).toMatchObject({
      components: { vision: { status: 'UP' }, database: { status: 'UP' }, jobs: { status: 'UP' } },
    })
    expect((await app.json('GET', identity)).body).toMatchObject({
      idDocuments: [],
      portrait: { evidenceStatus: { status: 'NOT_VERIFIED', errors: [{ code: '1601' }] } },
    })
  },
  START_MS,
)
