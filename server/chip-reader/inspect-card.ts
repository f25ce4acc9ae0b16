/** Inspects or tests the card of one reader, over connections to pcscd that the caller opens. */
import { makeCommand, SHORT_LE } from '../chip/apdu.ts'
import { parseAtrInfo } from '../chip/files/atr-info.ts'
import { inspectChip } from '../chip/inspection/inspect.ts'
import { selectMasterFile } from '../chip/inspection/open-chip.ts'
import { ChipFault } from '../chip/outcome.ts'
import { FileReader, type FileProgress } from '../chip/read-file.ts'
import { parseSecurityInfos } from '../chip/security-infos.ts'
import { STATUS } from '../chip/status-words.ts'
import { findCardKind } from './card-kind.ts'
import {
  fromTrustMessage,
  type ChipTest,
  type InspectionOutcome,
  type InspectionRequest,
  type ReaderFault,
  type TestOutcome,
} from './messages.ts'
import { PcscCard } from './pcsc-card.ts'
import type { PcscConnection } from './pcsc-connection.ts'
import { PcscFault, type PcscReason, type ReaderState } from './pcsc-messages.ts'

/** An end without a report, before a chip answered. */
export class ReaderFaultError extends Error {
  override readonly name = 'ReaderFaultError'
  readonly fault: ReaderFault

  constructor(fault: ReaderFault, options: ErrorOptions = {}) {
    super(fault, options)
    this.fault = fault
  }
}

const FAULTS: Readonly<Record<PcscReason, ReaderFault>> = {
  disconnected: 'no_daemon',
  protocol_unknown: 'protocol_unknown',
  malformed_reply: 'protocol_unknown',
  not_allowed: 'not_allowed',
  reader_missing: 'no_reader',
  reader_busy: 'reader_busy',
  no_card: 'no_card',
  card_reset: 'no_card',
  card_unusable: 'card_unusable',
  not_transmitted: 'card_unusable',
  refused: 'card_unusable',
}
const CARD_ACCESS = 0x011c
const ATR_INFO = 0x2f01
const APPLICATION = Buffer.from('A0000002471001', 'hex')
/** A chip that wants PACE first does not show its application. */
const HIDDEN: readonly number[] = [STATUS.security_status_not_satisfied, STATUS.conditions_not_satisfied]

export function toReaderFault(error: unknown): ReaderFault {
  if (error instanceof ReaderFaultError) return error.fault
  if (error instanceof PcscFault) return FAULTS[error.reason]
  throw error
}

/** @param wanted begins the name of a reader; null: every reader */
export function isChosen(name: string, wanted: string | null): boolean {
  return wanted === null || name.startsWith(wanted)
}

/** The reader with a card, of those that are wanted. @throws ReaderFaultError */
export function chooseReader(readers: readonly ReaderState[], wanted: string | null): ReaderState {
  const chosen = readers.filter(({ name }) => isChosen(name, wanted))
  const [first, ...more] = chosen.filter(({ hasCard }) => hasCard)
  if (first === undefined) throw new ReaderFaultError(chosen.length === 0 ? 'no_reader' : 'no_card')
  if (more.length > 0) throw new ReaderFaultError('several_cards')
  return first
}

/** @throws ReaderFaultError or PcscFault, before the card is opened */
export async function inspectCard(
  connection: PcscConnection,
  wanted: string | null,
  request: InspectionRequest,
  onProgress: (progress: FileProgress) => void,
): Promise<InspectionOutcome> {
  const { name } = chooseReader(await connection.readers(), wanted)
  const { keys, at, printedMrz, progress } = request
  const input = { keys, at, printedMrz, trust: fromTrustMessage(request.trust), onProgress }
  const card = await PcscCard.connect(connection, name, 'exclusive')
  try {
    let inspection = await inspectChip(card, { ...input, ...(progress ? { progress } : {}) })
    if (inspection.verdict === 'aborted' && card.isShortOnly) {
      // The chip announced long responses, and the reader takes only short ones.
      await card.reset()
      inspection = await inspectChip(card, {
        ...input,
        maxResponse: SHORT_LE,
        progress: inspection.progress,
      })
    }
    return { kind: 'inspected', reader: name, inspection }
  } finally {
    await card.disconnect()
  }
}

/** Reads only what every reader may read. @throws ReaderFaultError or PcscFault */
export async function testCard(connection: PcscConnection, wanted: string | null): Promise<TestOutcome> {
  const { name, atr } = chooseReader(await connection.readers(), wanted)
  const card = await PcscCard.connect(connection, name, 'shared')
  try {
    await selectMasterFile(card)
    const test: ChipTest = {
      reader: name,
      kind: findCardKind(atr),
      atr: Buffer.from(atr).toString('hex'),
      extendedLength: await hasExtendedLength(card),
      protocols: await listProtocols(card),
      application: await findApplication(card),
    }
    return { kind: 'tested', test }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    throw new ReaderFaultError(FAULTS[card.fault ?? 'card_unusable'], { cause: error })
  } finally {
    await card.disconnect()
  }
}

async function listProtocols(card: PcscCard): Promise<string[]> {
  const outcome = await new FileReader().read(card, CARD_ACCESS)
  if (outcome.verdict === 'aborted') throw new ChipFault('connection_lost')
  if (outcome.verdict !== 'successful' || outcome.file === null) return []
  try {
    return parseSecurityInfos(outcome.file).pace.map(
      ({ mapping, agreement, cipher, parameterId }) =>
        `PACE ${agreement.toUpperCase()} ${mapping.replaceAll('_', ' ')}, ${cipher}, parameters ${parameterId ?? 'of its own'}`,
    )
  } catch (error) {
    if (error instanceof ChipFault) return ['EF.CardAccess is malformed']
    throw error
  }
}

async function hasExtendedLength(card: PcscCard): Promise<boolean> {
  const data = Buffer.of(ATR_INFO >> 8, ATR_INFO & 0xff)
  const selected = await card.transmit(makeCommand([0, 0xa4, 0x02, 0x0c], { data }))
  if (selected.statusWord !== STATUS.success) return false
  const read = await card.transmit(makeCommand([0, 0xb0, 0, 0], { le: SHORT_LE }))
  try {
    return (parseAtrInfo(read.data).maxResponse ?? 0) > SHORT_LE
  } catch (error) {
    if (error instanceof ChipFault) return false
    throw error
  }
}

async function findApplication(card: PcscCard): Promise<ChipTest['application']> {
  const { statusWord } = await card.transmit(makeCommand([0, 0xa4, 0x04, 0x0c], { data: APPLICATION }))
  if (statusWord === STATUS.success) return 'found'
  return HIDDEN.includes(statusWord) ? 'after_pace' : 'missing'
}
