/** Makes the files of one specimen document from a portrait: page, photograph and truth. */
import { join } from 'node:path'
import { makePlainFolder } from '../../../files/folder.ts'
import { writeFileWhole } from '../../../files/write-file.ts'
import { isoDate, inventHolder } from './holder.ts'
import type { HolderOptions, PassportFacts } from './holder.ts'
import { MRZ } from './layout.ts'
import { renderPage } from './page.ts'
import { PHOTO, photographPage } from './photograph.ts'

/** The page is photographed at about 350 dpi, so its source must be finer. */
const PHOTO_SOURCE_DPI = 400

export interface SpecimenTruth {
  readonly note: string
  readonly seed: number
  readonly mrz: readonly string[]
  readonly fields: Readonly<Record<string, string>>
  readonly photo: {
    readonly width: number
    readonly height: number
    /** Data page: top left, top right, bottom right, bottom left. */
    readonly corners: readonly (readonly [number, number])[]
    readonly characterPitchPx: number
  }
}

const SPECIMEN_NOTE =
  'SPECIMEN. Issuer UTO (Utopia). Holder, number and dates are invented; the document has no legal value.'

function truthFields(facts: PassportFacts): Record<string, string> {
  return {
    documentCode: facts.documentCode,
    issuingState: facts.issuingState,
    documentNumber: facts.documentNumber,
    surname: facts.surname,
    givenNames: facts.givenNames.join(' '),
    nationality: facts.nationality,
    birthDate: isoDate(facts.birthDate),
    sex: facts.sex,
    birthPlace: facts.birthPlace,
    issueDate: isoDate(facts.issueDate),
    expiryDate: isoDate(facts.expiryDate),
    authority: facts.authority,
  }
}

export const DOCUMENT_FILES = {
  page: 'passport-page.png',
  photo: 'passport-photo.jpg',
  truth: 'truth.json',
} as const

/**
 * Writes passport-page.png, passport-photo.jpg and truth.json into `folder`, readable only by their owner because they
 * show the face. `portrait`: an encoded, cropped picture. Throws `file_refused` for a folder that holds links or special
 * files.
 */
export async function writeSpecimenDocument(
  portrait: Uint8Array,
  folder: string,
  holder: HolderOptions,
): Promise<SpecimenTruth> {
  const facts = inventHolder(holder)
  const { seed } = holder
  const page = await renderPage({ facts, portrait, seed })
  const source = await renderPage({ facts, portrait, seed, dpi: PHOTO_SOURCE_DPI })
  const photo = await photographPage(source, seed, MRZ.pitch)
  const round = (n: number) => Math.round(n * 10) / 10
  const truth: SpecimenTruth = {
    note: SPECIMEN_NOTE,
    seed,
    mrz: facts.mrz,
    fields: truthFields(facts),
    photo: {
      ...PHOTO,
      corners: photo.corners.map(([x, y]) => [round(x), round(y)] as const),
      characterPitchPx: round(photo.characterPitchPx),
    },
  }
  await makePlainFolder(folder)
  writeFileWhole(join(folder, DOCUMENT_FILES.page), page)
  writeFileWhole(join(folder, DOCUMENT_FILES.photo), photo.jpeg)
  writeFileWhole(join(folder, DOCUMENT_FILES.truth), `${JSON.stringify(truth, null, 2)}\n`)
  return truth
}
