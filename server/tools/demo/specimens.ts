/** The bundled specimen persons: rendered by us, they show no real human. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { RESOURCES_DIR } from '../../config/resources.ts'

const Index = z.object({
  persons: z.array(z.object({ id: z.string(), passportPhoto: z.string(), live: z.string() }).loose()).min(1),
})

const FOLDER = join(RESOURCES_DIR, 'specimens')

/** Paths of a specimen's passport photograph and live portrait. */
export interface Specimen {
  readonly document: string
  readonly portrait: string
}

export function listSpecimens(): readonly Specimen[] {
  const { persons } = Index.parse(JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')))
  return persons.map(({ passportPhoto, live }) => ({
    document: join(FOLDER, passportPhoto),
    portrait: join(FOLDER, live),
  }))
}

export const defaultSpecimen = (): Specimen => listSpecimens()[0]
