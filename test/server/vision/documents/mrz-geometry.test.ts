/** How a document lies in the picture, by a specimen photograph turned and cut, through the real models. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../../../server/proofing/judge.ts'
import { documentQuality } from '../../../../server/verification/steps/document-quality.ts'
import type { StepTools, Subject } from '../../../../server/verification/subject.ts'
import { loadThresholds } from '../../../../server/verification/thresholds.ts'
import type { DocumentMeasurement, Vision } from '../../../../server/vision/protocol.ts'
import { seenFrom } from '../../../support/seen-from.ts'
import { sharedData } from '../../../support/shared-data.ts'
import { lendVision } from '../../../support/remembering-vision.ts'

const PHOTOGRAPH = readFileSync(
  join(import.meta.dirname, '../../../../resources/specimens/alba/passport-photo.jpg'),
)

let vision: Vision
beforeAll(async () => {
  vision = await lendVision()
})
afterAll(() => vision.close())

const thresholds = loadThresholds()

/** Returns the findings of the quality step for one measured picture. */
async function findingsOn(measured: DocumentMeasurement): Promise<readonly Finding[]> {
  const tools = { thresholds, sides: async () => [measured] } as unknown as StepTools
  return (await documentQuality.run({ family: 'IDDOCUMENT', isLive: true } as Subject, tools)).findings
}
const codesOn = async (measured: DocumentMeasurement) =>
  (await findingsOn(measured)).flatMap(({ errors = [] }) => errors.map(({ code }) => code))

/** Shows more table below the document: turned, the document stays in the picture. */
const turnedBy = async (turnDeg: number): Promise<Buffer> =>
  seenFrom(await sharp(PHOTOGRAPH).extend({ bottom: 400, background: '#98744f' }).jpeg().toBuffer(), turnDeg)

/** The zone's part of the photograph (it runs from 272 to 2012 of 2400 pixels), from `left` to `right`. */
const cutTo = (left: number, right: number): Promise<Buffer> =>
  sharp(PHOTOGRAPH)
    .extract({ left, top: 600, width: right - left, height: 1200 })
    .jpeg()
    .toBuffer()

describe('the angle of the view', () => {
  test.each([0, 10, 20, 30])('of %i degrees from the side is told within 8, read or not', async (turnDeg) => {
    const { mrzBand } = await vision.measureDocument({ image: await turnedBy(turnDeg) })
    expect(Math.abs((mrzBand?.geometry.turnDeg ?? NaN) - turnDeg)).toBeLessThan(8)
  })

  test('from too far to the side is 1539 where the MRZ cannot be read', async () => {
    const measured = await vision.measureDocument({ image: await turnedBy(40) })
    expect(measured.mrz).toBeNull()
    expect(await codesOn(measured)).toEqual(['1539'])
    expect(await findingsOn(measured)).toContainEqual(
      expect.objectContaining({ check: 'KEYSTONE_IMAGE_QUALITY', outcome: 'failed' }),
    )
  })

  test('is no reason against a document that was read', async () => {
    const straight = await vision.measureDocument({ image: PHOTOGRAPH })
    expect(straight.mrzBand?.geometry.turnDeg).toBeLessThan(2)
    const turned: DocumentMeasurement = {
      ...straight,
      mrzBand: straight.mrzBand && {
        ...straight.mrzBand,
        geometry: { turnDeg: 60, widthShare: 2, isCut: true },
      },
    }
    expect(straight.mrz).not.toBeNull()
    expect(await codesOn(straight)).toEqual([])
    expect(await codesOn(turned)).toEqual([])
  })
})

describe('an MRZ that is not in the picture as a whole', () => {
  test('because it leaves it on both sides is 1540', async () => {
    const measured = await vision.measureDocument({ image: await cutTo(500, 1700) })
    expect(measured.mrz).toBeNull()
    expect(await codesOn(measured)).toEqual(['1540', '1535'])
  })

  test('because it leaves it on one side is 1535', async () => {
    const measured = await vision.measureDocument({ image: await cutTo(500, 2300) })
    expect(measured.mrz).toBeNull()
    expect(await codesOn(measured)).toEqual(['1535'])
  })
})

const folder = sharedData('mrz')
test.skipIf(folder === null)(
  'flat scans and photographs of specimens are seen as hardly turned, and whole',
  async () => {
    for (const name of ['ar_passports_Japan.png', 'pe_100_id-rou.jpg', 'pe_62_pass-aus.png', 'fm_td1.jpg']) {
      const image = readFileSync(join(folder ?? '', name))
      const { geometry } = (await vision.measureDocument({ image })).mrzBand ?? {}
      expect([name, geometry?.isCut, (geometry?.turnDeg ?? NaN) < 2]).toEqual([name, false, true])
    }
  },
)
