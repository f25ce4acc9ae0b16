/** `npm run simulator`: services outside that the appliance may ask, for tests and demonstrations. Never for production. */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { waitUntilAskedToStop } from '../../commands/asked-to-stop.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { getAction, refuseMore, UsageError } from '../../commands/usage.ts'
import { AddressEntry, readSpecimenAddresses, startAddressRegister } from './address-register.ts'
import { CardAccount, readSpecimenAccounts, startCardOwnership } from './card-ownership.ts'
import { BureauFile, readSpecimenFiles, startBureau } from './bureau.ts'
import { CHIP_FAULTS, CHIP_FAULT_NAMES } from './chip/faults.ts'
import { makeDocument, PROFILE_NAMES } from './chip/profiles.ts'
import { insertCard, VPCD_PORT } from './chip/vpcd.ts'
import { IssuerRecord, readSpecimenRecords, startIssuer } from './issuer.ts'
import { AUSTRALIAN_FAULTS, startAustralianService } from './issuer-au.ts'
import { startUnitedStatesService, UNITED_STATES_FAULTS } from './issuer-us.ts'
import { QUESTION_FAULTS } from './question-simulator.ts'
import { readAustralianRecords, readUnitedStatesRecords } from './specimen-documents.ts'
import { SMPP_FAULTS, startSmpp } from './smpp.ts'
import { SMTP_FAULTS, startSmtp } from './smtp.ts'
import { startVoice, VOICE_FAULTS, VOICE_SECRET } from './voice.ts'
import { REGISTER_FAULTS, RegisterEntry, startRegister } from './register.ts'
import { accept, SMS_FAULTS, startSmsGateway } from './sms.ts'
import { readSpecimenAccount, startIdentityProvider } from './oidc.ts'
import { Contract, OPERATOR_FAULTS, readSpecimenContracts, startOperator } from './operator.ts'

const HELP = `Usage: npm run simulator -- SERVICE OPTIONS

Runs a service outside that the appliance may ask, with its real protocol on 127.0.0.1, until it is stopped.

Services
  issuer --key PEM   issuing source (server/connectors/issuer), with the passports of the specimen persons
  issuer-au          Australian Document Verification Service (server/connectors/issuer-au), with documents of the
                     specimen persons
  issuer-us          AAMVA's licence verification (server/connectors/issuer-us) in SOAP 1.1, SOAP 1.2 and JSON, with
                     licences and identity cards of Texas of the specimen persons
  bureau --key PEM   source of attributes (server/connectors/bureau), with files of the specimen persons
  address-register --key PEM
                     register of addresses (server/connectors/address-register), with the home of the specimen persons
  card-ownership --key PEM
                     card scheme (server/connectors/card-ownership), with the card of a specimen person
  operator           mobile operator (server/connectors/operator), with contracts of the specimen persons. Its tokenUrl
                     is /token, for any client id and secret
  register           register of documents and of known fraud (server/connectors/document-status, fraud-register), empty
                     without --records
  oidc --redirect URI
                     OpenID provider with one specimen person, for applicants of an appliance and, with --group, for the staff
                     of a central service. Client id: counterproof, secret: secret
  sms                HTTP gateway of an SMS carrier (server/connectors/sms); prints the messages
  smpp               SMSC by SMPP 3.4 (server/connectors/sms); prints the messages. System id: counterproof,
                     password: secret
  smtp               mail server by SMTP without TLS and login (server/connectors/smtp with allowPlain); prints the
                     messages
  voice              voice gateway (server/connectors/voice); prints what it speaks, and reports the calls to --report
  chip --profile NAME
                     chip of a document in the virtual reader of pcscd (vpcd of vsmartcard), of an invented person. NAME:
                     ${PROFILE_NAMES.join(', ')}

Options
  --port N           default: a free one, which is printed; of chip: that of vpcd, default ${VPCD_PORT}
  --profile NAME     of chip: which protocols and files it has (server/tools/simulator/chip)
  --authority FILE   of chip: writes the certificate of the authority that signed it, which is made on the spot
  --fault NAME       of issuer: ${QUESTION_FAULTS.join(', ')}
                     of issuer-au: the same ones, document-error, system-error
                     of issuer-us: the same ones, state-silent
                     of bureau, address-register and card-ownership: those of issuer
                     of operator: ${OPERATOR_FAULTS.join(', ')}
                     of register: ${Object.keys(REGISTER_FAULTS).join(', ')}
                     of sms: ${Object.keys(SMS_FAULTS).join(', ')}
                     of smpp: ${SMPP_FAULTS.join(', ')}
                     of smtp: ${SMTP_FAULTS.join(', ')}
                     of voice: ${VOICE_FAULTS.join(', ')}
                     of chip: ${CHIP_FAULT_NAMES.join(', ')}
  --redirect URI     of oidc: address to which browsers return, http://HOST:PORT/oidc/callback of the appliance, or
                     ADDRESS/staff/callback of the central service, where ADDRESS is its staff.oidc.address
  --group NAME       of oidc: group of the person, in the claim groups; may be repeated
  --report URL       of voice: http://HOST:PORT/capture/callbacks/voice of the appliance. The content of its
                     callbackSecretFile: ${VOICE_SECRET}
  --key PEM          of issuer, bureau, address-register and card-ownership: file with the public key of signingKeyFile
  --records FILE     JSON list of further records. Of issuer, issuer-au and issuer-us: {documentType,
                     issuingCountry, issuingState, values}; of bureau: {origin, country, values};
                     of address-register: {country, values}, written as the appliance sends them:
                     {"streetLine1": "7 HOME ST", "postcode": "1000", "city": "UTOPIA CITY"};
                     of card-ownership: {account, values};
                     of operator: {phoneNumber, values, simChangedHours};
                     of register: {name, reason}, where name is TYPE\\nISSUER\\nNUMBER of a document or
                     PERSON\\nSURNAME\\nGIVEN NAMES\\nyyyy-MM-dd
  --help             prints this text

Example: npm run simulator -- operator --port 8742
`

interface Options {
  readonly port: number
  readonly key?: string | undefined
  readonly records?: string | undefined
  readonly fault?: string | undefined
  readonly redirect?: string | undefined
  readonly group?: readonly string[] | undefined
  readonly report?: string | undefined
  readonly profile?: string | undefined
  readonly authority?: string | undefined
}

interface Running {
  readonly url: string
  /** Default: that it listens at the URL. */
  readonly ready?: string
  close(): Promise<void>
}

const SERVICES: Readonly<Record<string, (options: Options) => Promise<Running>>> = {
  issuer: ({ port, key, records, fault }) => {
    if (key === undefined) throw new UsageError('--key is needed')
    return startIssuer({
      port,
      publicKey: readKey(key),
      records: [...readSpecimenRecords(), ...readRecords(IssuerRecord, records)],
      fault: readFault(QUESTION_FAULTS, fault),
    })
  },
  'issuer-au': ({ port, records, fault }) =>
    startAustralianService({
      port,
      records: [...readAustralianRecords(), ...readRecords(IssuerRecord, records)],
      fault: readFault(AUSTRALIAN_FAULTS, fault),
    }),
  'issuer-us': ({ port, records, fault }) =>
    startUnitedStatesService({
      port,
      records: [...readUnitedStatesRecords(), ...readRecords(IssuerRecord, records)],
      fault: readFault(UNITED_STATES_FAULTS, fault),
    }),
  chip: startChip,
  bureau: ({ port, key, records, fault }) => {
    if (key === undefined) throw new UsageError('--key is needed')
    return startBureau({
      port,
      publicKey: readKey(key),
      files: [...readRecords(BureauFile, records), ...readSpecimenFiles()],
      fault: readFault(QUESTION_FAULTS, fault),
    })
  },
  'address-register': ({ port, key, records, fault }) => {
    if (key === undefined) throw new UsageError('--key is needed')
    return startAddressRegister({
      port,
      publicKey: readKey(key),
      entries: [...readRecords(AddressEntry, records), ...readSpecimenAddresses()],
      fault: readFault(QUESTION_FAULTS, fault),
    })
  },
  'card-ownership': ({ port, key, records, fault }) => {
    if (key === undefined) throw new UsageError('--key is needed')
    return startCardOwnership({
      port,
      publicKey: readKey(key),
      accounts: [...readRecords(CardAccount, records), ...readSpecimenAccounts()],
      fault: readFault(QUESTION_FAULTS, fault),
    })
  },
  operator: ({ port, records, fault }) =>
    startOperator({
      port,
      contracts: [...readRecords(Contract, records), ...readSpecimenContracts()],
      fault: readFault(OPERATOR_FAULTS, fault),
    }),
  oidc: async ({ port, redirect, group: groups = [] }) => {
    requireRedirect(redirect)
    const person = readSpecimenAccount()
    const name = [person.given_name, person.family_name].join(' ')
    const account = { ...person, name, groups }
    const provider = await startIdentityProvider({ port, clients: { counterproof: 'secret' }, account })
    // The page to which a central service lets staff return after the sign-out.
    const signedOut = redirect.endsWith(STAFF_CALLBACK)
      ? `${redirect.slice(0, -STAFF_CALLBACK.length)}/fleet/`
      : undefined
    provider.serve(redirect, signedOut)
    return { url: provider.issuer, close: () => provider.goDown() }
  },
  register: ({ port, records, fault }) => {
    const name = readFault(Object.keys(REGISTER_FAULTS), fault)
    return startRegister({
      port,
      coversDeaths: true,
      entries: readRecords(RegisterEntry, records),
      fault: name === null ? null : REGISTER_FAULTS[name],
    })
  },
  sms: ({ port, fault }) => {
    const name = readFault(Object.keys(SMS_FAULTS) as (keyof typeof SMS_FAULTS)[], fault)
    return startSmsGateway({ port, answer: name === null ? accept : SMS_FAULTS[name], onMessage: print })
  },
  smpp: ({ port, fault }) => startSmpp({ port, fault: readFault(SMPP_FAULTS, fault), onMessage: print }),
  smtp: ({ port, fault }) => startSmtp({ port, fault: readFault(SMTP_FAULTS, fault), onMessage: print }),
  voice: ({ port, fault, report }) =>
    startVoice({ port, fault: readFault(VOICE_FAULTS, fault), reportUrl: report, onMessage: print }),
}

const STAFF_CALLBACK = '/staff/callback'
const REDIRECT_FORM =
  'http://HOST:PORT/oidc/callback of an appliance, or ADDRESS/staff/callback of a central service'

/** The provider refuses each login that comes with another address. */
function requireRedirect(redirect: string | undefined): asserts redirect is string {
  if (redirect === undefined) throw new UsageError(`--redirect is needed: ${REDIRECT_FORM}`)
  const address = URL.canParse(redirect) ? new URL(redirect) : null
  const isHttp = address?.protocol === 'http:' || address?.protocol === 'https:'
  if (!isHttp || !['/oidc/callback', STAFF_CALLBACK].some((end) => redirect.endsWith(end)))
    throw new UsageError(`--redirect is the address to which a browser returns: ${REDIRECT_FORM}`)
}

/** Puts a chip into the virtual reader. */
async function startChip({ port, profile, fault, authority }: Options): Promise<Running> {
  const name = PROFILE_NAMES.find((one) => one === profile)
  if (name === undefined) throw new UsageError(`--profile is one of ${PROFILE_NAMES.join(', ')}`)
  const known = readFault(CHIP_FAULT_NAMES, fault)
  const { card, printedMrz, can, issued } = makeDocument(name, known === null ? {} : CHIP_FAULTS[known]())
  if (authority !== undefined) writeFileWhole(authority, issued.authority)
  const vpcd = port === 0 ? VPCD_PORT : port
  const url = `tcp://127.0.0.1:${vpcd}`
  try {
    const inserted = await insertCard(card, vpcd)
    const ready = [
      `a chip of the profile ${name} is in the reader at ${url}`,
      ...printedMrz,
      `CAN ${can}`,
    ].join('\n')
    return { url, ready, close: () => inserted.remove() }
  } catch (cause) {
    throw new UsageError(`No virtual reader listens at ${url}: start pcscd with vpcd.`, { cause })
  }
}

/** Shows the message as the phone would. */
function print({ to, text }: { readonly to: string; readonly text: string }): void {
  process.stdout.write(`${to}: ${text}\n`)
}

function readFault<F extends string>(known: readonly F[], name: string | undefined): F | null {
  if (name === undefined) return null
  const fault = known.find((one) => one === name)
  if (fault === undefined) throw new UsageError(`--fault is one of ${known.join(', ')}`)
  return fault
}

/** Returns the PEM. */
function readKey(file: string): string {
  const pem = readNamed('--key', file)
  if (!isPublicKey(pem))
    throw new UsageError(
      `--key: ${file} holds no public key (P-256) in PEM. Make it: openssl pkey -in KEY -pubout`,
    )
  return pem
}

function isPublicKey(pem: string): boolean {
  try {
    const { type, asymmetricKeyDetails } = createPublicKey(pem)
    return type === 'public' && !pem.includes('PRIVATE') && asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

function readRecords<T>(schema: z.ZodType<T>, file: string | undefined): readonly T[] {
  if (file === undefined) return []
  const { success, data, error } = z.array(schema).safeParse(parseJson(file))
  if (success) return data
  const [{ path, message }] = error.issues
  throw new UsageError(`--records: ${file} at ${path.join('.') || 'its beginning'}: ${message}`)
}

function parseJson(file: string): unknown {
  const text = readNamed('--records', file)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UsageError(`--records: ${file} holds no JSON`)
  }
}

function readNamed(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${option}: ${file} is missing or cannot be read`)
  }
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '0' },
      key: { type: 'string' },
      records: { type: 'string' },
      fault: { type: 'string' },
      redirect: { type: 'string' },
      group: { type: 'string', multiple: true },
      report: { type: 'string' },
      profile: { type: 'string' },
      authority: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [name = '', ...more] = positionals
  const start = getAction(SERVICES, name)
  refuseMore(more)
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--port is a number from 0 to 65535')
  const running = await start({ ...values, port })
  // Install the handlers before the ready line: its reader may stop the process immediately.
  const asked = waitUntilAskedToStop()
  process.stdout.write(`${running.ready ?? `listening on ${running.url}`}\n`)
  await asked
  await running.close()
  return 0
}
