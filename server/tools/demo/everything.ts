/**
 * `npm run demo -- --all` and `-- --chip`: proofs of one specimen person that reach the highest level without and with the chip of the
 * document, on one new appliance for each policy, against simulated services outside.
 */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CONFIG_FILE } from '../../config/config.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import type { CapturedSession, Holder } from './live-session.ts'
import { extractArchive } from '../../proof/multipart.ts'
import { verifyProof } from '../../proof/verify.ts'
import { CONTACTS, type ContactKind } from '../../proofing/contact-kinds.ts'
import { reassess } from '../../reassess/reassess.ts'
import { RelyingService, type EvidenceView } from './client.ts'
import { captureLive, drawHolder, LIVENESS_TYPE, SIMULATED_CAMERA } from './live-session.ts'
import { importAuthority, readChipStatement, withVirtualReaders, type ChipStatement } from './chip.ts'
import { signInOfficer, type Officer } from './officer.ts'
import { HOLDER, HOLDER_PHONE, startOutside, type Outside } from './outside.ts'
import type { VirtualPcscd } from '../simulator/chip/pcscd.ts'
import { makeSpecimenChip, type SpecimenChip } from '../simulator/chip/specimen-chip.ts'
import { insertCard } from '../simulator/chip/vpcd.ts'
import { SPECIMEN_CARD } from '../simulator/card-ownership.ts'
import { keepProof, MAX_SESSIONS } from './proofing.ts'
import { createKeys, RUN, startServerProcess, useTemporaryFolder } from './server-process.ts'
import { defaultSpecimen } from './specimens.ts'

/**
 * API: a relying service submits everything. OFFICER: document and face before an officer. CHIP_FILES: as API, with the files of the chip in
 * place of the issuer. CHIP_READER: an officer reads the chip with a reader of the appliance.
 */
type Way = 'API' | 'OFFICER' | 'CHIP_FILES' | 'CHIP_READER'
interface Goal {
  readonly policy: string
  readonly level: string
  readonly way: Way
}
/** The levels that each policy gives without a chip. NIST counts a document without a chip only if an officer inspected it. */
const GOALS: readonly Goal[] = [
  { policy: 'default', level: 'LOA3', way: 'API' },
  { policy: 'eidas', level: 'LOA2', way: 'API' },
  { policy: 'gpg45', level: 'LOA2', way: 'API' },
  { policy: 'nist-800-63a', level: 'LOA2', way: 'OFFICER' },
]
const FILES_GOALS: readonly Goal[] = [{ policy: 'default', level: 'LOA3', way: 'CHIP_FILES' }]
/** LOA3 of eidas is high. */
const READER_GOALS: readonly Goal[] = [
  { policy: 'default', level: 'LOA4', way: 'CHIP_READER' },
  { policy: 'eidas', level: 'LOA3', way: 'CHIP_READER' },
]

const CONSENTS = [
  'ID_DOCUMENT',
  'GIV',
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'MOBILE',
  'MOBILE_OTP',
  'EMAIL_OTP',
  'LANDLINE',
  'ID_CLAIM',
] as const
const FRAUD_CHECKS = [
  'DUPLICATE_DOCUMENT',
  'VELOCITY',
  'WATCHLIST',
  'DOCUMENT_STATUS',
  'DEVICE_INTEGRITY',
] as const

export interface GoalRecord {
  readonly policy: string
  readonly wanted: string
  readonly identityId: string
  readonly levelOfAssurance: string
  /** The profile of the policy by which the archive alone gives the level again. */
  readonly profile: string | null
  /** Status of each kind of evidence and of each fraud check. */
  readonly evidence: Readonly<Record<string, string>>
  readonly isValid: boolean
  /** The archive alone gives the same level. */
  readonly isDerivable: boolean
  /** Null without a chip. */
  readonly chip: ChipStatement | null
  readonly milliseconds: number
}

/** Policies that have a goal. */
export const GOAL_POLICIES: readonly string[] = GOALS.map(({ policy }) => policy)
/** Policies that have a goal with the chip. */
export const CHIP_POLICIES: readonly string[] = READER_GOALS.map(({ policy }) => policy)

interface Results {
  readonly records: readonly GoalRecord[]
  readonly isReached: boolean
}

/** `policies`: which goals. `keepDir` receives the archives and jwks.json. `say` receives one line per step. */
export async function runEverything(
  policies: readonly string[],
  keepDir: string | undefined,
  say: (line: string) => void,
): Promise<Results> {
  const goals = GOALS.filter(({ policy }) => policies.includes(policy))
  return reachGoals(goals, { ...(await drawPerson()), keepDir, pcscd: null }, say)
}

/** The levels that need the chip of the document: with a reader where pcscd and vpcd are installed, else by its files. */
export async function runChip(
  policies: readonly string[],
  keepDir: string | undefined,
  say: (line: string) => void,
): Promise<Results> {
  const person = await drawPerson()
  return withVirtualReaders(say, (pcscd) => {
    const goals = (pcscd ? READER_GOALS : FILES_GOALS).filter(({ policy }) => policies.includes(policy))
    if (goals.length > 0) return reachGoals(goals, { ...person, keepDir, pcscd }, say)
    say('without a reader no level of this policy is reached')
    return Promise.resolve({ records: [], isReached: false })
  })
}

interface Person {
  /** The photograph of the document. */
  readonly document: string
  readonly holder: Holder
}

async function drawPerson(): Promise<Person> {
  const { document, portrait } = defaultSpecimen()
  return { document, holder: await drawHolder(portrait) }
}

interface Means extends Person {
  readonly keepDir: string | undefined
  readonly pcscd: VirtualPcscd | null
}

async function reachGoals(
  goals: readonly Goal[],
  means: Means,
  say: (line: string) => void,
): Promise<Results> {
  const records: GoalRecord[] = []
  for (const goal of goals) {
    const record = await useTemporaryFolder('demo', (dataDir) => reachGoal(goal, { ...means, dataDir }, say))
    records.push(record)
    const { levelOfAssurance, profile, wanted, chip } = record
    say(`${goal.policy}: ${levelOfAssurance} (${profile ?? 'no profile'}), wanted ${wanted}`)
    if (!chip) continue
    say(
      `${goal.policy}: ${chip.protocol === null ? 'nothing shows that the chip is no copy' : `${chip.protocol} proved that the chip is no copy`}`,
    )
    say(`${goal.policy}: trust in the chip by ${chip.lists.join(', ')}`)
  }
  const isReached = records.every(
    (record) => record.isValid && record.isDerivable && record.levelOfAssurance === record.wanted,
  )
  return { records, isReached }
}

async function reachGoal(
  { policy, level, way }: Goal,
  { dataDir, document, holder, keepDir, pcscd }: Means & { readonly dataDir: string },
  say: (line: string) => void,
): Promise<GoalRecord> {
  const from = performance.now()
  const outside = await startOutside()
  try {
    const chip = way === 'CHIP_FILES' || way === 'CHIP_READER' ? makeSpecimenChip(new Date()) : null
    prepare(dataDir, { policy, way, pcscd }, outside)
    const server = await startServerProcess(dataDir)
    try {
      await importWatchlist(dataDir)
      if (chip) await importAuthority(dataDir, chip)
      outside.serve(server.url)
      const service = new RelyingService(server.url, await createKeys(dataDir, 'demo'))
      const person = createProofing(service, outside, (line) => say(`${policy.padEnd(12)} ${line}`))
      const officer = (): Promise<Officer> => signInOfficer(server.url, dataDir)
      const prove = async (): Promise<string> => {
        if (way === 'OFFICER') return person.proveAttended(await officer(), document, holder)
        if (way !== 'CHIP_READER' || !chip || !pcscd) return person.prove(document, holder, chip)
        await recordInspection(dataDir)
        return person.proveByChip(await officer(), document, holder, { chip, port: pcscd.ports[0] })
      }
      const id = await prove()
      const sealed = await service.proof(id)
      const archive = extractArchive(sealed)
      if (!archive) throw new Error('the answer to GET proof holds no archive')
      const jwks = await service.jwks()
      if (keepDir !== undefined) await keepProof(keepDir, sealed, archive, jwks)
      const report = await verifyProof(archive, { jwks })
      const again = reassess(archive)
      const { globalStatus } = await service.identity(id)
      return {
        policy,
        wanted: level,
        identityId: id,
        levelOfAssurance: globalStatus.levelOfAssurance,
        profile: again.possible ? again.profile : null,
        evidence: person.outcomes(),
        isValid: report.valid,
        isDerivable:
          again.possible && again.agrees && again.levelOfAssurance === globalStatus.levelOfAssurance,
        chip: chip && readChipStatement(archive, chip),
        milliseconds: Math.round(performance.now() - from),
      }
    } finally {
      await server.stop()
    }
  } finally {
    await outside.close()
  }
}

/** Configuration and secrets. */
function prepare(
  dataDir: string,
  { policy, way, pcscd }: Pick<Goal, 'policy' | 'way'> & Pick<Means, 'pcscd'>,
  outside: Outside,
): void {
  const tenant = {
    id: 'demo',
    name: 'Demonstration',
    mode: 'test',
    policy,
    features: { issuerVerification: way !== 'CHIP_FILES' },
    sharing: [{ application: 'demo', of: ['counter'], may: 'act' }],
  }
  // DEVICE_INTEGRITY passes only with a camera that the configuration names, and with a recorded inspection.
  const device = {
    readers: { enabled: true, socket: pcscd?.socketPath },
    environment: { camera: SIMULATED_CAMERA, inspection: { everyDays: 30 } },
  }
  const config = { tenant, ...outside.config, ...(way === 'CHIP_READER' ? device : {}) }
  writeFileWhole(join(dataDir, CONFIG_FILE), JSON.stringify(config))
  outside.writeSecrets(dataDir)
}

/** The operator of the demonstration inspects the device. */
async function recordInspection(dataDir: string): Promise<void> {
  const argv = [RUN, 'inspection', 'record', '--outcome', 'passed', '--data', dataDir]
  await promisify(execFile)(process.execPath, argv)
}

/** A watchlist of one invented person, for the running appliance. */
async function importWatchlist(dataDir: string): Promise<void> {
  const list = join(dataDir, 'list.csv')
  writeFileWhole(list, 'id,given_names,surname,date_of_birth,countries\nX-1,Nemo,Sampleman,1950-01-01,UTO\n')
  const today = new Date().toISOString().slice(0, 10)
  const argv = [
    RUN,
    'watchlist',
    'import',
    list,
    '--name',
    'demonstration',
    '--date',
    today,
    '--data',
    dataDir,
  ]
  await promisify(execFile)(process.execPath, argv)
  rmSync(list)
}

function createProofing(service: RelyingService, outside: Outside, say: (line: string) => void) {
  const outcomes: Record<string, string> = {}
  const note = (kind: string, status: string, more = ''): void => {
    outcomes[kind] = status
    say(`${kind.padEnd(18)} ${status}${more}`)
  }
  const { surname = '', givenName = '', middleNames = '', dateOfBirth = '' } = HOLDER.values
  const value = (text: string) => ({ value: text })
  const attributes = {
    givenNames: [value(givenName), value(middleNames)],
    surname: value(surname),
    dateOfBirth: value(dateOfBirth),
  }
  const town = { postcode: '1000', city: 'Utopia City', country: HOLDER.issuingCountry }
  const home = { streetDetails: { streetLines: ['1 Example Street'] }, ...town }
  // Only claims have a member for the number of the house.
  const address = { streetDetails: { streetLines: ['Example Street'] }, houseNumber: '1', ...town }
  const at = (id: string, path: string): string => `/v1/identities/${id}/${path}`
  /** `read` gets the status from what GET answers at the same path, once nothing is being processed. */
  const submit = async <View>(
    id: string,
    path: string,
    body: object,
    kind: string,
    read: (view: View) => EvidenceView | undefined,
  ): Promise<void> => {
    await service.json('POST', at(id, path), JSON.stringify(body))
    await service.waitForIdentity(id)
    const view = await service.json<View>('GET', at(id, path))
    note(kind, read(view)?.evidenceStatus.status ?? 'missing')
  }

  const enterCode = async (id: string, kind: ContactKind, destination: string): Promise<void> => {
    const path = at(id, `contact-details/${kind}`)
    await service.json('POST', path, JSON.stringify(value(destination)))
    while (outside.lastCode(kind) === '') await new Promise((resolve) => setTimeout(resolve, 50))
    await service.request('POST', `${path}/otp`, JSON.stringify(value(outside.lastCode(kind))))
    await service.waitForIdentity(id)
    const { [kind]: contact } = (await service.json<ContactsView>('GET', path)).contactDetails
    // Only an operator's answer verifies a number; of the others the passcode is all that there is.
    const isShown = kind === 'mobile' ? contact?.verified : contact?.otp.status === 'DONE'
    note(CONTACTS[kind].type, isShown ? 'VERIFIED' : 'NOT_VERIFIED')
  }

  const logIn = async (id: string): Promise<void> => {
    const begun = await service.json<{ idpAuthorizeEndpoint: string }>(
      'POST',
      at(id, 'trusted-id-claim/oidc'),
      JSON.stringify({ idpIdentifier: 'bank', responseType: 'JSON' }),
    )
    await fetch(await outside.login(begun.idpAuthorizeEndpoint), { redirect: 'manual' })
    await service.waitForIdentity(id)
    const view = await service.json<{ trustedIdClaim: EvidenceView }>('GET', at(id, 'trusted-id-claims'))
    note('TRUSTED_ID_CLAIM', view.trustedIdClaim.evidenceStatus.status)
  }

  const showFace = async (id: string, holder: Holder): Promise<void> => {
    for (let session = 1; session <= MAX_SESSIONS; session++) {
      const { sessionId } = await service.openPortraitSession(id, { type: LIVENESS_TYPE })
      const captured: CapturedSession = await captureLive(
        service.url,
        sessionId,
        await holder(),
        () => undefined,
      )
      await service.waitForIdentity(id)
      const { portrait } = await service.identity(id)
      const status = portrait?.evidenceStatus.status ?? 'missing'
      note('PORTRAIT', status, ` (session ${session}, ${captured.pictures} live pictures)`)
      if (status === 'VERIFIED') return
    }
  }

  const runFraudChecks = async (id: string): Promise<void> => {
    const body = JSON.stringify(FRAUD_CHECKS.map((type) => ({ type })))
    let { checks } = await service.json<{ checks: readonly FraudCheck[] }>('POST', at(id, 'antifraud'), body)
    while (checks.some(({ status }) => status === 'PROCESSING')) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      ;({ checks } = await service.json<{ checks: readonly FraudCheck[] }>('GET', at(id, 'antifraud')))
    }
    for (const { type, status, indicators } of checks) note(type, status, ` ${indicators.join(' ')}`)
  }

  const proveRest = async (id: string): Promise<void> => {
    await submit<{ attributes: readonly EvidenceView[] }>(
      id,
      'attributes',
      attributes,
      'ATTRIBUTES',
      (view) => view.attributes.at(-1),
    )
    await submit<{ addresses: readonly EvidenceView[] }>(id, 'addresses', home, 'ADDRESS', (view) =>
      view.addresses.at(-1),
    )
    const card = { creditCardDetails: { cardNumber: SPECIMEN_CARD } }
    const claim = { attributesData: attributes, addressesData: address, ...card }
    await submit<ClaimView>(id, 'claim', claim, 'ID_CLAIM', (view) => view.globalStatus.Claim)
    const { globalStatus } = await service.json<ClaimView>('GET', at(id, 'claim'))
    const { verified } = globalStatus.Claim.claimData.creditCardDetails
    note('PAYMENT_CARD', verified ? 'VERIFIED' : 'NOT_VERIFIED')
    await enterCode(id, 'mobile', HOLDER_PHONE)
    await enterCode(id, 'email', 'livia.silverthorn@mail.example')
    await enterCode(id, 'landline', '+33139980001')
    await logIn(id)
    await runFraudChecks(id)
  }

  const addChip = async (id: string, documentId: string, { files }: SpecimenChip): Promise<void> => {
    const { sod, com, dataGroups } = files
    const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
    const groups = [...dataGroups].map(([number, content]) => ({ number, content: encode(content) }))
    const body = { sod: encode(sod), ...(com ? { com: encode(com) } : {}), dataGroups: groups }
    await service.json('POST', at(id, `id-documents/${documentId}/chip`), JSON.stringify(body))
    await service.waitForEvidence(id, documentId)
    const { idDocuments } = await service.identity(id)
    const { positiveIndicators = [] } =
      idDocuments.find(({ evidenceId }) => evidenceId === documentId)?.evidenceStatus ?? {}
    const isConfirmed = positiveIndicators.includes('NFC_PASSIVE_AUTHENTICATION_OK')
    note('CHIP', isConfirmed ? 'VERIFIED' : 'NOT_VERIFIED', ' (files of the chip, signed by its authority)')
  }

  return {
    outcomes: () => outcomes,
    /** An officer reads the chip, and the person shows the face to the capture component. Returns the identity's id. */
    proveByChip: async (
      officer: Officer,
      document: string,
      holder: Holder,
      { chip, port }: { readonly chip: SpecimenChip; readonly port: number },
    ): Promise<string> => {
      const visit = await officer.begin()
      const { identityId: id } = visit
      await service.consent(id, CONSENTS)
      note('PASSPORT', await officer.photographDocument(visit, document, HOLDER.issuingCountry))
      const placed = await insertCard(chip.card, port)
      try {
        note('CHIP', await officer.readChip(visit), ' (read by the appliance over pcscd)')
      } finally {
        await placed.remove()
      }
      await showFace(id, holder)
      await proveRest(id)
      return id
    },
    /** Proves the person at the counter. Returns the identity's id. */
    proveAttended: async (officer: Officer, document: string, holder: Holder): Promise<string> => {
      const visit = await officer.begin()
      const { identityId: id } = visit
      await service.consent(id, CONSENTS)
      await officer.photographDocument(visit, document, HOLDER.issuingCountry)
      note('PASSPORT', await officer.inspectDocument(visit), ' (in hand)')
      note('PORTRAIT', await officer.photographPerson(visit, holder), ' (before the officer)')
      await proveRest(id)
      return id
    },
    /** Returns the identity's id. */
    prove: async (document: string, holder: Holder, chip: SpecimenChip | null): Promise<string> => {
      const context = [
        { key: 'APPLICATION', value: 'demo' },
        { key: 'CHANNEL', value: 'counter' },
      ]
      const { id } = await service.createIdentity(context)
      await service.consent(id, CONSENTS)
      const passport = await service.submitDocument(id, document, undefined)
      note('PASSPORT', (await service.waitForEvidence(id, passport.id)).status)
      if (chip) await addChip(id, passport.id, chip)
      await showFace(id, holder)
      await proveRest(id)
      return id
    },
  }
}

interface ClaimView {
  readonly globalStatus: {
    readonly Claim: EvidenceView & {
      readonly claimData: { readonly creditCardDetails: { readonly verified: boolean } }
    }
  }
}

interface ContactsView {
  readonly contactDetails: Readonly<
    Partial<Record<ContactKind, { readonly verified: boolean; readonly otp: { readonly status: string } }>>
  >
}

interface FraudCheck {
  readonly type: string
  readonly status: string
  readonly indicators: readonly string[]
}
