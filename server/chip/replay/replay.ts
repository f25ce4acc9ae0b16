/**
 * Runs the protocol code against a recorded session: the terminal gets the recorded secrets, the chip gives the recorded
 * responses, and commands, session keys and counters are compared. The report contains no key and no data.
 */
import { makeCanKey, makeKeyFromMrzInformation, makeMrzKey, type AccessKey } from '../access-key.ts'
import { authenticateActively, parseDg15 } from '../active-authentication.ts'
import { parseCommand, type CommandApdu } from '../apdu.ts'
import { openWithBac } from '../bac.ts'
import {
  agreeOnNewSession,
  listChipAuthentications,
  type ChipAuthenticationChoice,
  type ChipAuthenticationForm,
} from '../chip-authentication.ts'
import { CIPHERS, deriveKey, KEY_USE, type CipherName } from '../ciphers.ts'
import { encodeOid } from '../der.ts'
import { toNumber } from '../numbers.ts'
import {
  ChipFault,
  FAULT_VERDICTS,
  toRefusal,
  type FaultReason,
  type Outcome,
  type Verdict,
} from '../outcome.ts'
import { openWithPace, type PaceRandom, type PasswordKey } from '../pace.ts'
import { parseChipCertificate } from '../passive/certificate.ts'
import { trustCertificates } from '../passive/chip-trust.ts'
import { authenticatePassively, type PassiveCheck } from '../passive/passive-authentication.ts'
import { DEFAULT_POLICY } from '../passive/policy.ts'
import { SecureChannel, SecureSession, type SessionKeys } from '../secure-messaging.ts'
import { parseDg14, parseSecurityInfos, readPaceProtocol, type PaceInfo } from '../security-infos.ts'
import { findValue, readTlvs } from '../tlv.ts'
import { RecordedChannel, type CommandCounts } from './recorded-channel.ts'
import {
  RecordingError,
  type Recording,
  type RecordedPassword,
  type RecordingKind,
  type Recordings,
} from './recording.ts'

export interface ReplayReport {
  readonly kind: RecordingKind
  /** Successful only if the protocol succeeded and everything that was recorded was reproduced. */
  readonly verdict: Verdict
  readonly reason: FaultReason | 'recording_differs' | null
  /** Four hexadecimal digits; null unless the chip answered it instead of success. */
  readonly statusWord: string | null
  readonly checks: readonly Check[]
  readonly commands: CommandCounts
}

export interface Check {
  readonly name: string
  readonly passed: boolean
}

/** @throws RecordingError if the recording lacks a secret of the terminal, or has a password that is none */
export async function replayRecording(recording: Recording): Promise<ReplayReport> {
  if (recording.kind === 'passive_authentication') return replayPassiveAuthentication(recording.data)
  const { kind, data } = recording
  const channel = new RecordedChannel('steps' in data ? data.steps : data.apdus)
  const checks: Check[] = []
  const check = (name: string, passed: boolean): void => void checks.push({ name, passed })
  try {
    await replay(recording, channel, check)
    const commands = channel.counts
    check('commands', commands.different === 0 && commands.left === 0)
    const isReproduced = checks.every(({ passed }) => passed)
    const verdict = isReproduced ? 'successful' : 'failed'
    const reason = isReproduced ? null : 'recording_differs'
    return { kind, verdict, reason, statusWord: null, checks, commands }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    const { reason, statusWord } = error
    return {
      kind,
      verdict: FAULT_VERDICTS[reason],
      reason,
      statusWord: statusWord === null ? null : statusWord.toString(16).padStart(4, '0').toUpperCase(),
      checks,
      commands: channel.counts,
    }
  }
}

type Session = Exclude<Recording, { readonly kind: 'passive_authentication' }>

/**
 * Trusts the recorded authorities, without revocation lists. Without a time in the recording, nothing is said of validity; without
 * DG1, nothing of the country.
 */
function replayPassiveAuthentication({
  sod,
  csca,
  at,
  dataGroups,
}: Recordings['passive_authentication']): ReplayReport {
  const about = { kind: 'passive_authentication', statusWord: null } as const
  const { counts: commands } = new RecordedChannel([])
  try {
    const trust = trustCertificates(csca.map(parseChipCertificate))
    const policy = { ...DEFAULT_POLICY, countryUnknown: 'indicator' } as const
    const { verdict, reason, checks } = authenticatePassively({ sod, dataGroups, trust, at, policy })
    return {
      ...about,
      verdict,
      reason: reason ?? (verdict === 'failed' ? 'recording_differs' : null),
      checks: checks
        .filter(isRecorded)
        .map((each) => ({ name: each.name, passed: each.verdict === 'successful' })),
      commands,
    }
  } catch (error) {
    return { ...about, verdict: 'failed', reason: toRefusal(error).reason, checks: [], commands }
  }
}

/** A recording has no lists, and may lack DG1 and the signing time. */
function isRecorded({ verdict, reason }: PassiveCheck): boolean {
  return verdict !== 'not_supported' && reason !== 'revocation_list_missing' && reason !== 'country_missing'
}

type AddCheck = (name: string, passed: boolean) => void

function replay(recording: Session, channel: RecordedChannel, check: AddCheck): Promise<void> {
  switch (recording.kind) {
    case 'pace':
      return replayPace(recording.data, channel, check)
    case 'bac':
      return replayBac(recording.data, channel, check)
    case 'chip_authentication':
      return replayChipAuthentication(recording.data, channel, check)
    case 'active_authentication':
      return replayActiveAuthentication(recording.data, channel, check)
    case 'secure_messaging':
      return replaySecureMessaging(recording.data, channel, check)
  }
}

async function replayPace(
  data: Recordings['pace'],
  channel: RecordedChannel,
  check: AddCheck,
): Promise<void> {
  const { oid, cardAccess, password, kPi } = data
  const protocol = readPaceProtocol(oid)
  if (protocol === null) throw new ChipFault('algorithm_unknown')
  const offered = cardAccess === undefined ? null : parseSecurityInfos(cardAccess).pace
  const parameterId = data.parameterId ?? offered?.find((info) => info.oid === oid)?.parameterId ?? null
  const info: PaceInfo = { oid, ...protocol, parameterId }
  if (offered !== null)
    check(
      'card_access',
      offered.some((each) => each.oid === oid && each.parameterId === parameterId),
    )
  const key = makeKey(password, kPi)
  if ('secret' in key && kPi !== undefined)
    check('password_key', deriveKey(info.cipher, key.secret, KEY_USE.password).equals(kPi))
  channel.playReading()
  const sendParameterId = findValue(readTlvs(channel.peek()?.data ?? Buffer.alloc(0)), 0x84) !== null
  const { session, mappedKeyProof } = getFacts(
    await openWithPace(channel, info, key, { sendParameterId, random: repeatSecrets(data) }),
  )
  checkSession(session, data.sm, check)
  const recorded = data.chipAuthenticationDataCAic
  if (recorded !== undefined)
    check(
      'chip_authentication_data',
      mappedKeyProof !== null && recorded.equals(mappedKeyProof.chipAuthenticationData),
    )
  playRest(channel, session)
  check('counter', session.counter.equals(data.ssc))
}

async function replayBac(data: Recordings['bac'], channel: RecordedChannel, check: AddCheck): Promise<void> {
  const random = { challenge: data.rndIfd, keyHalf: data.kIfd }
  channel.playReading()
  const { session } = getFacts(await openWithBac(channel, makeAccessKey({ ...data, type: 'MRZ' }), random))
  checkSession(session, data.sm, check)
  playRest(channel, session)
  check('counter', session.counter.equals(data.ssc))
}

async function replayChipAuthentication(
  data: Recordings['chip_authentication'],
  channel: RecordedChannel,
  check: AddCheck,
): Promise<void> {
  const [{ d } = { d: Buffer.alloc(0) }] = data.terminalKeys
  const before = new SecureSession(data.smBefore, requireCounter(data.smBefore.cipher, data.sscBefore))
  channel.session = before
  channel.playReading()
  const choice = findRecordedChoice(listChipAuthentications(parseDg14(data.dg14)), channel.peek())
  const after = await agreeOnNewSession({ channel, session: before }, choice, {
    makeScalar: () => toNumber(d),
  })
  checkSession(after, data.smAfter, check)
  playRest(channel, after)
  check('counter', after.counter.equals(data.sscAfter))
}

/** The choice whose form and protocol the first recorded command names. */
function findRecordedChoice(
  choices: readonly ChipAuthenticationChoice[],
  first: CommandApdu | null,
): ChipAuthenticationChoice {
  const form: ChipAuthenticationForm = first?.p2 === 0xa6 ? 'set_kat' : 'set_at'
  const objects = first === null ? [] : readTlvs(first.data)
  const reference = findValue(objects, 0x84)
  const keyId = reference === null ? null : Number(toNumber(reference))
  const terminalKey = findValue(objects, 0x91)
  const isRecorded = (choice: ChipAuthenticationChoice): boolean =>
    choice.forms.includes(form) && (keyId === null || choice.keyId === keyId)
  const [chosen] = choices
    .filter(isRecorded)
    .filter(({ oid, key }) =>
      form === 'set_at'
        ? oid !== null && encodeOid(oid).equals(findValue(objects, 0x80) ?? Buffer.alloc(0))
        : terminalKey === null || terminalKey.length === key.element.length,
    )
  if (chosen === undefined) throw new ChipFault('key_information_missing')
  return { ...chosen, forms: [form] }
}

async function replayActiveAuthentication(
  data: Recordings['active_authentication'],
  channel: RecordedChannel,
  check: AddCheck,
): Promise<void> {
  const key = parseDg15(data.dg15)
  const algorithms = data.dg14 === undefined ? [] : parseDg14(data.dg14).activeAuthentication
  const { smBefore, sscBefore } = data
  if (smBefore !== undefined)
    channel.session = new SecureSession(smBefore, requireCounter(smBefore.cipher, sscBefore))
  channel.playReading()
  const connection = channel.session === null ? channel : new SecureChannel(channel, channel.session)
  const { signature } = getFacts(
    await authenticateActively(connection, key, { algorithms, makeChallenge: () => data.rndIfd }),
  )
  if (data.signature !== undefined) check('signature', data.signature.equals(signature))
  playRest(channel, channel.session)
}

async function replaySecureMessaging(
  { sm, ssc, steps }: Recordings['secure_messaging'],
  channel: RecordedChannel,
  check: AddCheck,
): Promise<void> {
  const session = new SecureSession(sm, requireCounter(sm.cipher, ssc))
  channel.session = session
  const secureChannel = new SecureChannel(channel, session)
  let areOpened = true
  let areCounted = true
  for (const { plainCommand, plainData, sw, sscAfter } of steps) {
    const { data, statusWord } = await secureChannel.transmit(parseCommand(plainCommand))
    areOpened &&= plainData.equals(data) && statusWord === Number(toNumber(sw))
    areCounted &&= sscAfter?.equals(session.counter) ?? true
  }
  check('responses', areOpened)
  check('counter', areCounted)
}

/** Returns the facts of a success, and throws the refusal as a fault. */
function getFacts<Facts>(outcome: Outcome<Facts>): Facts {
  if (outcome.verdict === 'successful') return outcome
  const { reason, statusWord } = outcome
  throw new ChipFault(reason, statusWord === null ? {} : { statusWord })
}

/** A recording may have the key of the password without the password, as two examples of the standard do. */
function makeKey(password: RecordedPassword | undefined, passwordKey?: Uint8Array): AccessKey | PasswordKey {
  if (password === undefined) return { kind: 'mrz', passwordKey: passwordKey ?? Buffer.alloc(0) }
  return makeAccessKey(password)
}

/** @throws RecordingError, which repeats no value */
function makeAccessKey(password: RecordedPassword): AccessKey {
  try {
    if ('can' in password) return makeCanKey(password.can)
    return 'mrzInformation' in password
      ? makeKeyFromMrzInformation(password.mrzInformation)
      : makeMrzKey(password)
  } catch (cause) {
    throw new RecordingError('The password of the recording is none that a document has.', { cause })
  }
}

/** Gives the recorded secrets of the terminal in their order. */
function repeatSecrets(data: Recordings['pace']): PaceRandom {
  const named = [data.terminalMapPrivate, data.terminalPrivate].filter((key) => key !== undefined)
  const scalars = data.terminalKeys?.map(({ d }) => d) ?? named
  let next = 0
  const take = (secret: Buffer | undefined): Buffer => {
    if (secret === undefined) throw new RecordingError('The recording lacks a secret of the terminal.')
    return secret
  }
  return {
    makeScalar: () => toNumber(take(scalars[next++])),
    makeNonce: (length) => {
      const nonce = take(data.terminalNonceT)
      if (nonce.length !== length) throw new RecordingError('The nonce of the terminal has a wrong length.')
      return nonce
    },
  }
}

function checkSession({ keys }: SecureSession, recorded: SessionKeys, check: AddCheck): void {
  check(
    'session_keys',
    keys.cipher === recorded.cipher &&
      Buffer.compare(keys.encryption, recorded.encryption) === 0 &&
      Buffer.compare(keys.checksum, recorded.checksum) === 0,
  )
}

/** Plays what the recording has after the protocol, under the new keys. */
function playRest(channel: RecordedChannel, session: SecureSession | null): void {
  channel.session = session
  while (channel.counts.left > 0) channel.play()
}

/** @throws RecordingError for a counter of another length than a block */
function requireCounter(cipher: CipherName, counter: Uint8Array | undefined): Uint8Array {
  if (counter?.length !== CIPHERS[cipher].blockLength)
    throw new RecordingError('The counter of the recording has a wrong length.')
  return counter
}
