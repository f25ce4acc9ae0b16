/** Pictures of bench:authenticity: three kinds of genuine ones, and forgeries rendered species by species. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DESIGNS } from '../../specimen/documents/render.ts'
import type { SpecimenKind } from '../../specimen/documents/layout.ts'
import {
  renderGenuine,
  DOCUMENT_PAI_SPECIES,
  type DocumentPaiSpecies,
} from '../../specimen/forgeries/species.ts'
import { renderScene } from '../../specimen/scenes/scene.ts'

export interface Sample {
  readonly name: string
  /** `genuine`, `set-aside`, or the name of the species. */
  readonly species: string
  readonly source: 'rendered' | 'scenes' | 'specimens' | 'photographs'
  /** True if the check digits were printed correctly, so that a failure on the unrepaired reading is a false alarm. */
  readonly checkDigitsValid: boolean | null
  picture(): Promise<Uint8Array>
}

/**
 * Pictures of the manifest that are not a photograph or scan of a document in OCR-B, each with the reason. They are
 * measured and reported but count in no rate.
 */
export const SET_ASIDE: Readonly<Record<string, string>> = {
  'fm_nomrz.jpg': 'a payment card',
  'um_Passport-France_1200x864.jpg': 'the cover of a passport',
  'pe_77_card-cmw.png': 'a drawing in black, its zone in another font',
  'yx_id_card_smith.png': 'a drawing without colour, its zone in another font',
  'yx_passport_eriksson.png': 'a drawing without colour, its zone in another font',
}

const SPECIMENS = fileURLToPath(new URL('../../../../resources/specimens/', import.meta.url))

export function genuineSamples(seed: number, count: number): Sample[] {
  const rendered = Array.from({ length: count }, (_, i): Sample => ({
    name: `genuine-${seed + i}`,
    species: 'genuine',
    source: 'rendered',
    checkDigitsValid: true,
    picture: () => renderGenuine(seed + i),
  }))
  const specimens = readdirSync(SPECIMENS)
    .filter((person) => existsSync(join(SPECIMENS, person, 'passport-photo.jpg')))
    .map((person): Sample => ({
      name: `${person}/passport-photo.jpg`,
      species: 'genuine',
      source: 'specimens',
      checkDigitsValid: true,
      picture: async () => readFileSync(join(SPECIMENS, person, 'passport-photo.jpg')),
    }))
  return [...rendered, ...specimens]
}

/** Every side with an MRZ or a portrait, of all documents that have an MRZ. */
const SIDES: readonly (readonly [SpecimenKind, sideIndex: number])[] = (
  Object.entries(DESIGNS) as [SpecimenKind, (typeof DESIGNS)[SpecimenKind]][]
).flatMap(([kind, { sides }]) =>
  sides.some(({ zone }) => zone)
    ? sides.flatMap(({ zone, portrait }, i) => (zone || portrait ? [[kind, i] as const] : []))
    : [],
)

/** Documents of every kind with an MRZ as a telephone photographs them: tilted, held, lit from one side, blurred. */
export function genuineScenes(seed: number, count: number): Sample[] {
  return Array.from({ length: count }, (_, i) => {
    const [kind, sideIndex] = SIDES[i % SIDES.length]
    return {
      name: `scene-${kind}-${seed + i}`,
      species: 'genuine',
      source: 'scenes',
      checkDigitsValid: true,
      picture: async () => (await renderScene({ seed: seed + i, kind, sideIndex })).jpeg,
    }
  })
}

/** Pictures from the manifest of bench:mrz. */
export function photographs(manifest: string, images: string): Sample[] {
  const [header = '', ...rows] = readFileSync(manifest, 'utf8')
    .split(/\r?\n/)
    .filter((row) => row !== '')
  const columns = header.split('\t')
  return rows.map((row): Sample => {
    const cell = (name: string) => row.split('\t')[columns.indexOf(name)] ?? ''
    const name = cell('file')
    return {
      name,
      species: name in SET_ASIDE ? 'set-aside' : 'genuine',
      source: 'photographs',
      checkDigitsValid: cell('check_digits_valid_on_document') === 'True',
      picture: async () => readFileSync(join(images, name)),
    }
  })
}

/** Goes through all species seed by seed, so that a run that ends early has tried every species. */
export function forgeries(seed: number, count: number, only?: string): Sample[] {
  const chosen = DOCUMENT_PAI_SPECIES.filter(({ name }) => only === undefined || name.includes(only))
  return Array.from({ length: count }, (_, i) => chosen.map((species) => forgery(species, seed + i))).flat()
}

const forgery = (species: DocumentPaiSpecies, seed: number): Sample => ({
  name: `${species.name}-${seed}`,
  species: species.name,
  source: 'rendered',
  checkDigitsValid: null,
  picture: () => species.render(seed),
})
