/**
 * Renders data for benches on a machine without labelled data, in the form of the labelled sets. The same seed renders
 * the same set. Never a substitute for real pictures, because the product's rules were tried on this generator.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RESOURCES_DIR } from '../../config/resources.ts'
import { buildAamva } from '../specimen/aamva.ts'
import { inventCard, truthDate, type CardFacts } from '../specimen/documents/card-facts.ts'
import type { SpecimenKind } from '../specimen/documents/layout.ts'
import { plainSpelling } from '../specimen/documents/person.ts'
import { DESIGNS } from '../specimen/documents/render.ts'
import { renderNegative, renderScene } from '../specimen/scenes/scene.ts'
import type { LabelledData } from './labelled-data.ts'

const KINDS = Object.keys(DESIGNS) as SpecimenKind[]
/** Every kind with an MRZ, and the side that has it. */
const ZONES = KINDS.flatMap((kind) =>
  DESIGNS[kind].sides.flatMap(({ zone }, sideIndex) => (zone ? [{ kind, sideIndex }] : [])),
)
const BARCODES = KINDS.flatMap((kind) =>
  DESIGNS[kind].sides.flatMap(({ barcode }, sideIndex) => (barcode ? [{ kind, sideIndex }] : [])),
)
/** One scene in this many shows no document. */
const NEGATIVE_EVERY = 8
export const RENDERED_MRZS = 16
export const RENDERED_BARCODES = 12

/** Scenes with the MRZ fully visible, of all kinds in turn, and a few without a document. */
export async function renderMrzSet(folder: string, seed: number): Promise<LabelledData> {
  const rows = ['file\tformat\tmrz_lines_joined_by_|']
  for (let next = seed; rows.length <= RENDERED_MRZS; next++) {
    const file = `${next}.jpg`
    if (rows.length % NEGATIVE_EVERY === 0) {
      writeFileSync(join(folder, file), (await renderNegative(next)).jpeg)
      rows.push(`${file}\tNONE\t`)
      continue
    }
    const { jpeg, truth } = await renderScene({ seed: next, ...ZONES[rows.length % ZONES.length] })
    if (truth.zone === null || !truth.isMrzVisible) continue
    writeFileSync(join(folder, file), jpeg)
    rows.push(`${file}\t${truth.zone.format}\t${truth.zone.lines.join('|')}`)
  }
  return writeManifest(folder, rows)
}

/** Scenes with the barcode fully visible, each with its text. */
export async function renderBarcodes(folder: string, seed: number): Promise<LabelledData> {
  const rows = ['file\ttruth_file']
  for (let next = seed; rows.length <= RENDERED_BARCODES; next++) {
    const { jpeg, truth } = await renderScene({ seed: next, ...BARCODES[rows.length % BARCODES.length] })
    if (truth.barcode === null || !truth.isBarcodeVisible) continue
    writeFileSync(join(folder, `${next}.jpg`), jpeg)
    writeFileSync(join(folder, `${next}.txt`), truth.barcode.text)
    rows.push(`${next}.jpg\t${next}.txt`)
  }
  return writeManifest(folder, rows)
}

/** Copies the bundled photographs of the specimen persons, because rendering a head takes ten seconds. */
export function copySpecimenFaces(folder: string): LabelledData {
  const specimens = join(RESOURCES_DIR, 'specimens')
  const { persons } = JSON.parse(readFileSync(join(specimens, 'index.json'), 'utf8')) as {
    readonly persons: readonly { readonly id: string }[]
  }
  const rows = ['file\tperson']
  for (const { id } of persons) {
    const photographs = readdirSync(join(specimens, id)).filter(
      (file) => file.endsWith('.jpg') && !file.startsWith('passport'),
    )
    for (const file of photographs.sort()) {
      cpSync(join(specimens, id, file), join(folder, `${id}-${file}`))
      rows.push(`${id}-${file}\t${id}`)
    }
  }
  return writeManifest(folder, rows)
}

/** Issuer numbers from the standard's list, because the reader refuses cards of a jurisdiction that does not exist. */
const ISSUERS = {
  USA: { iin: '636000', state: 'VA' },
  CAN: { iin: '636012', state: 'ON' },
} as const

/**
 * Writes one card text of an invented person for every version of the standard and both countries; returns the folder.
 */
export function writeAamvaTexts(folder: string, seed: number): string {
  for (let version = 1; version <= 10; version++)
    for (const country of ['USA', 'CAN'] as const) {
      const facts = inventCard(seed + version, 'licence-letters', 5)
      writeFileSync(join(folder, `${country}-version-${version}.txt`), buildText(facts, country, version))
    }
  return folder
}

function buildText({ holder, ...facts }: CardFacts, country: 'USA' | 'CAN', version: number): string {
  const { street, city, postcode } = holder.address
  const { iin, state } = ISSUERS[country]
  return buildAamva(
    {
      iin,
      country,
      jurisdiction: state,
      kind: 'DRIVING_LICENSE',
      documentNumber: facts.documentNumber,
      surname: plainSpelling(holder.surname),
      givenNames: holder.givenNames.map(plainSpelling),
      birthDate: truthDate({ ...holder.birthDate, day: holder.birthDate.day ?? 1 }),
      issueDate: truthDate(facts.issueDate),
      expiryDate: truthDate(facts.expiryDate),
      sex: holder.sex,
      address: { streetLines: [street], city: plainSpelling(city), state, postcode },
    },
    version,
  )
}

function writeManifest(folder: string, rows: readonly string[]): LabelledData {
  const manifest = join(folder, 'manifest.tsv')
  writeFileSync(manifest, `${rows.join('\n')}\n`)
  return { manifest, images: folder }
}
