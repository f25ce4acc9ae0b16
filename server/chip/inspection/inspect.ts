/**
 * The inspection of a chip (BSI TR-03135-1 v2.5, 5.6; ICAO Doc 9303-11, 4.2): opens it, reads it, and judges whether it is genuine and
 * no copy. Protocol only: the caller gives the chip, its keys and whom to trust. Terminal authentication, and with it DG3 and DG4,
 * is out of scope.
 */
import { authenticateActively, parseDg15 } from '../active-authentication.ts'
import { makeCommand, SHORT_LE } from '../apdu.ts'
import { authenticateChip, listChipAuthentications, type OpenedChip } from '../chip-authentication.ts'
import { parseAtrInfo, type AtrInfo } from '../files/atr-info.ts'
import { parseCardSecurity } from '../files/card-security.ts'
import { parseDg1 } from '../files/dg1.ts'
import { parseDg11 } from '../files/dg11.ts'
import { parseDg12 } from '../files/dg12.ts'
import { parseDg2 } from '../files/dg2.ts'
import { parseDg7 } from '../files/dg7.ts'
import { parseEfCom } from '../files/ef-com.ts'
import { parseSod } from '../files/sod.ts'
import { ChipFault, toRefusal, type Verdict } from '../outcome.ts'
import type { ChipTrust } from '../passive/chip-trust.ts'
import {
  authenticateCardSecurity,
  authenticatePassively,
  type PassiveReport,
} from '../passive/passive-authentication.ts'
import type { PassivePolicy } from '../passive/policy.ts'
import { FileReader, type FileProgress } from '../read-file.ts'
import type { SecureSession } from '../secure-messaging.ts'
import { parseDg14, parseSecurityInfos, type PaceInfo, type SecurityInfos } from '../security-infos.ts'
import { STATUS } from '../status-words.ts'
import { findMrzFault } from './mrz-rules.ts'
import {
  isFreelyReadable,
  openByBac,
  openByPace,
  orderPaceInfos,
  secure,
  selectApplication,
  selectMasterFile,
  StepFault,
  toFault,
  type AccessKeys,
  type InspectedChip,
  type OpenedSession,
} from './open-chip.ts'
import type { ChipData, CloneProtection, CloneProtocol, Inspection, Step, StepName } from './report.ts'
import { hasSamePaceEntries, isRepeated } from './security-info-entries.ts'
import { proveMapping } from './mapping-proof.ts'

export interface InspectionInput {
  readonly keys: AccessKeys
  readonly trust: ChipTrust
  /** The time of reading; null leaves validity to the caller. */
  readonly at: Date | null
  /** Default: that of passive authentication. */
  readonly policy?: PassivePolicy
  /** Lines of the MRZ that the document shows; null if they were not read. */
  readonly printedMrz: readonly string[] | null
  /** Longest response that the reader takes; default: as long as the chip allows. */
  readonly maxResponse?: number
  /** The `progress` of an inspection that lost the chip. */
  readonly progress?: ReadonlyMap<number, FileProgress>
  /** Called after each block, for the display. */
  readonly onProgress?: (progress: FileProgress) => void
}

const FILE = { atrInfo: 0x2f01, cardAccess: 0x011c, cardSecurity: 0x011d, com: 0x011e, sod: 0x011d } as const
const FIRST_GROUP_FILE = 0x0100
/** Files of the master file and of the application have the same identifiers; the progress of the former has this added. */
const IN_MASTER_FILE = 0x10000
/** Groups that some issuers give only to terminals with rights. */
const OPTIONAL_GROUPS: readonly number[] = [7, 11, 12]
/** The verdict needs a success of each. */
const REQUIRED: readonly StepName[] = [
  'application',
  'access',
  'security_object',
  'dg1',
  'dg2',
  'passive_authentication',
]
const NO_DATA: ChipData = { mrz: null, portraits: [], signatures: [], person: null, document: null }

/** Never throws for what the chip answers. */
export async function inspectChip(chip: InspectedChip, input: InspectionInput): Promise<Inspection> {
  const inspector = new Inspector(chip, input)
  await inspector.read()
  await inspector.judge()
  return inspector.report()
}

class Inspector {
  readonly #chip: InspectedChip
  readonly #input: InspectionInput
  readonly #steps: Step[] = []
  readonly #progress: Map<number, FileProgress>
  readonly #groups = new Map<number, Uint8Array>()
  #reader: FileReader
  #opened: OpenedSession | null = null
  #session: SecureSession | null = null
  #isInMasterFile = true
  #hasEnded = false
  #lengths: AtrInfo | null = null
  #cardAccess: Uint8Array | null = null
  #cardSecurity: Uint8Array | null = null
  #com: Uint8Array | null = null
  #sod: Uint8Array | null = null
  #infos: SecurityInfos | null = null
  #data: ChipData = NO_DATA
  #passive: PassiveReport | null = null
  #signedSecurity: PassiveReport | null = null

  constructor(chip: InspectedChip, input: InspectionInput) {
    this.#chip = chip
    this.#input = input
    this.#progress = new Map(input.progress ?? [])
    this.#reader = this.#makeReader(SHORT_LE)
  }

  async read(): Promise<void> {
    await this.#openChip()
    if (this.#opened === null) return
    await this.#step('contents', async () => {
      this.#com = await this.#readFile(FILE.com)
      if (this.#com === null) throw new StepFault('not_supported', 'file_missing')
      parseEfCom(this.#com)
    })
    await this.#step('security_object', async () => {
      this.#sod = await this.#readFile(FILE.sod)
      if (this.#sod === null) throw new StepFault('failed', 'file_missing')
      parseSod(this.#sod)
    })
    await this.#proveKeys()
    await this.#readGroup(1, 'dg1', (file) => {
      const { lines } = parseDg1(file)
      this.#data = { ...this.#data, mrz: lines }
      const fault = findMrzFault(lines)
      if (fault !== null) throw new StepFault('failed', fault)
    })
    await this.#readGroup(2, 'dg2', (file) => {
      this.#data = { ...this.#data, portraits: parseDg2(file) }
    })
    await this.#readGroup(7, 'dg7', (file) => {
      this.#data = { ...this.#data, signatures: parseDg7(file) }
    })
    await this.#readGroup(11, 'dg11', (file) => {
      this.#data = { ...this.#data, person: parseDg11(file) }
    })
    await this.#readGroup(12, 'dg12', (file) => {
      this.#data = { ...this.#data, document: parseDg12(file) }
    })
  }

  async #openChip(): Promise<void> {
    await this.#step('lengths', async () => {
      await selectMasterFile(this.#chip)
      const file = await readWholeFile(this.#chip, FILE.atrInfo)
      if (file === null) throw new StepFault('not_supported', 'file_missing')
      this.#lengths = parseAtrInfo(file)
      const { maxResponse } = this.#lengths
      if (maxResponse !== null) this.#reader = this.#makeReader(maxResponse)
    })
    await this.#step('card_access', async () => {
      this.#cardAccess = await this.#readFreeFile(FILE.cardAccess)
      if (this.#cardAccess === null) throw new StepFault('not_supported', 'file_missing')
      parseSecurityInfos(this.#cardAccess)
    })
    // A file that is there and malformed hides what the chip offers; BAC would be what a forger wants.
    if (this.#find('card_access')?.verdict === 'failed') return this.#end()
    const announced = this.#listAnnounced()
    if (orderPaceInfos(announced).length > 0)
      await this.#openWithPace(() => openByPace(this.#chip, announced, this.#input.keys))
    else await this.#openWithoutPace()
  }

  #listAnnounced(): readonly PaceInfo[] {
    return this.#cardAccess === null ? [] : parseSecurityInfos(this.#cardAccess).pace
  }

  async #openWithPace(open: () => Promise<OpenedSession>): Promise<void> {
    const isOpen = await this.#step('access', async () => {
      this.#use(await open())
    })
    if (!isOpen) return
    await this.#step('card_security', async () => {
      this.#cardSecurity = await this.#readCardSecurity()
      if (this.#cardSecurity === null) throw new StepFault('not_supported', 'file_missing')
      parseCardSecurity(this.#cardSecurity)
    })
    await this.#selectApplication()
  }

  async #readCardSecurity(): Promise<Uint8Array | null> {
    try {
      return await this.#readFile(FILE.cardSecurity)
    } catch (error) {
      if (isDenied(error)) throw new StepFault('not_supported', 'access_denied', error.statusWord)
      throw error
    }
  }

  async #openWithoutPace(): Promise<void> {
    await this.#selectApplication()
    if (this.#isInMasterFile) return
    await this.#step('access', async () => {
      this.#use(await this.#openByBac())
    })
  }

  async #openByBac(): Promise<OpenedSession> {
    const { mrz } = this.#input.keys
    const free: OpenedSession = {
      session: null,
      mappedKeyProof: null,
      key: null,
      facts: { protocol: 'none', pace: null, key: null, refusedKeys: 0 },
    }
    try {
      return await openByBac(this.#chip, mrz)
    } catch (error) {
      // No challenge: the chip does not know BAC, and either it has no access control or it wants PACE.
      const knowsNoBac = error instanceof ChipFault && error.reason === 'status_refused'
      const hasNoKey = error instanceof StepFault && error.reason === 'access_key_missing'
      if ((knowsNoBac || hasNoKey) && (await isFreelyReadable(this.#chip))) return free
      throw error
    }
  }

  #use(opened: OpenedSession): void {
    this.#opened = opened
    this.#session = opened.session
  }

  async #selectApplication(): Promise<void> {
    await this.#step('application', async () => {
      await selectApplication(this.#channel())
      this.#isInMasterFile = false
    })
    if (this.#isInMasterFile) this.#end()
  }

  /** Chip and active authentication, before the data, so that their session protects the data. */
  async #proveKeys(): Promise<void> {
    const hasInfos = await this.#readGroup(14, 'dg14', (file) => {
      this.#infos = parseDg14(file)
    })
    if (hasInfos) await this.#authenticateChip()
    const hasKey = await this.#readGroup(15, 'dg15', parseDg15)
    const file = this.#groups.get(15)
    if (!hasKey || file === undefined) return
    await this.#step('active_authentication', async () => {
      const algorithms = this.#infos?.activeAuthentication ?? []
      const outcome = await authenticateActively(this.#channel(), parseDg15(file), { algorithms })
      if (outcome.verdict === 'successful') return
      // The standard closes the list of algorithms: an unknown one in DG14 is a fault of the issuer.
      if (outcome.reason === 'algorithm_unknown') throw new StepFault('failed', 'algorithm_unknown')
      throw toFault(outcome)
    })
  }

  async #authenticateChip(): Promise<void> {
    const { session } = this.#opened ?? {}
    const infos = this.#infos
    if (infos === null) return
    const isDone = await this.#step('chip_authentication', async () => {
      const choices = listChipAuthentications(infos)
      // A chip without access control has no session in which chip authentication could run.
      if (session === null || session === undefined) throw new StepFault('not_supported', 'not_offered')
      const opened: OpenedChip = { channel: this.#chip, session }
      for (const [i, choice] of choices.entries()) {
        const outcome = await authenticateChip(opened, choice)
        if (outcome.verdict === 'successful') {
          this.#session = outcome.session
          return
        }
        // The chip refused under secure messaging, so the session lives and the next key may be tried.
        if (outcome.reason !== 'status_refused' || i === choices.length - 1) throw toFault(outcome)
      }
    })
    const isUnusable = !isDone && this.#find('chip_authentication')?.verdict === 'failed'
    if (isUnusable) await this.#openAgain()
  }

  /** Opens the chip again to read the rest: after a failure of chip authentication the session has no keys. */
  async #openAgain(): Promise<void> {
    const { key, facts } = this.#opened ?? {}
    try {
      await this.#chip.reset()
      if (facts?.protocol === 'pace' && key) {
        const { can, mrz } = this.#input.keys
        const keys = key.kind === 'can' ? { can, mrz: [] } : { can: null, mrz: mrz.slice(facts.refusedKeys) }
        await selectMasterFile(this.#chip)
        this.#session = (await openByPace(this.#chip, this.#listAnnounced(), keys)).session
        await selectApplication(this.#channel())
      } else {
        await selectApplication(this.#chip)
        const mrz = this.#input.keys.mrz.slice(facts?.refusedKeys ?? 0)
        this.#session = (await openByBac(this.#chip, mrz)).session
      }
      this.#hasEnded = false
    } catch (error) {
      if (!(error instanceof ChipFault || error instanceof StepFault)) throw error
      this.#end()
    }
  }

  /** Judges what was read; sends nothing. */
  async judge(): Promise<void> {
    const { trust, at, policy } = this.#input
    const judging = { trust, at, ...(policy ? { policy } : {}) }
    const sod = this.#sod
    if (sod !== null) {
      this.#passive = authenticatePassively({ ...judging, sod, dataGroups: this.#groups, com: this.#com })
      this.#addPassive('passive_authentication', this.#passive)
    } else if (this.#opened !== null) this.#add('passive_authentication', 'aborted', 'steps_before_failed')
    if (this.#cardSecurity !== null) {
      const dg1 = this.#groups.get(1) ?? null
      const cardSecurity = this.#cardSecurity
      this.#signedSecurity = authenticateCardSecurity({ ...judging, cardSecurity, dg1 })
      const { verdict } = this.#signedSecurity
      if (this.#find('card_security')?.verdict === 'successful' && verdict !== 'successful')
        this.#replace('card_security', verdict, nameReason(verdict))
    }
    await this.#judgeMapping()
    this.#judgeProofs()
    this.#judgeSecurityInfos()
    this.#judgePrintedMrz()
  }

  async #judgeMapping(): Promise<void> {
    const proof = this.#opened?.mappedKeyProof ?? null
    if (proof === null) return
    const file = this.#cardSecurity
    const isRead = file !== null && this.#find('card_security')?.reason !== 'malformed_data'
    this.#hasEnded = false
    await this.#step('mapping_authentication', async () => {
      if (!isRead) throw new StepFault('failed', file === null ? 'file_missing' : 'malformed_data')
      await proveMapping(proof, parseCardSecurity(file).infos)
    })
  }

  /** A proof of possession counts only for a key that a trusted issuer signed. */
  #judgeProofs(): void {
    const { indicators = [], verifiedGroups = [], verdict } = this.#passive ?? {}
    const isSigned = (group: number): boolean => verdict === 'successful' && verifiedGroups.includes(group)
    this.#confirm('chip_authentication', isSigned(14), indicators.includes('CHIP_AUTHENTICATION_KEY_REVOKED'))
    this.#confirm(
      'active_authentication',
      isSigned(15),
      indicators.includes('CHIP_ACTIVE_AUTHENTICATION_KEY_REVOKED'),
    )
    const isSecuritySigned = this.#signedSecurity?.verdict === 'successful' && verdict === 'successful'
    this.#confirm('mapping_authentication', isSecuritySigned, false)
  }

  #confirm(name: CloneProtocol, isSigned: boolean, isRevoked: boolean): void {
    if (this.#find(name)?.verdict !== 'successful') return
    if (isRevoked) this.#replace(name, 'failed', 'key_revoked')
    else if (!isSigned) this.#replace(name, 'undetermined', 'key_not_authentic')
  }

  /**
   * EF.CardAccess is not signed: a forger could offer weaker protocols there, or hide it so that BAC is used (Doc 9303-11, 4.4.1;
   * TR-03105-5.1, LDS_J).
   */
  #judgeSecurityInfos(): void {
    const cardAccess = this.#cardAccess
    const dg14 = this.#infos === null ? undefined : this.#groups.get(14)
    if (this.#opened === null) return
    const comparisons: boolean[] = []
    try {
      if (dg14 !== undefined) comparisons.push(hasSamePaceEntries(cardAccess, dg14))
      if (this.#cardSecurity !== null && cardAccess !== null)
        comparisons.push(isRepeated(cardAccess, this.#cardSecurity))
    } catch (error) {
      if (!(error instanceof ChipFault)) throw error
      comparisons.push(false)
    }
    if (comparisons.includes(false)) this.#add('security_infos', 'failed', 'security_infos_differ')
    else if (cardAccess === null) return
    else if (comparisons.length === 0) this.#add('security_infos', 'undetermined', 'security_infos_unsigned')
    else this.#add('security_infos', 'successful', null)
  }

  #judgePrintedMrz(): void {
    const { printedMrz } = this.#input
    const { mrz } = this.#data
    if (mrz === null) return
    if (printedMrz === null) this.#add('printed_mrz', 'not_supported', 'mrz_not_given')
    else if (printedMrz.join('\n') === mrz.join('\n')) this.#add('printed_mrz', 'successful', null)
    else this.#add('printed_mrz', 'failed', 'mrz_differs')
  }

  report(): Inspection {
    return {
      verdict: this.#decide(),
      steps: this.#steps,
      cloneProtection: this.#judgeClone(),
      data: this.#data,
      access: this.#opened?.facts ?? null,
      lengths: this.#lengths,
      passive: this.#passive,
      cardSecurity: this.#signedSecurity,
      cardSecurityFile: this.#cardSecurity,
      dataGroups: this.#groups,
      sod: this.#sod,
      com: this.#com,
      progress: this.#progress,
    }
  }

  #decide(): Verdict {
    const verdicts = this.#steps.map(({ verdict }) => verdict)
    if (verdicts.includes('failed')) return 'failed'
    if (verdicts.includes('aborted')) return 'aborted'
    if (verdicts.includes('undetermined')) return 'undetermined'
    const isComplete = REQUIRED.every((name) => this.#find(name)?.verdict === 'successful')
    return isComplete ? 'successful' : 'undetermined'
  }

  #judgeClone(): CloneProtection {
    const names = ['chip_authentication', 'active_authentication', 'mapping_authentication'] as const
    const steps = names.flatMap((name) => this.#find(name) ?? [])
    const verdicts = steps.map(({ verdict }) => verdict)
    const worst = (['failed', 'aborted'] as const).find((verdict) => verdicts.includes(verdict))
    if (worst !== undefined) return { verdict: worst, protocol: null }
    const proved = names.find((name) => this.#find(name)?.verdict === 'successful')
    if (proved !== undefined) return { verdict: 'successful', protocol: proved }
    return {
      verdict: verdicts.includes('undetermined') ? 'undetermined' : 'not_supported',
      protocol: null,
    }
  }

  /** Reads and parses a group that EF.SOD or EF.COM names. True if both succeeded. */
  async #readGroup(number: number, name: StepName, parse: (file: Uint8Array) => unknown): Promise<boolean> {
    const isListed = this.#listGroups().has(number)
    const isRequired = number <= 2
    if (!isListed && !isRequired) {
      this.#add(name, 'not_supported', 'not_listed')
      return false
    }
    return this.#step(name, async () => {
      const file = await this.#readListedGroup(number)
      this.#groups.set(number, file)
      parse(file)
    })
  }

  async #readListedGroup(number: number): Promise<Uint8Array> {
    try {
      const file = await this.#readFile(FIRST_GROUP_FILE + number)
      if (file === null) throw new StepFault('failed', 'file_missing')
      return file
    } catch (error) {
      if (isDenied(error) && OPTIONAL_GROUPS.includes(number))
        throw new StepFault('not_supported', 'access_denied', error.statusWord)
      throw error
    }
  }

  #listGroups(): ReadonlySet<number> {
    const read = (list: () => Iterable<number>): number[] => {
      try {
        return [...list()]
      } catch (error) {
        if (error instanceof ChipFault) return []
        throw error
      }
    }
    const com = this.#com
    const sod = this.#sod
    return new Set([
      ...(com === null ? [] : read(() => parseEfCom(com).dataGroups)),
      ...(sod === null ? [] : read(() => parseSod(sod).hashes.keys())),
    ])
  }

  /** @throws ChipFault */
  async #readFile(fileId: number): Promise<Uint8Array | null> {
    const key = this.#isInMasterFile ? fileId + IN_MASTER_FILE : fileId
    const saved = this.#progress.get(key)
    const progress = saved === undefined ? null : { ...saved, fileId }
    const outcome = await this.#reader.read(this.#channel(), fileId, progress)
    if (outcome.verdict !== 'successful') throw toFault(outcome)
    return outcome.file
  }

  /** A file that chips without it, and chips that protect it, refuse with many statuses. */
  async #readFreeFile(fileId: number): Promise<Uint8Array | null> {
    try {
      return await this.#readFile(fileId)
    } catch (error) {
      if (error instanceof ChipFault && error.reason === 'status_refused') return null
      throw error
    }
  }

  #makeReader(chipMax: number): FileReader {
    return new FileReader({
      maxResponse: Math.min(chipMax, this.#input.maxResponse ?? chipMax),
      onProgress: (progress) => {
        const key = this.#isInMasterFile ? progress.fileId + IN_MASTER_FILE : progress.fileId
        this.#progress.set(key, { ...progress, bytes: Buffer.from(progress.bytes) })
        this.#input.onProgress?.(progress)
      },
    })
  }

  #channel() {
    return secure(this.#chip, this.#session)
  }

  /** Runs a step and records how it ended. True for a success. */
  async #step(name: StepName, run: () => Promise<unknown>): Promise<boolean> {
    if (this.#hasEnded) {
      this.#add(name, 'aborted', 'steps_before_failed')
      return false
    }
    try {
      await run()
      this.#add(name, 'successful', null)
      return true
    } catch (error) {
      if (error instanceof StepFault) this.#add(name, error.verdict, error.reason, error.statusWord)
      else {
        const { verdict, reason, statusWord } = toRefusal(error)
        this.#add(name, verdict, reason, statusWord)
        const isKeyChanged = reason === 'key_not_proved'
        if (reason === 'connection_lost' || isKeyChanged || this.#session?.isClosed === true) this.#end()
      }
      if (name === 'access') this.#end()
      return false
    }
  }

  #end(): void {
    this.#hasEnded = true
  }

  #find(name: StepName): Step | undefined {
    return this.#steps.find((step) => step.name === name)
  }

  #add(name: StepName, verdict: Verdict, reason: Step['reason'], statusWord: number | null = null): void {
    this.#steps.push({ name, verdict, reason, statusWord })
  }

  #addPassive(name: StepName, { verdict }: PassiveReport): void {
    this.#add(name, verdict, verdict === 'successful' ? null : nameReason(verdict))
  }

  #replace(name: StepName, verdict: Verdict, reason: Step['reason']): void {
    const at = this.#steps.findIndex((step) => step.name === name)
    this.#steps[at] = { name, verdict, reason, statusWord: null }
  }
}

/** The chip asks for rights that this terminal does not have. */
function isDenied(error: unknown): error is ChipFault {
  return (
    error instanceof ChipFault &&
    error.reason === 'status_refused' &&
    error.statusWord === STATUS.security_status_not_satisfied
  )
}

function nameReason(verdict: Verdict): Step['reason'] {
  return verdict === 'failed' ? 'passive_authentication_failed' : 'passive_authentication_undetermined'
}

/** EF.ATR/INFO is a list of objects without a frame, so that its length is that of the answer. Null if the chip gives none. */
async function readWholeFile(chip: InspectedChip, fileId: number): Promise<Uint8Array | null> {
  const data = Buffer.of(fileId >> 8, fileId & 0xff)
  const selected = await chip.transmit(makeCommand([0, 0xa4, 0x02, 0x0c], { data }))
  if (selected.statusWord !== STATUS.success) return null
  let response = await chip.transmit(makeCommand([0, 0xb0, 0, 0], { le: SHORT_LE }))
  if (response.statusWord >> 8 === 0x6c) {
    const le = response.statusWord & 0xff
    response = await chip.transmit(makeCommand([0, 0xb0, 0, 0], { le: le === 0 ? SHORT_LE : le }))
  }
  const isRead = response.statusWord === STATUS.success || response.statusWord === STATUS.end_of_file
  return isRead && response.data.length > 0 ? response.data : null
}
