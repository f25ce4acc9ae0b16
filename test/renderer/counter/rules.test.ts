/** Rules of the counter without a page: times, addresses, scans, filters, locks, scales. */
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { passwordRules } from '../../../renderer/counter/account/password-rules.ts'
import { ApiProblem, createClient, buildQuery } from '../../../renderer/counter/api/client.ts'
import { createFormats, parseUtcTime } from '../../../renderer/counter/formats.ts'
import { proofingsQuery, parseSort } from '../../../renderer/counter/pages/today/filters.ts'
import { problemSentence } from '../../../renderer/counter/problem-words.ts'
import { addUpPoints } from '../../../renderer/counter/pages/charts/cells.ts'
import { isEmptyCapture } from '../../../renderer/counter/pages/proofing/evidence-card.tsx'
import { whoWord } from '../../../renderer/counter/pages/proofing/timeline.tsx'
import { ownSentence } from '../../../renderer/counter/pages/settings/finding-words.ts'
import { linkTo, parseRoute } from '../../../renderer/counter/route.ts'
import { createIdleTimer } from '../../../renderer/counter/shell/idle.ts'
import { createScannerEar, toSearchBody, toTakeOverBody } from '../../../renderer/counter/shell/scanner.ts'
import { refusalSentence } from '../../../renderer/counter/sign-in/refusal.ts'
import { niceTop } from '../../../renderer/counter/ui/chart-scale.ts'
import { COUNTER } from '../../../renderer/locales/counter.ts'
import { englishTexts } from '../../../renderer/locales/index.ts'

const t = englishTexts(COUNTER)

describe('times', () => {
  const formats = createFormats('en', t)

  test('without a time zone are UTC, as the server writes them', () => {
    expect(parseUtcTime('2026-11-21T14:05:00.000').toISOString()).toBe('2026-11-21T14:05:00.000Z')
    expect(parseUtcTime('2026-11-21T14:05:00+02:00').toISOString()).toBe('2026-11-21T12:05:00.000Z')
  })

  test('are local, in the language of the reader and of 24 hours; a day alone stays that day', () => {
    const local = new Date(2026, 10, 21, 14, 5)
    expect(formats.dateTime(local.toISOString())).toBe('21 Nov 2026, 14:05')
    // No "and" between day and time, in any language.
    expect(createFormats('fr', t).dateTime(local.toISOString())).toBe('21 nov. 2026, 14:05')
    expect(createFormats('es', t).dateTime(local.toISOString())).toMatch(/2026, 14:05$/)
    expect(createFormats('ar', t).dateTime(local.toISOString())).toMatch(/، 14:05$/)
    expect(formats.day('2026-11-21')).toBe('21 Nov 2026')
    // In the reader's language, with digits that match paper.
    expect(createFormats('de', t).day('2026-11-21')).toBe('21.11.2026')
    expect(createFormats('fr', t).day('2026-11-21')).toBe('21 nov. 2026')
    expect(createFormats('ar', t).day('2026-11-21')).toMatch(/2026/)
    expect(formats.value('1974-08-12')).toBe('12 Aug 1974')
    expect(formats.value('1974-00-00')).toBe('1974-00-00')
    expect(formats.value('L898902C3')).toBe('L898902C3')
  })

  test.each([
    [4_000, '4 s'],
    [252_000, '4 min 12 s'],
    [7_500_000, '2 h 5 min'],
    [93_600_000, '1 d 2 h'],
    [86_400_000, '1 day'],
  ])('%d ms are said as "%s"', (ms, words) => expect(formats.span(ms)).toBe(words))

  test('unknown country codes stay unchanged', () => {
    expect(formats.country('UTO')).toBe('UTO')
    expect(formats.country('FR')).toBe('France')
  })
})

describe('addresses', () => {
  test('hold page, what follows, and filters', () => {
    const route = parseRoute('#/devices/ledger?flag=HELP&from=2026-01-02')
    expect([route.page, route.rest, Object.fromEntries(route.query)]).toEqual([
      'devices',
      ['ledger'],
      { flag: 'HELP', from: '2026-01-02' },
    ])
    expect(linkTo('today', { flag: 'HELP', state: '' })).toBe('#/today?flag=HELP')
  })

  test.each(['', '#', '#/', '#?x=1'])('"%s" leads home', (hash) =>
    expect(parseRoute(hash).page).toBe('today'),
  )

  test('a broken escape does not break the page', () =>
    expect(parseRoute('#/a/%E0%A4').rest).toEqual(['%E0%A4']))

  test('of the filters only ours are asked of the server', () => {
    const query = new URLSearchParams('state=running&sort=name&order=asc&evil=1')
    expect(proofingsQuery(query)).toBe('?state=running&sort=startedAt&order=asc')
    expect(parseSort(new URLSearchParams('sort=tries'))).toEqual({
      key: 'tries',
      descending: true,
    })
    expect(buildQuery({ a: '', b: null, c: 3 })).toBe('?c=3')
  })
})

describe('a scanner', () => {
  const type = (text: string, gapMs: number) => {
    const ear = createScannerEar()
    return [...text, 'Enter'].map((key, at) => ear.hear({ key, at: at * gapMs })).at(-1)
  }

  test('is heard by its speed, a person is not', () => {
    expect(type('7K4P-2M9X', 8)).toBe('7K4P-2M9X')
    expect(type('7K4P-2M9X', 120)).toBeNull()
    expect(type('abc', 5)).toBeNull()
  })

  test('may hold Shift, and what a person typed before it does not count', () => {
    const ear = createScannerEar()
    ear.hear({ key: 'x', at: 0 })
    ;['Shift', ...'AB12CD34'].forEach((key, at) => ear.hear({ key, at: 1_000 + at * 5 }))
    expect(ear.hear({ key: 'Enter', at: 1_045 })).toBe('AB12CD34')
  })

  test('eight signs are a reference, fifteen a code, anything else is what the receipt holds', () => {
    expect(toSearchBody(' 7k4p 2m9x ')).toEqual({ reference: '7k4p 2m9x' })
    expect(toSearchBody('4T7NC-Q0HWZ-3M8KD')).toEqual({
      code: '4T7NC-Q0HWZ-3M8KD',
    })
    expect(toSearchBody('4t7ncq0hwz3m8kd')).toEqual({
      code: '4t7ncq0hwz3m8kd',
    })
    const scanned = '7K4P-2M9X 4T7NC-Q0HWZ-3M8KD'
    expect(toSearchBody(scanned)).toEqual({ text: scanned })
    expect(toSearchBody('https://example.test/r#7K4P')).toEqual({
      text: 'https://example.test/r#7K4P',
    })
  })

  test('Assist sends a code as a code, and no reference as a code', () => {
    expect(toTakeOverBody('4T7NC-Q0HWZ-3M8KD')).toEqual({
      code: '4T7NC-Q0HWZ-3M8KD',
    })
    expect(toTakeOverBody('7K4P-2M9X')).toEqual({ text: '7K4P-2M9X' })
  })
})

describe('the lock', () => {
  const view = {
    warnAt: '2026-01-02T10:13:00.000Z',
    locksAt: '2026-01-02T10:15:00.000Z',
    endsAt: '2026-01-02T20:00:00.000Z',
  }
  const at = (time: string) => createIdleTimer(view, Date.parse(`2026-01-02T${time}Z`))

  test('is warned of, with the seconds that are left, and then comes', () => {
    expect(at('10:12:59')).toEqual({ state: 'working' })
    expect(at('10:13:30')).toEqual({ state: 'warned', secondsLeft: 90 })
    expect(at('10:15:00')).toEqual({ state: 'over' })
  })

  test('does not wait when the sign-in itself ends first', () => {
    expect(createIdleTimer({ ...view, endsAt: view.warnAt }, Date.parse(view.warnAt))).toEqual({
      state: 'over',
    })
  })
})

test('a password is long, has no sign-in name in it and is no pattern; nothing else is asked', () => {
  const kept = (password: string) => passwordRules(password, 'anna').map((rule) => rule.kept)
  expect(kept('quiet lanterns below')).toEqual([true, true, true])
  expect(kept('short')).toEqual([false, true, true])
  expect(kept('ANNA and the lanterns')).toEqual([true, false, true])
  expect(kept('aaaaaaaaaaaaaa')).toEqual([true, true, false])
})

describe('problems', () => {
  const known = (key: string, otherwise: string, slots?: Record<string, string | number>) => {
    const text = (t as (key: string, slots?: object) => string)(key, slots)
    return text === key ? otherwise : text
  }
  const sentence = (code: string, status: number) => problemSentence({ code, details: {}, status }, known)

  test('are told in a sentence that says what to do; a code that is new to the page, too', () => {
    expect(sentence('offline', 0)).toMatch(/does not answer/)
    expect(sentence('something_new', 409)).toMatch(/Try again/)
    expect(sentence('something_new', 500)).toMatch(/fault of its own/)
  })
})

describe('the client', () => {
  const problem = (code: string, status: number) =>
    new Response(
      JSON.stringify({
        type: `urn:counterproof:problem:${code}`,
        correlationId: 'c-1',
      }),
      {
        status,
      },
    )

  test('names the page in every call, and what it asks by itself as such', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'))
    const client = createClient('http://x/api/', {
      onSessionChanged: vi.fn(),
      askFresh: async () => false,
    })
    await client.get('session')
    await client.send('POST', 'session/touch')
    const headers = fetch.mock.calls.map(
      ([, init]) => (init?.headers as Record<string, string> | undefined)?.['x-counterproof'],
    )
    expect(headers).toEqual(['background', 'counter'])
    fetch.mockRestore()
  })

  test('asks for the second factor and sends a sensitive act once more, but only then', async () => {
    const answers = [problem('fresh_factor_needed', 403), new Response('{"done":true}')]
    const fetch = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => answers.shift() ?? new Response('{}'))
    const askFresh = vi.fn(async () => true)
    const client = createClient('http://x/api/', {
      onSessionChanged: vi.fn(),
      askFresh,
    })
    expect(await client.send('POST', 'keys', { body: {} })).toEqual({
      done: true,
    })
    expect([askFresh.mock.calls.length, fetch.mock.calls.length]).toEqual([1, 2])

    answers.push(problem('fresh_factor_needed', 403))
    askFresh.mockResolvedValueOnce(false)
    await expect(client.send('POST', 'keys')).rejects.toMatchObject({
      code: 'fresh_factor_needed',
    })
    fetch.mockRestore()
  })

  test('tells who holds the session when it is over, and what stood in the problem', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => problem('unauthorized', 401))
    const onSessionChanged = vi.fn()
    const client = createClient('http://x/api/', {
      onSessionChanged,
      askFresh: async () => false,
    })
    const failed = await client.get('today').catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ApiProblem)
    expect(failed).toMatchObject({
      code: 'unauthorized',
      status: 401,
      correlationId: 'c-1',
    })
    expect(onSessionChanged).toHaveBeenCalledOnce()
    fetch.mockRestore()
  })
})

describe('charts', () => {
  test.each([
    [[0, null], 1],
    [[3], 5],
    [[12, 18], 20],
    [[51], 100],
    [[0.3], 0.5],
  ])('of %j have a scale to %d', (values, top) => expect(niceTop(values)).toBeCloseTo(top))

  test('add up one name over several days, the most first, and leave rows of different names as they come', () => {
    const rows = [
      ['2026-11-27', 'GLARE', 2],
      ['2026-11-27', 'BLUR', 3],
      ['2026-11-28', 'GLARE', 4],
    ]
    const drawn = addUpPoints(rows, { name: 1, value: 2 }).map(({ cell, value }) => [cell, value])
    expect(drawn).toEqual([
      ['GLARE', 6],
      ['BLUR', 3],
    ])
    const hours = [
      ['09:00', 1],
      ['10:00', 5],
    ]
    expect(addUpPoints(hours, { name: 0, value: 1 }).map(({ cell }) => cell)).toEqual(['09:00', '10:00'])
  })
})

describe('an opened proofing', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8058'
  const texts = {
    t,
    known: (key: string, other: string) => (key === 'who.kiosk' ? 'Kiosk' : other),
  }

  test('names who acted; of an account that is gone it tells the end of its id', () => {
    expect(whoWord(`STAFF:${id}`, { [id]: 'Ada Example' }, texts)).toBe('Ada Example')
    expect(whoWord(`STAFF:${id}`, {}, texts)).toBe('Staff 099a8058')
    expect(whoWord('kiosk', {}, texts)).toBe('Kiosk')
  })

  test('tells a capture that ended without a picture from a try that failed', () => {
    const given: Parameters<typeof isEmptyCapture>[0] = {
      evidenceId: id,
      family: 'PORTRAIT',
      type: 'PORTRAIT',
      status: 'NOT_VERIFIED',
      strength: 'LEVEL0',
      score: 'LEVEL0',
      submittedAt: '2026-11-28T00:00:00.000Z',
      deleted: false,
      images: [],
      values: [],
      fault: null,
      errors: [],
      findings: [],
      chipLists: [],
      fromFile: false,
      attendance: null,
      notes: [],
    }
    expect(isEmptyCapture(given)).toBe(true)
    expect(isEmptyCapture({ ...given, status: 'PROCESSING' })).toBe(false)
    expect(
      isEmptyCapture({
        ...given,
        images: [{ imageId: id, kind: 'PORTRAIT', href: 'x' }],
      }),
    ).toBe(false)
    // Typed data has no picture.
    expect(isEmptyCapture({ ...given, family: 'DATA' })).toBe(false)
  })
})

test('a lock is over at the minute that is told', () => {
  const formats = createFormats('en', t)
  const until = '2026-11-28T01:08:20.000Z'
  const told = refusalSentence({ code: 'LOCKED', until, reason: null } as never, t, formats)
  expect(told).toContain(formats.time('2026-11-28T01:09:00.000Z'))
})

test('a problem of a setting has a sentence in the reader’s language; of the schema, one that names no type', () => {
  const german = JSON.parse(readFileSync('renderer/locales/de.json', 'utf8')) as {
    counter: Record<string, string>
  }
  const texts = {
    t: ((key: string) => german.counter[key] ?? '') as typeof t,
    known: (key: string, other: string) => german.counter[key] ?? other,
  }
  expect(ownSentence({ code: 'consent_not_needed' }, texts)).toMatch(/Einwilligung/)
  expect(ownSentence({ code: 'missing_language' }, texts)).toMatch(/Begrüßung/)
  expect(ownSentence({ code: 'not_multiple_of' }, texts)).toBe(
    'Was hier steht, hat nicht die erwartete Form.',
  )
  expect(ownSentence({ code: 'of_a_policy' }, texts)).toBeNull()
})
