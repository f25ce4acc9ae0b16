/** The camera that is fixed at the counter: who takes a picture with it, of which camera, and whose picture it stays. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { findPrograms } from '../../../server/connectors/camera/shot.ts'
import type { AssistView, CounterPhoto } from '../../../server/counter/contract/assist.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'
import { visionInDoubt } from '../app/adjudicators.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { anAssisted } from './work.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'

const WISH = { country: 'UTO', documentType: 'PASSPORT' } as const
let folder: string
let counter: CounterApp
let officer: CounterBrowser
let other: CounterBrowser

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counter-photos-'))
  const file = join(folder, 'desk.jpg')
  await sharp({ create: { width: 1920, height: 1080, channels: 3, background: '#808080' } }).toFile(file)
  counter = await withCamera({ device: `FILE:${file}` })
  officer = await counter.signedIn('officer')
  other = await counter.signedIn('officer')
})
afterAll(async () => {
  await counter.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Whatever a camera took, the script sees a passport in it. */
function seesAPassport(vision: Vision): Vision {
  const passport = aPassport()
  const seen = (value: unknown): unknown =>
    value instanceof Uint8Array && value[0] === 0xff ? passport : value
  return new Proxy(vision, {
    get: (target, call) => {
      const found = Reflect.get(target, call) as unknown
      if (typeof found !== 'function') return found
      return (input: unknown) => {
        const isPlain = typeof input === 'object' && input !== null && !(input instanceof Uint8Array)
        const given = isPlain
          ? Object.fromEntries(Object.entries(input).map(([name, value]) => [name, seen(value)]))
          : seen(input)
        return (found as (given: unknown) => unknown).call(target, given)
      }
    },
  })
}

const withCamera = (document: object): Promise<CounterApp> =>
  startCounterApp({ config: { cameras: { document } }, vision: seesAPassport(visionInDoubt()) })

const takeOf = (person: CounterBrowser, visitId: string, body: unknown = { side: 'FRONT' }) =>
  person.call<CounterPhoto>('POST', `assist/${visitId}/document/photo`, body)
const reasonOf = (body: unknown): string | undefined =>
  (body as { errors?: { code: string }[] }).errors?.[0]?.code

describe.skipIf(!findPrograms(process.env))('a photo of the fixed camera (skipped without fswebcam)', () => {
  test('is looked at, used, and then the evidence of who took it', async () => {
    const { visitId, camera } = await anAssisted(counter, officer)
    expect(camera.available).toBe(true)
    const { status, body: photo } = await takeOf(officer, visitId)
    expect([status, photo.side]).toEqual([200, 'FRONT'])
    const picture = await officer.fetch('GET', photo.href)
    expect([picture.headers.get('content-type'), picture.headers.get('cache-control')]).toEqual([
      'image/jpeg',
      'no-store',
    ])
    expect(Buffer.from(await picture.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
    const used = await officer.call<AssistView>('POST', `assist/${visitId}/document/photos`, {
      ...WISH,
      front: photo.photoId,
    })
    expect(used.status).toBe(200)
    await counter.app.runJobs()
    const { body: view } = await officer.call<AssistView>('GET', `assist/${visitId}`)
    expect(view.documents[0]).toMatchObject({
      type: 'PASSPORT',
      status: 'VERIFIED',
      capturedHere: true,
      fromFile: false,
    })
    // Used once; the picture is in the evidence, and nowhere else any more.
    expect((await officer.fetch('GET', photo.href)).status).toBe(404)
    const again = { ...WISH, front: photo.photoId }
    expect((await officer.call('POST', `assist/${visitId}/document/photos`, again)).status).toBe(404)
  })

  test('of a file in its place makes a test of the identity the moment it is taken, and says so with the evidence', async () => {
    const { visitId } = await anAssisted(counter, officer)
    const { store } = counter.app.appliance
    const identityId = store.visits.find(visitId)?.identityId ?? ''
    const causes = () =>
      store.events
        .after(0, 10_000)
        .filter((event) => event.identityId === identityId && event.type === 'identity.marked_test')
        .map(({ body }) => body)
    // Simulates production; a simulated camera refuses the start there.
    const db = new Database(join(counter.app.dataDir, 'appliance.sqlite'))
    db.exec('DROP TRIGGER identities_keep_their_mode')
    db.prepare(`UPDATE identities SET mode = 'production', is_test = 0 WHERE id = ?`).run(identityId)
    db.close()
    const { body: photo } = await takeOf(officer, visitId)
    expect(causes()).toEqual([{ cause: 'PRETENDED_CAMERA' }])
    expect(store.identities.find(APPLIANCE, identityId)).toMatchObject({ mode: 'production', isTest: true })
    const use = { country: 'SWE', documentType: 'PASSPORT', front: photo.photoId }
    expect((await officer.call('POST', `assist/${visitId}/document/photos`, use)).status).toBe(200)
    const [evidence] = store.evidences.list(identityId)
    expect(evidence?.content.captureDetails?.pretendedCamera).toBe(true)
    await counter.app.runJobs()
    expect(causes()).toHaveLength(1)
  })

  test('belongs to its officer and its visit alone', async () => {
    const { visitId } = await anAssisted(counter, officer)
    const { body: photo } = await takeOf(officer, visitId)
    expect((await other.fetch('GET', photo.href)).status).toBe(404)
    expect((await takeOf(other, visitId)).status).toBe(404)
    const { visitId: second } = await anAssisted(counter, officer)
    const path = `assist/${second}/document`
    expect((await officer.fetch('GET', `${path}/photo/${photo.photoId}`)).status).toBe(404)
    const use = { ...WISH, front: photo.photoId }
    expect((await officer.call('POST', `${path}/photos`, use)).status).toBe(404)
  })

  test('is forgotten with the visit, and after ten minutes', async () => {
    const { visitId } = await anAssisted(counter, officer)
    const { body: stopped } = await takeOf(officer, visitId)
    await officer.call('POST', `assist/${visitId}/stop`, { reason: 'PERSON_LEFT' })
    expect((await officer.fetch('GET', stopped.href)).status).not.toBe(200)
    const { visitId: next } = await anAssisted(counter, officer)
    const { body: old } = await takeOf(officer, next)
    counter.tick(10 * 60_000)
    expect((await officer.fetch('GET', old.href)).status).toBe(404)
  })

  test('is kept four times, so that a camera that is pressed for ever fills no memory', async () => {
    const { visitId } = await anAssisted(counter, officer)
    const taken: CounterPhoto[] = []
    for (let at = 0; at < 5; at += 1) taken.push((await takeOf(officer, visitId)).body)
    const statuses = await Promise.all(
      taken.map(async ({ href }) => (await officer.fetch('GET', href)).status),
    )
    expect(statuses).toEqual([404, 200, 200, 200, 200])
  })
})

describe('the routes of the fixed camera', () => {
  test('are closed to auditors and administrators, and to a caller without a session', async () => {
    const { visitId } = await anAssisted(counter, officer)
    for (const role of ['auditor', 'administrator'] as const) {
      const person = await counter.signedIn(role)
      expect((await takeOf(person, visitId)).status).toBe(403)
      expect((await person.fetch('GET', `assist/${visitId}/document/photo/${uuidv7()}`)).status).toBe(403)
    }
    expect((await takeOf(counter.browser(), visitId)).status).toBe(401)
  })

  test('come after the consent', async () => {
    const { body: begun } = await officer.call<AssistView>('POST', 'assist/begin', { language: 'en' })
    expect((await takeOf(officer, begun.visitId)).status).toBe(403)
  })

  test.each([
    [{}],
    [{ side: 'FACE' }],
    [{ side: 'FRONT', device: '/dev/video1; id' }],
    [{ side: ['FRONT'] }],
    ['FRONT'],
  ])('take no %j', async (body) => {
    const { visitId } = await anAssisted(counter, officer)
    expect((await takeOf(officer, visitId, body)).status).toBe(400)
  })

  test.each([
    [{ ...WISH, front: '../../config.json' }],
    [{ ...WISH, front: 7 }],
    [{ ...WISH }],
    [{ ...WISH, country: 'uto', front: uuidv7() }],
    [{ ...WISH, documentType: 'LIBRARY_CARD', front: uuidv7() }],
    [{ ...WISH, front: uuidv7(), status: 'VERIFIED' }],
  ])('use no %j', async (body) => {
    const { visitId } = await anAssisted(counter, officer)
    expect((await officer.call('POST', `assist/${visitId}/document/photos`, body)).status).toBe(400)
  })

  test('open nothing by a path in place of an id', async () => {
    const { visitId } = await anAssisted(counter, officer)
    for (const id of ['..%2F..%2Fconfig.json', 'desk.jpg', uuidv7()]) {
      expect((await officer.fetch('GET', `assist/${visitId}/document/photo/${id}`)).status).toBe(404)
    }
  })
})

test.each([
  [
    'a picture of another camera than the pinned one is refused',
    'WRONG_CAMERA',
    (file: string) => `FILE:${file}`,
  ],
  ['a camera that is not there is said to be missing', 'CAMERA_MISSING', () => '/dev/video255'],
])('%s', async (_, fault, device) => {
  const pin = { vendor: '1234', product: 'abcd' }
  const shop = await withCamera({ device: device(join(folder, 'desk.jpg')), pin })
  try {
    const person = await shop.signedIn('officer')
    const { visitId } = await anAssisted(shop, person)
    const { status, body } = await takeOf(person, visitId)
    expect([status, reasonOf(body)]).toEqual([403, 'camera'])
    const notes = shop.app.appliance.store.visits.listNotes(visitId)
    expect(JSON.stringify(notes)).toContain(fault)
  } finally {
    await shop.close()
  }
})
