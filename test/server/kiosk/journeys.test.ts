/** Journeys as data: what is refused, with which place and sentence, and what is merely told. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { checkJourney, type JourneyKnowledge } from '../../../server/kiosk/journey-checks.ts'
import { checkFile, listJourneys, loadJourney } from '../../../server/kiosk/journeys.ts'
import { JOURNEYS_DIR, journeyKnowledge } from '../../../server/open-kiosk.ts'
import { LIVENESS_TYPES } from '../../../server/proofing/types.ts'
import { run } from '../../../server/commands/journeys.ts'
import { collectOutput } from '../../support/output.ts'
import { aJourney, CHECK, CONSENT, DOCUMENT, PORTRAIT, SECONDS } from './kiosk-app.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const KNOWN: JourneyKnowledge = {
  languages: ['en', 'fr'],
  texts: {
    'consent.lead': '{organisation} asks who you are.',
    tries_one: '{count} try',
    tries_other: '{count} tries',
  },
  isWeaker: (type, other) => LIVENESS_TYPES.indexOf(type) < LIVENESS_TYPES.indexOf(other),
  appliance: {
    sms: true,
    identityProviders: ['bank'],
    hasPublicUrl: true,
    chipReader: true,
    requiredConsents: { IDDOCUMENT: ['GIV'] },
    levels: ['LOA1', 'LOA2'],
  },
}
const AGREED = { ...CONSENT, required: ['ID_DOCUMENT', 'PORTRAIT', 'GIV'] }
const STEPS = [AGREED, DOCUMENT, CHECK, PORTRAIT]

const told = (over: object, known = KNOWN) =>
  checkJourney(aJourney({ steps: STEPS, ...over }), known).findings.map(
    ({ severity, field, code }) => `${severity} ${field} ${code}`,
  )

describe('a journey', () => {
  test('that fits is taken without a word', () => {
    expect(told({})).toEqual([])
  })

  test('that asks consent to a picture of the face and takes none is refused, and warned of when it takes none', () => {
    const without = { steps: [AGREED, DOCUMENT, CHECK] }
    expect(told(without)).toEqual(['problem steps.0.required consent_not_needed', 'warning steps no_face'])
    const honest = { ...CONSENT, required: ['ID_DOCUMENT', 'GIV'] }
    expect(told({ steps: [honest, DOCUMENT, CHECK] })).toEqual(['warning steps no_face'])
    expect(told({ steps: [honest, DOCUMENT, CHECK], confirmedFrom: 'LOA0' })).toEqual([])
    const phone = { ...AGREED, optional: ['MOBILE_OTP'] }
    expect(told({ steps: [phone, DOCUMENT, CHECK, PORTRAIT] })).toEqual([
      'problem steps.0.optional consent_not_needed',
    ])
  })

  test.each<[string, object, readonly string[]]>([
    ['in a language without a file', { languages: ['en', 'tlh'] }, ['problem languages.1 unknown_language']],
    ['in a language twice', { languages: ['en', 'en'] }, ['problem languages.1 listed_twice']],
    [
      'with words for no text',
      { texts: { en: { 'consent.led': 'Hello' } } },
      ['problem texts.en.consent.led unknown_text'],
    ],
    [
      'with words that have a slot of their own',
      { texts: { en: { 'consent.lead': 'Hello {name}', tries_few: '{count}' } } },
      ['problem texts.en.consent.lead unknown_slot'],
    ],
    ['with words in another language', { texts: { fr: {} } }, ['problem texts.fr unknown_language']],
    [
      'that begins without consent',
      { steps: STEPS.slice(1) },
      ['problem steps.0 consent_first', 'problem steps.0 consent_missing', 'problem steps.2 consent_missing'],
    ],
    ['with a step twice', { steps: [...STEPS, CHECK] }, ['problem steps.4 listed_twice']],
    [
      'that checks what was not read yet',
      { steps: [AGREED, CHECK, DOCUMENT, PORTRAIT] },
      ['problem steps.1 nothing_read'],
    ],
    ['that proves nothing', { steps: [{ ...CONSENT, required: ['GIV'] }] }, ['problem steps proves_nothing']],
    [
      'without what the tenant demands',
      { steps: [CONSENT, DOCUMENT, PORTRAIT] },
      ['problem steps.1 consent_missing'],
    ],
    [
      'with a phone without a consent to it',
      { steps: [...STEPS, { kind: 'phone' }] },
      ['problem steps.4 consent_missing'],
    ],
    [
      'with a consent that is required and optional',
      { steps: [{ ...AGREED, optional: ['GIV'] }, DOCUMENT, PORTRAIT] },
      ['problem steps.0.optional listed_twice'],
    ],
    [
      'with a provider that is not registered',
      { steps: [AGREED, { kind: 'trusted-login', providers: ['bnak'] }, DOCUMENT, PORTRAIT] },
      ['problem steps.1.providers.0 unknown_provider'],
    ],
    [
      'whose gentler way asks for the same',
      { steps: [AGREED, DOCUMENT, { ...PORTRAIT, withoutTurning: 'LIVENESS_ACTIVE' }] },
      ['problem steps.2.withoutTurning asks_the_same'],
    ],
    [
      'whose way for a person who cannot turn the head stops fewer kinds of attack',
      { steps: [AGREED, DOCUMENT, { ...PORTRAIT, withoutTurning: 'LIVENESS_PASSIVE' }] },
      ['warning steps.2.withoutTurning weaker_grade'],
    ],
    [
      'that leaves to an officer the face of a person who cannot turn the head',
      { steps: [AGREED, DOCUMENT, { ...PORTRAIT, withoutTurning: 'OFFICER' }] },
      [],
    ],
    [
      'that leaves colours to an officer and shows none',
      { steps: [AGREED, DOCUMENT, { ...PORTRAIT, withoutColours: 'OFFICER' }] },
      ['problem steps.2.withoutColours without_meaning'],
    ],
    [
      'that spares colours which are never shown',
      { steps: [AGREED, DOCUMENT, { ...PORTRAIT, withoutColours: 'LIVENESS_PASSIVE' }] },
      ['problem steps.2.withoutColours without_meaning'],
    ],
    [
      'that confirms what the policy cannot reach',
      { confirmedFrom: 'LOA7' },
      ['problem confirmedFrom unknown_level'],
    ],
    [
      'whose condition speaks of what was not read yet',
      { steps: [AGREED, { ...DOCUMENT, when: [{ documentRead: true }] }, PORTRAIT] },
      ['problem steps.1.when.0 nothing_read'],
    ],
    [
      'that hurries people',
      { idleSeconds: { ...SECONDS, reading: 20 } },
      ['warning idleSeconds.reading too_short'],
    ],
  ])('%s is told so', (_what, over, findings) => {
    expect(told(over)).toEqual(findings)
  })

  test('whose steps need what is not connected is taken: they are left out', () => {
    const appliance = {
      ...KNOWN.appliance,
      sms: false,
      identityProviders: [],
    } as JourneyKnowledge['appliance']
    const steps = [
      { ...AGREED, optional: ['MOBILE_OTP'] },
      { kind: 'trusted-login' },
      DOCUMENT,
      { kind: 'phone' },
      PORTRAIT,
    ]
    expect(told({ steps }, { ...KNOWN, appliance })).toEqual([
      'warning steps.1 not_connected',
      'warning steps.3 not_connected',
    ])
  })

  test('of another form is told every place at once', () => {
    const broken = {
      ...aJourney({ steps: [{ kind: 'dance' }] }),
      idleSeconds: { ...SECONDS, warning: 3 },
      extra: 1,
    }
    const fields = checkJourney(broken, KNOWN).findings.map(({ field }) => field)
    expect(fields).toEqual(expect.arrayContaining(['steps.0.kind', 'idleSeconds.warning', '']))
  })
})

describe('the files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journeys-'))
  const own = join(folder, 'journeys')
  mkdirSync(own)
  writeFileSync(join(own, 'default.json'), JSON.stringify(aJourney({ id: 'own' })))
  writeFileSync(join(own, 'broken.json'), '{')
  const known = journeyKnowledge(null, null)

  test('that come with the product are all sound', () => {
    for (const { file } of listJourneys({ shipped: JOURNEYS_DIR, own: null })) {
      expect([file, checkFile(file, known).findings]).toEqual([file, []])
    }
  })

  test('that come with the product take no picture file at a kiosk: the camera sees the document and the face', () => {
    const steps = listJourneys({ shipped: JOURNEYS_DIR, own: null }).flatMap(
      ({ file }) => checkFile(file, known).journey?.steps ?? [],
    )
    const captured = steps.filter((step) => step.kind === 'document' || step.kind === 'portrait')
    expect(captured.length).toBeGreaterThan(5)
    for (const step of captured) expect(step).toMatchObject({ uploadAllowed: false })
  })

  test('that come with the product ask for the address after the face: the answer tells where the holder lives', () => {
    for (const { file } of listJourneys({ shipped: JOURNEYS_DIR, own: null })) {
      const kinds = checkFile(file, known).journey?.steps.map(({ kind }) => kind) ?? []
      expect([file, kinds.indexOf('details') > kinds.indexOf('portrait')]).toEqual([file, true])
    }
  })

  test('that come with the product name no organisation: the applicant consents to the tenant of this appliance', () => {
    const shipped = listJourneys({ shipped: JOURNEYS_DIR, own: null })
    expect(shipped.length).toBeGreaterThan(2)
    for (const { file } of shipped)
      expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('organisation')
  })

  test('of the tenant stand before ours; one that is broken or missing refuses the start, its problems listed', () => {
    const folders = { shipped: JOURNEYS_DIR, own }
    expect(loadJourney(folders, 'default', known).id).toBe('own')
    expect(loadJourney(folders, 'with-login', known).id).toBe('with-login')
    const refusal = (name: string) => {
      try {
        loadJourney(folders, name, known)
      } catch (error) {
        if (error instanceof AppError) return [error.code, error.problems.map(({ code }) => code)]
      }
      return null
    }
    expect(refusal('broken')).toEqual(['configuration_invalid', ['not_json']])
    expect(refusal('nowhere')).toEqual(['configuration_invalid', ['unknown_journey']])
  })

  test('are listed and checked by a command that says what is wrong, and ends with 1', async () => {
    const listed = collectOutput()
    expect(await run(['list', '--data', folder, '--json'])).toBe(0)
    const { journeys } = JSON.parse(listed.text) as {
      journeys: { name: string; inForce: boolean; own: boolean }[]
    }
    expect(journeys.find(({ inForce }) => inForce)).toMatchObject({ name: 'default', own: true })
    const checked = collectOutput()
    expect(await run(['check', '--data', folder])).toBe(1)
    expect(checked.text).toMatch(/broken\.json: would be refused/)
  })
})
