/**
 * Issues chips with the openssl command alone: authorities, document signers, EF.SOD, revocation lists. A test of passive authentication
 * so has expectations that do not come from the code that it tests.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type OpensslKey = 'rsa' | 'ec' | 'brainpool' | 'dsa'

export interface OpensslCertificate {
  readonly certificate: string
  readonly key: string
}

export interface SignerOptions {
  readonly key?: OpensslKey
  readonly country?: string
  /** YYYYMMDDHHMMSSZ */
  readonly from?: string
  readonly to?: string
  /** Lines of extensions; default: those of a document signer. */
  readonly extensions?: string
  readonly hash?: string
  readonly subject?: string
}

const KEY_USAGE = 'keyUsage=critical,digitalSignature'
const SIGNER = `${KEY_USAGE}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid`
/** Doc 9303-12, 7.1. */
const NAME_CHANGE = '2.23.136.1.1.6.1=DER:0500'
export const AUTHORITY =
  'keyUsage=critical,keyCertSign,cRLSign\nbasicConstraints=critical,CA:true,pathlen:0\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid'
const KEYS: Readonly<Record<Exclude<OpensslKey, 'dsa'>, readonly string[]>> = {
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  ec: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  brainpool: [
    ...['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:brainpoolP256r1'],
    ...['-pkeyopt', 'ec_param_enc:explicit'],
  ],
}

export class OpensslIssuer {
  readonly #folder: string
  #count = 0

  /** @param folder an empty folder */
  constructor(folder: string) {
    this.#folder = folder
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  run(...args: readonly string[]): Buffer {
    return execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' })
  }

  #take(ending: string): string {
    this.#count += 1
    return this.path(`${this.#count}${ending}`)
  }

  key(kind: OpensslKey): string {
    const key = this.#take('.key')
    if (kind !== 'dsa') {
      this.run('genpkey', ...KEYS[kind], '-out', key)
      return key
    }
    const parameters = this.#take('.param')
    this.run(
      'genpkey',
      '-genparam',
      '-algorithm',
      'DSA',
      '-pkeyopt',
      'dsa_paramgen_bits:1024',
      '-out',
      parameters,
    )
    this.run('genpkey', '-paramfile', parameters, '-out', key)
    return key
  }

  authority(
    subject = '/C=UT/CN=CSCA Utopia',
    kind: OpensslKey = 'ec',
    key = this.key(kind),
    extensions = AUTHORITY,
  ): OpensslCertificate {
    const config = this.#take('.cnf')
    writeFileSync(config, `[req]\ndistinguished_name=dn\nx509_extensions=v3\n[dn]\n[v3]\n${extensions}\n`)
    const certificate = this.#take('.pem')
    const form = ['-config', config, '-subj', subject, '-days', '5000', '-set_serial', String(this.#count)]
    this.run('req', '-x509', '-new', '-key', key, '-sha256', ...form, '-out', certificate)
    return { certificate, key }
  }

  signer(issuer: OpensslCertificate, options: SignerOptions = {}): OpensslCertificate {
    const { country = 'UT', from = '20200101000000Z', to = '20401231235959Z', hash = 'sha256' } = options
    const key = this.key(options.key ?? 'ec')
    const subject = options.subject ?? `/C=${country}/CN=Document signer`
    return this.#issue(issuer, key, subject, options.extensions ?? SIGNER, [
      ...['-startdate', from, '-enddate', to, '-md', hash],
    ])
  }

  /** A certificate of the key of `to`, signed by `from`; default: with the extension for a change of name. */
  link(
    from: OpensslCertificate,
    to: OpensslCertificate,
    subject: string,
    extensions = `${AUTHORITY}\n${NAME_CHANGE}`,
  ): OpensslCertificate {
    return this.#issue(from, to.key, subject, extensions, ['-days', '3000', '-md', 'sha256'])
  }

  #issue(
    issuer: OpensslCertificate,
    key: string,
    subject: string,
    extensions: string,
    options: readonly string[],
  ): OpensslCertificate {
    const config = this.#ca(issuer, extensions)
    const request = this.#take('.csr')
    this.run('req', '-new', '-key', key, '-config', config, '-subj', subject, '-out', request)
    const certificate = this.#take('.pem')
    const form = ['-batch', '-notext', '-preserveDN', '-in', request, '-out', certificate, ...options]
    this.run('ca', '-config', config, ...form)
    return { certificate, key }
  }

  #ca({ certificate, key }: OpensslCertificate, extensions: string): string {
    const base = this.#take('.ca')
    mkdirSync(base)
    writeFileSync(join(base, 'index.txt'), '')
    const config = join(base, 'ca.cnf')
    writeFileSync(
      config,
      [
        ...['[req]', 'distinguished_name=dn', '[dn]', '[ca]', 'default_ca=own', '[own]'],
        ...[
          `dir=${base}`,
          `database=${base}/index.txt`,
          `new_certs_dir=${base}`,
          `certificate=${certificate}`,
        ],
        ...[
          `private_key=${key}`,
          'default_md=sha256',
          'policy=any',
          'x509_extensions=v3',
          'unique_subject=no',
          'rand_serial=yes',
        ],
        ...['[any]', 'countryName=optional', 'commonName=supplied', '[v3]', extensions, ''],
      ].join('\n'),
    )
    return config
  }

  /** A revocation list in DER that names these certificates. */
  revocationList(
    issuer: OpensslCertificate,
    revoked: readonly OpensslCertificate[],
    next = '20401231235959Z',
    last = '20200101000000Z',
  ): Buffer {
    const config = this.#ca(issuer, '')
    for (const { certificate } of revoked) this.run('ca', '-config', config, '-revoke', certificate)
    const list = this.#take('.crl')
    const times = ['-crl_lastupdate', last, '-crl_nextupdate', next]
    this.run('ca', '-config', config, '-gencrl', ...times, '-out', list)
    return this.run('crl', '-in', list, '-outform', 'DER')
  }

  der(certificate: string): Buffer {
    return this.run('x509', '-in', certificate, '-outform', 'DER')
  }

  /** EF.SOD: the hashes of the groups, signed. */
  sod(
    groups: ReadonlyMap<number, Uint8Array>,
    signer: OpensslCertificate,
    { hash = 'sha256', isPss = false, carried = [] as readonly string[], hasCertificate = true } = {},
  ): Buffer {
    const content = this.#take('.lds')
    this.#write(content, hash, groups)
    const form = ['-outform', 'DER', '-binary', '-nodetach', '-md', hash, '-econtent_type', '2.23.136.1.1.1']
    const scheme = isPss ? ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:digest'] : []
    const more = carried.flatMap((each) => ['-certfile', each])
    const by = [
      '-signer',
      signer.certificate,
      '-inkey',
      signer.key,
      ...(hasCertificate ? more : ['-nocerts']),
    ]
    const signed = this.run('cms', '-sign', '-in', content, ...form, '-nosmimecap', ...by, ...scheme)
    const length = Buffer.from([0x82, signed.length >> 8, signed.length & 0xff])
    return Buffer.concat([Buffer.of(0x77), length, signed])
  }

  #write(out: string, hash: string, groups: ReadonlyMap<number, Uint8Array>): void {
    const numbers = [...groups.keys()]
    const config = [
      ...[
        'asn1=SEQUENCE:lds',
        '[lds]',
        'version=INTEGER:0',
        'hash=SEQUENCE:algorithm',
        'list=SEQUENCE:groups',
      ],
      ...[
        '[algorithm]',
        `oid=OID:${hash}`,
        '[groups]',
        ...numbers.map((each) => `g${each}=SEQUENCE:group${each}`),
      ],
      ...[...groups].flatMap(([number, file]) => [
        ...[`[group${number}]`, `number=INTEGER:${number}`],
        `hash=FORMAT:HEX,OCTETSTRING:${createHash(hash).update(file).digest('hex')}`,
      ]),
    ].join('\n')
    const name = this.#take('.cnf')
    writeFileSync(name, config)
    this.run('asn1parse', '-genconf', name, '-noout', '-out', out)
  }

  /**
   * The trick of CVE-2020-0601: a key with the public point of the authority, on its curve P-256 with explicit parameters, in which that
   * point is the generator. The private key is 1, so that everybody has it.
   */
  trickKey({ key }: OpensslCertificate): string {
    const spki = this.run('pkey', '-in', key, '-pubout', '-outform', 'DER')
    const point = spki.subarray(-65).toString('hex')
    const one = `${'0'.repeat(63)}1`
    const config = [
      ...['asn1=SEQUENCE:key', '[key]', 'v=INTEGER:1', `d=FORMAT:HEX,OCTETSTRING:${one}`],
      ...[
        'p=EXPLICIT:0,SEQUENCE:params',
        `q=EXPLICIT:1,FORMAT:HEX,BITSTRING:${point}`,
        '[params]',
        'v=INTEGER:1',
      ],
      ...['f=SEQUENCE:field', 'c=SEQUENCE:curve', `g=FORMAT:HEX,OCTETSTRING:${point}`],
      'n=INTEGER:0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551',
      ...['h=INTEGER:1', '[field]', 't=OID:1.2.840.10045.1.1'],
      'p=INTEGER:0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF',
      '[curve]',
      'a=FORMAT:HEX,OCTETSTRING:FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFC',
      'b=FORMAT:HEX,OCTETSTRING:5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B',
    ].join('\n')
    const [name, der, out] = [this.#take('.cnf'), this.#take('.der'), this.#take('.key')]
    writeFileSync(name, config)
    this.run('asn1parse', '-genconf', name, '-noout', '-out', der)
    this.run('ec', '-inform', 'DER', '-in', der, '-out', out, '-param_enc', 'explicit')
    return out
  }

  read(name: string): Buffer {
    return readFileSync(name)
  }
}
