/** The parsers of the chip with the files from which damaged ones are made. */
import {
  makeEcKey,
  makeRepresentative,
  makeRsaKey,
  signRepresentative,
  signWithEcdsa,
} from '../../simulator/chip/active-authentication-chip.ts'
import { writeDhKey, writeInteger } from '../../simulator/chip/chip-authentication-chip.ts'
import {
  JPEG,
  writeDg2,
  writeExtensibleRecord,
  writeFaceRecord,
} from '../../simulator/chip/portrait-files.ts'
import { issueSigner } from '../../simulator/chip/chip-issuer.ts'
import {
  makeState,
  writeDefectList,
  writeMasterList,
  writeRevocationList,
} from '../../simulator/chip/trust-lists.ts'
import { writeCardSecurity, writeDg1, writeEfCom, writeSod } from '../../simulator/chip/signed-files.ts'
import { parseDg15, verifyChallenge, verifyRecoveredMessage } from '../../../chip/active-authentication.ts'
import { encodeCommand, makeCommand, parseCommand, parseResponse } from '../../../chip/apdu.ts'
import { listChipAuthentications } from '../../../chip/chip-authentication.ts'
import { ASN1, writeOid } from '../../../chip/der.ts'
import { makeDhGroup } from '../../../chip/diffie-hellman.ts'
import { findStandardDh } from '../../../chip/domain-parameters.ts'
import { parseCardSecurity } from '../../../chip/files/card-security.ts'
import { parseDg1 } from '../../../chip/files/dg1.ts'
import { parseDg11 } from '../../../chip/files/dg11.ts'
import { parseDg12 } from '../../../chip/files/dg12.ts'
import { parseDg2 } from '../../../chip/files/dg2.ts'
import { parseDg7 } from '../../../chip/files/dg7.ts'
import { parseEfCom } from '../../../chip/files/ef-com.ts'
import { parseSod } from '../../../chip/files/sod.ts'
import { parseSignedData } from '../../../chip/files/cms.ts'
import { ChipFault } from '../../../chip/outcome.ts'
import { parseChipCertificate } from '../../../chip/passive/certificate.ts'
import { trustCertificates } from '../../../chip/passive/chip-trust.ts'
import { parseDefects } from '../../../chip/passive/defect-list.ts'
import {
  authenticateCardSecurity,
  authenticatePassively,
} from '../../../chip/passive/passive-authentication.ts'
import { findListIssuer, parseRevocationList } from '../../../chip/passive/revocation-list.ts'
import { deriveSessionKeys, protectResponse, SecureSession } from '../../../chip/secure-messaging.ts'
import { parseDg14, parseSecurityInfos } from '../../../chip/security-infos.ts'
import { readTlv, readTlvs, writeTlv } from '../../../chip/tlv.ts'
import { findCardKind } from '../../../chip-reader/card-kind.ts'
import { parseReaderStates, PcscFault, STATES_BYTES } from '../../../chip-reader/pcsc-messages.ts'
import { TrustRefused } from '../../../trust/refused.ts'
import { readTrustFile } from '../../../trust/trust-file.ts'

export interface ChipTarget {
  readonly name: string
  /** Each is read without a fault. */
  readonly seeds: readonly Uint8Array[]
  readonly parse: (bytes: Uint8Array) => unknown
  /** Present if the parser verifies: true if accepting this changed input gives away nothing. */
  readonly isGenuine?: (bytes: Uint8Array) => boolean
}

const text = (value: string): Buffer => Buffer.from(value, 'utf8')
const CHALLENGE = Buffer.from('0102030405060708', 'hex')
const PACE_INFO = '3012060A04007F0007020204020202010202010D'

/** The table of pcscd with one card. */
function makeReadersTarget(): ChipTarget {
  const table = Buffer.alloc(STATES_BYTES)
  table.write('Reader 00 00', 0, 'latin1')
  table.writeUInt32LE(0x34, 132)
  Buffer.from('3b80800101', 'hex').copy(table, 140)
  table.writeUInt32LE(5, 176)
  return {
    name: 'table of readers',
    seeds: [table],
    parse: (bytes) => {
      try {
        return parseReaderStates(Buffer.from(bytes)).map(({ atr }) => findCardKind(atr))
      } catch (error) {
        throw error instanceof PcscFault ? new ChipFault('malformed_reply', { cause: error }) : error
      }
    },
  }
}

export function makeChipTargets(): readonly ChipTarget[] {
  const ec = makeEcKey('P-256', 'explicit')
  const rsa = makeRsaKey(1024)
  const cardAccess = writeTlv(ASN1.set, Buffer.from(PACE_INFO, 'hex'))
  const sods = [false, true].map((isBer) => writeSod({ 1: JPEG, 2: CHALLENGE }, { isBer }))
  const representative = makeRepresentative(CHALLENGE, rsa.length)
  const portraits = [
    writeDg2(writeFaceRecord(JPEG, { points: 2 })),
    writeDg2(writeExtensibleRecord(JPEG), { format: '8802002A', recordTag: 0x7f2e }),
  ]
  return [
    { name: 'objects', seeds: sods, parse: (bytes) => readTlvs(bytes, { indefinite: true }) },
    {
      name: 'command',
      seeds: [
        encodeCommand(makeCommand([0, 0x86, 0, 0], { data: CHALLENGE, le: 256 })),
        encodeCommand(makeCommand([0, 0xb1, 0, 0], { data: CHALLENGE, le: 65_536 })),
      ],
      parse: parseCommand,
    },
    { name: 'response', seeds: [Buffer.concat([CHALLENGE, Buffer.of(0x90, 0)])], parse: parseResponse },
    makeReadersTarget(),
    makeReplyTarget(),
    makePassiveTarget(),
    makeCardSecurityTarget(),
    ...makeListTargets(),
    { name: 'EF.CardAccess', seeds: [cardAccess], parse: parseSecurityInfos },
    { name: 'EF.CardSecurity', seeds: [writeCardSecurity(cardAccess)], parse: parseCardSecurity },
    { name: 'EF.COM', seeds: [writeEfCom(1, 2)], parse: parseEfCom },
    { name: 'EF.SOD', seeds: sods, parse: parseSod },
    { name: 'DG1', seeds: [writeTlv(0x61, writeTlv(0x5f1f, text('A'.repeat(88))))], parse: parseDg1 },
    { name: 'DG2', seeds: portraits, parse: parseDg2 },
    {
      name: 'DG7',
      seeds: [writeTlv(0x67, Buffer.of(2, 1, 1), writeTlv(0x5f43, JPEG))],
      parse: parseDg7,
    },
    { name: 'DG11', seeds: [makeDetails(0x6b, 0x5f0e, 0x5f0f)], parse: parseDg11 },
    { name: 'DG12', seeds: [makeDetails(0x6c, 0x5f19, 0x5f1a)], parse: parseDg12 },
    {
      name: 'DG14',
      seeds: [makeDg14(2, readTlv(ec.dg15, 0x6f).value), makeDg14(1, makeDhKey())],
      parse: (bytes) => listChipAuthentications(parseDg14(bytes)),
    },
    { name: 'DG15', seeds: [ec.dg15, rsa.dg15], parse: parseDg15 },
    {
      name: 'recovered message',
      seeds: [representative],
      parse: (bytes) => verifyRecoveredMessage(bytes, CHALLENGE),
      isGenuine: () => false,
    },
    {
      name: 'RSA signature',
      seeds: [signRepresentative(rsa.privateKey, representative)],
      parse: (bytes) => verifyChallenge(parseDg15(rsa.dg15), CHALLENGE, bytes),
      isGenuine: () => false,
    },
    {
      name: 'ECDSA signature',
      seeds: [signWithEcdsa(ec.privateKey, CHALLENGE, 'sha256')],
      parse: (bytes) => verifyChallenge(parseDg15(ec.dg15), CHALLENGE, bytes),
      isGenuine: () => false,
    },
  ]
}

/** A reply under secure messaging. The length of the last object is not covered by the checksum and may be written in another form. */
function makeReplyTarget(): ChipTarget {
  const keys = deriveSessionKeys('AES-128', CHALLENGE)
  const counter = Buffer.concat([Buffer.alloc(15), Buffer.of(2)])
  const { data, statusWord } = protectResponse(keys, counter, { data: CHALLENGE, statusWord: 0x9000 })
  const open = (bytes: Uint8Array): Uint8Array => {
    const session = new SecureSession(keys)
    session.protect(makeCommand([0, 0xb0, 0, 0], { le: 8 }))
    return session.open({ data: bytes, statusWord }).data
  }
  return {
    name: 'protected reply',
    seeds: [data],
    parse: open,
    isGenuine: (bytes) => Buffer.compare(open(bytes), CHALLENGE) === 0,
  }
}

/** EF.SOD under passive authentication. Only bytes that no signature covers may change without being refused. */
function makePassiveTarget(): ChipTarget {
  const issued = issueSigner()
  const trust = trustCertificates([parseChipCertificate(issued.authority)])
  const group = writeDg1()
  const sod = writeSod(
    { 1: group },
    { privateKey: issued.signerKey, issuer: issued.authorityName, certificates: [issued.signer] },
  )
  const { signedData } = parseSod(sod)
  const parse = (bytes: Uint8Array): void => {
    const dataGroups = new Map([[1, group]])
    const { verdict } = authenticatePassively({ sod: bytes, dataGroups, trust, at: null })
    if (verdict !== 'successful') throw new ChipFault('signature_wrong')
  }
  return {
    name: 'passive authentication',
    seeds: [sod],
    parse,
    isGenuine: (bytes) => Buffer.compare(parseSod(bytes).signedData.content, signedData.content) === 0,
  }
}

/** EF.CardSecurity under passive authentication. */
function makeCardSecurityTarget(): ChipTarget {
  const issued = issueSigner()
  const trust = trustCertificates([parseChipCertificate(issued.authority)])
  const infos = writeTlv(ASN1.set, Buffer.from(PACE_INFO, 'hex'))
  const file = writeCardSecurity(infos, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
  })
  const { signedData } = parseCardSecurity(file)
  const parse = (cardSecurity: Uint8Array): void => {
    const { verdict } = authenticateCardSecurity({ cardSecurity, dg1: writeDg1(), trust, at: null })
    if (verdict !== 'successful') throw new ChipFault('signature_wrong')
  }
  return {
    name: 'passive authentication of EF.CardSecurity',
    seeds: [file],
    parse,
    isGenuine: (bytes) =>
      Buffer.compare(parseCardSecurity(bytes).signedData.content, signedData.content) === 0,
  }
}

/** The certificates and lists of the trust store. A changed list must lose its signature. */
function makeListTargets(): readonly ChipTarget[] {
  const state = makeState('UT')
  const authority = parseChipCertificate(state.certificate)
  const revocationList = writeRevocationList(state, '260101120000Z', ['07', '08'])
  const defectList = writeDefectList(state, { issuer: state.name, types: ['1.1', '2.1'] })
  const { tbs } = parseRevocationList(revocationList)
  const { content } = parseSignedData(defectList)
  return [
    { name: 'certificate', seeds: [state.certificate], parse: parseChipCertificate },
    {
      name: 'revocation list',
      seeds: [revocationList],
      parse: (bytes) => {
        const list = parseRevocationList(bytes)
        if (findListIssuer(list, [authority]) === null) throw new ChipFault('signature_wrong')
      },
      isGenuine: (bytes) => Buffer.compare(parseRevocationList(bytes).tbs, tbs) === 0,
    },
    { name: 'defects', seeds: [content], parse: parseDefects },
    {
      name: 'trust file',
      seeds: [writeMasterList(state), defectList],
      parse: (bytes) => {
        try {
          return readTrustFile(bytes)
        } catch (error) {
          if (error instanceof TrustRefused) throw new ChipFault('malformed_data', { cause: error })
          throw error
        }
      },
    },
  ]
}

function makeDetails(group: number, tag: number, otherTag: number): Buffer {
  const list = writeTlv(0x5c, Buffer.of(tag >> 8, tag & 0xff))
  const others = writeTlv(0xa0, Buffer.of(2, 1, 1), writeTlv(otherTag, text('OTHER<<NAME')))
  return writeTlv(group, list, writeTlv(tag, text('SURNAME<<GIVEN')), others)
}

function makeDg14(kind: 1 | 2, spki: Uint8Array): Buffer {
  const root = '0.4.0.127.0.7.2.2'
  const protocol = writeTlv(
    ASN1.sequence,
    writeOid(`${root}.3.${kind}.2`),
    writeInteger(1n),
    writeInteger(7n),
  )
  const key = writeTlv(ASN1.sequence, writeOid(`${root}.1.${kind}`), spki, writeInteger(7n))
  return writeTlv(0x6e, writeTlv(ASN1.set, protocol, key))
}

/** A key of the smallest standardised group, with its parameters (RFC 5114, 2.1). */
function makeDhKey(): Buffer {
  const parameters = findStandardDh(0)
  if (parameters === null || parameters.q === null) throw new TypeError('no group')
  const { p, g, q } = parameters
  return writeDhKey(p, g, q, makeDhGroup(parameters).generator)
}
