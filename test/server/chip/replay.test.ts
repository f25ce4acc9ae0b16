import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeCommand } from '../../../server/chip/apdu.ts'
import { agreeOnNewSession, listChipAuthentications } from '../../../server/chip/chip-authentication.ts'
import { ASN1, writeOid } from '../../../server/chip/der.ts'
import { makeCurveGroup } from '../../../server/chip/elliptic-curve.ts'
import { parseRecording, RecordingError } from '../../../server/chip/replay/recording.ts'
import { replayRecording } from '../../../server/chip/replay/replay.ts'
import { authenticateActively, parseDg15 } from '../../../server/chip/active-authentication.ts'
import { deriveSessionKeys, SecureChannel, SecureSession } from '../../../server/chip/secure-messaging.ts'
import { parseDg14 } from '../../../server/chip/security-infos.ts'
import { writeTlv } from '../../../server/chip/tlv.ts'
import { makeEcKey, signWithEcdsa } from '../../../server/tools/simulator/chip/active-authentication-chip.ts'
import {
  ChipAuthenticationChip,
  writeInteger,
} from '../../../server/tools/simulator/chip/chip-authentication-chip.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { recordSession, writeKeys } from '../../support/recording-channel.ts'
import { issueSigner } from '../../../server/tools/simulator/chip/chip-issuer.ts'
import { writeDg1, writeSod } from '../../../server/tools/simulator/chip/signed-files.ts'
import { findChipVectors, readChipVector } from '../../support/shared-data.ts'

type Json = Record<string, unknown> & { apdus?: { c: string; r: string }[] }

const replay = (json: Json) => replayRecording(parseRecording(JSON.stringify(json)))

const SESSIONS = [
  'bac-session',
  'pace-cam-ecdh',
  'pace-gm-dh',
  'pace-gm-ecdh',
  'pace-im-dh',
  'pace-im-ecdh',
  'sm-3des-read-com',
]
const folder = findChipVectors()

describe.skipIf(folder === null)('the worked session', () => {
  const sessions = SESSIONS.map((name) => [name, readChipVector(`${name}.json`) as Json] as const)

  test('list has every file of the folder that is a session', () => {
    const files = readdirSync(folder ?? '.').filter((file) => file.endsWith('.json'))
    const readable = files.filter((file) => {
      const json = readChipVector(file) as Json
      return json.apdus !== undefined || json.steps !== undefined
    })
    expect(readable).toEqual(SESSIONS.map((name) => `${name}.json`))
  })

  test.each(sessions)('%s is reproduced with the same bytes', async (_, json) => {
    const report = await replay(json)
    expect(report).toMatchObject({ verdict: 'successful', reason: null, statusWord: null })
    expect(report.commands).toMatchObject({ exact: report.commands.recorded, different: 0, left: 0 })
    expect(report.checks.length).toBeGreaterThan(1)
  })

  test.each(sessions)('%s with a changed digit is never reproduced', async (_, json) => {
    const pairs = (json.apdus ?? json.steps) as { c: string; r: string }[]
    for (const [i, pair] of pairs.entries())
      for (const member of ['c', 'r'] as const) {
        const changed = structuredClone(json)
        const list = (changed.apdus ?? changed.steps) as { c: string; r: string }[]
        // The digit before the last of the data; Le and the status word follow it.
        const at = pair[member].length - (member === 'c' ? 4 : 6)
        if (at < 10 && member === 'c') continue
        const text = pair[member]
        const position = Math.max(at, 0)
        const digit = text[position] === '0' ? '1' : '0'
        list[i][member] = text.slice(0, position) + digit + text.slice(position + 1)
        expect((await replay(changed)).verdict).not.toBe('successful')
      }
  })

  test.each(sessions)(
    '%s with other session keys or another counter is never reproduced',
    async (_, json) => {
      const { ksMac, ...rest } = json.sm as { ksMac: string }
      const otherKeys = { ...json, sm: { ...rest, ksMac: `FFFF${ksMac.slice(4)}` } }
      const { ssc } = json as { ssc: string }
      const otherCounter = { ...json, ssc: `${ssc.slice(0, -2)}77` }
      for (const changed of [otherKeys, otherCounter]) expect((await replay(changed)).verdict).toBe('failed')
    },
  )
})

const GROUP = makeCurveGroup('brainpoolP256r1')
const ROOT = '0.4.0.127.0.7.2.2'

/** A recorded chip authentication, with a READ BINARY before it and one after it. */
async function recordChipAuthentication(protocol: number, keyId?: number) {
  const id = keyId === undefined ? [] : [writeInteger(BigInt(keyId))]
  const curve = writeTlv(ASN1.sequence, writeOid('0.4.0.127.0.7.1.2'), writeInteger(13n))
  const point = GROUP.multiply(4242n, GROUP.generator)
  const spki = writeTlv(ASN1.sequence, curve, writeTlv(ASN1.bitString, Buffer.of(0), point))
  const infos = [
    writeTlv(ASN1.sequence, writeOid(`${ROOT}.3.2.${protocol}`), writeInteger(1n), ...id),
    writeTlv(ASN1.sequence, writeOid(`${ROOT}.1.2`), spki, ...id),
  ]
  const dg14 = writeTlv(0x6e, writeTlv(ASN1.set, ...infos))
  const [choice] = listChipAuthentications(parseDg14(dg14))
  if (choice === undefined) throw new TypeError('no protocol')
  const keys = deriveSessionKeys('AES-192', hex('0A'))
  const chip = new ChipAuthenticationChip({
    keys,
    group: GROUP,
    scalar: 4242n,
    cipher: choice.cipher,
    knows: [0xa4, 0xa6],
  })
  const recorder = recordSession(chip)
  const before = new SecureSession(keys)
  const select = makeCommand([0, 0xa4, 2, 0x0c], { data: hex('010E') })
  await new SecureChannel(recorder, before).transmit(select)
  const after = await agreeOnNewSession({ channel: recorder, session: before }, choice, {
    makeScalar: () => 99n,
  })
  await new SecureChannel(recorder, after).transmit(select)
  return {
    dg14: dg14.toString('hex'),
    smBefore: writeKeys(keys),
    sscBefore: '00'.repeat(16),
    terminalKeys: [{ d: '63' }],
    apdus: recorder.pairs,
    smAfter: writeKeys(after.keys),
    sscAfter: after.counter.toString('hex'),
  }
}

describe('a recorded chip authentication', () => {
  test.each([[1], [2], [3], [4]])(
    'of the protocol %i is reproduced, with the readings around it',
    async (protocol) => {
      for (const keyId of [undefined, 7]) {
        const json = await recordChipAuthentication(protocol, keyId)
        const report = await replay(json)
        expect(report).toMatchObject({ kind: 'chip_authentication', verdict: 'successful' })
        expect(report.commands).toMatchObject({ recorded: json.apdus.length, exact: json.apdus.length })
      }
    },
  )

  test('with another secret, key, counter or response is not reproduced', async () => {
    const json = await recordChipAuthentication(2)
    const [first, ...rest] = json.apdus
    const changes: Json[] = [
      { ...json, terminalKeys: [{ d: '64' }] },
      { ...json, smAfter: json.smBefore },
      { ...json, sscAfter: '00'.repeat(16) },
      { ...json, sscBefore: `${'00'.repeat(15)}01` },
      { ...json, apdus: rest },
      { ...json, apdus: json.apdus.slice(0, 2) },
      { ...json, apdus: [...json.apdus.slice(0, -1), { c: json.apdus.at(-1)?.c ?? '', r: '9000' }] },
      { ...json, apdus: [first ?? { c: '', r: '' }, ...json.apdus] },
    ]
    for (const changed of changes) expect((await replay(changed)).verdict).not.toBe('successful')
  })
})

describe('a recorded active authentication', () => {
  async function record() {
    const { dg15, privateKey } = makeEcKey('brainpoolP256r1')
    const signature = signWithEcdsa(privateKey, hex('0102030405060708'), 'sha256')
    const recorder = recordSession({ transmit: async () => ({ data: signature, statusWord: 0x9000 }) })
    await authenticateActively(recorder, parseDg15(dg15), { makeChallenge: () => hex('0102030405060708') })
    return {
      dg15: dg15.toString('hex'),
      rndIfd: '0102030405060708',
      apdus: recorder.pairs,
      signature: signature.toString('hex'),
    }
  }

  test('is reproduced, and with an Le of another form, too', async () => {
    const json = await record()
    expect(await replay(json)).toMatchObject({ verdict: 'successful', commands: { exact: 1 } })
    const [{ c, r } = { c: '', r: '' }] = json.apdus
    const extended = {
      c: c.replace(/^008800000801(.*)00$/, '00880000000008 01$1 0000'.replaceAll(' ', '')),
      r,
    }
    expect(await replay({ ...json, apdus: [extended] })).toMatchObject({
      verdict: 'successful',
      commands: { exact: 0, equivalent: 1 },
    })
  })

  test('with a secret that would take minutes to compute with is refused', async () => {
    const json = await recordChipAuthentication(2)
    await expect(async () => replay({ ...json, terminalKeys: [{ d: '01'.repeat(513) }] })).rejects.toThrow(
      RecordingError,
    )
  })

  test('with another challenge, key or signature is not reproduced', async () => {
    const json = await record()
    const other = await record()
    for (const changed of [
      { ...json, rndIfd: '0102030405060709' },
      { ...json, dg15: other.dg15 },
      { ...json, signature: other.signature },
      { ...json, apdus: other.apdus },
    ])
      expect((await replay(changed)).verdict).toBe('failed')
  })
})

describe('recorded files of a passive authentication', () => {
  const groups = { 1: writeDg1(), 2: hex('7501BB') }
  const issued = issueSigner()
  const sod = writeSod(groups, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
  })
  const json = {
    sod: sod.toString('hex'),
    dg1: groups[1].toString('hex'),
    dg2: groups[2].toString('hex'),
    csca: issued.authority.toString('hex'),
  }

  test('are accepted with the recorded authority, and at a time of its validity', async () => {
    expect(await replay(json)).toMatchObject({
      kind: 'passive_authentication',
      verdict: 'successful',
      reason: null,
    })
    const csca = [issueSigner().authority.toString('hex'), json.csca]
    expect((await replay({ ...json, csca, at: '2026-11-29T00:00:00Z' })).verdict).toBe('successful')
  })

  test('with a changed group, another authority or a time after its validity are not', async () => {
    for (const changed of [
      { ...json, dg2: '7501BC' },
      { ...json, dg15: '6F00' },
      { ...json, csca: issueSigner().authority.toString('hex') },
      { ...json, csca: '3003020105' },
      { ...json, at: '2050-01-01T00:00:00Z' },
      { ...json, sod: '7700' },
    ])
      expect((await replay(changed)).verdict).toBe('failed')
    expect((await replay({ ...json, csca: [] })).verdict).toBe('undetermined')
    await expect(async () => replay({ ...json, dg3: 'XX' })).rejects.toThrow(
      new RecordingError('The recording is missing or misstates: dg3.'),
    )
  })
})

describe('a file', () => {
  test.each([
    ['that is no JSON', 'SECRET', 'The file is no JSON object.'],
    ['with a list', '[1]', 'The file is no JSON object.'],
    ['of no protocol', '{"secret":"SECRET"}', 'The file is no recording of a known protocol.'],
    [
      'with wrong members',
      '{"oid":"SECRET","apdus":[{"c":"SECRET","r":"9"}],"sm":{"alg":"SECRET"}}',
      undefined,
    ],
    [
      'with a short key',
      JSON.stringify({ steps: [], sm: { alg: 'AES', ksEnc: 'AA', ksMac: 'AA' }, ssc: '' }),
      undefined,
    ],
  ])('%s is refused in a sentence without a value', (_, text, message) => {
    expect(() => parseRecording(text)).toThrow(RecordingError)
    try {
      parseRecording(text)
    } catch (error) {
      expect((error as Error).message).not.toContain('SECRET')
      if (message !== undefined) expect((error as Error).message).toBe(message)
    }
  })

  test('with members of arbitrary values gives a report or a refusal, never another error', async () => {
    const keys = [
      'steps',
      'smAfter',
      'smBefore',
      'dg14',
      'dg15',
      'kIfd',
      'oid',
      'apdus',
      'sm',
      'ssc',
      'password',
    ]
    const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value).toString('hex'))
    const sm = fc.record({
      alg: fc.constantFrom('AES', 'TDES'),
      ksEnc: fc.constant('AB'.repeat(16)),
      ksMac: fc.constant('CD'.repeat(16)),
    })
    const pairs = fc.array(fc.record({ c: bytes, r: bytes }), { maxLength: 3 })
    const value = fc.oneof(
      bytes,
      sm,
      pairs,
      fc.constantFrom('0.4.0.127.0.7.2.2.4.2.2', 13),
      fc.constant([{ d: '05' }]),
    )
    const text = fc.dictionary(fc.constantFrom(...keys), value).map((json) => JSON.stringify(json))
    await fc.assert(
      fc.asyncProperty(text, async (json) => {
        try {
          expect((await replayRecording(parseRecording(json))).verdict).not.toBe('successful')
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError)
        }
      }),
      { numRuns: 400 },
    )
  })
})
