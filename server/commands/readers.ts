/** `npm run readers`: lists the readers of this machine, and tests one with the chip that is on it. Needs no key and stores nothing. */
import { isChosen } from '../chip-reader/inspect-card.ts'
import type { ChipTest, ReaderFault, ReaderInfo } from '../chip-reader/messages.ts'
import type { ChipReaders } from '../chip-reader/readers.ts'
import { openChipReaders } from '../open-connectors.ts'
import { printResult, readConfig } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore } from './usage.ts'

const HELP = `Readers for the chips of documents on this machine, through pcscd.

  npm run readers -- list [--data DIR] [--json]
  npm run readers -- test [--reader NAME] [--data DIR] [--json]

  list      names each reader, whether a card is on it, and what to do if there is none
  test      reads what a chip tells without a key: its kind, its protocols, and whether it has the application of passports
  --reader  begins the name of the reader (default: readers.name of the configuration, or the only one with a card)
  --data    the appliance's data folder (default: ~/.local/share/counterproof)
  --json    prints the result as one JSON object

The command works beside a running appliance, but not while that reads a chip.
Exit status: 0 no problem, 1 no reader, or no chip that answers, 2 wrong use.

Example: npm run readers -- test --reader "ACS ACR1252" --json
`

/** The cause in words, and what to do. */
export const READER_ADVICE: Readonly<Record<ReaderFault, string>> = {
  no_daemon:
    'The service pcscd does not run. Install the packages pcscd and libccid, then: systemctl enable --now pcscd.socket',
  protocol_unknown:
    'This version of pcscd is not known to the appliance, or its answer is damaged. Use pcsc-lite 1.8.24 or later.',
  not_allowed:
    'The system does not allow this user to use readers. Add a rule for polkit: docs/install.md, "Reader of chips".',
  no_reader:
    'No reader is connected, or none with this name. Connect it; npm run readers -- list shows the names.',
  no_card: 'No chip is on the reader. Place the document on it, or insert the card, and leave it there.',
  several_cards: 'Two readers have a card. Name one with --reader, or readers.name in config.json.',
  reader_busy: 'Another program uses the card. Close it; often it is the scdaemon of gpg.',
  card_unusable: 'The card does not answer. Take it away, wait a second, and place it again.',
  too_slow: 'The chip took too long. Place the document again and do not move it.',
  stopped: 'The reading was stopped.',
  process_ended:
    'The process that reads the chip has crashed. Try again; if it happens again, report the model of the document.',
}

/** A command prints its result; the events of the process belong in the log of an appliance. */
export const SILENT = { info: () => undefined }

interface Told {
  readonly result: unknown
  readonly words: string
  readonly code: number
}

type Action = (readers: ChipReaders, reader: string | undefined) => Promise<Told>

const ACTIONS: Readonly<Record<string, Action>> = { list: listReaders, test }
/** The process of the readers starts with the command, which takes seconds on a busy machine. */
const START_MS = 30_000

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    reader: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  const readers = await openChipReaders(readConfig(values), SILENT)
  try {
    const told = await action(readers, values.reader)
    printResult(values.json, told.result, told.words)
    return told.code
  } finally {
    await readers.close()
  }
}

export async function listReaders(
  readers: Pick<ChipReaders, 'state'>,
  wanted: string | undefined,
): Promise<Told> {
  const state = await readers.state(START_MS)
  if (state.kind === 'unavailable') return toFault(state.fault)
  const found = state.readers.filter(({ name }) => isChosen(name, wanted ?? null))
  if (found.length === 0) return toFault('no_reader')
  return {
    result: { readers: found },
    words: found.map(describeReader).join(''),
    code: 0,
  }
}

function describeReader({ name, card, isChosen: isUsed }: ReaderInfo): string {
  const state =
    card === null
      ? 'no card: place a document on it'
      : card.isInUse
        ? 'a card that another program uses'
        : card.kind === null
          ? 'a card that does not answer: place it again'
          : `a ${card.kind} card`
  return `${name}: ${state}${isUsed ? '' : '; not used, because readers.name excludes it'}\n`
}

async function test(readers: ChipReaders, wanted: string | undefined): Promise<Told> {
  const outcome = await readers.test(wanted)
  if (outcome.kind === 'fault') return toFault(outcome.fault)
  return { result: outcome.test, words: describeTest(outcome.test), code: 0 }
}

const APPLICATION: Readonly<Record<ChipTest['application'], string>> = {
  found: 'yes: it is a travel document',
  after_pace: 'hidden until PACE has succeeded, as newer documents do',
  missing: 'no: it is another card',
}

function describeTest({ reader, kind, atr, protocols, application, extendedLength }: ChipTest): string {
  return [
    `The chip on ${reader} answers.`,
    `  kind             ${kind ?? 'unknown'}, answer to reset ${atr}`,
    `  access           ${protocols.length > 0 ? protocols.join('; ') : 'no EF.CardAccess: BAC, or no access control'}`,
    `  application      ${APPLICATION[application]}`,
    `  extended length  ${extendedLength ? 'yes' : 'no: files are read in short blocks'}`,
    '',
  ].join('\n')
}

function toFault(fault: ReaderFault): Told {
  return {
    result: { fault, advice: READER_ADVICE[fault] },
    words: `${READER_ADVICE[fault]}\n`,
    code: 1,
  }
}
