/**
 * The chip of the bundled specimen person: the files that a reader would read, signed by an authority that is made on the spot, and what
 * an administrator imports to trust it.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeTlv } from '../../../chip/tlv.ts'
import { RESOURCES_DIR } from '../../../config/resources.ts'
import type { ChipFiles } from '../../../proofing/chip-files.ts'
import { issueSigner, makeScheme, writeRevocationList } from './chip-issuer.ts'
import { writeDg2, writeFaceRecord } from './portrait-files.ts'
import { writeMrz } from './profiles.ts'
import { writeEfCom, writeSod } from './signed-files.ts'

const FOLDER = join(RESOURCES_DIR, 'specimens', 'alba')
const Truth = z.object({
  mrz: z.array(z.string()),
  fields: z.object({ surname: z.string(), givenNames: z.string() }),
})

export interface SpecimenChip {
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
  const groups = {
    1: writeMrz(mrz),
    2: writeDg2(writeFaceRecord(readFileSync(join(FOLDER, 'portrait.jpg')))),
    11: writeDg11(`${toTitle(fields.surname)}<<${toTitle(fields.givenNames).replaceAll(' ', '<')}`),
  }
  const sod = writeSod(groups, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
    scheme,
  })
  return {
    files: {
      sod,
      com: writeEfCom(...Object.keys(groups).map(Number)),
      cardSecurity: null,
      dataGroups: new Map(Object.entries(groups).map(([number, file]) => [Number(number), file])),
    },
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

const toTitle = (text: string): string =>
  text.replace(/\p{L}+/gu, (word) => word[0] + word.slice(1).toLowerCase())
