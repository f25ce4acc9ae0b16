/**
 * The form of a recorded session: JSON whose bytes are hexadecimal. Every text and list has a bound, and an error names only the
 * place of a fault, never a value.
 */
import { z } from 'zod'
import type { CipherName } from '../ciphers.ts'
import { DATA_GROUP_TAGS } from '../files/data-groups.ts'
import type { SessionKeys } from '../secure-messaging.ts'

/** Larger than any chip with all its data groups. */
export const MAX_RECORDING_BYTES = 16 * 1024 * 1024
const MAX_PAIRS = 20_000

const Hex = z
  .string()
  .regex(/^(?:[0-9A-Fa-f]{2})*$/)
  .transform((text) => Buffer.from(text, 'hex'))

const Pair = z.object({ c: Hex, r: Hex })
const Pairs = z.array(Pair).min(1).max(MAX_PAIRS)

/** A command and its response, as bytes. */
export type RecordedPair = z.output<typeof Pair>

/** The algorithm by its name; AES has the length of its key. */
const Keys = z
  .object({ alg: z.enum(['TDES', '3DES', 'AES']), ksEnc: Hex, ksMac: Hex })
  .transform(({ alg, ksEnc, ksMac }, context): SessionKeys => {
    const cipher = findCipher(alg, ksEnc.length)
    if (cipher !== null && ksMac.length === ksEnc.length)
      return { cipher, encryption: ksEnc, checksum: ksMac }
    context.addIssue({ code: 'custom', message: 'a length that no key has' })
    return z.NEVER
  })

function findCipher(algorithm: 'TDES' | '3DES' | 'AES', keyLength: number): CipherName | null {
  if (algorithm !== 'AES') return keyLength === 16 ? 'TDES' : null
  return ({ 16: 'AES-128', 24: 'AES-192', 32: 'AES-256' } as const)[keyLength] ?? null
}

const MrzPassword = z.object({
  type: z.literal('MRZ'),
  documentNumber: z.string().max(22),
  dateOfBirth: z.string().max(6),
  dateOfExpiry: z.string().max(6),
})
const Password = z.union([
  MrzPassword,
  z.object({ type: z.literal('MRZ'), mrzInformation: z.string().max(64) }),
  z.object({ type: z.literal('CAN'), can: z.string().max(6) }),
])

export type RecordedPassword = z.output<typeof Password>

/** A private key or nonce. The bound is that of a Diffie-Hellman group of 4096 bits: arithmetic takes longer with each bit. */
const Secret = Hex.refine(({ length }) => length > 0 && length <= 512)
const TerminalKeys = z.array(z.object({ d: Secret })).max(2)
const ParameterId = z.number().int().min(0).max(255)

const Pace = z
  .object({
    oid: z.string().max(64),
    parameterId: ParameterId.optional(),
    password: Password.optional(),
    kPi: Secret.optional(),
    cardAccess: Hex.optional(),
    terminalKeys: TerminalKeys.optional(),
    terminalMapPrivate: Secret.optional(),
    terminalPrivate: Secret.optional(),
    terminalNonceT: Secret.optional(),
    chipAuthenticationDataCAic: Hex.optional(),
    apdus: Pairs,
    sm: Keys,
    ssc: Hex,
  })
  .refine(({ password, kPi }) => password !== undefined || kPi !== undefined, { path: ['password'] })

const Bac = MrzPassword.omit({ type: true }).extend({
  rndIfd: Hex,
  kIfd: Hex,
  apdus: Pairs,
  sm: Keys,
  ssc: Hex,
})

const SecureMessaging = z.object({
  sm: Keys,
  ssc: Hex,
  steps: z
    .array(Pair.extend({ plainCommand: Hex, plainData: Hex, sw: Hex, sscAfter: Hex.optional() }))
    .min(1)
    .max(MAX_PAIRS),
})

const ChipAuthentication = z.object({
  dg14: Hex,
  smBefore: Keys,
  sscBefore: Hex,
  terminalKeys: TerminalKeys.min(1),
  apdus: Pairs,
  smAfter: Keys,
  sscAfter: Hex,
})

const ActiveAuthentication = z.object({
  dg14: Hex.optional(),
  dg15: Hex,
  rndIfd: Hex,
  smBefore: Keys.optional(),
  sscBefore: Hex.optional(),
  apdus: Pairs,
  signature: Hex.optional(),
})

const MAX_AUTHORITIES = 64
const DATA_GROUP_NUMBERS = Object.keys(DATA_GROUP_TAGS).map(Number)

const Passive = z
  .object({
    sod: Hex,
    csca: z.union([Hex.transform((one) => [one]), z.array(Hex).max(MAX_AUTHORITIES)]),
    at: z.iso
      .datetime()
      .transform((text) => new Date(text))
      .optional(),
  })
  .loose()
  .transform(({ sod, csca, at, ...rest }, context) => {
    const dataGroups = new Map<number, Buffer>()
    for (const number of DATA_GROUP_NUMBERS) {
      const file: unknown = rest[`dg${number}`]
      if (file === undefined) continue
      const parsed = Hex.safeParse(file)
      if (!parsed.success) context.addIssue({ code: 'custom', path: [`dg${number}`] })
      else dataGroups.set(number, parsed.data)
    }
    return { sod, csca, at: at ?? null, dataGroups }
  })

/** The member that only recordings of this kind have → the kind. The first that is there decides. */
const KINDS = {
  steps: { kind: 'secure_messaging', schema: SecureMessaging },
  smAfter: { kind: 'chip_authentication', schema: ChipAuthentication },
  kIfd: { kind: 'bac', schema: Bac },
  rndIfd: { kind: 'active_authentication', schema: ActiveAuthentication },
  oid: { kind: 'pace', schema: Pace },
  sod: { kind: 'passive_authentication', schema: Passive },
} as const

export interface Recordings {
  readonly secure_messaging: z.output<typeof SecureMessaging>
  readonly chip_authentication: z.output<typeof ChipAuthentication>
  readonly active_authentication: z.output<typeof ActiveAuthentication>
  readonly bac: z.output<typeof Bac>
  readonly pace: z.output<typeof Pace>
  readonly passive_authentication: z.output<typeof Passive>
}

export type RecordingKind = keyof Recordings

export type Recording = {
  [Kind in RecordingKind]: { readonly kind: Kind; readonly data: Recordings[Kind] }
}[RecordingKind]

/** The fault of a recording that cannot be read: a sentence without a value. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

/** @throws RecordingError */
export function parseRecording(text: string): Recording {
  const json = parseJson(text)
  const found = Object.entries(KINDS).find(([member]) => Object.hasOwn(json, member))
  if (found === undefined) throw new RecordingError('The file is no recording of a known protocol.')
  const [, { kind, schema }] = found
  const parsed = schema.safeParse(json)
  if (parsed.success) return { kind, data: parsed.data } as Recording
  const places = parsed.error.issues.slice(0, 5).map(({ path }) => path.join('.') || 'the whole')
  throw new RecordingError(`The recording is missing or misstates: ${places.join(', ')}.`)
}

function parseJson(text: string): object {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  } catch {
    // The message of the parser would repeat a part of the file.
  }
  throw new RecordingError('The file is no JSON object.')
}
