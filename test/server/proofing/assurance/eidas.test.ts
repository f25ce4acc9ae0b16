/** eIDAS 2015/1502, Annex 2.1.2: worked cases of low, substantial and high. */
import { describe, expect, test } from 'vitest'
import { aDocument, CHIP, COUNTER, ISSUER, levelOf, LIVE, policyOf, SEEN } from './shipped.ts'

type Case = Parameters<typeof levelOf>[1]
const STATUS = ['DOCUMENT_STATUS']
const OF_ISSUER = ['DOCUMENT_STATUS', 'DOCUMENT_STATUS_ISSUER']
const CHIP_FACE = [...LIVE, 'NFC_PORTRAIT_MATCH']
const REGISTER_FACE = [...LIVE, 'GIV_PORTRAIT_MATCH']
const without = (check: string): readonly string[] => SEEN.filter((name) => name !== check)

describe('a level is reached', () => {
  test.each<readonly [what: string, level: string, given: Case]>([
    ['low by a document and a portrait', 'LOA1', { documents: [aDocument('PASSPORT')], portrait: [LIVE[0]] }],
    [
      'low by a licence whose barcode and print agree',
      'LOA1',
      {
        documents: [
          aDocument('DRIVING_LICENSE', [], {
            passed: ['DOCUMENT_READING', 'BARCODE_READING', 'VISUAL_ZONE_MATCH', 'DOCUMENT_EXPIRY'],
          }),
        ],
        portrait: [LIVE[0]],
      },
    ],
    ['none by a document whose holder was not checked', 'LOA0', { documents: [aDocument('PASSPORT')] }],
    [
      'none by an expired document',
      'LOA0',
      { documents: [aDocument('PASSPORT', [], { passed: without('DOCUMENT_EXPIRY') })], portrait: LIVE },
    ],
    [
      'none by a card that is no recognised evidence',
      'LOA0',
      { documents: [aDocument('TAX_CARD', [ISSUER])], portrait: LIVE, fraud: OF_ISSUER },
    ],
    [
      'substantial by issuer, live face and a register of the lost',
      'LOA2',
      { documents: [aDocument('PASSPORT', [ISSUER])], portrait: LIVE, fraud: STATUS },
    ],
    [
      'substantial by chip, live face and a register of the lost',
      'LOA2',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: LIVE, fraud: STATUS },
    ],
    [
      'substantial at the counter',
      'LOA2',
      {
        documents: [aDocument('IDENTITY_CARD', COUNTER)],
        portrait: [LIVE[0], 'ATTENDED_CAPTURE'],
        fraud: STATUS,
      },
    ],
    [
      'low where no register was asked',
      'LOA1',
      { documents: [aDocument('PASSPORT', [...CHIP, ISSUER])], portrait: CHIP_FACE },
    ],
    [
      'low where possession is not verified',
      'LOA1',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: [LIVE[0]], fraud: OF_ISSUER },
    ],
    [
      'low where only the camera says that it is genuine',
      'LOA1',
      { documents: [aDocument('PASSPORT')], portrait: LIVE, fraud: OF_ISSUER },
    ],
    [
      'high by the chip’s portrait and the issuer’s register',
      'LOA3',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: OF_ISSUER },
    ],
    [
      'high by the issuer’s portrait and register',
      'LOA3',
      { documents: [aDocument('IDENTITY_CARD', [ISSUER])], portrait: REGISTER_FACE, fraud: OF_ISSUER },
    ],
    [
      'substantial where the register is not the issuer’s',
      'LOA2',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: STATUS },
    ],
    [
      'low by the chip’s portrait without its signature',
      'LOA1',
      { documents: [aDocument('PASSPORT')], portrait: CHIP_FACE, fraud: OF_ISSUER },
    ],
    [
      'low by the chip’s portrait and an uploaded picture',
      'LOA1',
      {
        documents: [aDocument('PASSPORT', [...CHIP])],
        portrait: [LIVE[0], 'NFC_PORTRAIT_MATCH'],
        fraud: OF_ISSUER,
      },
    ],
  ])('%s', (_what, level, given) => {
    expect(levelOf('eidas', given)).toBe(level)
  })
})

test('a printed photo alone is never high, whatever else is checked', () => {
  const all = [...CHIP, ISSUER, ...COUNTER, 'ADJUDICATION']
  const documents = (['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD'] as const).map((type) =>
    aDocument(type, all),
  )
  const fraud = [...OF_ISSUER, 'DEATH_RECORD', 'WATCHLIST', 'DUPLICATE_DOCUMENT', 'DEVICE_INTEGRITY']
  const printed = [...LIVE, 'ATTENDED_CAPTURE', 'ADJUDICATION']
  expect(levelOf('eidas', { documents, portrait: printed, fraud })).toBe('LOA2')
  expect(levelOf('eidas', { documents, portrait: [...printed, 'NFC_PORTRAIT_MATCH'], fraud })).toBe('LOA3')
})

test('no policy identifier of ETSI TS 119 461 is claimed', () => {
  expect(JSON.stringify(policyOf('eidas'))).not.toContain('0.4.0.19461')
})
