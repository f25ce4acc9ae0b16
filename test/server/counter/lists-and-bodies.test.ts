/** Lists of visits, the question for consent on a display, and what the bodies of the console may hold. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ConsentDisplays } from '../../../server/counter/consent-displays.ts'
import {
  AttendanceBody,
  DocumentWish,
  StopBody,
  TypedAttributesBody,
  TypedDocumentBody,
} from '../../../server/counter/contract/assist.ts'
import { ChartsQuery } from '../../../server/counter/contract/charts.ts'
import { InspectionBody, TamperingBody } from '../../../server/counter/contract/devices.ts'
import { KeyRotation, NewKeyPair, Nothing } from '../../../server/counter/contract/keys.ts'
import {
  FactorGiven,
  LanguageChosen,
  NewPassword,
  NewStaff,
  PasswordGiven,
  RolesChosen,
  SetUpGiven,
  UnlockGiven,
} from '../../../server/counter/contract/staff.ts'
import {
  EraseBody,
  HelpAnswerBody,
  ProofingsQuery,
  SearchBody,
  type ProofingPage,
  type ProofingRow,
} from '../../../server/counter/contract/today.ts'
import { readDays, isWanted, cutPage, toRow, sortRows } from '../../../server/counter/rows.ts'
import type { Visit } from '../../../server/store/visits.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const idOf = (last: number) => `01890a5d-ac96-774b-bcce-b302099a80${String(last).padStart(2, '0')}`
const row = (last: number, over: Partial<ProofingRow> = {}): ProofingRow => ({
  visitId: idOf(last),
  identityId: null,
  reference: null,
  channel: 'KIOSK',
  kiosk: 'Hall',
  language: 'en',
  startedAt: AT.toISOString(),
  endedAt: null,
  step: 'consent',
  outcome: null,
  durationSeconds: 0,
  tries: 0,
  flags: [],
  ...over,
})
const query = (over: object = {}) => ProofingsQuery.parse(over)

describe('a visit as a row', () => {
  const visit: Visit = {
    id: idOf(1),
    identityId: idOf(2),
    channel: 'KIOSK',
    journey: 'kiosk/1',
    language: 'fr',
    reference: '7K4P-2M9X',
    step: 'portrait',
    startedAt: AT,
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
  }
  const rowFor = (over: Partial<Visit> = {}, isThere = true) =>
    toRow(
      { visit: { ...visit, ...over }, durationSeconds: 7, tries: 2, flags: ['HELP'] },
      'Hall',
      () => isThere,
    )

  test('says where and when it is, and nothing of the person', () => {
    expect(rowFor()).toEqual({
      visitId: idOf(1),
      identityId: idOf(2),
      reference: '7K4P-2M9X',
      channel: 'KIOSK',
      kiosk: 'Hall',
      language: 'fr',
      startedAt: '2026-11-21T12:00:00.000Z',
      endedAt: null,
      step: 'portrait',
      outcome: null,
      durationSeconds: 7,
      tries: 2,
      flags: ['HELP'],
    })
    expect(rowFor({ endedAt: AT, outcome: 'LATER' })).toMatchObject({
      endedAt: '2026-11-21T12:00:00.000Z',
      outcome: 'LATER',
    })
  })

  test('can be opened while its identity is there, and names the machine only at a kiosk', () => {
    expect(rowFor({}, false).identityId).toBeNull()
    expect(rowFor({ identityId: null }).identityId).toBeNull()
    expect(rowFor({ channel: 'COUNTER' }).kiosk).toBeNull()
  })
})

describe('a list', () => {
  test.each<[object, Partial<ProofingRow>, boolean]>([
    [{}, {}, true],
    [{ state: 'running' }, {}, true],
    [{ state: 'running' }, { endedAt: 'x' }, false],
    [{ state: 'ended' }, { endedAt: 'x' }, true],
    [{ state: 'ended' }, {}, false],
    [{ outcome: 'LATER' }, { outcome: 'LATER' }, true],
    [{ outcome: 'LATER' }, { outcome: 'PERSON' }, false],
    [{ channel: 'COUNTER' }, {}, false],
    [{ channel: 'KIOSK' }, {}, true],
    [{ flag: 'HELP' }, { flags: ['FAULT', 'HELP'] }, true],
    [{ flag: 'HELP' }, { flags: ['FAULT'] }, false],
    [{ state: 'running', flag: 'HELP' }, { endedAt: 'x', flags: ['HELP'] }, false],
  ])('asked for %j has a row with %j: %s', (asked, over, wanted) => {
    expect(isWanted(row(1, over), query(asked))).toBe(wanted)
  })

  const startedAt = (seconds: number) => new Date(AT.getTime() + seconds * 1000).toISOString()
  const rows = [
    row(1, { startedAt: startedAt(0), tries: 3 }),
    row(2, { startedAt: startedAt(2), tries: 1 }),
    row(3, { startedAt: startedAt(1), tries: 3 }),
  ]
  const order = (asked: object) =>
    sortRows(rows, query(asked)).map(({ visitId }) => Number(visitId.slice(-2)))

  test('is in the order that was asked for, the newest first unless it is said', () => {
    expect(order({})).toEqual([2, 3, 1])
    expect(order({ order: 'asc' })).toEqual([1, 3, 2])
    // The id decides among equals, so that a page can continue behind one.
    expect(order({ sort: 'tries' })).toEqual([3, 1, 2])
    expect(order({ sort: 'tries', order: 'asc' })).toEqual([2, 1, 3])
  })

  test('continues behind the last row of the page before, until there is none', () => {
    for (const asked of [{ sort: 'tries' }, { order: 'asc' }, {}]) {
      const seen: string[] = []
      let after: string | undefined
      let pages = 0
      do {
        const asking = query({ ...asked, limit: 1, ...(after ? { after } : {}) })
        const page: ProofingPage = cutPage(sortRows(rows, asking), asking)
        expect(page.total).toBe(3)
        seen.push(...page.rows.map(({ visitId }) => visitId))
        after = page.next ?? undefined
        pages++
      } while (after !== undefined)
      expect(pages).toBe(3)
      expect(seen).toEqual(sortRows(rows, query(asked)).map(({ visitId }) => visitId))
    }
    expect(cutPage(rows, query({ limit: 3 })).next).toBeNull()
    expect(cutPage([], query())).toEqual({ rows: [], total: 0, next: null })
  })

  test.each(['x', '1', `_${idOf(1)}`, `1_${idOf(1)}x`, `x1_${idOf(1)}`, `1234567890123456_${idOf(1)}`])(
    'has no page behind %j',
    (after) => {
      expect(() => cutPage(rows, query({ after }))).toThrow(
        expect.objectContaining({
          problems: [expect.objectContaining({ code: 'wrong_form', field: 'after' })],
        }),
      )
    },
  )

  test('is of today, of the days that are named, and of a year and two days at most', () => {
    const noon = new Date(2026, 10, 21, 12)
    const days = (asked: object) => {
      const { since, until, from, to } = readDays(asked, noon)
      return [from, to, Math.round((until.getTime() - since.getTime()) / 86_400_000)]
    }
    expect(days({})).toEqual(['2026-11-21', '2026-11-21', 1])
    expect(days({ from: '2026-11-20' })).toEqual(['2026-11-20', '2026-11-21', 2])
    expect(days({ to: '2026-11-19' })).toEqual(['2026-11-19', '2026-11-19', 1])
    expect(days({ from: '2026-12-24' })).toEqual(['2026-12-24', '2026-12-24', 1])
    expect(days({ from: '2025-01-01', to: '2026-01-02' })).toEqual(['2025-01-01', '2026-01-02', 367])
    const refusal = (asked: object) => {
      try {
        readDays(asked, noon)
      } catch (error) {
        return (error as { problems: readonly { code: string; field: string }[] }).problems[0]
      }
      return null
    }
    expect(refusal({ from: '2025-01-01', to: '2026-01-03' })).toMatchObject({
      code: 'too_long',
      field: 'from',
    })
    expect(refusal({ from: '2026-11-21', to: '2026-11-20' })).toMatchObject({
      code: 'wrong_order',
      field: 'to',
    })
  })
})

describe('the question for consent on the applicant’s display', () => {
  let now: Date
  let displays: ConsentDisplays
  beforeEach(() => {
    now = AT
    displays = new ConsentDisplays({ now: () => now })
  })
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  const open = (visitId = 'visit') =>
    displays.open({ visitId, display: 'SECOND', language: 'en', attendant: { staffId: 'ada' } as never })
  const MINUTES = 60_000

  test('is opened by its token for twenty minutes, and by no other', () => {
    const { token, expiresAt } = open()
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(expiresAt).toEqual(new Date(AT.getTime() + 20 * MINUTES))
    expect(displays.find(token)).toMatchObject({ visitId: 'visit', shownAt: null })
    expect(() => displays.find(`${token}x`)).toThrow('unauthorized')
    pass(20 * MINUTES - 1)
    expect(displays.find(token).visitId).toBe('visit')
    expect(displays.of('visit')?.visitId).toBe('visit')
    pass(1)
    expect(() => displays.find(token)).toThrow('unauthorized')
    expect(displays.of('visit')).toBeNull()
  })

  test('knows when it was shown first', () => {
    const { token } = open()
    pass(1_000)
    expect(displays.show(token).shownAt).toEqual(now)
    const first = now
    pass(1_000)
    expect(displays.show(token).shownAt).toEqual(first)
  })

  test('is answered once', () => {
    const { token } = open()
    expect(displays.take(token).visitId).toBe('visit')
    expect(() => displays.take(token)).toThrow('unauthorized')
    expect(displays.of('visit')).toBeNull()
  })

  test('ends the one before of the same visit, and no other', () => {
    const [first, other, second] = [open(), open('other'), open()]
    expect(() => displays.find(first.token)).toThrow('unauthorized')
    expect(displays.find(second.token).visitId).toBe('visit')
    expect(displays.find(other.token).visitId).toBe('other')
  })

  test('is open at a hundred visits at most, those that are over not counted', () => {
    for (let count = 0; count < 100; count++) open(`visit ${count}`)
    expect(() => open('one more')).toThrow('rate_limited')
    expect(open('visit 7').token).toBeDefined()
    pass(20 * MINUTES)
    expect(open('one more').token).toBeDefined()
  })
})

describe('a body of the console', () => {
  type Schema = { safeParse(value: unknown): { success: boolean } }
  const long = (length: number) => 'a'.repeat(length)
  const TYPED = {
    documentType: 'PASSPORT',
    country: 'UTO',
    number: 'L898902C3',
    expires: '2030-01-01',
    givenNames: ['Anna', 'Maria'],
    surname: 'Eriksson',
    birthDate: '1974-08-12',
  }

  test.each<[string, Schema, object, boolean]>([
    ['a password', PasswordGiven, { login: 'ada', password: 'x' }, true],
    ['a password', PasswordGiven, { login: ' ', password: 'x' }, false],
    ['a password', PasswordGiven, { login: long(64), password: long(256) }, true],
    ['a password', PasswordGiven, { login: long(65), password: 'x' }, false],
    ['a password', PasswordGiven, { login: 'ada', password: long(257) }, false],
    ['a password', PasswordGiven, { login: 'ada', password: '' }, false],
    ['a password', PasswordGiven, { login: 'ada', password: 'x', more: 1 }, false],
    ['a factor', FactorGiven, { code: long(40) }, true],
    ['a factor', FactorGiven, { code: long(41) }, false],
    ['a factor', FactorGiven, { code: '' }, false],
    ['a set-up', SetUpGiven, { login: 'ada', code: long(60) }, true],
    ['a set-up', SetUpGiven, { login: 'ada', code: long(61) }, false],
    ['an unlocking', UnlockGiven, { password: 'x' }, true],
    ['an unlocking', UnlockGiven, {}, false],
    ['a new password', NewPassword, { password: 'x' }, true],
    ['a new password', NewPassword, {}, false],
    ['a language', LanguageChosen, { language: 'de-CH' }, true],
    ['a language', LanguageChosen, { language: 'zh-Hant-TW' }, true],
    ['a language', LanguageChosen, { language: 'DE' }, false],
    ['a language', LanguageChosen, { language: 'x' }, false],
    ['a language', LanguageChosen, { language: 'de-' }, false],
    ['roles', RolesChosen, { roles: ['officer', 'auditor'] }, true],
    ['roles', RolesChosen, { roles: [] }, false],
    ['roles', RolesChosen, { roles: ['officer', 'officer'] }, false],
    ['roles', RolesChosen, { roles: ['king'] }, false],
    ['staff', NewStaff, { login: 'a1', name: 'Ada', roles: ['officer'] }, true],
    ['staff', NewStaff, { login: 'a', name: 'Ada', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: `${long(40)}`, name: long(80), roles: ['officer'] }, true],
    ['staff', NewStaff, { login: long(41), name: 'Ada', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: '.ada', name: 'Ada', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: 'Ada', name: 'Ada', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: 'ada', name: long(81), roles: ['officer'] }, false],
    ['staff', NewStaff, { login: 'ada', name: 'A\u202eda', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: 'ada', name: 'Ada\u0007', roles: ['officer'] }, false],
    ['staff', NewStaff, { login: 'ada', name: ' ', roles: ['officer'] }, false],
    ['keys', NewKeyPair, { application: 'Shop 1' }, true],
    ['keys', NewKeyPair, { application: long(60), days: 36_500 }, true],
    ['keys', NewKeyPair, { application: long(61) }, false],
    ['keys', NewKeyPair, { application: 'Shop', days: 0 }, false],
    ['keys', NewKeyPair, { application: 'Shop', days: 36_501 }, false],
    ['keys', NewKeyPair, { application: 'Sh\u200bop' }, false],
    ['keys', NewKeyPair, { application: 'Shop\u0000x' }, false],
    ['keys', NewKeyPair, { application: '' }, false],
    ['a rotation', KeyRotation, { application: 'Shop', overlapHours: 0 }, true],
    ['a rotation', KeyRotation, { application: 'Shop', overlapHours: 2160 }, true],
    ['a rotation', KeyRotation, { application: 'Shop', overlapHours: 2161 }, false],
    ['a rotation', KeyRotation, { application: 'Shop', overlapHours: -1 }, false],
    ['nothing', Nothing, {}, true],
    ['nothing', Nothing, { more: 1 }, false],
    ['an inspection', InspectionBody, { items: { SEAL_WHOLE: true } }, true],
    ['an inspection', InspectionBody, { items: { seal: true } }, false],
    ['an inspection', InspectionBody, { items: { AB: true } }, false],
    ['an inspection', InspectionBody, { items: { [`A${'B'.repeat(40)}`]: true } }, true],
    ['an inspection', InspectionBody, { items: { [`A${'B'.repeat(41)}`]: true } }, false],
    ['an inspection', InspectionBody, { items: { SEAL_WHOLE: 'yes' } }, false],
    ['tampering', TamperingBody, { kind: 'CASE_OPENED' }, true],
    ['tampering', TamperingBody, { kind: 'CASE' }, false],
    ['an answer to a call', HelpAnswerBody, { answer: 'COMING' }, true],
    ['an answer to a call', HelpAnswerBody, { answer: 'NEVER' }, false],
    ['days', ChartsQuery, { from: '2026-11-21' }, true],
    ['days', ChartsQuery, { from: '2026-13-21' }, false],
    ['days', ChartsQuery, { since: '2026-11-21' }, false],
    ['a search', SearchBody, { reference: long(40) }, true],
    ['a search', SearchBody, { reference: long(41) }, false],
    ['a search', SearchBody, { code: long(40) }, true],
    ['a search', SearchBody, { code: '' }, false],
    ['a search', SearchBody, { text: long(200) }, true],
    ['a search', SearchBody, { text: long(201) }, false],
    ['a search', SearchBody, { code: 'x', reference: 'y' }, false],
    ['a search', SearchBody, {}, false],
    ['an erasure', EraseBody, { reason: 'PERSON_ASKED', reference: '7K4P-2M9X' }, true],
    ['an erasure', EraseBody, { reason: 'PERSON_ASKED' }, false],
    ['an erasure', EraseBody, { reason: 'because', reference: '7K4P-2M9X' }, false],
    ['a wish', DocumentWish, { country: 'UTO', documentType: 'PASSPORT' }, true],
    ['a wish', DocumentWish, { country: 'UT', documentType: 'PASSPORT' }, false],
    ['a wish', DocumentWish, { country: 'UTOP', documentType: 'PASSPORT' }, false],
    ['a wish', DocumentWish, { country: 'uto', documentType: 'PASSPORT' }, false],
    ['a typed document', TypedDocumentBody, TYPED, true],
    ['a typed document', TypedDocumentBody, { ...TYPED, country: 'U' }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, country: 'UTOP' }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, birthDate: '12.8.1974' }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, expires: '2030-01-01x' }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, givenNames: [] }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, givenNames: Array(11).fill('A') }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, surname: ' ' }, false],
    ['a typed document', TypedDocumentBody, { ...TYPED, number: long(51) }, false],
    ['typed values', TypedAttributesBody, { nationality: 'UTO' }, true],
    ['typed values', TypedAttributesBody, { nationality: 'UTOPIA' }, false],
    ['typed values', TypedAttributesBody, { surname: 'Example' }, true],
    ['typed values', TypedAttributesBody, {}, false],
    ['an attendance', AttendanceBody, { present: true, answers: {} }, true],
    ['an attendance', AttendanceBody, { present: true, answers: { seal: 'YES' } }, false],
    ['an attendance', AttendanceBody, {}, false],
    ['an attendance', AttendanceBody, { present: true, exceptions: ['NO_HAND'] }, true],
    ['an attendance', AttendanceBody, { present: true, exceptions: ['NO_TIME'] }, false],
    ['a stop', StopBody, { reason: 'PERSON_LEFT' }, true],
    ['a stop', StopBody, { reason: 'LUNCH' }, false],
    ['a list', ProofingsQuery, { limit: '100' }, true],
    ['a list', ProofingsQuery, { limit: '101' }, false],
    ['a list', ProofingsQuery, { limit: '0' }, false],
    ['a list', ProofingsQuery, { sort: 'name' }, false],
    ['a list', ProofingsQuery, { after: long(101) }, false],
  ])('for %s (%#)', (_, schema, body, isOne) => {
    expect([body, schema.safeParse(body).success]).toEqual([body, isOne])
  })

  test('has its own values where none are given', () => {
    expect(ProofingsQuery.parse({})).toEqual({ sort: 'startedAt', order: 'desc', limit: 25 })
    expect(KeyRotation.parse({ application: ' Shop ' })).toEqual({
      application: 'Shop',
      days: null,
      overlapHours: 24,
    })
    expect(NewStaff.parse({ login: 'ada', name: ' Ada ', roles: ['officer'] })).toMatchObject({
      name: 'Ada',
      language: 'en',
    })
  })
})
