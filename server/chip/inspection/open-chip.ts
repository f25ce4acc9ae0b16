/**
 * Opens a chip (ICAO Doc 9303-11, 4.2): PACE by the announced parameters, else BAC, else a chip without access control. PACE that
 * failed never falls back to BAC, because an attacker would choose the weaker protocol.
 */
import { makeCanKey, makeMrzKey, type AccessKey, type MrzFields } from '../access-key.ts'
import { makeCommand, type Channel } from '../apdu.ts'
import { openWithBac } from '../bac.ts'
import { findStandardGroup } from '../domain-parameters.ts'
import { ChipFault, type Refusal } from '../outcome.ts'
import { openWithPace, type MappedKeyProof } from '../pace.ts'
import { SecureChannel, type SecureSession } from '../secure-messaging.ts'
import { needsParameterId, type PaceInfo } from '../security-infos.ts'
import { nameStatus, requireSuccess, STATUS } from '../status-words.ts'
import type { AccessFacts, StepReason } from './report.ts'

/** A chip that can be started again, which ends every session: a reader resets it, a simulator forgets. */
export interface InspectedChip extends Channel {
  reset(): Promise<void>
}

export interface AccessKeys {
  /** Readings of the MRZ in the order in which they are tried, at most eight (`listMrzKeys`). */
  readonly mrz: readonly MrzFields[]
  /** The card access number that the person typed. It is tried once, because chips count wrong ones. */
  readonly can: string | null
}

export interface OpenedSession {
  /** Null for a chip without access control. */
  readonly session: SecureSession | null
  readonly mappedKeyProof: MappedKeyProof | null
  readonly facts: AccessFacts
  /** The key that the chip accepted, to open it again. */
  readonly key: AccessKey | null
}

/** A step that ends with a verdict and a reason beyond those of the protocols. */
export class StepFault extends Error {
  override readonly name = 'StepFault'
  readonly verdict: Refusal['verdict']
  readonly reason: StepReason
  readonly statusWord: number | null

  constructor(verdict: Refusal['verdict'], reason: StepReason, statusWord: number | null = null) {
    super(reason)
    this.verdict = verdict
    this.reason = reason
    this.statusWord = statusWord
  }
}

const APPLICATION = Buffer.from('A0000002471001', 'hex')
const MAX_PACE_TRIES = 8
const MAPPING_ORDER = ['chip_authentication', 'generic', 'integrated'] as const
const CIPHER_ORDER = ['AES-256', 'AES-192', 'AES-128', 'TDES'] as const
/** Statuses of MSE:Set AT for parameters that the chip does not mean. */
const REFERENCE_REFUSED: readonly (number | null)[] = [STATUS.data_wrong, STATUS.reference_not_found]
const BLOCKED: readonly string[] = ['tries_left', 'authentication_blocked', 'reference_data_not_usable']

/** The master file; chips refuse one form or the other, and some both, and continue. */
export async function selectMasterFile(channel: Channel): Promise<void> {
  const { statusWord } = await channel.transmit(makeCommand([0, 0xa4, 0x00, 0x0c]))
  if (statusWord === STATUS.success) return
  await channel.transmit(makeCommand([0, 0xa4, 0x00, 0x0c], { data: Buffer.of(0x3f, 0x00) }))
}

export async function selectApplication(channel: Channel): Promise<void> {
  requireSuccess(await channel.transmit(makeCommand([0, 0xa4, 0x04, 0x0c], { data: APPLICATION })))
}

/** The entries that this program can use, the best first: a proof against copies, then the stronger cipher. */
export function orderPaceInfos(infos: readonly PaceInfo[]): PaceInfo[] {
  const rank = ({ mapping, cipher }: PaceInfo): number =>
    MAPPING_ORDER.indexOf(mapping) * CIPHER_ORDER.length + CIPHER_ORDER.indexOf(cipher)
  const isKnown = ({ parameterId, agreement }: PaceInfo): boolean =>
    parameterId !== null && findStandardGroup(parameterId)?.kind === agreement
  return infos.filter(isKnown).sort((one, other) => rank(one) - rank(other))
}

/** @param announced every entry of EF.CardAccess; `orderPaceInfos` finds one or more in them */
export async function openByPace(
  chip: InspectedChip,
  announced: readonly PaceInfo[],
  keys: AccessKeys,
): Promise<OpenedSession> {
  const candidates = keys.can === null ? keys.mrz.map(makeMrzKey) : [makeCanKey(keys.can)]
  return tryKeys(chip, candidates, async (key) => {
    const { info, result } = await agreeByPace(chip, announced, key)
    const { session, mappedKeyProof } = result
    return { session, mappedKeyProof, protocol: 'pace', pace: info }
  })
}

async function agreeByPace(channel: Channel, announced: readonly PaceInfo[], key: AccessKey) {
  // A chip that refuses the reference is asked again with the parameters named, then with its next offer.
  const offers = orderPaceInfos(announced).flatMap((info) => {
    const isNeeded = needsParameterId(info, announced)
    return isNeeded ? [{ info, isNamed: true }] : [false, true].map((isNamed) => ({ info, isNamed }))
  })
  const tries = offers.slice(0, MAX_PACE_TRIES)
  for (const [i, { info, isNamed }] of tries.entries()) {
    const outcome = await openWithPace(channel, info, key, { sendParameterId: isNamed })
    if (outcome.verdict === 'successful') return { info, result: outcome }
    const isReference = outcome.reason === 'status_refused' && REFERENCE_REFUSED.includes(outcome.statusWord)
    if (!isReference || i === tries.length - 1) throw toFault(outcome)
  }
  throw new StepFault('not_supported', 'not_offered')
}

/** The application must be selected, and is selected again after each refused key. */
export function openByBac(chip: InspectedChip, mrz: readonly MrzFields[]): Promise<OpenedSession> {
  return tryKeys(
    chip,
    mrz.map(makeMrzKey),
    async (key) => {
      const outcome = await openWithBac(chip, key)
      if (outcome.verdict !== 'successful') throw toFault(outcome)
      return { session: outcome.session, mappedKeyProof: null, protocol: 'bac', pace: null }
    },
    selectApplication,
  )
}

type Opened = Pick<OpenedSession, 'session' | 'mappedKeyProof'> & Pick<AccessFacts, 'protocol' | 'pace'>

/** Tries one key after another. Stops at every answer but “wrong key”, and where the chip says that tries are running out. */
async function tryKeys(
  chip: InspectedChip,
  candidates: readonly AccessKey[],
  open: (key: AccessKey) => Promise<Opened>,
  prepare: (channel: Channel) => Promise<void> = async () => undefined,
): Promise<OpenedSession> {
  for (const [refusedKeys, key] of candidates.entries()) {
    try {
      const { session, mappedKeyProof, protocol, pace } = await open(key)
      return { session, mappedKeyProof, key, facts: { protocol, pace, key: key.kind, refusedKeys } }
    } catch (error) {
      if (!(error instanceof ChipFault) || error.reason !== 'access_key_wrong') throw error
      if (BLOCKED.includes(nameStatus(error.statusWord ?? 0)))
        throw new StepFault('failed', 'access_key_blocked', error.statusWord)
      if (refusedKeys === candidates.length - 1) throw error
      await chip.reset()
      await prepare(chip)
    }
  }
  throw new StepFault('not_supported', 'access_key_missing')
}

/** True if the chip gives the first bytes of EF.COM to everyone. */
export async function isFreelyReadable(channel: Channel): Promise<boolean> {
  const selected = await channel.transmit(makeCommand([0, 0xa4, 0x02, 0x0c], { data: Buffer.of(0x01, 0x1e) }))
  if (selected.statusWord !== STATUS.success) return false
  const { statusWord } = await channel.transmit(makeCommand([0, 0xb0, 0, 0], { le: 4 }))
  return statusWord === STATUS.success
}

export function toFault({ reason, statusWord }: Refusal): ChipFault {
  return new ChipFault(reason, statusWord === null ? {} : { statusWord })
}

/** The channel of a session, or the chip itself if it has no access control. */
export function secure(channel: Channel, session: SecureSession | null): Channel {
  return session === null ? channel : new SecureChannel(channel, session)
}
