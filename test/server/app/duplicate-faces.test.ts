import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { createTemplateProtection } from '../../../server/workflows/evidence/protect-template.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { compareScripted, templateOf } from './scripted-templates.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ON = {
  antifraud: { duplicateFace: { enabled: true, retentionDays: 30 } },
  retention: { abandonedHours: 0 },
}
const POINT = { id: 'p', measure: 'cosine-similarity', threshold: 0.5, fmr: 0, fnmr: 0, source: 's' } as const

const faceCheck = async (client: ProofingClient, id: string) => {
  const path = `/v1/identities/${id}/antifraud`
  await client.ask('FraudCheckAnswer', 'POST', path, { payload: [{ type: 'DUPLICATE_FACE' }] })
  await client.app.runJobs()
  const { checks } = await client.ask('FraudCheckAnswer', 'GET', path)
  return checks.find(({ type }) => type === 'DUPLICATE_FACE')
}
const UNVERIFIED = {
  type: 'DUPLICATE_FACE',
  status: 'NOT_VERIFIED',
  indicators: ['DUPLICATE_FACE_UNVERIFIED'],
}
const OK = { status: 'VERIFIED', indicators: ['DUPLICATE_FACE_OK'] }
const WARNING = { status: 'NOT_VERIFIED', indicators: ['DUPLICATE_FACE_WARNING'] }

async function withPortrait(client: ProofingClient, face: string): Promise<string> {
  const id = await client.anIdentity()
  await client.portrait(id, picture({ shows: 'person', face }))
  return id
}
const rowsOf = (client: ProofingClient, id: string) => {
  const { face_templates: templates = 0, face_index: entries = 0 } =
    client.app.appliance.store.erasures.countRows(id)
  return { templates, entries }
}

describe('the check DUPLICATE_FACE, switched on', () => {
  let client: ProofingClient
  let isRefused = false
  beforeAll(async () => {
    const vision = scriptedVision()
    const unlessRefused =
      <Input, Output>(call: (input: Input) => Promise<Output>) =>
      async (input: Input): Promise<Output> => {
        if (isRefused) throw new AppError('vision_unavailable', { reason: 'model_refused' })
        return call(input)
      }
    client = await startProofing(ON, {
      ...vision,
      makeTemplate: unlessRefused(vision.makeTemplate),
      compareTemplates: unlessRefused(vision.compareTemplates),
    })
  })
  afterAll(() => client.app.close())

  test('is not made for who has no portrait', async () => {
    expect(await faceCheck(client, await client.anIdentity())).toMatchObject(UNVERIFIED)
  })

  // @clause NIST-63A-4/3.11-search AI-ACT/search
  test('passes a face without a duplicate, and warns of a face that was presented before under another identity', async () => {
    const first = await withPortrait(client, 'Ada')
    expect(await faceCheck(client, first)).toMatchObject(OK)
    const second = await withPortrait(client, 'Ada')
    expect(await faceCheck(client, second)).toMatchObject(WARNING)
    expect(await faceCheck(client, first)).toMatchObject(WARNING)
    expect(await faceCheck(client, await withPortrait(client, 'Bo'))).toMatchObject(OK)
    // A hint on which a person decides: the level is what it was.
    expect((await client.identity(second)).globalStatus.levelOfAssurance).toBe('LOA0')
  })

  test('has no result once the portrait was deleted, and later searches do not find that portrait', async () => {
    const first = await withPortrait(client, 'Cy')
    const second = await withPortrait(client, 'Cy')
    await client.app.call('DELETE', `/v1/identities/${first}/attributes/portrait`)
    expect(rowsOf(client, first)).toEqual({ templates: 0, entries: 0 })
    expect(await faceCheck(client, first)).toMatchObject(UNVERIFIED)
    expect(await faceCheck(client, second)).toMatchObject(OK)
  })

  test('looks for the portrait of today where another one was sent', async () => {
    await withPortrait(client, 'Di')
    const id = await withPortrait(client, 'Di')
    await client.portrait(id, picture({ shows: 'person', face: 'Ed' }))
    expect(rowsOf(client, id)).toEqual({ templates: 1, entries: 1 })
    expect(await faceCheck(client, id)).toMatchObject(OK)
  })

  test('forgets the face when the consent is taken back, and makes it again when it is given again', async () => {
    const id = await withPortrait(client, 'Flo')
    const consent = (approved: boolean) =>
      client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
        payload: [{ type: 'PORTRAIT', approved }],
      })
    await consent(false)
    expect(rowsOf(client, id)).toEqual({ templates: 0, entries: 0 })
    expect(await faceCheck(client, id)).toMatchObject(UNVERIFIED)
    expect(rowsOf(client, id)).toEqual({ templates: 0, entries: 0 })
    await consent(true)
    await client.app.runJobs()
    expect(await faceCheck(client, id)).toMatchObject(OK)
  })

  test('finds no erased identity, and the receipt counts the deleted templates', async () => {
    const first = await withPortrait(client, 'Gil')
    const second = await withPortrait(client, 'Gil')
    await client.app.call('DELETE', `/v1/identities/${first}`)
    expect(rowsOf(client, first)).toEqual({ templates: 0, entries: 0 })
    const { body } = await client.app.json('GET', `/v1/deletion-receipts/${first}`)
    const [, payload = ''] = (body as { receipt: string }).receipt.split('.')
    expect(Buffer.from(payload, 'base64url').toString()).toMatch(
      /"face_index":1.*"face_templates":1|"face_templates":1.*"face_index":1/,
    )
    expect(await faceCheck(client, second)).toMatchObject(OK)
  })

  test('finds no face whose time in the index is over; the template stays with its identity', async () => {
    const first = await withPortrait(client, 'Hal')
    await client.passTime(30 * DAY_MS)
    expect(rowsOf(client, first)).toEqual({ templates: 1, entries: 0 })
    expect(await faceCheck(client, await withPortrait(client, 'Hal'))).toMatchObject(OK)
  })

  test('says nothing while an entry was made by other models, has it made again, and compares it from then on', async () => {
    const stranger = await withPortrait(client, 'Ida')
    const { store } = client.app.appliance
    const [evidence] = store.evidences.list(stranger)
    const owner = { tenantId: 'default', identityId: stranger, evidenceId: evidence.id }
    const turn = createTemplateProtection(store.faceIndex.tenantKey('default'))
    const older = templateOf('Ida', 'older:1111111111111111')
    store.faceIndex.put(owner, turn(older), new Date(client.now().getTime() + DAY_MS))
    expect(await faceCheck(client, await withPortrait(client, 'Jo'))).toMatchObject(UNVERIFIED)
    await client.app.runJobs()
    expect(await faceCheck(client, await withPortrait(client, 'Kim'))).toMatchObject(OK)
    expect(await faceCheck(client, await withPortrait(client, 'Ida'))).toMatchObject(WARNING)
  })

  test('says nothing of a face whose template only another engine could read, until it is made again', async () => {
    const opaque = Uint8Array.of(2, 1, 120, 1, 1, 0, 9)
    const first = await withPortrait(client, 'Mo')
    const { store } = client.app.appliance
    const [evidence] = store.evidences.list(first)
    const owner = { tenantId: 'default', identityId: first, evidenceId: evidence.id }
    const turned = createTemplateProtection(store.faceIndex.tenantKey('default'))(opaque)
    // Nothing of the template itself is in the index.
    expect([...turned]).toEqual([2])
    store.faceIndex.put(owner, turned, new Date(client.now().getTime() + DAY_MS))
    expect(await faceCheck(client, await withPortrait(client, 'Mo'))).toMatchObject(UNVERIFIED)
    await client.app.runJobs()
    expect(await faceCheck(client, await withPortrait(client, 'Mo'))).toMatchObject(WARNING)
  })

  test('makes the template again that is looked for, where other models had made it', async () => {
    const id = await withPortrait(client, 'Lou')
    const { store } = client.app.appliance
    const [evidence] = store.evidences.list(id)
    const older = templateOf('Lou', 'older:1111111111111111')
    store.faceTemplates.put({ identityId: id, evidenceId: evidence.id }, older, client.now())
    expect(await faceCheck(client, id)).toMatchObject(OK)
    expect(store.faceTemplates.find(evidence.id)).toEqual(Buffer.from(templateOf('Lou')))
  })

  test('says nothing while the worker has refused the model, and nothing is tried again and again', async () => {
    const id = await client.anIdentity()
    isRefused = true
    try {
      await client.portrait(id, picture({ shows: 'person', face: 'Max' }))
      expect(await faceCheck(client, id)).toMatchObject(UNVERIFIED)
      expect(client.app.appliance.store.jobs.failed()).toBe(0)
    } finally {
      isRefused = false
    }
    expect(await faceCheck(client, id)).toMatchObject(OK)
  })

  test('leaves no number of a face in clear, in no file and no log', async () => {
    await withPortrait(client, 'Lea')
    const numbers = Buffer.from(templateOf('Lea')).subarray(-64)
    const { dataDir } = client.app
    for (const name of readdirSync(dataDir).filter((entry) => entry.includes('sqlite'))) {
      expect([name, readFileSync(join(dataDir, name)).includes(numbers)]).toEqual([name, false])
    }
    expect(client.app.log()).not.toContain(numbers.toString('base64').slice(0, 40))
  })
})

describe('which portraits become templates', () => {
  let client: ProofingClient
  beforeAll(async () => {
    client = await startProofing()
  })
  afterAll(() => client.app.close())

  // @clause AI-ACT/verification
  test('one of sufficient quality does, also with the check for duplicates off; the index stays empty', async () => {
    const id = await withPortrait(client, 'Mia')
    expect(rowsOf(client, id)).toEqual({ templates: 1, entries: 0 })
    expect(await faceCheck(client, id)).toMatchObject(UNVERIFIED)
  })

  test('one whose quality is not sufficient does not', async () => {
    const id = await client.anIdentity()
    await client.portrait(id, picture({ shows: 'person', face: null }))
    expect(rowsOf(client, id)).toEqual({ templates: 0, entries: 0 })
  })

  test('no document does', async () => {
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    expect(rowsOf(client, id)).toEqual({ templates: 0, entries: 0 })
  })
})

describe('switched on or off later', () => {
  const OFF = { retention: { abandonedHours: 0 } }
  let client: ProofingClient
  beforeEach(async () => {
    client = await startProofing(OFF)
  })
  afterEach(() => client.app.close())

  const rows = () => {
    const db = new Database(join(client.app.dataDir, 'appliance.sqlite'), { readonly: true })
    const of = (table: string) => db.prepare<[], { n: number }>(`SELECT count(*) n FROM ${table}`).get()?.n
    const counted = [of('face_templates'), of('face_index'), of('face_index_keys')]
    db.close()
    return counted
  }
  const restartWith = async (config: object) => {
    writeFileSync(join(client.app.dataDir, 'config.json'), JSON.stringify(config))
    await client.restart()
  }

  test('the index takes in the templates that are there, and is erased to the last row and key', async () => {
    const first = await withPortrait(client, 'Ned')
    expect(rows()).toEqual([1, 0, 0])
    await restartWith(ON)
    expect(rows()).toEqual([1, 1, 1])
    expect(await faceCheck(client, await withPortrait(client, 'Ned'))).toMatchObject(WARNING)
    await restartWith(OFF)
    expect(rows()).toEqual([2, 0, 0])
    expect(await faceCheck(client, first)).toMatchObject(UNVERIFIED)
  })

  test('a template whose time in the index would be over is not taken in', async () => {
    await withPortrait(client, 'Oz')
    await client.passTime(30 * DAY_MS)
    await restartWith(ON)
    expect(rows()).toEqual([1, 0, 0])
  })
})

describe('turned by the secret of its tenant', () => {
  const secret = (fill: number) => Buffer.alloc(32, fill)
  const scoreOf = (probe: Uint8Array, candidate: Uint8Array) =>
    compareScripted({ probe, candidates: [candidate] }, POINT).scores[0] ?? NaN

  test('any two templates compare as they did before', () => {
    const turn = createTemplateProtection(secret(1))
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        const [a, b] = [templateOf(one), templateOf(other)]
        expect(scoreOf(turn(a), turn(b))).toBeCloseTo(scoreOf(a, b), 5)
      }),
      { numRuns: 50 },
    )
  })

  test('the same face of two tenants is as far apart as two strangers', () => {
    const [ours, theirs] = [createTemplateProtection(secret(1)), createTemplateProtection(secret(2))]
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (face) => {
        expect(Math.abs(scoreOf(ours(templateOf(face)), theirs(templateOf(face))))).toBeLessThan(0.5)
      }),
      { numRuns: 50 },
    )
  })
})
