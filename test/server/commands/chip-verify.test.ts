/**
 * The clone table of passive authentication, through the command. Certificates, EF.SOD and revocation lists are made by openssl, so that
 * no expectation comes from the code under test.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { AUTHORITY, OpensslIssuer, type OpensslCertificate } from '../../support/openssl-issuer.ts'
import { collectOutput } from '../../support/output.ts'
import { writeDg1, writeEfCom } from '../../../server/tools/simulator/chip/signed-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'counterproof-clones-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const openssl = new OpensslIssuer(folder)
const NAME = '/C=UT/CN=CSCA Utopia'
const csca = openssl.authority(NAME)
const signer = openssl.signer(csca)
const DG1 = writeDg1('UTO')
const DG2 = Buffer.from('7501BB', 'hex')
const DG15 = Buffer.from('6F00', 'hex')
const GROUPS: ReadonlyMap<number, Uint8Array> = new Map([
  [1, DG1],
  [2, DG2],
])

interface Given {
  readonly sod: Uint8Array
  readonly groups?: ReadonlyMap<number, Uint8Array>
  readonly authorities?: readonly OpensslCertificate[]
  readonly lists?: readonly Uint8Array[]
  readonly more?: readonly string[]
}

interface Verified {
  readonly verdict: string
  readonly reason: string | null
  readonly checks: readonly {
    readonly name: string
    readonly verdict: string
    readonly reason: string | null
  }[]
  readonly indicators: readonly string[]
  readonly authority: { readonly sources: readonly string[] } | null
}

let count = 0
async function verify({ sod, groups = GROUPS, authorities = [csca], lists = [], more = [] }: Given) {
  count += 1
  const own = join(folder, `case-${count}`)
  const trust = join(own, 'trust')
  mkdirSync(trust, { recursive: true })
  const write = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(own, name), bytes)
    return join(own, name)
  }
  authorities.forEach(({ certificate }, i) =>
    writeFileSync(join(trust, `${i}.cer`), openssl.der(certificate)),
  )
  lists.forEach((bytes, i) => writeFileSync(join(trust, `${i}.crl`), bytes))
  const dg = [...groups].flatMap(([number, file]) => ['--dg', `${number}=${write(`dg${number}`, file)}`])
  const output = collectOutput()
  const status = await main([
    ...['chip', 'verify', '--sod', write('sod', sod), ...dg, '--trust', trust, '--json', ...more],
  ])
  vi.restoreAllMocks()
  const report = JSON.parse(output.text) as Verified
  const faults = report.checks.filter((each) => each.verdict !== 'successful')
  return {
    status,
    ...report,
    faults: faults.map(({ name, verdict, reason }) => `${name} ${verdict} ${reason}`),
  }
}

const sod = openssl.sod(GROUPS, signer)
const NO_LISTS = [
  'revocation undetermined revocation_list_missing',
  'defects not_supported defect_list_missing',
]
const NO_COM = 'contents not_supported com_missing'

describe('a genuine document', () => {
  test('passes, and the report names the file that contains its authority', async () => {
    const report = await verify({ sod })
    expect(report).toMatchObject({ status: 0, verdict: 'successful', reason: null })
    expect(report.faults).toEqual([...NO_LISTS, NO_COM])
    expect(report.indicators).toEqual(['CHIP_REVOCATION_UNVERIFIED'])
    expect(report.authority?.sources).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  })

  test('passes beside a description in the folder, which the report names', async () => {
    const trust = join(folder, 'described')
    mkdirSync(trust)
    writeFileSync(join(trust, 'csca.bin'), openssl.der(csca.certificate))
    writeFileSync(join(trust, 'README.md'), 'The authorities of Utopia.')
    const report = await verify({ sod, more: ['--trust', trust] })
    expect(report).toMatchObject({ status: 0, trust: { authorities: 1, ignored: ['README.md'] } })
  })

  test('has no indicator with a revocation list that does not name its signer', async () => {
    const lists = [openssl.revocationList(csca, [openssl.signer(csca)])]
    expect(await verify({ sod, lists })).toMatchObject({ status: 0, indicators: [] })
  })

  test('is undetermined without a revocation list where the caller requires one, and with one that is too old', async () => {
    const more = ['--require-revocation-list']
    expect(await verify({ sod, more })).toMatchObject({ status: 1, verdict: 'undetermined' })
    const lists = [openssl.revocationList(csca, [], '20210101000000Z')]
    const report = await verify({ sod, more, lists })
    expect(report).toMatchObject({ status: 1, verdict: 'undetermined' })
    expect(report.faults).toContain('revocation undetermined revocation_list_outdated')
    const later = [openssl.revocationList(csca, [], '20401231235959Z', '20390101000000Z')]
    const early = await verify({ sod, more, lists: later })
    expect(early).toMatchObject({ status: 1, verdict: 'undetermined' })
    expect(early.faults).toContain('revocation undetermined revocation_list_in_future')
  })

  test.each([
    ['RSA with PKCS #1', { key: 'rsa' }, {}, []],
    ['RSA with PSS', { key: 'rsa' }, { isPss: true }, []],
    ['RSA with PSS and SHA-512', { key: 'rsa' }, { isPss: true, hash: 'sha512' }, []],
    ['ECDSA on a brainpool curve with explicit parameters', { key: 'brainpool' }, { hash: 'sha384' }, []],
    ['SHA-1, which is weak', { key: 'rsa' }, { hash: 'sha1' }, ['CHIP_HASH_WEAK']],
    ['a certificate with SHA-1, which is weak', { hash: 'sha1' }, {}, ['CHIP_HASH_WEAK']],
    ['DSA, which is weak', { key: 'dsa' }, {}, ['CHIP_KEY_WEAK']],
  ] as const)('passes with %s', async (_, issue, signing, weak) => {
    const report = await verify({ sod: openssl.sod(GROUPS, openssl.signer(csca, issue), signing) })
    expect(report).toMatchObject({ status: 0, indicators: ['CHIP_REVOCATION_UNVERIFIED', ...weak] })
  })

  test('passes after a change of key, by the link certificate that EF.SOD carries', async () => {
    const next = openssl.authority('/C=UT/CN=CSCA Utopia 2', 'brainpool')
    const link = openssl.link(csca, next, '/C=UT/CN=CSCA Utopia 2')
    const linked = openssl.sod(GROUPS, openssl.signer(next), { carried: [link.certificate] })
    expect(await verify({ sod: linked })).toMatchObject({ status: 0, verdict: 'successful' })
    // The new authority is trusted, and it certifies the old key.
    const back = openssl.link(next, csca, NAME)
    const old = openssl.sod(GROUPS, signer, { carried: [back.certificate] })
    expect(await verify({ sod: old, authorities: [next] })).toMatchObject({
      status: 0,
      verdict: 'successful',
    })
  })

  test('is undetermined by an authority that its authority may not appoint, and passes by the same key under one name', async () => {
    const sub = openssl.authority('/C=UT/CN=Sub CA')
    const appointed = openssl.link(csca, sub, '/C=UT/CN=Sub CA', AUTHORITY)
    const own = openssl.sod(GROUPS, openssl.signer(appointed), { carried: [appointed.certificate] })
    const report = await verify({ sod: own })
    expect(report).toMatchObject({ status: 1, verdict: 'undetermined' })
    expect(report.faults).toContain('authority undetermined path_too_long')
    const renewed = openssl.link(csca, sub, NAME, AUTHORITY)
    const linked = openssl.sod(GROUPS, openssl.signer(renewed), { carried: [renewed.certificate] })
    expect(await verify({ sod: linked })).toMatchObject({ status: 0, verdict: 'successful' })
    // This authority allows one authority below it.
    const free = openssl.authority(NAME, 'ec', csca.key, AUTHORITY.replace('pathlen:0', 'pathlen:1'))
    expect(await verify({ sod: own, authorities: [free] })).toMatchObject({ status: 0 })
  })

  test('passes with the certificate of its signer in the folder of the caller', async () => {
    const without = openssl.sod(GROUPS, signer, { hasCertificate: false })
    expect(await verify({ sod: without, authorities: [csca, signer] })).toMatchObject({ status: 0 })
    const report = await verify({ sod: without })
    expect(report).toMatchObject({ status: 1, verdict: 'undetermined' })
    expect(report.faults).toContain('signer undetermined signer_certificate_missing')
  })
})

const rogue = openssl.authority(NAME)
const trick = { key: openssl.trickKey(csca), certificate: '' }
const tricky = openssl.authority(NAME, 'ec', trick.key)
const forged = openssl.signer(tricky)
const other = openssl.authority('/C=AC/CN=CSCA Arcadia')
const tls = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid'
const expired = openssl.signer(csca, { to: '20260101000000Z' })
const changed = (bytes: Uint8Array): Buffer => {
  const copy = Buffer.from(bytes)
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1
  return copy
}

const CLONES: readonly (readonly [string, Given, string])[] = [
  ['an unsigned DG15', { sod, groups: new Map([...GROUPS, [15, DG15]]) }, 'hashes failed group_not_signed'],
  ['an exchanged DG2', { sod, groups: new Map([...GROUPS, [2, DG15]]) }, 'hashes failed group_changed'],
  ['a changed signature', { sod: changed(sod) }, 'signature failed signature_wrong'],
  [
    'a signer of another authority of the same name',
    { sod: openssl.sod(GROUPS, openssl.signer(rogue)) },
    'authority failed authority_not_issuer',
  ],
  [
    'an authority that is not trusted',
    { sod, authorities: [other] },
    'authority undetermined authority_unknown',
  ],
  [
    'its own authority in EF.SOD',
    { sod: openssl.sod(GROUPS, signer, { carried: [csca.certificate] }), authorities: [other] },
    'authority undetermined authority_unknown',
  ],
  [
    'a trusted authority of another country',
    { sod: openssl.sod(GROUPS, openssl.signer(other, { country: 'AC' })), authorities: [other] },
    'country failed country_differs',
  ],
  [
    'a signer of another country than its authority',
    { sod: openssl.sod(GROUPS, openssl.signer(csca, { country: 'AC' })) },
    'country failed country_differs',
  ],
  ['an expired signer', { sod: openssl.sod(GROUPS, expired) }, 'validity failed signer_expired'],
  [
    'a signer that is not valid yet',
    { sod: openssl.sod(GROUPS, openssl.signer(csca, { from: '20390101000000Z' })) },
    'validity failed signer_not_yet_valid',
  ],
  [
    'a signing time before the signer',
    {
      sod: openssl.sod(GROUPS, openssl.signer(csca, { from: '20390101000000Z' })),
      more: ['--at', '2039-06-01'],
    },
    'signing_time failed signing_time_outside_validity',
  ],
  ['a revoked signer', { sod, lists: [openssl.revocationList(csca, [signer])] }, 'revocation failed revoked'],
  [
    'explicit parameters with the key as generator',
    { sod: openssl.sod(GROUPS, forged) },
    'authority failed authority_not_issuer',
  ],
  [
    'the certificate of a web server',
    { sod: openssl.sod(GROUPS, openssl.signer(csca, { extensions: tls })) },
    'signer failed signer_purpose_wrong',
  ],
  [
    'the authority itself as signer',
    { sod: openssl.sod(GROUPS, csca) },
    'signer failed signer_key_usage_wrong',
  ],
  [
    'the signer as authority of another signer',
    { sod: openssl.sod(GROUPS, openssl.signer(signer), { carried: [signer.certificate] }) },
    'authority undetermined authority_unknown',
  ],
]

describe('a clone', () => {
  test('with an EF.CardSecurity that is none fails, in the verdict and in the exit status', async () => {
    const card = join(folder, 'card-security')
    writeFileSync(card, 'junk')
    const report = await verify({ sod, more: ['--card-security', card] })
    expect(report).toMatchObject({ status: 1, verdict: 'failed', cardSecurity: { verdict: 'failed' } })
  })

  test.each(CLONES)('with %s does not pass', async (_, given, fault) => {
    const report = await verify(given)
    expect(report.faults).toContain(fault)
    expect(report).toMatchObject({ status: 1, verdict: fault.split(' ')[1] })
  })

  test('with explicit parameters in the certificate of the signer does not pass', async () => {
    const own = openssl.trickKey(signer)
    const certificate = openssl.run('x509', '-in', signer.certificate, '-pubkey', '-noout')
    expect(certificate.toString()).toContain('PUBLIC KEY')
    const made = openssl.authority('/C=UT/CN=Document signer', 'ec', own)
    const report = await verify({ sod: openssl.sod(GROUPS, made) })
    expect(report).toMatchObject({ status: 1, verdict: 'failed', reason: 'domain_parameters_inconsistent' })
  })

  test('whose EF.COM hides a group does not pass', async () => {
    const com = join(folder, 'com')
    writeFileSync(com, writeEfCom(1, 2))
    expect(await verify({ sod, more: ['--com', com] })).toMatchObject({ status: 0 })
    writeFileSync(com, writeEfCom(1, 2, 15))
    const report = await verify({ sod, more: ['--com', com] })
    expect(report.faults).toContain('contents failed com_differs')
  })
})

type Wrong = readonly [string, readonly string[], string]
const NO_AUTHORITIES = [
  ['CA=FALSE', AUTHORITY.replace('CA:true,pathlen:0', 'CA:false')],
  ['no constraints', AUTHORITY.replace(/^basicConstraints.*$/m, '')],
  ['no usage', AUTHORITY.replace(/^keyUsage.*$/m, '')],
  ['unknown and critical', `${AUTHORITY}\n1.2.3.4=critical,DER:0500`],
] as const

describe('wrong use ends with 2', () => {
  const file = join(folder, 'given')
  writeFileSync(file, sod)
  const trust = join(folder, 'authorities')
  mkdirSync(trust)
  writeFileSync(join(trust, 'a.cer'), openssl.der(csca.certificate))
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const authority = (name: string, extensions = AUTHORITY): string => {
    const own = join(folder, name)
    mkdirSync(own)
    const { certificate } = openssl.authority(NAME, 'ec', csca.key, extensions)
    const der = openssl.der(certificate)
    writeFileSync(join(own, 'a.cer'), name === 'broken' ? changed(der) : der)
    return own
  }
  const damaged = join(folder, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'a.ml'), sod.subarray(0, 100))

  test.each<Wrong>([
    ['no EF.SOD', ['--trust', trust], 'Give EF.SOD'],
    ['no folder', ['--sod', file], 'Give the folder'],
    ['a file that is missing', ['--sod', `${file}-none`, '--trust', trust], 'cannot be used (ENOENT)'],
    ['a folder as file', ['--sod', trust, '--trust', trust], 'Only regular files are read'],
    ['a folder without authorities', ['--sod', file, '--trust', empty], 'contains no master list'],
    ['a file that is no list', ['--sod', file, '--trust', folder], 'is no CSCA master list'],
    ['a damaged list', ['--sod', file, '--trust', damaged], 'a.ml: The file is no CSCA master list'],
    ...NO_AUTHORITIES.map(([name, extensions]): Wrong => [
      `an authority that does not state that it is one (${name})`,
      ['--sod', file, '--trust', authority(name, extensions)],
      'a.cer: The certificate is not accepted (no_authority).',
    ]),
    [
      'an authority whose own signature is wrong',
      ['--sod', file, '--trust', authority('broken')],
      'a.cer: The certificate is not accepted (signature_wrong).',
    ],
    ['a group that does not exist', ['--sod', file, '--trust', trust, '--dg', '17=x'], 'from 1 to 16'],
    ['a group twice', ['--sod', file, '--trust', trust, '--dg', `1=${file}`, '--dg', `1=${file}`], 'twice'],
    [
      'a date that does not exist',
      ['--sod', file, '--trust', trust, '--at', '2026-02-31'],
      '--at takes a date',
    ],
  ])('for %s', async (_, words, message) => {
    const output = collectOutput()
    expect(await main(['chip', 'verify', ...words])).toBe(2)
    expect(output.text).toContain(message)
  })

  test('for an option of verify in replay', async () => {
    expect(await main(['chip', 'replay', file, '--sod', file])).toBe(2)
  })
})
