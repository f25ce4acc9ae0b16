/** Which document's portrait the live one is compared with, and what a change of it does to a verdict. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

/** Documents with an odd number show a portrait of half the width. */
const SMALL = 'SM0000001'
let client: ProofingClient
beforeAll(async () => {
  const vision = scriptedVision()
  client = await startProofing(
    {},
    {
      ...vision,
      measureDocument: async (input) => {
        const measured = await vision.measureDocument(input)
        const isSmall = Buffer.from(input.image).includes(SMALL)
        return isSmall && measured.portrait
          ? { ...measured, portrait: { ...measured.portrait, widthPx: 20, heightPx: 25 } }
          : measured
      },
    },
  )
})
afterAll(() => client.app.close())

const portraitOf = async (id: string) => (await client.identity(id)).portrait?.evidenceStatus
const reference = async (id: string) => (await client.identity(id)).globalStatus.portraitReferenceEvidenceId
const person = (face: string) => picture({ shows: 'person', face })

test('a portrait that came first is verified as soon as a document has one to compare it with', async () => {
  const id = await client.anIdentity()
  await client.portrait(id, person('A'))
  const alone = await portraitOf(id)
  expect([alone?.status, alone?.errors ?? []]).toEqual(['NOT_VERIFIED', []])
  const document = await client.document(id, aPassport({}, 'A'))
  expect(await portraitOf(id)).toMatchObject({ status: 'VERIFIED' })
  expect(await reference(id)).toBe(document)
})

test('a later document with a portrait as good is elected, and the live one compared with it: no match, no verdict of before', async () => {
  const id = await client.anIdentity()
  await client.document(id, aPassport({}, 'A'))
  await client.portrait(id, person('A'))
  expect(await portraitOf(id)).toMatchObject({ status: 'VERIFIED' })
  const later = await client.document(id, aPassport({ documentNumber: 'L89890XX1' }, 'B'))
  expect(await reference(id)).toBe(later)
  expect(await portraitOf(id)).toMatchObject({ status: 'INVALID', errors: [{ code: '1600' }] })
})

test('a later document with a smaller portrait is not elected, and the match stands', async () => {
  const id = await client.anIdentity()
  const first = await client.document(id, aPassport({}, 'A'))
  await client.portrait(id, person('A'))
  await client.document(id, aPassport({ documentNumber: SMALL }, 'B'))
  expect(await reference(id)).toBe(first)
  expect(await portraitOf(id)).toMatchObject({ status: 'VERIFIED' })
})

test('another surname on a second document is an error of the first, and a person may clear it up', async () => {
  const id = await client.anIdentity()
  const first = await client.document(id, aPassport({}, 'A'))
  await client.passTime(1000)
  const second = await client.document(
    id,
    aPassport({ documentNumber: 'X12345678', surname: 'SVENSSON' }, 'A'),
  )
  const { globalStatus, idDocuments } = await client.identity(id)
  expect(globalStatus.nameReferenceEvidenceId).toBe(second)
  const statusOf = (evidenceId: string) =>
    idDocuments.find((document) => document.evidenceId === evidenceId)?.evidenceStatus
  expect(statusOf(first)?.errors).toMatchObject([{ code: '1131', field: 'surname' }])
  expect(statusOf(first)?.unverifiedIndicators).toContain('NAME_CHANGE_UNVERIFIED')
  expect(statusOf(second)?.errors).toEqual([])
  expect(statusOf(second)?.unverifiedIndicators).not.toContain('NAME_CHANGE_UNVERIFIED')
  const asUserAgent = await client.identity(id, { key: client.app.userAgentKey })
  expect(JSON.stringify(asUserAgent)).not.toMatch(/1131|NAME_CHANGE/)
})
