import { describe, expect, test } from 'vitest'
import {
  findFaults,
  type EnvironmentFacts,
  type Touching,
} from '../../../../server/proofing/antifraud/faults.ts'
import { TOUCHED } from '../../../../server/proofing/assurance/faults.ts'

const WELL: EnvironmentFacts = {
  abilities: [],
  clock: 'SYSTEM',
  connectorsDown: [],
  silentForMs: null,
  offlineHours: 168,
  inspection: 'NOT_DEMANDED',
  tampered: false,
  watchlistOutdated: false,
  registerOutdated: false,
}
const faults = (over: Partial<EnvironmentFacts>, about: Touching = { touched: 'IDDOCUMENT' }) =>
  findFaults({ ...WELL, ...over }, about)
const ability = (name: string, state: 'UP' | 'DOWN' | 'NOT_INSTALLED') => ({ abilities: [{ name, state }] })
const HOUR_MS = 3_600_000

test.each(TOUCHED)('a first installation, where nothing was set up, has no fault for %s', (touched) => {
  const core = [
    'face-detection',
    'face-matching',
    'face-liveness',
    'document-reading',
    'document-location',
    'text-reading',
  ]
  const abilities = [
    ...core.map((name) => ({ name, state: 'UP' as const })),
    { name: 'presentation-attack-detection', state: 'NOT_INSTALLED' as const },
    { name: 'document-second-reader', state: 'NOT_INSTALLED' as const },
  ]
  expect(faults({ abilities }, { touched, camera: 'NOT_PINNED', live: true })).toEqual([])
})

describe('models', () => {
  test.each([
    ['face-detection', { touched: 'PORTRAIT' }, ['FACE_MODELS_MISSING']],
    ['face-matching', { touched: 'PORTRAIT' }, ['FACE_MODELS_MISSING']],
    ['face-liveness', { touched: 'PORTRAIT', live: true }, ['LIVENESS_MODELS_MISSING']],
    ['face-liveness', { touched: 'PORTRAIT', live: false }, []],
    ['face-liveness', { touched: 'PORTRAIT' }, []],
    ['presentation-attack-detection', { touched: 'PORTRAIT' }, ['PAD_MODEL_MISSING']],
    ['document-reading', { touched: 'IDDOCUMENT' }, ['READING_MODELS_MISSING']],
    ['document-location', { touched: 'IDDOCUMENT' }, ['READING_MODELS_MISSING']],
    ['document-second-reader', { touched: 'IDDOCUMENT' }, ['READING_MODELS_MISSING']],
    ['text-reading', { touched: 'IDDOCUMENT' }, ['READING_MODELS_MISSING']],
    ['document-reading', { touched: 'PORTRAIT' }, []],
    ['face-matching', { touched: 'IDDOCUMENT' }, []],
    ['face-liveness', { touched: 'IDDOCUMENT', live: true }, []],
    ['presentation-attack-detection', { touched: 'IDDOCUMENT' }, []],
    ['eye-measurement', { touched: 'PORTRAIT', live: true }, []],
  ] as const)('of %s, refused, are for %o: %o', (name, about, expected) => {
    expect(faults(ability(name, 'DOWN'), about)).toEqual(expected)
    expect(faults(ability(name, 'UP'), about)).toEqual([])
  })
  test.each([
    ['face-detection', 'PORTRAIT', ['FACE_MODELS_MISSING']],
    ['face-matching', 'PORTRAIT', ['FACE_MODELS_MISSING']],
    ['face-liveness', 'PORTRAIT', ['LIVENESS_MODELS_MISSING']],
    ['document-reading', 'IDDOCUMENT', ['READING_MODELS_MISSING']],
    ['document-location', 'IDDOCUMENT', ['READING_MODELS_MISSING']],
    ['text-reading', 'IDDOCUMENT', ['READING_MODELS_MISSING']],
    // The extended pack is optional.
    ['presentation-attack-detection', 'PORTRAIT', []],
    ['document-second-reader', 'IDDOCUMENT', []],
  ] as const)('of %s, not there at all, are for %s: %o', (name, touched, expected) => {
    expect(faults(ability(name, 'NOT_INSTALLED'), { touched, live: true })).toEqual(expected)
  })
})

describe('every other part', () => {
  test.each([
    ['another camera', {}, { touched: 'PORTRAIT', camera: 'OTHER' }, ['CAMERA_NOT_PINNED', 'CAMERA_MISSING']],
    ['a camera that was not stated', {}, { touched: 'PORTRAIT', camera: 'NOT_TOLD' }, ['CAMERA_NOT_PINNED']],
    ['the right camera', {}, { touched: 'PORTRAIT', camera: 'SAME' }, []],
    ['a clock in doubt', { clock: 'UNSURE' }, { touched: 'CONTACT' }, ['CLOCK_UNSURE']],
    ['a clock that the central service confirmed', { clock: 'CENTRE' }, { touched: 'CONTACT' }, []],
    [
      'the SMS gateway, for a phone number',
      { connectorsDown: ['sms'] },
      { touched: 'CONTACT' },
      ['CONNECTOR_DOWN'],
    ],
    ['the SMS gateway, for a document', { connectorsDown: ['sms'] }, { touched: 'IDDOCUMENT' }, []],
    ['the biometric server', { connectorsDown: ['biometrics'] }, { touched: 'PORTRAIT' }, ['CONNECTOR_DOWN']],
    [
      'the register',
      { connectorsDown: ['documentStatus'] },
      { touched: 'ANTIFRAUD', check: 'DOCUMENT_STATUS' },
      ['CONNECTOR_DOWN'],
    ],
    [
      'the register, for another check',
      { connectorsDown: ['documentStatus'] },
      { touched: 'ANTIFRAUD', check: 'VELOCITY' },
      [],
    ],
    [
      'an inspection that is due',
      { inspection: 'OVERDUE' },
      { touched: 'IDDOCUMENT' },
      ['INSPECTION_OVERDUE'],
    ],
    ['an inspection in date', { inspection: 'IN_DATE' }, { touched: 'IDDOCUMENT' }, []],
    ['tampering', { tampered: true }, { touched: 'ADDRESS' }, ['TAMPERED']],
    [
      'an old watchlist',
      { watchlistOutdated: true },
      { touched: 'ANTIFRAUD', check: 'WATCHLIST' },
      ['WATCHLIST_OUTDATED'],
    ],
    [
      'an old watchlist, for another check',
      { watchlistOutdated: true },
      { touched: 'ANTIFRAUD', check: 'DOCUMENT_STATUS' },
      [],
    ],
    [
      'an old register',
      { registerOutdated: true },
      { touched: 'ANTIFRAUD', check: 'DOCUMENT_STATUS' },
      ['WATCHLIST_OUTDATED'],
    ],
    [
      'an old register, for another check',
      { registerOutdated: true },
      { touched: 'ANTIFRAUD', check: 'WATCHLIST' },
      [],
    ],
    [
      'a central service that was heard of in time',
      { silentForMs: 168 * HOUR_MS },
      { touched: 'ADDRESS' },
      [],
    ],
    [
      'a central service that was not',
      { silentForMs: 168 * HOUR_MS + 1 },
      { touched: 'ADDRESS' },
      ['OFFLINE_TOO_LONG'],
    ],
  ] as const)('%s', (_name, over, about, expected) => {
    expect(faults(over, about)).toEqual(expected)
  })
  test('several are told together', () => {
    expect(faults({ clock: 'UNSURE', tampered: true, inspection: 'OVERDUE' })).toEqual([
      'CLOCK_UNSURE',
      'INSPECTION_OVERDUE',
      'TAMPERED',
    ])
  })
})
