/**
 * The chip of the bundled specimen person, for a virtual reader or as the files that a reader would read. Its authority is made on the spot,
 * with what an administrator imports to trust it. The chip speaks PACE and chip authentication with AES-128 on NIST P-256.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { makeMrzKey } from '../../../chip/access-key.ts'
import { makeCurveGroup } from '../../../chip/elliptic-curve.ts'
import { listMrzKeys } from '../../../chip/inspection/key-alternatives.ts'
import { readMrzFields } from '../../../chip/inspection/mrz-fields.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import { RESOURCES_DIR } from '../../../config/resources.ts'
import type { ChipFiles } from '../../../proofing/chip-files.ts'
import { ChipCard, EXTENDED_LENGTHS } from './card.ts'
import { issueSigner, makeScheme, writeRevocationList } from './chip-issuer.ts'
import { writeDg2, writeFaceRecord } from './portrait-files.ts'
import { writeMrz } from './profiles.ts'
import {
  makePaceInfo,
  writeChipAuthenticationInfo,
  writeChipKeyInfo,
  writeCurveKey,
  writeDg14,
  writePaceInfo,
  writeSet,
} from './security-infos.ts'
import { writeEfCom, writeSod } from './signed-files.ts'

const FOLDER = join(RESOURCES_DIR, 'specimens', 'alba')
const Truth = z.object({
  mrz: z.array(z.string()),
  fields: z.object({ surname: z.string(), givenNames: z.string() }),
})

const PACE = makePaceInfo('2.2', 12)
const CHIP_CURVE = 'prime256v1'
const CHIP_GROUP = makeCurveGroup(CHIP_CURVE)
const CHIP_SCALAR = BigInt(`0x${randomBytes(31).toString('hex')}`) + 1n
/** Identifiers of files (ICAO Doc 9303-10, 3.11). */
const FILE = { atrInfo: 0x2f01, cardAccess: 0x011c, sod: 0x011d, com: 0x011e, firstGroup: 0x0101 } as const

export interface SpecimenChip {
  readonly card: ChipCard
  readonly files: ChipFiles
  /** Certificate of the country signing authority, DER. */
  readonly authority: Buffer
  /** Its revocation list, which names no certificate. */
  readonly revocationList: Buffer
}

export function makeSpecimenChip(now: Date): SpecimenChip {
  const { mrz, fields } = Truth.parse(JSON.parse(readFileSync(join(FOLDER, 'truth.json'), 'utf8')))
  const scheme = makeScheme('ecdsa', 'sha256')
  const authorityPair = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const issued = issueSigner({ authorityPair, signerCurve: 'P-256', authorityScheme: scheme })
  const chipPoint = CHIP_GROUP.multiply(CHIP_SCALAR, CHIP_GROUP.generator)
  const groups: Readonly<Record<number, Buffer>> = {
    1: writeMrz(mrz),
    2: writeDg2(writeFaceRecord(readFileSync(join(FOLDER, 'portrait.jpg')))),
    11: writeDg11(`${toTitle(fields.surname)}<<${toTitle(fields.givenNames).replaceAll(' ', '<')}`),
    14: writeDg14([
      writeChipAuthenticationInfo('2.2', null),
      writeChipKeyInfo(2, writeCurveKey(CHIP_CURVE, chipPoint), null),
      writePaceInfo(PACE),
    ]),
  }
  const sod = writeSod(groups, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
    scheme,
  })
  const com = writeEfCom(...Object.keys(groups).map(Number))
  const dataGroups = Object.entries(groups).map(([number, file]) => [Number(number), file] as const)
  return {
    card: new ChipCard({
      masterFile: new Map<number, Uint8Array>([
        [FILE.atrInfo, EXTENDED_LENGTHS.atrInfo],
        [FILE.cardAccess, writeSet([writePaceInfo(PACE)])],
      ]),
      application: new Map<number, Uint8Array>([
        ...dataGroups.map(([number, file]) => [FILE.firstGroup + number - 1, file] as const),
        [FILE.com, com],
        [FILE.sod, sod],
      ]),
      bac: null,
      pace: { infos: [PACE], keys: [makeKey(mrz)] },
      chipAuthentication: {
        chipKeys: [{ group: CHIP_GROUP, scalar: CHIP_SCALAR, cipher: 'AES-128' }],
        knows: [0xa4, 0xa6],
      },
      sign: null,
      maxResponse: EXTENDED_LENGTHS.maxResponse,
    }),
    files: { sod, com, cardSecurity: null, dataGroups: new Map(dataGroups) },
    authority: issued.authority,
    revocationList: writeRevocationList({
      issuer: issued.authorityName,
      issuerKey: authorityPair.privateKey,
      scheme,
      issuedAt: `${now.toISOString().replace(/\D/g, '').slice(2, 14)}Z`,
      serials: [],
    }),
  }
}

/** DG11 with the name in its real letters, in the form SURNAME<<GIVEN<NAMES. */
export function writeDg11(name: string): Buffer {
  return writeTlv(
    0x6b,
    writeTlv(0x5c, Buffer.from('5f0e', 'hex')),
    writeTlv(0x5f0e, Buffer.from(name, 'utf8')),
  )
}

function makeKey(mrz: readonly string[]) {
  const fields = readMrzFields(mrz)
  const [key] = fields === null ? [] : listMrzKeys(fields)
  if (!key) throw new TypeError('the specimen has no MRZ')
  return makeMrzKey(key)
}

const toTitle = (text: string): string =>
  text.replace(/\p{L}+/gu, (word) => word[0] + word.slice(1).toLowerCase())
