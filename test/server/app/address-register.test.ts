/** Addresses that a register confirms or refutes: a whole appliance against the simulated register, over real sockets. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { connectAddressRegister } from '../../support/address-register.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { HOLDER, HOLDER_PAGE, picture, scriptedVision } from './scripted-vision.ts'

const MINUTE_MS = 60_000
const AT = { streetLine1: '12 LONG ST', postcode: '1000', city: 'UTOPIA CITY' }
const AT_MIAMI = { streetLine1: '5 FIVE ST', city: 'MIAMI', addressState: 'FL', postcode: '33101' }
const ENTRIES = [
  { country: 'UTO', values: { ...AT, givenNames: 'Anna Maria', surname: 'Eriksson' } },
  {
    country: 'UTO',
    values: { ...AT, streetLine1: '7 SHORT RD', givenNames: 'Karl', surname: 'Zaphodovaquix' },
  },
  { country: 'UTO', values: { ...AT, streetLine1: '9 NEW RD' } },
  { country: 'USA', values: { ...AT_MIAMI, givenNames: 'Anna Maria', surname: 'Eriksson' } },
  {
    country: 'USA',
    values: {
      ...AT_MIAMI,
      streetLine1: '8 NINE ST',
      postcodeExtension: '1234',
      givenNames: 'Anna Maria',
      surname: 'Eriksson',
    },
  },
]
/** A value of an address or person in a log or an event. */
const PERSONAL = /eriksson|long st|utopia city/i
const anAddress = (line: string) => ({
  streetDetails: { streetLines: [line] },
  postcode: '1000',
  city: 'Utopia City',
  country: 'UTO',
})

let register: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  const connected = await connectAddressRegister(
    ENTRIES,
    {
      authoritative: true,
      askAgainMinutes: [1, 3],
      countries: ['UTO', 'USA'],
      sends: [...Object.keys(AT_MIAMI), 'postcodeExtension', 'givenNames', 'surname'],
    },
    () => client.now(),
  )
  register = connected.register
  client = await startProofing(connected.config, scriptedVision(), connected.files)
})
afterAll(async () => {
  await client.app.close()
  await register.close()
})
beforeEach(() => register.setFault(null))

const printedPassport = () =>
  picture({ shows: 'document', lines: buildTd3(HOLDER), face: 'A', page: HOLDER_PAGE })

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const consent = async (id: string, type: 'ADDRESS' | 'ID_DOCUMENT', approved: boolean) => {
  const payload = [{ type, approved }]
  await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
  await client.app.runJobs()
}

interface Given {
  readonly hasDocument?: boolean
  readonly hasConsent?: boolean
}

async function submitted(payload: object, { hasDocument = true, hasConsent = true }: Given = {}) {
  const id = await client.anIdentity(['ID_DOCUMENT', 'PORTRAIT', ...(hasConsent ? ['ADDRESS'] : [])])
  if (hasDocument) await client.document(id, printedPassport())
  const before = register.requests.length
  await client.ask('AddressesAnswer', 'POST', at(id, 'addresses'), { payload })
  await client.app.runJobs()
  const view = async () => (await client.ask('AddressesAnswer', 'GET', at(id, 'addresses'))).addresses.at(-1)
  return {
    id,
    view,
    status: async () => (await view())?.evidenceStatus,
    asked: () => register.requests.slice(before).map(({ body }) => JSON.parse(body) as { values: object }),
    calls: () =>
      client
        .events(id)
        .filter(([type]) => type === 'service.called')
        .map(([, body]) => body as { connector: string; values: string[]; trouble: string | null }),
  }
}

describe('an address', () => {
  test('where the register knows the verified person is VERIFIED, and learns only the configured values', async () => {
    const { id, view, asked, calls } = await submitted(anAddress('12 Long Street'))
    expect(await view()).toMatchObject({
      evidenceStatus: {
        status: 'VERIFIED',
        score: 'LEVEL1',
        positiveIndicators: ['ADDRESS_FORM_OK', 'ADDRESS_EXISTENCE_OK', 'ADDRESS_SOURCE_OK'],
        unverifiedIndicators: ['ADDRESS_MATCH_UNVERIFIED'],
      },
      addressData: { verified: true, streetDetails: { streetLines: ['12 Long Street'], verified: true } },
    })
    expect(asked().map(({ values }) => values)).toEqual([
      { ...AT, givenNames: 'ANNA MARIA', surname: 'ERIKSSON' },
    ])
    const names = ['country', 'streetLine1', 'city', 'postcode', 'givenNames', 'surname']
    expect(calls()).toEqual([
      expect.objectContaining({ connector: 'address-register', values: names, trouble: null }),
    ])
    expect(JSON.stringify([client.events(id), client.app.log()])).not.toMatch(PERSONAL)
    const { details } = await openProof(client.app, id)
    expect(JSON.stringify(details)).toContain('"serviceName":"address-register/residents"')
  })

  test('of another resident is INVALID by a register that the law makes the reference', async () => {
    const { status } = await submitted(anAddress('7 Short Road'))
    expect(await status()).toMatchObject({
      status: 'INVALID',
      positiveIndicators: ['ADDRESS_FORM_OK', 'ADDRESS_EXISTENCE_OK'],
      blockingIndicators: ['ADDRESS_SOURCE_FAILED'],
    })
  })

  test('whose residents the register does not know exists, and is not verified', async () => {
    const { status } = await submitted(anAddress('9 New Road'))
    expect(await status()).toMatchObject({
      status: 'NOT_VERIFIED',
      positiveIndicators: ['ADDRESS_FORM_OK', 'ADDRESS_EXISTENCE_OK'],
      unverifiedIndicators: [
        'ADDRESS_MATCH_UNVERIFIED',
        'ADDRESS_SOURCE_UNVERIFIED',
        'SOURCE_RECORD_UNVERIFIED',
      ],
    })
  })

  test.each([
    { fullAddress: '66 Evil Road, 9999 Paris, France' },
    { streetDetails: { streetLines: ['12 Long Street', 'Flat 99, Other Tower'] } },
    { state: 'Elsewhere' },
  ])('of which the register compared one part is not verified: %o', async (more) => {
    const { status, view } = await submitted({ ...anAddress('12 Long Street'), ...more })
    expect(await status()).toMatchObject({ status: 'NOT_VERIFIED' })
    expect((await status())?.unverifiedIndicators).toContain('SOURCE_COVERAGE_UNVERIFIED')
    expect((await view())?.addressData?.verified).toBe(false)
  })

  test('is not asked about after five others of the identity, because a register must not tell where a person lives', async () => {
    const { id, asked, status } = await submitted(anAddress('1 Nowhere'))
    for (const line of ['2 Nowhere', '3 Nowhere', '4 Nowhere', '5 Nowhere', '12 Long Street']) {
      await client.ask('AddressesAnswer', 'POST', at(id, 'addresses'), { payload: anAddress(line) })
      await client.app.runJobs()
    }
    expect(asked()).toHaveLength(5)
    expect(await status()).toMatchObject({ status: 'NOT_VERIFIED' })
    expect((await status())?.unverifiedIndicators).toContain('SOURCE_LIMIT_UNVERIFIED')
    // Nor when the identity is evaluated again.
    await consent(id, 'ADDRESS', true)
    expect(asked()).toHaveLength(5)
  })

  test.each([
    ['5 Five Street', '33101', 'VERIFIED', []],
    ['5 Five Street', '33101-1234', 'NOT_VERIFIED', ['SOURCE_COVERAGE_UNVERIFIED']],
    ['8 Nine Street', '33101', 'VERIFIED', []],
    ['8 Nine Street', '33101-1234', 'VERIFIED', []],
  ])('%s %s is %s by a register that keeps five or nine digits', async (line, postcode, expected, why) => {
    const { status } = await submitted({
      ...anAddress(line),
      city: 'Miami',
      state: 'FL',
      postcode,
      country: 'USA',
    })
    const { status: found, warningIndicators, unverifiedIndicators = [] } = (await status()) ?? {}
    expect([found, warningIndicators]).toEqual([expected, []])
    expect(unverifiedIndicators).toEqual(expect.arrayContaining(why))
  })

  test('that the register does not find is not verified, with a warning', async () => {
    const { status } = await submitted(anAddress('1 Nowhere'))
    expect(await status()).toMatchObject({
      status: 'NOT_VERIFIED',
      warningIndicators: ['ADDRESS_EXISTENCE_WARNING'],
      blockingIndicators: [],
    })
  })

  test('of a person whom no document names is asked about without a name, and again when one does', async () => {
    const { id, status, asked } = await submitted(anAddress('12 Long Street'), { hasDocument: false })
    expect(await status()).toMatchObject({
      status: 'NOT_VERIFIED',
      positiveIndicators: ['ADDRESS_FORM_OK', 'ADDRESS_EXISTENCE_OK'],
    })
    await client.document(id, printedPassport())
    expect(asked().map(({ values }) => Object.keys(values).length)).toEqual([3, 5])
    expect((await status())?.status).toBe('VERIFIED')
    // Without the document the register has confirmed no verified person.
    await consent(id, 'ID_DOCUMENT', false)
    expect((await status())?.status).toBe('NOT_VERIFIED')
  })
})

describe('a consent that is taken back', () => {
  test('leaves a decided address its verdict, and puts no question, also not when it is given again', async () => {
    const { id, status, asked } = await submitted(anAddress('12 Long Street'))
    expect((await status())?.status).toBe('VERIFIED')
    await consent(id, 'ADDRESS', false)
    await client.document(id, printedPassport())
    expect([(await status())?.status, asked().length]).toEqual(['VERIFIED', 1])
    await consent(id, 'ADDRESS', true)
    await consent(id, 'ADDRESS', false)
    expect([(await status())?.status, asked().length]).toEqual(['VERIFIED', 1])
  })

  test('ends the further tries of a question that was not answered', async () => {
    register.setFault('malformed')
    const { id, status, asked } = await submitted(anAddress('12 Long Street'))
    await consent(id, 'ADDRESS', false)
    register.setFault(null)
    await client.passTime(600 * MINUTE_MS)
    expect([(await status())?.status, asked().length]).toEqual(['NOT_VERIFIED', 1])
  })
})

describe('the reason why no register decided is', () => {
  const reasons = async (
    status: () => Promise<{ unverifiedIndicators?: readonly string[] | undefined } | undefined>,
  ) => ((await status())?.unverifiedIndicators ?? []).filter((name) => !name.startsWith('ADDRESS_MATCH'))

  test('the missing consent; once it is given, the register is asked', async () => {
    const { id, status, asked } = await submitted(anAddress('12 Long Street'), { hasConsent: false })
    expect(await reasons(status)).toEqual(['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_CONSENT_UNVERIFIED'])
    expect(asked()).toEqual([])
    await consent(id, 'ADDRESS', true)
    expect([asked().length, (await status())?.status]).toEqual([1, 'VERIFIED'])
  })

  test('that no register covers the address', async () => {
    const { status, asked } = await submitted({ ...anAddress('12 Long Street'), country: 'FRA' })
    expect(await reasons(status)).toEqual(['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_COVERAGE_UNVERIFIED'])
    expect(asked()).toEqual([])
  })

  test('that the register is silent; it is asked again with the same question, and its late answer verifies the address', async () => {
    register.setFault('malformed')
    const { status, asked, calls } = await submitted(anAddress('12 Long Street'))
    expect(await reasons(status)).toEqual(['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_ANSWER_UNVERIFIED'])
    register.setFault(null)
    await client.passTime(MINUTE_MS)
    expect(await status()).toMatchObject({ status: 'VERIFIED', score: 'LEVEL1' })
    expect(new Set(asked().map((question) => JSON.stringify(question))).size).toBe(1)
    expect(calls().map(({ trouble }) => trouble)).toEqual(['malformed', null])
    await client.passTime(600 * MINUTE_MS)
    expect(asked()).toHaveLength(2)
  })

  test('that the register is silent, even after the last try; a withdrawn consent ends the tries', async () => {
    register.setFault('malformed')
    const tired = await submitted(anAddress('12 Long Street'))
    const withdrawn = await submitted(anAddress('12 Long Street'))
    await consent(withdrawn.id, 'ADDRESS', false)
    for (const minutes of [1, 3, 600]) await client.passTime(minutes * MINUTE_MS)
    expect(tired.asked().length - withdrawn.asked().length).toBe(1)
    expect(tired.calls()).toHaveLength(3)
    expect(withdrawn.calls()).toHaveLength(1)
    expect(await reasons(tired.status)).toEqual(['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_ANSWER_UNVERIFIED'])
  })
  test('that the consent was withdrawn before the answer; a new consent has the question put again', async () => {
    register.setFault('malformed')
    const { id, status, calls } = await submitted(anAddress('12 Long Street'))
    register.setFault(null)
    await consent(id, 'ADDRESS', false)
    const without = ['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_CONSENT_UNVERIFIED']
    expect(await reasons(status)).toEqual(without)
    await client.passTime(600 * MINUTE_MS)
    expect([calls().length, await reasons(status)]).toEqual([1, without])
    await consent(id, 'ADDRESS', true)
    expect(await reasons(status)).toEqual(['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_ANSWER_UNVERIFIED'])
    await client.passTime(MINUTE_MS)
    expect(await status()).toMatchObject({ status: 'VERIFIED' })
    expect(calls()).toHaveLength(2)
  })
})
