/**
 * Messages between the server and its reader process. A message to the process may contain keys of a document; one from it contains data
 * of the chip, and is checked before it is used, because hostile data may have taken over the process.
 */
import { z } from 'zod'
import type { AccessKeys } from '../chip/inspection/open-chip.ts'
import { STEPS, type Inspection } from '../chip/inspection/report.ts'
import type { Verdict } from '../chip/outcome.ts'
import { parseChipCertificate } from '../chip/passive/certificate.ts'
import type { ChipTrust } from '../chip/passive/chip-trust.ts'
import { MAX_FILE_BYTES, type FileProgress } from '../chip/read-file.ts'

/** Reasons for an inspection without a report. Its verdict is `aborted`. */
export const READER_FAULTS = [
  'no_daemon', // pcscd does not run, or does not answer
  'protocol_unknown', // pcscd speaks a version of its protocol that this program does not know
  'not_allowed', // the system refuses this user access to the readers
  'no_reader', // no reader is connected, or none that the configuration names
  'no_card', // no card is in or on a reader, or it was removed before it was opened
  'several_cards', // two readers have a card: name one of them
  'reader_busy', // another program has the card for itself
  'card_unusable', // the card does not answer
  'too_slow', // the time limit is over
  'stopped', // the caller gave up
  'process_ended', // the process that reads has crashed; it is started again
] as const
export type ReaderFault = (typeof READER_FAULTS)[number]

export interface ReaderInfo {
  readonly name: string
  /** The configuration allows it. */
  readonly isChosen: boolean
  /** A card that does not answer has the kind null. */
  readonly card: { readonly kind: 'contact' | 'contactless' | null; readonly isInUse: boolean } | null
  /** Changes with each card that comes or goes. */
  readonly events: number
}

export interface InspectionRequest {
  readonly keys: AccessKeys
  readonly trust: TrustMessage
  readonly at: Date
  readonly printedMrz: readonly string[] | null
  readonly progress: ReadonlyMap<number, FileProgress> | null
}

/** `ChipTrust` whose certificates are DER, because keys of the platform cannot be sent. */
export interface TrustMessage extends Pick<ChipTrust, 'revocationLists' | 'defectLists' | 'isOutdated'> {
  readonly authorities: readonly { readonly der: Uint8Array; readonly sources: readonly string[] }[]
  readonly signers: readonly Uint8Array[]
}

export function toTrustMessage({ authorities, signers, ...lists }: ChipTrust): TrustMessage {
  return {
    ...lists,
    authorities: authorities.map(({ certificate, sources }) => ({ der: certificate.der, sources })),
    signers: signers.map(({ der }) => der),
  }
}

export function fromTrustMessage({ authorities, signers, ...lists }: TrustMessage): ChipTrust {
  return {
    ...lists,
    authorities: authorities.map(({ der, sources }) => ({ certificate: parseChipCertificate(der), sources })),
    signers: signers.map(parseChipCertificate),
  }
}

/** A socket of pcscd comes with `opened`. */
export type ToProcess =
  | { readonly kind: 'opened'; readonly id: number }
  | { readonly kind: 'refused'; readonly id: number; readonly fault: ReaderFault }
  | {
      readonly kind: 'inspect'
      readonly id: number
      readonly reader: string | null
      readonly request: InspectionRequest
    }
  | { readonly kind: 'test'; readonly id: number; readonly reader: string | null }
  | { readonly kind: 'stop'; readonly id: number; readonly fault: ReaderFault }

const MAX_NAME_LENGTH = 128
const MAX_READERS = 16
const MAX_STEPS = 64
const VERDICTS = [
  'successful',
  'failed',
  'undetermined',
  'not_supported',
  'aborted',
] as const satisfies readonly Verdict[]

const verdict = z.enum(VERDICTS)
const count = z.int().min(0)
const text = z.string().max(200)
/** Names and reasons of steps and checks, which commands print. */
const word = z.string().regex(/^[a-z][a-z_]{0,63}$/)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const group = z.int().min(1).max(16)
const bytes = z.instanceof(Uint8Array).refine(({ length }) => length <= MAX_FILE_BYTES)
const fileProgress = z.strictObject({ fileId: count, bytes, totalLength: count.nullable() })
const kind = z.enum(['contact', 'contactless']).nullable()

const passive = z.looseObject({
  verdict,
  reason: word.nullable(),
  checks: z.array(z.strictObject({ name: word, verdict, reason: word.nullable() })).max(MAX_STEPS),
  indicators: z.array(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/)).max(MAX_STEPS),
  verifiedGroups: z.array(group).max(16),
  authority: z
    .strictObject({
      sha256: hash,
      country: z
        .string()
        .regex(/^[A-Za-z]{2,3}$/)
        .nullable(),
      sources: z.array(hash).max(64),
    })
    .nullable(),
  lists: z.array(hash).max(1024),
})

/**
 * The members that rules decide by, and those that commands print, are checked. The others (in `data`) are the form of this program's own parsers; the files
 * that they come from are in `dataGroups`, so that a caller can derive them again.
 */
const inspection = z.looseObject({
  verdict,
  steps: z
    .array(
      z.strictObject({
        name: z.enum(STEPS),
        verdict,
        reason: word.nullable(),
        statusWord: z.int().min(0).max(0xffff).nullable(),
      }),
    )
    .max(MAX_STEPS),
  cloneProtection: z.strictObject({
    verdict,
    protocol: z.enum(['chip_authentication', 'active_authentication', 'mapping_authentication']).nullable(),
  }),
  data: z.looseObject({
    mrz: z
      .array(z.string().regex(/^[0-9A-Z<]{30,44}$/))
      .max(3)
      .nullable(),
    portraits: z.array(z.strictObject({ format: z.enum(['jpeg', 'jpeg2000']), bytes })).max(MAX_STEPS),
  }),
  passive: passive.nullable(),
  cardSecurity: passive.nullable(),
  dataGroups: z.map(group, bytes),
  sod: bytes.nullable(),
  cardSecurityFile: bytes.nullable(),
  com: bytes.nullable(),
  progress: z.map(count, fileProgress),
}) as unknown as z.ZodType<Inspection>

const fault = z.strictObject({ kind: z.literal('fault'), fault: z.enum(READER_FAULTS) })
const outcome = z.discriminatedUnion('kind', [
  fault,
  z.strictObject({ kind: z.literal('inspected'), reader: z.string().max(MAX_NAME_LENGTH), inspection }),
])
const testOutcome = z.discriminatedUnion('kind', [
  fault,
  z.strictObject({
    kind: z.literal('tested'),
    /** The facts that a chip tells without a key. */
    test: z.strictObject({
      reader: z.string().max(MAX_NAME_LENGTH),
      kind,
      /** Hexadecimal. It names the model of the chip, and nothing of its holder. */
      atr: z.string().regex(/^[0-9a-f]{0,66}$/),
      /** Entries of EF.CardAccess in words; empty without the file. */
      protocols: z.array(text).max(32),
      /** The application of travel documents; a chip may show it only after PACE. */
      application: z.enum(['found', 'after_pace', 'missing']),
      extendedLength: z.boolean(),
    }),
  }),
])
const reader = z.strictObject({
  name: z.string().max(MAX_NAME_LENGTH),
  card: z.strictObject({ kind, isInUse: z.boolean() }).nullable(),
  events: count,
})

export const FromProcess = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** Asks for a new connection to pcscd. */
  z.strictObject({ kind: z.literal('open'), id: count }),
  z.strictObject({ kind: z.literal('readers'), readers: z.array(reader).max(MAX_READERS) }),
  z.strictObject({ kind: z.literal('unavailable'), fault: z.enum(READER_FAULTS) }),
  z.strictObject({
    kind: z.literal('progress'),
    id: count,
    fileId: count,
    bytes: count,
    total: count.nullable(),
  }),
  z.strictObject({ kind: z.literal('inspection'), id: count, outcome, residentBytes: count }),
  z.strictObject({ kind: z.literal('test'), id: count, outcome: testOutcome }),
])
export type FromProcess = z.infer<typeof FromProcess>
export type InspectionOutcome = z.infer<typeof outcome>
export type TestOutcome = z.infer<typeof testOutcome>
export type ChipTest = Extract<TestOutcome, { kind: 'tested' }>['test']
