/**
 * Chip authentication version 1 (ICAO Doc 9303-11, 6.2): the chip proves that it has the private key of DG14, and secure
 * messaging continues with new keys. The result counts only if DG14 passed passive authentication: otherwise the key may be
 * that of a forger.
 */
import { makeCommand, type Channel } from './apdu.ts'
import type { CipherName } from './ciphers.ts'
import { encodeOid } from './der.ts'
import { authenticate, setSecurityEnvironment } from './general-authenticate.ts'
import type { Group } from './group.ts'
import { countBytes, toBytes } from './numbers.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { parseAgreementKey, type AgreementKey } from './public-key.ts'
import { deriveSessionKeys, SecureChannel, SecureSession } from './secure-messaging.ts'
import type { ChipAuthenticationKeyInfo, SecurityInfos } from './security-infos.ts'
import { writeTlv } from './tlv.ts'

/**
 * How the terminal sends its key: `set_kat` is one MSE:Set KAT and exists only with 3DES; `set_at` is MSE:Set AT with GENERAL
 * AUTHENTICATE (Doc 9303-11, 6.2.4.1 and 6.2.4.2).
 */
export type ChipAuthenticationForm = 'set_kat' | 'set_at'

export interface ChipAuthenticationChoice {
  /** Null if DG14 has a key without a ChipAuthenticationInfo: the chip knows 3DES and MSE:Set KAT only. */
  readonly oid: string | null
  readonly cipher: CipherName
  readonly keyId: number | null
  readonly key: AgreementKey
  /** The forms to try, in this order. */
  readonly forms: readonly ChipAuthenticationForm[]
}

/** The connection under the session that access control opened. */
export interface OpenedChip {
  readonly channel: Channel
  readonly session: SecureSession
}

export interface ChipAuthenticationOptions {
  /** The secret of the terminal; a recording gives its own. */
  readonly makeScalar?: (group: Group) => bigint
}

const VERSION = 1
const CIPHER_STRENGTH: readonly CipherName[] = ['AES-256', 'AES-192', 'AES-128', 'TDES']
const DO = { protocol: 0x80, terminalKey: 0x80, keyReference: 0x84, terminalKeyKat: 0x91 } as const

/**
 * Lists the protocols whose keys this program supports, the strongest cipher first; there is at least one.
 * @throws ChipFault key_information_missing if DG14 offers none, or the fault of its first key if no key is supported
 */
export function listChipAuthentications(infos: SecurityInfos): ChipAuthenticationChoice[] {
  const keys = infos.chipAuthenticationKeys
  if (keys.length === 0) {
    const isPromised = infos.chipAuthentication.length > 0
    throw new ChipFault(isPromised ? 'malformed_data' : 'key_information_missing')
  }
  const offers = keys.map(parseKey).flatMap((parsed) => listOffers(parsed, infos))
  if (offers.length === 0) {
    // Either there is only another version, or the key identifiers of keys and protocols do not agree.
    const hasVersion = infos.chipAuthentication.some(({ version }) => version === VERSION)
    throw new ChipFault(hasVersion ? 'malformed_data' : 'key_information_missing')
  }
  offers.sort((one, other) => CIPHER_STRENGTH.indexOf(one.cipher) - CIPHER_STRENGTH.indexOf(other.cipher))
  const choices = offers.flatMap(({ key, ...offer }) => (key instanceof ChipFault ? [] : [{ ...offer, key }]))
  const fault = offers.map(({ key }) => key).find((key) => key instanceof ChipFault)
  if (choices.length === 0 && fault !== undefined) throw fault
  return choices
}

type ParsedKey = ChipAuthenticationKeyInfo & { readonly key: AgreementKey | ChipFault }

/** A key that is not supported must not hide another, so its fault is a value here. */
function parseKey(info: ChipAuthenticationKeyInfo): ParsedKey {
  try {
    const key = parseAgreementKey(info.spki)
    const isSameKind = key.group.kind === info.agreement
    return { ...info, key: isSameKind ? key : new ChipFault('domain_parameters_inconsistent') }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    return { ...info, key: error }
  }
}

type Offer = Omit<ChipAuthenticationChoice, 'key'> & Pick<ParsedKey, 'key'>

function listOffers(parsed: ParsedKey, infos: SecurityInfos): Offer[] {
  const { chipAuthentication, chipAuthenticationKeys } = infos
  if (chipAuthentication.length === 0)
    return [{ oid: null, cipher: 'TDES', keyId: parsed.keyId, key: parsed.key, forms: ['set_kat'] }]
  const isOnlyKey = chipAuthenticationKeys.length === 1
  return chipAuthentication
    .filter(({ agreement, version, keyId }) => {
      const isUnnamed = isOnlyKey && (keyId === null || parsed.keyId === null)
      return version === VERSION && agreement === parsed.agreement && (keyId === parsed.keyId || isUnnamed)
    })
    .map(({ oid, cipher, keyId }) => ({
      oid,
      cipher,
      keyId: keyId ?? parsed.keyId,
      key: parsed.key,
      forms: cipher === 'TDES' ? ['set_kat', 'set_at'] : ['set_at'],
    }))
}

/**
 * Agrees on new keys and proves that the chip uses them. After success only the returned session is valid; after a failure the
 * chip must be reset.
 */
export function authenticateChip(
  opened: OpenedChip,
  choice: ChipAuthenticationChoice,
  options: ChipAuthenticationOptions = {},
): Promise<Outcome<{ readonly session: SecureSession }>> {
  return decideOutcome(async () => {
    const session = await agreeOnNewSession(opened, choice, options)
    await requireNewKeys(opened.channel, session)
    return { session }
  })
}

/**
 * Agrees on new keys. The result proves nothing yet: the chip has proved its key only with the first response under them.
 * @throws ChipFault
 */
export async function agreeOnNewSession(
  { channel, session }: OpenedChip,
  choice: ChipAuthenticationChoice,
  { makeScalar = (group) => group.makeScalar() }: ChipAuthenticationOptions = {},
): Promise<SecureSession> {
  const { group, element } = choice.key
  const scalar = makeScalar(group)
  const terminalKey = group.multiply(scalar, group.generator)
  const secureChannel = new SecureChannel(channel, session)
  for (const [i, form] of choice.forms.entries()) {
    try {
      await sendTerminalKey(secureChannel, choice, form, terminalKey)
      break
    } catch (error) {
      // A chip that does not know the form says so under secure messaging, and the session continues.
      const isRefused = error instanceof ChipFault && error.reason === 'status_refused'
      if (!isRefused || i === choice.forms.length - 1) throw error
    }
  }
  const secret = group.toSecret(group.multiply(scalar, element))
  return new SecureSession(deriveSessionKeys(choice.cipher, secret))
}

async function sendTerminalKey(
  channel: Channel,
  { oid, keyId }: ChipAuthenticationChoice,
  form: ChipAuthenticationForm,
  terminalKey: Uint8Array,
): Promise<void> {
  const reference =
    keyId === null ? [] : [writeTlv(DO.keyReference, toBytes(BigInt(keyId), countBytes(BigInt(keyId))))]
  if (form === 'set_kat') {
    await setSecurityEnvironment(channel, 0x41, 0xa6, [
      writeTlv(DO.terminalKeyKat, terminalKey),
      ...reference,
    ])
    return
  }
  if (oid === null) throw new TypeError('MSE:Set AT names a protocol')
  await setSecurityEnvironment(channel, 0x41, 0xa4, [writeTlv(DO.protocol, encodeOid(oid)), ...reference])
  await authenticate(channel, [writeTlv(DO.terminalKey, terminalKey)], { isLast: true })
}

/** Selects DG14, which the chip has, under the new keys. Only the genuine chip can protect the response. */
async function requireNewKeys(channel: Channel, session: SecureSession): Promise<void> {
  const selectDg14 = makeCommand([0, 0xa4, 0x02, 0x0c], { data: Buffer.of(0x01, 0x0e) })
  try {
    await new SecureChannel(channel, session).transmit(selectDg14)
  } catch (cause) {
    if (!(cause instanceof ChipFault) || cause.reason === 'connection_lost') throw cause
    throw new ChipFault('key_not_proved', {
      cause,
      ...(cause.statusWord === null ? {} : { statusWord: cause.statusWord }),
    })
  }
}
