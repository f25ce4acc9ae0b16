/** Chips for the holder of the scripted passport: files signed by an authority made on the spot. */
import { buildTd3 } from '../../server/proofing/mrz/build.ts'
import type { MrzContents } from '../../server/proofing/mrz/build.ts'
import type { ChipFiles } from '../../server/proofing/chip-files.ts'
import { importTrustFile } from '../../server/trust/import-file.ts'
import { readTrustFile } from '../../server/trust/trust-file.ts'
import { writeTlv } from '../../server/chip/tlv.ts'
import {
  issueSigner,
  makeScheme,
  writeRevocationList,
  type IssuedSigner,
} from '../../server/tools/simulator/chip/chip-issuer.ts'
import { EXTENDED_LENGTHS } from '../../server/tools/simulator/chip/card.ts'
import { makeDocument, writeMrz, type SimulatedDocument } from '../../server/tools/simulator/chip/profiles.ts'
import { writeDg2, writeFaceRecord } from '../../server/tools/simulator/chip/portrait-files.ts'
import { writeDg11 } from '../../server/tools/simulator/chip/specimen-chip.ts'
import { writeEfCom, writeSod } from '../../server/tools/simulator/chip/signed-files.ts'
import { generateKeyPairSync } from 'node:crypto'
import type { Store } from '../../server/store/open.ts'
import { chipPicture, HOLDER } from '../server/app/scripted-vision.ts'

const authorityPair = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const scheme = makeScheme('ecdsa', 'sha256')

export const UTOPIA: IssuedSigner = issueSigner({ authorityPair, signerCurve: 'P-256' })
/** An authority of the same name, which no list contains. */
export const ROGUE: IssuedSigner = issueSigner({ signerCurve: 'P-256' })

/** `face`: null writes bytes that are no portrait. */
export interface ChipOptions {
  readonly holder?: Partial<MrzContents>
  readonly face?: string | null
  readonly issued?: IssuedSigner
  /** DG11, with the name in real letters. */
  readonly name?: string
  readonly more?: Readonly<Record<number, Uint8Array>>
  /** Changes the groups after they were signed. */
  readonly change?: (groups: Record<number, Uint8Array>) => void
}

export function aChip(options: ChipOptions = {}): ChipFiles {
  const { holder = {}, face = 'A', issued = UTOPIA, name, more = {}, change } = options
  const lines = buildTd3({ ...HOLDER, ...holder })
  const groups: Record<number, Uint8Array> = {
    1: writeTlv(0x61, writeTlv(0x5f1f, Buffer.from(lines.join('')))),
    2: writeDg2(
      writeFaceRecord(chipPicture(face === null ? { shows: 'garbage' } : { shows: 'person', face })),
    ),
    ...more,
  }
  if (name !== undefined) groups[11] = writeDg11(name)
  const sod = writeSod(groups, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
    scheme,
  })
  change?.(groups)
  return {
    sod,
    com: writeEfCom(...Object.keys(groups).map(Number)),
    cardSecurity: null,
    dataGroups: new Map(Object.entries(groups).map(([number, file]) => [Number(number), file])),
  }
}

/** Trusts the authority of Utopia; `revoked`: serial numbers on its revocation list, null for no list. */
export function trustUtopia(store: Store, at: Date, revoked: readonly string[] | null = []): void {
  const people = { by: 'Ada', confirmedBy: 'Ben' }
  const take = (bytes: Uint8Array) =>
    importTrustFile(store, readTrustFile(bytes), people, at, { actor: 'operator' })
  take(UTOPIA.authority)
  if (revoked === null) return
  const issuedAt = `${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`
  take(
    writeRevocationList({
      issuer: UTOPIA.authorityName,
      issuerKey: authorityPair.privateKey,
      scheme,
      issuedAt,
      serials: revoked,
    }),
  )
}

/** The whole chip of that passport, with its protocols. */
export function makeChip(
  profile: 'eac' | 'eacaa' | 'eacpace',
  holder: Partial<MrzContents> = {},
  { padding = 0 }: { readonly padding?: number } = {},
): SimulatedDocument {
  const mrz = buildTd3({ ...HOLDER, ...holder })
  const picture = Buffer.concat([chipPicture({ shows: 'person', face: 'A' }), Buffer.alloc(padding)])
  const portrait = writeDg2(writeFaceRecord(picture))
  const { atrInfo, maxResponse } = EXTENDED_LENGTHS
  return makeDocument(profile, {
    mrz,
    // Short blocks of a large file take seconds.
    ...(padding > 0 ? { masterFile: { 0x2f01: atrInfo }, card: { maxResponse } } : {}),
    groups: (groups) => ({ ...groups, 1: writeMrz(mrz), 2: portrait }),
    issue: { country: 'UT' },
  })
}
