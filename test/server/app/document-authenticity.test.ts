/** Signals of authenticity through the whole server: none decides alone, two do, and nothing of a document leaves. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EvidenceStatus } from '../../../server/api/contract/evidence.ts'
import { AUTHENTICITY_SIGNALS, type AuthenticitySignalName } from '../../../server/vision/protocol.ts'
import { documentForm } from '../../support/app.ts'
import { aPassport } from './scripted-vision.ts'
import { startWholeApp, type WholeApp } from './whole-app.ts'

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())
afterEach(() => {
  whole.see()
})

/** Every picture gets these scores. */
function seeScores(scores: Partial<Record<AuthenticitySignalName, number | null>>): void {
  whole.see({
    measureAuthenticity: async () => ({
      signals: AUTHENTICITY_SIGNALS.map((signal) => ({
        signal,
        score: scores[signal] ?? null,
        measures: {},
      })),
      models: [],
      elapsedMs: 1,
    }),
  })
}
const GENUINE = { ZONE_GLYPHS: 0.1, PORTRAIT_SUBSTITUTION: 0.1, SCREEN_RECAPTURE: 0.1, PHOTOCOPY: 0.1 }

async function submit(id: string, image: Uint8Array): Promise<EvidenceStatus> {
  await whole.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, {
    body: documentForm(image),
  })
  await whole.endJobs(id)
  const { idDocuments } = await whole.ask('Identity', 'GET', `/v1/identities/${id}`)
  return idDocuments[0].evidenceStatus
}

/** A passport of its own number for a new identity. */
let issued = 0
async function proofed(documentNumber = `X${String(++issued).padStart(7, '0')}`): Promise<EvidenceStatus> {
  return submit(await whole.anIdentity(), aPassport({ documentNumber }))
}

const found = (status: EvidenceStatus, check: string) =>
  [
    ...(status.positiveIndicators ?? []),
    ...(status.warningIndicators ?? []),
    ...(status.blockingIndicators ?? []),
    ...(status.unverifiedIndicators ?? []),
  ].filter((name) => name.startsWith(`${check}_`))

describe('a document', () => {
  test('of which nothing could be measured is not called genuine, nor held back for it', async () => {
    const status = await proofed()
    expect(status.status).toBe('VERIFIED')
    for (const check of [...AUTHENTICITY_SIGNALS, 'DOCUMENT_AUTHENTICITY']) {
      expect(found(status, check)).toEqual([`${check}_UNVERIFIED`])
    }
  })

  test('against which nothing speaks gets the indicator, and no higher score for it', async () => {
    const before = await proofed()
    seeScores(GENUINE)
    const status = await proofed()
    expect(found(status, 'DOCUMENT_AUTHENTICITY')).toEqual(['DOCUMENT_AUTHENTICITY_OK'])
    expect(found(status, 'DATE_PLAUSIBILITY')).toEqual(['DATE_PLAUSIBILITY_OK'])
    expect(found(status, 'MRZ_UNREPAIRED_CHECK_DIGITS')).toEqual(['MRZ_UNREPAIRED_CHECK_DIGITS_OK'])
    expect(status.score).toBe(before.score)
  })

  test.each(AUTHENTICITY_SIGNALS)(
    'against which %s alone speaks is warned of, and decided as before',
    async (check) => {
      seeScores({ ...GENUINE, [check]: 0.9 })
      const status = await proofed()
      expect(status.status).toBe('VERIFIED')
      expect(found(status, check)).toEqual([`${check}_WARNING`])
      expect(found(status, 'DOCUMENT_AUTHENTICITY')).toEqual(['DOCUMENT_AUTHENTICITY_UNVERIFIED'])
    },
  )

  test('against which two independent signals speak is withheld', async () => {
    seeScores({ ...GENUINE, ZONE_GLYPHS: 0.9, PORTRAIT_SUBSTITUTION: 0.9 })
    const status = await proofed()
    expect(status).toMatchObject({ status: 'NOT_VERIFIED', score: 'LEVEL0' })
    expect(found(status, 'DOCUMENT_AUTHENTICITY')).toEqual(['DOCUMENT_AUTHENTICITY_WARNING'])
  })

  test('whose expiry lies too far ahead is withheld, with the field', async () => {
    const status = await submit(
      await whole.anIdentity(),
      aPassport({ documentNumber: 'FAR000001', expiryDate: '701231' }),
    )
    expect(found(status, 'DATE_PLAUSIBILITY')).toEqual(['DATE_PLAUSIBILITY_WARNING'])
    expect(status).toMatchObject({ status: 'NOT_VERIFIED', score: 'LEVEL0' })
    expect(status.errors).toMatchObject([{ code: '1599', field: 'expiryDate' }])
  })
})

describe('one document, presented twice', () => {
  const antifraud = async (id: string) => {
    const payload = [{ type: 'DUPLICATE_DOCUMENT' }]
    const path = `/v1/identities/${id}/antifraud`
    await whole.ask('FraudCheckAnswer', 'POST', path, { payload })
    await whole.app.runJobs()
    return (await whole.ask('FraudCheckAnswer', 'GET', path)).checks
  }

  test('for two identities is a warning on the second, and nothing more', async () => {
    expect(found(await proofed('TWICE0001'), 'DOCUMENT_PRESENTED_TWICE')).toEqual([
      'DOCUMENT_PRESENTED_TWICE_OK',
    ])
    const second = await proofed('TWICE0001')
    expect(second.status).toBe('VERIFIED')
    expect(found(second, 'DOCUMENT_PRESENTED_TWICE')).toEqual(['DOCUMENT_PRESENTED_TWICE_WARNING'])
  })

  test('for one identity is nothing', async () => {
    const id = await whole.anIdentity()
    await submit(id, aPassport({ documentNumber: 'AGAIN0001' }))
    const again = await submit(id, aPassport({ documentNumber: 'AGAIN0001' }))
    expect(found(again, 'DOCUMENT_PRESENTED_TWICE')).toEqual(['DOCUMENT_PRESENTED_TWICE_OK'])
  })

  test('is forgotten with the identity it was presented for', async () => {
    const id = await whole.anIdentity()
    await submit(id, aPassport({ documentNumber: 'GONE00001' }))
    expect((await whole.app.call('DELETE', `/v1/identities/${id}`)).ok).toBe(true)
    expect(found(await proofed('GONE00001'), 'DOCUMENT_PRESENTED_TWICE')).toEqual([
      'DOCUMENT_PRESENTED_TWICE_OK',
    ])
  })

  test('answers the antifraud check of that name, which waits for a document', async () => {
    const [one, two] = [await whole.anIdentity(), await whole.anIdentity()]
    expect(await antifraud(one)).toMatchObject([
      { type: 'DUPLICATE_DOCUMENT', status: 'NOT_VERIFIED', indicators: ['DUPLICATE_DOCUMENT_UNVERIFIED'] },
    ])
    await submit(one, aPassport({ documentNumber: 'FRAUD0001' }))
    expect(await antifraud(one)).toMatchObject([
      { status: 'VERIFIED', indicators: ['DUPLICATE_DOCUMENT_OK'] },
    ])
    await submit(two, aPassport({ documentNumber: 'FRAUD0001' }))
    expect(await antifraud(one)).toMatchObject([
      { status: 'NOT_VERIFIED', indicators: ['DUPLICATE_DOCUMENT_WARNING'] },
    ])
  })

  test('leaves its number in no file and in no line of the log', async () => {
    await proofed('SECRET777')
    expect(whole.app.log()).not.toContain('SECRET777')
  })
})
