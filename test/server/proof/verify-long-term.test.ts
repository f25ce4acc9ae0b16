/**
 * Proofs that outlive their key: a certificate chain under a CA, a time stamp by an authority. Certificates and tokens
 * are made by openssl; nothing that lies in an archive may make it any more trusted than the caller's own files do.
 */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { fromBER } from 'asn1js'
import fc from 'fast-check'
import { ContentInfo, SignedData } from 'pkijs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTimestamper } from '../../../server/connectors/timestamp/http-timestamper.ts'
import type { JsonValue, ProofInput } from '../../../server/proof/archive.ts'
import { createKeySigner } from '../../../server/proof/sign.ts'
import { type KeySource, readAuthorities, verifyProof } from '../../../server/proof/verify.ts'
import { canonicalJson } from '../../../server/proof/verify/canonical-json.ts'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import { findUntrusted, readTimeStamp, TimeStampError } from '../../../server/proof/verify/time-stamp.ts'
import {
  CA_EXTENSIONS,
  type CertificateAuthority,
  type IssueOptions,
  type Issued,
  makeCertificateAuthority,
  SIGNER_EXTENSIONS,
  TSA_EXTENSIONS,
} from '../../support/certificate-authority.ts'
import { startTimestampAuthority, type TimestampAuthority } from '../../support/timestamp-authority.ts'
import { aSealedProof, pem, privateKey, signer, unpack } from './fixture.ts'

const LONG_TERM = 'longTermValidation.json'
/** A token has thousands of bytes, and each changed one costs a verification. */
const TOKEN_STEP = 5
/** Certificates are good from the moment they are made, and each test makes some: proofs are sealed a little later. */
function sealedNow(): Partial<ProofInput> {
  const sealedAt = new Date(Date.now() + 120_000).toISOString().slice(0, 23)
  return { endDateTime: sealedAt }
}
const NO_STAMP = 'There is no time stamp: only the appliance states when the proof was sealed.'

let ca: CertificateAuthority
let tsa: TimestampAuthority
let middle: Issued
let leaf: Issued
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })

beforeAll(async () => {
  ca = makeCertificateAuthority('Proof CA')
  tsa = await startTimestampAuthority()
  middle = ca.issue({ name: 'Branches', extensions: CA_EXTENSIONS })
  leaf = certify({ issuer: middle })
})
afterAll(async () => {
  ca.remove()
  await tsa.close()
})

const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A certificate of the key that signs proofs. */
function certify(changes: Partial<IssueOptions> = {}): Issued {
  const usual = { name: 'Kiosk 1', extensions: SIGNER_EXTENSIONS, privateKey: pkcs8(privateKey) }
  return ca.issue({ ...usual, ...changes })
}

interface Parts {
  readonly chain?: readonly Issued[]
  /** Stamped by the real authority, over the signature. */
  readonly stamped?: boolean
  readonly by?: typeof signer
  readonly changes?: Partial<ProofInput>
}

async function seal({
  chain = [],
  stamped = false,
  by = signer,
  changes = {},
}: Parts = {}): Promise<Uint8Array> {
  const timestamper = stamped
    ? openTimestamper({ url: tsa.url, token: null, timeoutMs: 5000, required: true })
    : null
  const certificateChain = chain.map(({ der }) => der.toString('base64'))
  const longTerm = { certificateChain, timestamper }
  return (await aSealedProof({ ...sealedNow(), ...changes }, longTerm, by)).bytes
}

async function problemsOf(bytes: Uint8Array, keys: KeySource): Promise<string[]> {
  const report = await verifyProof(bytes, keys)
  expect(report.valid).toBe(report.problems.length === 0)
  for (const { message } of report.problems) expect(message).toMatch(/^\S.*\.$/)
  return report.problems.map(({ code }) => code)
}

/** The archive with this as its long-term file; undefined removes it. */
async function withLongTerm(bytes: Uint8Array, content: string | object | undefined): Promise<Uint8Array> {
  const files = (await unpack(bytes)).filter(({ path }) => !path.endsWith(LONG_TERM))
  const root = files[0].path.split('/')[0]
  const text = typeof content === 'string' ? content : content && canonicalJson(content as JsonValue)
  if (text !== undefined) files.push({ path: `${root}/${LONG_TERM}`, bytes: Buffer.from(text) })
  return writeContainer(files)
}

async function longTermOf(
  bytes: Uint8Array,
): Promise<{ certificateChain?: string[]; timestampToken: string }> {
  const file = (await unpack(bytes)).find(({ path }) => path.endsWith(LONG_TERM))
  return JSON.parse(file!.bytes.toString()) as never
}

/** Returns the content of an archive's token, without its signature. */
async function infoOf(bytes: Uint8Array): Promise<Uint8Array> {
  const { timestampToken } = await longTermOf(bytes)
  const { result } = fromBER(Uint8Array.from(Buffer.from(timestampToken, 'base64')))
  const signed = new SignedData({ schema: new ContentInfo({ schema: result }).content as never })
  return new Uint8Array(signed.encapContentInfo.eContent!.getValue())
}

describe('a proof with a certificate chain', () => {
  test('is verified with nothing but the CA', async () => {
    const report = await verifyProof(await seal({ chain: [leaf, middle] }), { caPem: ca.root.pem })
    expect(report).toMatchObject({
      valid: true,
      signedBy: signer.keyId,
      certificate: {
        subject: 'O=Counterproof tests, CN=Kiosk 1',
        issuer: 'O=Counterproof tests, CN=Branches',
      },
      timestamp: null,
      notes: [NO_STAMP],
    })
  })

  test.each([
    ['with the CA itself at its end', () => [leaf, middle, ca.root], () => ca.root.pem],
    ['under the CA in the middle, where that one is given', () => [leaf], () => middle.pem],
    ['under one of two CAs that were given', () => [leaf, middle], () => tsa.caPem + ca.root.pem],
  ])('is verified %s', async (_, chain, caPem) => {
    expect(await problemsOf(await seal({ chain: chain() }), { caPem: caPem() })).toEqual([])
  })

  test('is verified with the public key alone, too, and says that the chain was not judged', async () => {
    const report = await verifyProof(await seal({ chain: [leaf, middle] }), { pem })
    expect(report).toMatchObject({
      valid: true,
      certificate: null,
      notes: [NO_STAMP, 'There is a certificate of the key, but it was not judged: no CA was given.'],
    })
  })

  test('is refused, though the key was given, when the CA that was given is another one', async () => {
    const keys = { pem, caPem: tsa.caPem }
    expect(await problemsOf(await seal({ chain: [leaf, middle] }), keys)).toEqual(['certificate_untrusted'])
  })

  test('cannot be verified with a CA alone when it brings no certificate', async () => {
    expect(await problemsOf(await seal(), { caPem: ca.root.pem })).toEqual(['certificate_missing'])
    expect(await problemsOf(await seal(), { pem, caPem: ca.root.pem })).toEqual([])
  })

  test('is judged at the time of sealing: a certificate that has ended since is good', async () => {
    const ended = certify({ period: ['20260101000000Z', '20260201000000Z'] })
    const root = makeOldRoot()
    const old = { endDateTime: '2026-01-15T10:00:00.000' }
    const late = { endDateTime: '2026-02-15T10:00:00.000' }
    const chain = [certify({ issuer: root, period: ['20260101000000Z', '20260201000000Z'] })]
    expect(await problemsOf(await seal({ chain, changes: old }), { caPem: root.pem })).toEqual([])
    expect(await problemsOf(await seal({ chain, changes: late }), { caPem: root.pem })).toEqual([
      'certificate_invalid',
    ])
    // The time stamp is of today: nothing proves that it was sealed while the certificate was good.
    const stamped = await seal({ chain, changes: old, stamped: true })
    expect(await problemsOf(stamped, { caPem: root.pem })).toEqual([])
    expect(await problemsOf(stamped, { caPem: root.pem, tsaCaPem: tsa.caPem })).toEqual([
      'certificate_invalid',
    ])
    expect(await problemsOf(await seal({ chain: [ended] }), { caPem: ca.root.pem })).toEqual([
      'certificate_invalid',
    ])
  })

  const WEB = ['extendedKeyUsage = serverAuth']
  const OF_A_CA: Partial<IssueOptions> = { extensions: CA_EXTENSIONS }
  test.each<[string, () => Issued[], string]>([
    [
      'has no certificate for signatures',
      () => [certify({ extensions: ['keyUsage = keyEncipherment'] })],
      'invalid',
    ],
    ['has one for web servers', () => [certify({ extensions: [...SIGNER_EXTENSIONS, ...WEB] })], 'invalid'],
    ['has one for time stamps', () => [certify({ extensions: TSA_EXTENSIONS })], 'invalid'],
    ['has one of a CA', () => [certify(OF_A_CA)], 'invalid'],
    ['was signed with SHA-1', () => [certify({ hash: 'sha1' })], 'invalid'],
    ['is in the wrong order', () => [middle, leaf], 'invalid'],
    ['has a gap', () => [leaf], 'untrusted'],
    ['contains an issuer that is no CA', () => overNoAuthority(), 'invalid'],
    ['is longer than its CA allows', () => tooLong(), 'invalid'],
    ['has a critical rule that is not understood', () => underConstraints(), 'invalid'],
    ['has as many certificates as fit', () => Array.from({ length: 10 }, () => middle), 'invalid'],
  ])('is refused when the chain %s', async (_, chain, kind) => {
    expect(await problemsOf(await seal({ chain: chain() }), { caPem: ca.root.pem })).toEqual([
      `certificate_${kind}`,
    ])
  })

  test('is not verified by something else in the place of a CA', async () => {
    const bytes = await seal({ chain: [leaf, middle] })
    for (const caPem of ['', leaf.pem, pem, 'no PEM', ca.root.pem.replace('MII', 'MIJ')]) {
      expect(await problemsOf(bytes, { caPem })).toEqual(['key_unusable'])
      expect(await problemsOf(bytes, { pem, tsaCaPem: caPem })).toEqual(['key_unusable'])
    }
  })

  function makeOldRoot(): Issued {
    const period = ['20250101000000Z', '20350101000000Z'] as const
    return ca.issue({ name: 'Old CA', extensions: CA_EXTENSIONS, issuer: undefined, period })
  }
  function overNoAuthority(): Issued[] {
    const person = ca.issue({ name: 'A person', extensions: SIGNER_EXTENSIONS })
    return [certify({ issuer: person }), person]
  }
  function tooLong(): Issued[] {
    const short = ca.issue({
      name: 'Short',
      extensions: ['basicConstraints = critical, CA:TRUE, pathlen:0', 'keyUsage = critical, keyCertSign'],
    })
    const below = ca.issue({ name: 'Below', extensions: CA_EXTENSIONS, issuer: short })
    return [certify({ issuer: below }), below, short]
  }
  function underConstraints(): Issued[] {
    const extensions = [...CA_EXTENSIONS, 'nameConstraints = critical, permitted;DNS:example.com']
    const narrow = ca.issue({ name: 'Narrow', extensions })
    return [certify({ issuer: narrow }), narrow]
  }
})

describe("an attacker's own key or CA inside an archive", () => {
  test('is refused under our key, under our CA, and under both', async () => {
    const evil = makeCertificateAuthority('Proof CA') // the same name as ours
    const own = evil.issue({
      name: 'Kiosk 1',
      extensions: SIGNER_EXTENSIONS,
      privateKey: pkcs8(attacker.privateKey),
    })
    const bytes = await seal({ chain: [own, evil.root], by: createKeySigner(attacker.privateKey) })
    expect(await problemsOf(bytes, { pem })).toEqual(['signature_invalid'])
    expect(await problemsOf(bytes, { caPem: ca.root.pem })).toEqual(['certificate_untrusted'])
    expect(await problemsOf(bytes, { pem, caPem: ca.root.pem })).toEqual([
      'certificate_untrusted',
      'signature_invalid',
    ])
    evil.remove()
  })

  test("is refused when the proof is ours and only the certificates are the attacker's", async () => {
    const other = ca.issue({ name: 'Kiosk 2', extensions: SIGNER_EXTENSIONS })
    const bytes = await seal({ chain: [other] })
    expect(await problemsOf(bytes, { pem })).toEqual(['certificate_foreign'])
    expect(await problemsOf(bytes, { pem, caPem: ca.root.pem })).toEqual(['certificate_foreign'])
    expect(await problemsOf(bytes, { caPem: ca.root.pem })).toEqual(['signature_invalid'])
  })
})

describe('a proof with a time stamp', () => {
  let bytes: Uint8Array
  let token: string
  let query: Buffer
  beforeAll(async () => {
    bytes = await seal({ stamped: true, chain: [leaf, middle] })
    query = tsa.requests.at(-1)!.query
    token = (await longTermOf(bytes)).timestampToken
  })

  test('tells its time and its authority, whose CA the caller gives', async () => {
    const report = await verifyProof(bytes, { caPem: ca.root.pem, tsaCaPem: tsa.caPem })
    if (!report.valid || !report.timestamp) throw new Error(JSON.stringify(report.problems))
    expect(report.timestamp.authority).toBe('O=Counterproof tests, CN=Time Stamps 1')
    expect(Math.abs(Date.parse(report.timestamp.time) - Date.now())).toBeLessThan(60_000)
    expect(report.notes).toEqual([])
  })

  test('says that the stamp cannot be judged when no CA of an authority is given', async () => {
    expect(await verifyProof(bytes, { pem, caPem: ca.root.pem })).toMatchObject({
      valid: true,
      timestamp: null,
      notes: [
        'There is a time stamp over this signature, but it cannot be judged: no CA of a time-stamping authority was given.',
      ],
    })
  })

  test('may lose the file beside the signature, and is then a proof without a time stamp', async () => {
    const report = await verifyProof(await withLongTerm(bytes, undefined), { pem, tsaCaPem: tsa.caPem })
    expect(report).toMatchObject({ valid: true, timestamp: null, notes: [NO_STAMP] })
  })

  test('says so when its time and the clock of the appliance are far apart', async () => {
    const changes = { endDateTime: '2026-11-20T10:03:12.345' }
    const report = await verifyProof(await seal({ stamped: true, changes }), { pem, tsaCaPem: tsa.caPem })
    expect(report).toMatchObject({
      valid: true,
      notes: [
        expect.stringMatching(/^The time stamp and the clock of the appliance are \d+ minutes apart\.$/),
      ],
    })
  })

  test('is refused under the CA of another authority', async () => {
    expect(await problemsOf(bytes, { pem, tsaCaPem: ca.root.pem })).toEqual(['timestamp_untrusted'])
  })

  test('is refused with the token of another proof, whether or not a CA is given', async () => {
    const other = await seal({ stamped: true, changes: { proofId: 'another' } })
    const swapped = await withLongTerm(bytes, { timestampToken: (await longTermOf(other)).timestampToken })
    expect(await problemsOf(swapped, { pem })).toEqual(['timestamp_invalid'])
    expect(await problemsOf(swapped, { pem, tsaCaPem: tsa.caPem })).toEqual(['timestamp_invalid'])
  })

  test('is refused with a token by an authority of the attacker, which brings its own CA', async () => {
    const evil = await startTimestampAuthority()
    const forged = await withLongTerm(bytes, {
      timestampToken: (await evil.reply(query, undefined, { token: true })).toString('base64'),
    })
    await evil.close()
    expect(await problemsOf(forged, { pem, tsaCaPem: tsa.caPem })).toEqual(['timestamp_untrusted'])
  })

  test.each<[string, () => Issued, string[], string]>([
    ['a certificate that is not for time stamps', () => ca.issue(plain(SIGNER_EXTENSIONS)), [], 'invalid'],
    ['one that says so, but not critically', () => ca.issue(plain(notCritical())), [], 'invalid'],
    ['one that is for other things, too', () => ca.issue(plain(manifold())), [], 'invalid'],
    ['one of a CA', () => ca.issue(plain([...CA_EXTENSIONS, CRITICAL])), [], 'invalid'],
    ['one of an authority that is not trusted', () => ca.issue(plain(TSA_EXTENSIONS)), [], 'untrusted'],
    [
      'one that is not in the token',
      () => tsa.authority.issue(plain(TSA_EXTENSIONS)),
      ['-nocerts'],
      'invalid',
    ],
    ['SHA-1', () => tsa.authority.issue(plain(TSA_EXTENSIONS)), ['-md', 'sha1'], 'invalid'],
    [
      'one that has ended',
      () => tsa.authority.issue({ ...plain(TSA_EXTENSIONS), period: PAST }),
      [],
      'invalid',
    ],
  ])('is refused when the token is signed with %s', async (_, signedWith, options, kind) => {
    const forged = await tsa.forge(await infoOf(bytes), signedWith(), ...options)
    const archive = await withLongTerm(bytes, { timestampToken: forged.toString('base64') })
    expect(await problemsOf(archive, { pem, tsaCaPem: tsa.caPem })).toEqual([`timestamp_${kind}`])
  })

  test('is taken from any certificate that is for time stamps, with RSA-PSS and SHA-512 too', async () => {
    const another = tsa.authority.issue(plain(TSA_EXTENSIONS))
    for (const options of [[], ['-md', 'sha512'], ['-keyopt', 'rsa_padding_mode:pss']]) {
      const forged = await tsa.forge(await infoOf(bytes), another, ...options)
      const archive = await withLongTerm(bytes, { timestampToken: forged.toString('base64') })
      expect(await problemsOf(archive, { pem, tsaCaPem: tsa.caPem })).toEqual([])
    }
  })

  test('is refused for each fifth byte of the token that is changed, or says the very same', async () => {
    const der = Buffer.from(token, 'base64')
    const proof = (await unpack(bytes)).find(({ path }) => path.endsWith('/proof.json'))
    const { signature } = JSON.parse(proof!.bytes.toString()) as { signature: string }
    const digest = createHash('sha256').update(signature).digest()
    const { time } = readTimeStamp(der, digest)
    const root = der.indexOf(tsa.authority.root.der) // comes along, and is not needed: the caller has given it
    const taken: number[] = []
    for (let offset = 0; offset < der.length; offset += TOKEN_STEP) {
      if (offset >= root && offset < root + tsa.authority.root.der.length) continue
      const changed = Buffer.from(der)
      changed[offset] ^= 1 << (offset % 8)
      try {
        const stamp = readTimeStamp(changed, digest)
        if (findUntrusted(stamp, readAuthorities(tsa.caPem))) continue
        taken.push(offset)
        expect(stamp.time).toEqual(time)
      } catch (error) {
        expect(error).toBeInstanceOf(TimeStampError)
      }
    }
    // The rest is the envelope around the signed part: versions, and lists of algorithms without effect.
    expect(taken.length).toBeLessThan(40 / TOKEN_STEP + 4)
  })

  const AROUND = ['20250101000000Z', '20400101000000Z'] as const
  const PAST = ['20200101000000Z', '20210101000000Z'] as const
  const CRITICAL = 'extendedKeyUsage = critical, timeStamping'
  const plain = (extensions: readonly string[]) => ({ name: 'Forger', extensions, period: AROUND })
  const notCritical = () => [...SIGNER_EXTENSIONS, 'extendedKeyUsage = timeStamping']
  const manifold = () => [...SIGNER_EXTENSIONS, 'extendedKeyUsage = critical, timeStamping, emailProtection']
})

describe('a key that was revoked', () => {
  const before = new Date('2026-01-01T00:00:00Z')
  const after = new Date('2099-01-01T00:00:00Z')
  const revoked = (since: Date) => ({ pem, tsaCaPem: tsa.caPem, revoked: { [signer.keyId]: since } })

  test('refuses what it signed, unless a time stamp proves that it is older', async () => {
    const stamped = await seal({ stamped: true })
    expect(await problemsOf(stamped, revoked(after))).toEqual([])
    expect(await problemsOf(stamped, revoked(before))).toEqual(['key_revoked'])
    expect(await problemsOf(await seal(), revoked(after))).toEqual(['key_revoked'])
    expect(await problemsOf(stamped, { pem, revoked: { [signer.keyId]: after } })).toEqual(['key_revoked'])
  })

  test('says nothing of other keys', async () => {
    expect(await problemsOf(await seal(), { pem, revoked: { another: before } })).toEqual([])
  })
})

describe('the file beside the signature', () => {
  let bytes: Uint8Array
  beforeAll(async () => {
    bytes = await seal({ chain: [leaf, middle] })
  })

  test.each<[string, () => string | object, string]>([
    ['is empty', () => '', 'json_malformed'],
    ['says nothing', () => ({}), 'field_invalid'],
    [
      'says something more',
      () => ({ certificateChain: [leaf.der.toString('base64')], more: 1 }),
      'field_invalid',
    ],
    [
      'is written in another way',
      () => `{"certificateChain": ["${leaf.der.toString('base64')}"]}`,
      'field_invalid',
    ],
    [
      'spells base64 in another way',
      () => ({ certificateChain: [leaf.der.toString('base64url')] }),
      'field_invalid',
    ],
    ['has an empty chain', () => ({ certificateChain: [] }), 'field_invalid'],
    ['has eleven certificates', () => ({ certificateChain: Array(11).fill('AAAA') }), 'field_invalid'],
    ['holds no certificate', () => ({ certificateChain: ['AAAA'] }), 'certificate_invalid'],
    ['holds no token', () => ({ timestampToken: 'AAAA' }), 'timestamp_invalid'],
    ['holds nesting without end', () => ({ timestampToken: NESTED }), 'timestamp_invalid'],
    [
      'holds a token as large as a film',
      () => ({ timestampToken: 'AAAA'.repeat(30_000) }),
      'timestamp_invalid',
    ],
    [
      'has bytes after a certificate',
      () => ({ certificateChain: [longer(leaf.der)] }),
      'certificate_invalid',
    ],
  ])('is refused when it %s', async (_, content, code) => {
    expect(await problemsOf(await withLongTerm(bytes, content()), { pem })).toEqual([code])
  })

  test('may hold anything at all: the verifier answers, and refuses', async () => {
    const stamped = await seal({ chain: [leaf, middle], stamped: true })
    const { certificateChain = [], timestampToken } = await longTermOf(stamped)
    const trust = { caPem: ca.root.pem, tsaCaPem: tsa.caPem }
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    })
    const mutate = (base64: string, [offset, mask]: [number, number]) => {
      const der = Buffer.from(base64, 'base64')
      der[offset % der.length] ^= mask
      return der.toString('base64')
    }
    await fc.assert(
      fc.asyncProperty(edits, fc.nat(1), async (changes, which) => {
        const chain = certificateChain.map((der, index) =>
          index === which ? changes.reduce(mutate, der) : der,
        )
        fc.pre(chain[which] !== certificateChain[which])
        const token = changes.slice(1).reduce(mutate, timestampToken)
        const archive = await withLongTerm(stamped, { certificateChain: chain, timestampToken: token })
        expect((await verifyProof(archive, trust)).valid).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  test.each<[string, () => Issued, string[]]>([
    ['has no name', () => certify({ subject: '/' }), []],
    [
      'is of a key that is no RSA key',
      () => certify({ privateKey: pkcs8(ELLIPTIC) }),
      ['invalid', 'foreign'],
    ],
    ['is of a key that makes no JWK', () => certify({ privateKey: pkcs8(DSA) }), ['invalid', 'foreign']],
    [
      'is good at the end of time',
      () => certify({ period: ['99991231235959Z', '99991231235959Z'] }),
      ['invalid'],
    ],
  ])('may hold a certificate that %s', async (_, certificate, kinds) => {
    const odd = await withLongTerm(bytes, { certificateChain: [certificate().der.toString('base64')] })
    const found = await problemsOf(odd, { pem, caPem: ca.root.pem })
    expect(found).toEqual(kinds.map((kind) => `certificate_${kind}`))
    expect(await problemsOf(odd, { pem })).toEqual(found.filter((code) => code === 'certificate_foreign'))
  })

  test('is not reached by a proof whose dates are none', async () => {
    const chain = [leaf, middle]
    const dateless = await seal({ chain, changes: { endDateTime: '2026-99-99T99:99:99.999' } })
    expect(await problemsOf(dateless, { caPem: ca.root.pem })).toEqual(['field_invalid'])
  })

  test('is the only one that proof.json need not list', async () => {
    const files = await unpack(await withLongTerm(bytes, undefined))
    const [root] = files[0].path.split('/')
    for (const path of ['longTermValidation.JSON', 'images/longTermValidation.json', 'notes.txt']) {
      const archive = writeContainer([...files, { path: `${root}/${path}`, bytes: Buffer.from('{}') }])
      expect(await problemsOf(archive, { pem })).toEqual(['file_unlisted'])
    }
  })

  const ELLIPTIC = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const DSA = generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey
  const longer = (der: Buffer) => Buffer.concat([der, Buffer.from([0])]).toString('base64')
  const NESTED = Buffer.from('3080'.repeat(20_000), 'hex').toString('base64')
})
