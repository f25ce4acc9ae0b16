import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openDocumentRegister,
  type RegisterSettings,
} from '../../../server/connectors/document-status/document-register.ts'
import { buildRangeQuestion } from '../../../server/connectors/service/range.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'
import { answerWith, startRegister, type Register } from '../../../server/tools/simulator/register.ts'

const NOON = new Date('2026-03-02T12:00:00Z')
const NAME = 'PASSPORT\nUTO\nL898902C3'
const { range: RANGE, suffix: SUFFIX } = buildRangeQuestion(NAME)
const SETTINGS = {
  token: 'top-secret',
  authorities: null,
  timeoutMs: 5000,
  authoritative: false,
  coversDeaths: false,
}

let fake: Register
beforeEach(async () => {
  fake = await startRegister({ date: '2026-03-02' })
})
afterEach(() => fake.close())

const open = (over: Partial<RegisterSettings> = {}, now = () => NOON) =>
  openDocumentRegister({ url: fake.url, ...SETTINGS, ...over }, { now })

describe('a question', () => {
  test('carries five digits of a hash and the token, and nothing else of the document', async () => {
    fake.know({ [NAME]: 'STOLEN' })
    const answer = await open().ask(RANGE)
    expect(answer).toMatchObject({ kind: 'answered', name: 'Utopian register', date: '2026-03-02' })
    expect(answer.kind === 'answered' && answer.entries).toContainEqual({
      wholeName: null,
      suffix: SUFFIX,
      reason: 'STOLEN',
    })
    expect(fake.requests).toHaveLength(1)
    const [{ method, path, headers, body }] = fake.requests
    expect({ method, path, body }).toEqual({ method: 'GET', path: `/ranges/${RANGE}`, body: '' })
    expect(path).toMatch(/^\/ranges\/[0-9A-F]{5}$/)
    expect(headers.authorization).toBe('Bearer top-secret')
    expect(JSON.stringify(headers)).not.toContain(SUFFIX.slice(0, 6))
  })

  test('goes without an authorization where the register asks for none', async () => {
    await open({ token: null }).ask(RANGE)
    expect(fake.requests[0].headers).not.toHaveProperty('authorization')
  })

  test.each(['', 'abcde', '1234', '123456', 'L898902C3', '../..'])('is never sent as %j', async (text) => {
    await expect(open().ask(text)).rejects.toThrow(TypeError)
    expect(fake.requests).toEqual([])
  })

  test('about a range without documents is answered too', async () => {
    fake.with({ entries: [] })
    expect(await open().ask(RANGE)).toMatchObject({ kind: 'answered', entries: [] })
  })
})

describe('deaths count', () => {
  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('configured %s, declared %s: %s', async (configured, declared, counts) => {
    fake.with({ coversDeaths: declared })
    expect(await open({ coversDeaths: configured }).ask(RANGE)).toMatchObject({ coversDeaths: counts })
  })
  test('not where the register says nothing of them', async () => {
    expect(await open({ coversDeaths: true }).ask(RANGE)).toMatchObject({ coversDeaths: false })
  })
})

describe('is no answer', () => {
  const good = { register: 'R', date: '2026-03-02', range: RANGE, entries: [] }
  const json = (over: object) => answerWith(200, JSON.stringify({ ...good, ...over }))
  test.each([
    ['500', answerWith(500), { reason: 'unexpected-answer', httpStatus: 500 }],
    ['404', answerWith(404), { reason: 'unexpected-answer', httpStatus: 404 }],
    ['401', answerWith(401), { reason: 'credentials-refused', httpStatus: 401 }],
    ['403', answerWith(403), { reason: 'credentials-refused', httpStatus: 403 }],
    [
      'a redirect',
      answerWith(302, '', { location: '/elsewhere' }),
      { reason: 'unexpected-answer', httpStatus: 302 },
    ],
    ['a page of a portal', answerWith(200, '<html>Please sign in</html>'), { reason: 'malformed' }],
    ['an empty body', answerWith(200), { reason: 'malformed' }],
    ['an answer to another question', json({ range: '00000' }), { reason: 'malformed' }],
    ['an answer without a date', json({ date: undefined }), { reason: 'malformed' }],
    ['a day that is none', json({ date: '2026-02-30' }), { reason: 'malformed' }],
    ['a name that is a text of its own', json({ register: 'x'.repeat(81) }), { reason: 'malformed' }],
    ['a name with markup', json({ register: '<b>R</b>' }), { reason: 'malformed' }],
    [
      'a suffix of another length',
      json({ entries: [{ suffix: 'AB', reason: 'LOST' }] }),
      { reason: 'malformed' },
    ],
    [
      'a reason that is none',
      json({ entries: [{ suffix: SUFFIX, reason: 'BORROWED' }] }),
      { reason: 'malformed' },
    ],
  ])('%s', async (_name, how, expected) => {
    fake.say(how)
    expect(await open().ask(RANGE)).toMatchObject({ kind: 'unavailable', ...expected })
    expect(fake.requests).toHaveLength(1)
  })

  test('a register that begins to answer and never ends', async () => {
    fake.say((res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"register":')
    })
    expect(await open({ timeoutMs: 150 }).ask(RANGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'timeout',
    })
  })
})

describe('over TLS', () => {
  let ours: CertificateAuthority
  let others: CertificateAuthority
  beforeEach(() => {
    ours = makeCertificateAuthority('Register authority')
    others = makeCertificateAuthority('Somebody else')
  })
  afterEach(() => {
    ours.remove()
    others.remove()
  })
  const serverOf = (authority: CertificateAuthority, name: string) => {
    const extensions = ['basicConstraints = CA:FALSE', `subjectAltName = ${name}`]
    const { keyFile, pem } = authority.issue({ name: 'register', extensions })
    return startRegister({ date: '2026-03-02', tls: { key: readFileSync(keyFile, 'utf8'), cert: pem } })
  }

  test('a register of the configured authority is believed', async () => {
    const tls = await serverOf(ours, 'IP:127.0.0.1')
    try {
      expect(await open({ url: tls.url, authorities: ours.root.pem }).ask(RANGE)).toMatchObject({
        kind: 'answered',
      })
    } finally {
      await tls.close()
    }
  })

  test.each([
    ['another host', () => serverOf(ours, 'DNS:elsewhere.example'), () => ours.root.pem],
    ['no public authority', () => serverOf(ours, 'IP:127.0.0.1'), () => null],
  ])('one with a certificate of %s hears nothing at all', async (_name, start, authorities) => {
    const tls = await start()
    try {
      const answer = await open({ url: tls.url, authorities: authorities() }).ask(RANGE)
      expect(answer).toMatchObject({ kind: 'unavailable', reason: 'certificate-refused' })
      expect(tls.requests).toEqual([])
    } finally {
      await tls.close()
    }
  })
})

test('its health tells since when it does not answer, and that it does again', async () => {
  let now = NOON
  const register = open({}, () => now)
  expect(register.health()).toEqual({ status: 'UP', detail: 'configured' })
  fake.say(answerWith(500))
  await register.ask(RANGE)
  now = new Date('2026-03-02T13:00:00Z')
  await register.ask(RANGE)
  expect(register.health()).toEqual({
    status: 'DEGRADED',
    since: '2026-03-02T12:00:00.000',
    detail: 'the last question was not answered: unexpected-answer (HTTP 500)',
  })
  fake.say(null)
  await register.ask(RANGE)
  expect(register.health()).toEqual({ status: 'UP', detail: 'configured' })
})

test('a token with a blank is refused at the start', () => {
  const problem = { details: { field: 'connectors.documentStatus.tokenFile' } }
  expect(() => open({ token: 'two words' })).toThrow(expect.objectContaining(problem) as Error)
})
