/** Which step comes when, and how a visit ends: truth tables over what is known. */
import { describe, expect, test } from 'vitest'
import { Journey } from '../../../server/kiosk/contract/index.ts'
import { NEW_VISIT, type VisitFacts } from '../../../server/kiosk/facts.ts'
import type { Known } from '../../../server/kiosk/known.ts'
import { findDetailQuestion, listSteps } from '../../../server/kiosk/steps.ts'
import type { DocumentView, EvidenceView, IdentityView } from '../../../server/kiosk/port.ts'
import {
  listOptionalConsents,
  maskedNumber,
  decideOutcome,
  stepView,
} from '../../../server/kiosk/step-views.ts'
import { loadStepSeconds } from '../../../server/open-kiosk.ts'
import { aJourney, CHECK, CONSENT, DOCUMENT, PORTRAIT } from './kiosk-app.ts'

const STEPS = [
  { ...CONSENT, optional: ['MOBILE_OTP'] },
  DOCUMENT,
  CHECK,
  PORTRAIT,
  { kind: 'phone', when: [{ connected: 'sms' }] },
]

interface Situation {
  readonly steps?: readonly object[]
  readonly facts?: Partial<VisitFacts>
  readonly document?: EvidenceView['evidenceStatus']['status']
  readonly portrait?: EvidenceView['evidenceStatus']['status']
  readonly read?: boolean
  readonly level?: string
  /** The portrait came from a file, not from a person before the camera. */
  readonly fromFile?: boolean
  readonly sms?: boolean
  readonly operator?: boolean
  readonly disclosures?: Known['settings']['disclosures']
  /** Null: not asked. */
  readonly phoneConsent?: boolean | null
  readonly chip?: Known['chip']
  readonly address?: Known['address']
  readonly missing?: Known['missing']
}

const evidence = (evidenceId: string, status: EvidenceView['evidenceStatus']['status']): DocumentView => ({
  evidenceId,
  evidenceStatus: { status },
})
const ofPortrait = (status: EvidenceView['evidenceStatus']['status'], fromFile: boolean): EvidenceView => ({
  evidenceId: 'p',
  evidenceStatus: { status, positiveIndicators: fromFile ? [] : ['BIOMETRIC_LIVENESS_OK'] },
})
const captured = (evidenceId: string, spent = 0) => ({
  current: { evidenceId, sessionId: null },
  spent,
  misses: 0,
  opened: spent + 1,
})

function know(situation: Situation): Known {
  const {
    document,
    portrait,
    read = document === 'VERIFIED',
    level = 'LOA0',
    sms = false,
    operator = false,
    disclosures = {},
    fromFile = false,
    phoneConsent = true,
  } = situation
  const identity: IdentityView = {
    globalStatus: { levelOfAssurance: level },
    idDocuments: document ? [evidence('d', document)] : [],
    portrait: portrait ? ofPortrait(portrait, fromFile) : null,
    consents: phoneConsent === null ? [] : [{ type: 'MOBILE_OTP', approved: phoneConsent }],
  }
  return {
    journey: Journey.parse(aJourney({ steps: situation.steps ?? STEPS })),
    guidance: { portrait: [], document: [] },
    settings: {
      tenantMode: 'test',
      tenantName: 'Sample Bank',
      brand: null,
      name: 'Hall 1',
      display: { diagonalInch: 27, camera: { edge: 'top', atPercent: 50 } },
      ownWindow: false,
      sms,
      chipReader: situation.chip !== undefined,
      operator,
      disclosures,
      identityProviders: [],
      phoneConsents: ['MOBILE_OTP'],
      otp: { digits: 6, attempts: 5, perHour: 3 },
      trustedClaimMinutes: 10,
      retention: { hoursAfterHandover: 24, hasCentre: false, unfinishedHours: 168 },
      visitsKeptDays: 400,
      stepSeconds: loadStepSeconds(),
      trustedCallbackPath: '/oidc/callback',
    },
    language: 'en',
    facts: {
      ...NEW_VISIT,
      consented: true,
      choice: { country: 'UTO', documentType: 'PASSPORT', sides: ['FRONT'] },
      seen: ['consent', 'document', 'portrait'],
      ...(document ? { document: captured('d') } : {}),
      ...(portrait ? { portrait: captured('p') } : {}),
      ...situation.facts,
    },
    identity,
    open: { document: false, portrait: false },
    missing: situation.missing ?? null,
    address: situation.address ?? null,
    chip: situation.chip ?? null,
    fields: read
      ? [
          {
            name: 'name',
            value: 'A',
            original: null,
            typed: null,
            hardToRead: false,
            hasCrop: false,
            editable: true,
            shortened: false,
          },
        ]
      : [],
    offline: false,
    isStaffed: true,
    judgesLiveness: () => true,
    now: new Date('2026-11-21T09:00:00Z'),
  }
}

describe('the present step', () => {
  test.each<[string, Situation, string]>([
    ['before anything is agreed', { facts: { consented: false } }, 'consent'],
    ['before a document is shown', {}, 'document'],
    ['while a document is read', { document: 'PROCESSING' }, 'document'],
    ['when it was read', { document: 'VERIFIED' }, 'check'],
    ['when nothing was read of it', { document: 'INVALID', read: false }, 'portrait'],
    ['when it was looked at', { document: 'VERIFIED', facts: { checkedId: 'd' } }, 'portrait'],
    ['when another one was looked at before', { document: 'VERIFIED', facts: { checkedId: 'c' } }, 'check'],
    [
      'while the last picture is verified: its step does not hold the applicant',
      { document: 'VERIFIED', portrait: 'PROCESSING', facts: { checkedId: 'd' } },
      'waiting',
    ],
    [
      'while it is looked at, and a phone is to come: it may be asked for again',
      { document: 'VERIFIED', portrait: 'PROCESSING', facts: { checkedId: 'd' }, sms: true },
      'portrait',
    ],
    [
      'when a phone is to come',
      { document: 'VERIFIED', portrait: 'VERIFIED', facts: { checkedId: 'd' }, sms: true },
      'phone',
    ],
    [
      'when that was said no to',
      {
        document: 'VERIFIED',
        portrait: 'VERIFIED',
        facts: { checkedId: 'd' },
        phoneConsent: false,
        sms: true,
      },
      'waiting',
    ],
    ['when an officer is to finish it', { facts: { toPerson: true } }, 'waiting'],
    [
      'when an officer is to finish it, and a document is still read',
      { document: 'PROCESSING', facts: { toPerson: true } },
      'waiting',
    ],
    [
      'when the receipt is out',
      {
        facts: {
          outcome: 'LATER',
          receipt: { reference: '', code: '', qr: { rows: [] }, issuedAt: '' },
        },
      },
      'result',
    ],
  ])('%s is %s', (_when, situation, step) => {
    expect(listSteps(know(situation)).present).toBe(step)
  })

  test.each<[string, object, Situation, boolean]>([
    ['a level that is not reached yet', { levelBelow: 'LOA2' }, { level: 'LOA1' }, true],
    ['a level that is reached', { levelBelow: 'LOA2' }, { level: 'LOA2' }, false],
    ['another language', { language: ['fr'] }, {}, false],
    ['this language', { language: ['en', 'fr'] }, {}, true],
    ['something that is not connected', { connected: 'identity-providers' }, {}, false],
  ])('a step under the condition of %s', (_what, condition, situation, shown) => {
    const steps = [CONSENT, DOCUMENT, { ...PORTRAIT, when: [condition] }]
    const { steps: line } = listSteps(know({ ...situation, steps, facts: { seen: ['consent', 'document'] } }))
    expect(line.includes('portrait')).toBe(shown)
  })

  test('a step that was seen stays in the line when its condition no longer holds', () => {
    const steps = [CONSENT, DOCUMENT, { ...PORTRAIT, when: [{ levelBelow: 'LOA1' }] }]
    const known = know({ steps, document: 'VERIFIED', portrait: 'VERIFIED', level: 'LOA1' })
    expect(listSteps(known)).toEqual({
      steps: ['consent', 'document', 'portrait', 'result'],
      place: 3,
      undone: [],
      present: 'waiting',
    })
  })
})

describe('the line of steps', () => {
  const positions = (known: Known) => {
    const { steps, place, undone } = listSteps(known)
    return [`${place + 1} of ${steps.length}`, undone]
  }
  const AT_FACE: Situation = { document: 'VERIFIED', facts: { checkedId: 'd' } }

  test('goes from the face to the result in one step: the checks between them are none', () => {
    expect(positions(know(AT_FACE))).toEqual(['4 of 5', []])
    expect(positions(know({ ...AT_FACE, portrait: 'PROCESSING' }))).toEqual(['5 of 5', []])
    expect(positions(know({ ...AT_FACE, portrait: 'VERIFIED' }))).toEqual(['5 of 5', []])
  })

  test('stays as long as it was when a person is to continue, and what was not done is not marked as done', () => {
    const facts = { ...AT_FACE.facts, toPerson: true }
    expect(positions(know({ ...AT_FACE, facts }))).toEqual(['5 of 5', ['portrait']])
  })

  test('marks a face as not done of which the last try is kept for a person', () => {
    const facts = { ...AT_FACE.facts, portrait: captured('p', 2) }
    const known = know({ ...AT_FACE, portrait: 'NOT_VERIFIED', facts })
    expect(positions(known)).toEqual(['5 of 5', ['portrait']])
  })

  test('marks the check of the values as not done where nothing was read', () => {
    expect(positions(know({ read: false, facts: { toPerson: true } }))).toEqual([
      '5 of 5',
      ['document', 'check', 'portrait'],
    ])
  })

  test('stays as long as it was when a step is skipped, and does not mark it as done', () => {
    const seen = ['consent', 'document', 'check', 'portrait', 'phone'] as const
    const facts = { ...AT_FACE.facts, seen }
    const atPhone: Situation = { ...AT_FACE, portrait: 'VERIFIED', sms: true, facts }
    expect(positions(know(atPhone))).toEqual(['5 of 6', []])
    expect(positions(know({ ...atPhone, facts: { ...facts, skipped: ['phone'] } }))).toEqual([
      '6 of 6',
      ['phone'],
    ])
  })

  test.each([
    ['was never asked for', null],
    ['was withdrawn', false],
  ])('leaves out a phone whose consent %s, also in the middle of its step', (_what, phoneConsent) => {
    const seen = ['consent', 'document', 'check', 'portrait'] as const
    const at = { ...AT_FACE, portrait: 'VERIFIED', sms: true, phoneConsent } as const
    const notSeen = know({ ...at, facts: { ...AT_FACE.facts, seen } })
    expect(listSteps(notSeen).present).toBe('waiting')
    expect(listSteps(notSeen).steps).not.toContain('phone')
    const inStep = know({ ...at, facts: { ...AT_FACE.facts, seen: [...seen, 'phone'] } })
    expect(listSteps(inStep)).toMatchObject({ present: 'waiting', undone: ['phone'] })
  })

  test('says nothing of a face that was refused: that would tell which check caught it', () => {
    expect(positions(know({ ...AT_FACE, portrait: 'INVALID' }))).toEqual(['5 of 5', []])
  })
})

describe('the outcome', () => {
  test.each([
    ['VERIFIED', 'VERIFIED', 'LOA1', 'CONFIRMED'],
    ['VERIFIED', 'VERIFIED', 'LOA2', 'CONFIRMED'],
    ['VERIFIED', 'VERIFIED', 'LOA0', 'PERSON'],
    ['VERIFIED', 'VERIFIED', 'unknown', 'PERSON'],
    ['VERIFIED', 'INVALID', 'LOA1', 'PERSON'],
    ['VERIFIED', 'ADJUDICATION', 'LOA1', 'PERSON'],
    ['NOT_VERIFIED', 'VERIFIED', 'LOA1', 'PERSON'],
  ] as const)('of document %s, portrait %s, %s is %s', (document, portrait, level, outcome) => {
    expect(decideOutcome(know({ document, portrait, level }))).toBe(outcome)
  })

  test.each(['LOA1', 'LOA2'])(
    'of a face from a file is a person, though it matches and reaches %s',
    (level) => {
      const known = know({ document: 'VERIFIED', portrait: 'VERIFIED', level, fromFile: true })
      expect(decideOutcome(known)).toBe('PERSON')
    },
  )

  test('of a document without a face is a person', () => {
    const known = know({ steps: [CONSENT, DOCUMENT], document: 'VERIFIED', level: 'LOA1' })
    expect(decideOutcome(known)).toBe('PERSON')
  })

  test('without evidence is never CONFIRMED', () => {
    expect(decideOutcome(know({ level: 'LOA3' }))).toBe('PERSON')
  })

  test('of a visit that an officer is to finish is PERSON, however good the evidence is', () => {
    const known = know({
      document: 'VERIFIED',
      portrait: 'VERIFIED',
      level: 'LOA2',
      facts: { toPerson: true },
    })
    expect(decideOutcome(known)).toBe('PERSON')
  })
})

test('waiting is over when nothing is looked at any more', () => {
  const steps = [CONSENT, DOCUMENT, PORTRAIT]
  const at = (portrait: 'PROCESSING' | 'VERIFIED') => {
    const known = know({ steps, document: 'VERIFIED', portrait })
    return stepView(known, listSteps(known))
  }
  expect(at('PROCESSING')).toMatchObject({
    ready: false,
    rows: [
      { name: 'document', state: 'DONE' },
      { name: 'portrait', state: 'DOING' },
      { name: 'seal', state: 'TODO' },
    ],
  })
  expect(at('VERIFIED')).toMatchObject({ ready: true })
})

test.each([
  ['+33639980042', '+33 •• •• •• 42'],
  ['+12025550142', '+1 •• •• •• 42'],
  ['+971501234542', '+97 •• •• •• 42'],
])('%s is shown as %s', (number, shown) => {
  expect(maskedNumber(number)).toBe(shown)
})

test.each(['document', 'portrait'] as const)(
  'a file in place of the %s is never offered in a kiosk’s own window',
  (kind) => {
    const steps = [CONSENT, kind === 'document' ? DOCUMENT : { ...PORTRAIT, uploadAllowed: true }]
    const known = know({ steps, facts: { seen: [], choice: null } })
    const at = (ownWindow: boolean) => {
      const here = { ...known, settings: { ...known.settings, ownWindow } }
      return stepView(here, listSteps(here))
    }
    expect(at(false)).toMatchObject({ kind, uploadAllowed: true })
    expect(at(true)).toMatchObject({ kind, uploadAllowed: false })
  },
)

test('a wish that a changed journey leaves to an officer ends no visit: the usual face is offered, and the officer', () => {
  const steps = [CONSENT, DOCUMENT, { ...PORTRAIT, withoutTurning: 'OFFICER' }]
  const portraitWish = { withoutColours: false, withoutTurning: true }
  const known = know({ steps, document: 'VERIFIED', facts: { portraitWish } })
  expect(stepView(known, listSteps(known))).toMatchObject({
    kind: 'portrait',
    livenessType: 'LIVENESS_PASSIVE_VIDEO',
    wish: { withoutTurning: false },
    withoutTurning: 'COUNTER',
  })
})

test('the consent to ask the mobile operator is asked only if one is connected', () => {
  const steps = STEPS.map((step, index) =>
    index === 0 ? { ...CONSENT, optional: ['MOBILE', 'MOBILE_OTP'] } : step,
  )
  expect(listOptionalConsents(know({ steps, sms: true, operator: true }))).toEqual(['MOBILE', 'MOBILE_OTP'])
  expect(listOptionalConsents(know({ steps, sms: true }))).toEqual(['MOBILE_OTP'])
  expect(listOptionalConsents(know({ steps, operator: true }))).toEqual([])
})

test('the consent to ask issuers is asked if one is connected, named with the values that it receives', () => {
  const disclosures = {
    GIV: [{ name: 'Licence office', values: ['documentNumber', 'surname'] as const }],
  }
  const facts = { consented: false, seen: [] }
  const known = know({ disclosures, facts })
  expect(stepView(known, listSteps(known))).toMatchObject({ kind: 'consent', optional: ['GIV'], disclosures })
  expect(listOptionalConsents(know({}))).toEqual([])
  const steps = STEPS.map((step, index) => (index === 0 ? { ...CONSENT, optional: ['GIV'] } : step))
  expect(listOptionalConsents(know({ steps }))).toEqual([])
  expect(listOptionalConsents(know({ steps, disclosures }))).toEqual(['GIV'])
})

describe('the questions of the step details', () => {
  const ADDRESS: Known['address'] = { countries: [], left: 5, answers: [], isVerified: false }
  const BEFORE = [CONSENT, DOCUMENT, { kind: 'details' }, PORTRAIT]
  const AFTER = [CONSENT, DOCUMENT, PORTRAIT, { kind: 'details' }]
  const MISSING = { source: 'Licence office', fields: ['cardNumber' as const] }
  const ask = (situation: Situation) =>
    findDetailQuestion(know({ steps: BEFORE, document: 'VERIFIED', address: ADDRESS, ...situation }))

  test.each<[string, Situation, ReturnType<typeof findDetailQuestion>]>([
    ['first the number of the document', { missing: MISSING }, 'DOCUMENT'],
    ['then the address', { missing: MISSING, facts: { detailedId: 'd' } }, 'ADDRESS'],
    [
      'the address after a number that was left out',
      { missing: MISSING, facts: { leftOut: ['DOCUMENT'] } },
      'ADDRESS',
    ],
    ['no register that may be asked', { address: null }, null],
    ['an address that is verified already', { address: { ...ADDRESS, isVerified: true } }, null],
    ['no further address that may be asked about', { address: { ...ADDRESS, left: 0 } }, null],
    [
      'the answer about the last address',
      { address: { ...ADDRESS, left: 0 }, facts: { address: { evidenceId: 'a', isOver: false } } },
      'ADDRESS',
    ],
    ['an answer that was read', { facts: { address: { evidenceId: 'a', isOver: true } } }, null],
    ['an address that was left out', { facts: { leftOut: ['ADDRESS'] } }, null],
    ['a face that is still to be taken', { steps: AFTER }, 'ADDRESS'],
    ['a face that is verified', { steps: AFTER, portrait: 'VERIFIED' }, 'ADDRESS'],
    [
      'a face that is refused',
      { steps: AFTER, portrait: 'INVALID', facts: { portrait: captured('p', 2) } },
      null,
    ],
    ['a face that was left to an officer', { steps: AFTER, facts: { skipped: ['portrait'] } }, null],
    ['a face that was left out after the question', { facts: { skipped: ['portrait'] } }, 'ADDRESS'],
  ])('%s', (_name, situation, expected) => {
    expect(ask(situation)).toBe(expected)
  })
})
