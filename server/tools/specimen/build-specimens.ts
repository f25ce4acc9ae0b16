/**
 * Renders resources/specimens from the recipes: every person's portraits, labels, passport and the index. Takes about ten
 * seconds of processor time per picture. Never runs in the product, because the pictures are committed.
 */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { HeadIdentity } from './head/identity.ts'
import { renderHead } from './head/render.ts'
import type { RenderedHead } from './head/render.ts'
import { centreCrop, cropPortrait } from './passport/portrait.ts'
import { photographNothing } from './passport/photograph.ts'
import { DOCUMENT_FILES, writeSpecimenDocument } from './passport/specimen-document.ts'
import { SHOTS } from './views.ts'
import type { Shot } from './views.ts'

export const SPECIMENS_FOLDER = fileURLToPath(new URL('../../../resources/specimens/', import.meta.url))
const JPEG_QUALITY = 90
/** A recipe's age, 0–1, in years, counted back from 2026. */
const YOUNGEST = 24
const AGE_SPAN = 44
const TODAY_YEAR = 2026
const NOTHING_SEED = 7

export interface SpecimenRecipe {
  /** Folder name. */
  readonly id: string
  /** Seed of the passport's holder. */
  readonly holderSeed: number
  readonly head: HeadIdentity
}

/**
 * Angles as the product's face mesh states them (server/vision/faces/pose.ts): yaw positive when the face turns to the
 * picture's left, pitch positive when it looks down, roll positive when it leans clockwise. Landmarks in pixels.
 */
export interface ShotLabel {
  readonly file: string
  readonly width: number
  readonly height: number
  readonly yawDeg: number
  readonly pitchDeg: number
  readonly rollDeg: number
  readonly distanceCm: number
  readonly eyesOpen: boolean
  readonly landmarks: Readonly<Record<string, readonly number[]>>
}

function buildLabel(shot: Shot, rendered: RenderedHead): ShotLabel {
  const { pose, camera, expression } = shot.view
  // `0 - x` instead of `-x` avoids a negative zero in the file.
  return {
    file: `${shot.name}.jpg`,
    width: rendered.width,
    height: rendered.height,
    yawDeg: 0 - pose.yawDeg,
    pitchDeg: 0 - pose.pitchDeg,
    rollDeg: 0 - pose.rollDeg,
    distanceCm: camera.distanceCm,
    eyesOpen: expression.lids > 0.5,
    landmarks: Object.fromEntries(
      Object.entries(rendered.landmarks).map(([name, point]) => [
        name,
        point.map((v) => Math.round(v * 10) / 10),
      ]),
    ),
  }
}

export async function readRecipes(folder = SPECIMENS_FOLDER): Promise<SpecimenRecipe[]> {
  const recipes = join(folder, 'recipes')
  const files = (await readdir(recipes)).filter((file) => file.endsWith('.json')).sort()
  return Promise.all(
    files.map(async (file) => {
      const { holderSeed, head } = JSON.parse(await readFile(join(recipes, file), 'utf8')) as Omit<
        SpecimenRecipe,
        'id'
      >
      return { id: basename(file, '.json'), holderSeed, head }
    }),
  )
}

interface BuildOptions {
  readonly folder?: string
  /** Persons by id; all by default. */
  readonly only?: readonly string[]
  /** Shots by name; all by default. Labels of the others are kept. */
  readonly shots?: readonly string[]
  readonly report?: (line: string) => void
}

async function buildPerson(recipe: SpecimenRecipe, folder: string, options: BuildOptions): Promise<void> {
  const own = join(folder, recipe.id)
  await mkdir(own, { recursive: true })
  const labels = new Map((await readLabels(own)).map((label) => [label.file, label]))
  for (const shot of SHOTS) {
    if (options.shots && !options.shots.includes(shot.name)) continue
    const rendered = renderHead(recipe.head, shot.view, shot.size)
    const { width, height, pixels } = rendered
    const label = buildLabel(shot, rendered)
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
      .toFile(join(own, label.file))
    labels.set(label.file, label)
    options.report?.(`${recipe.id}/${label.file}`)
  }
  const ordered = SHOTS.flatMap((shot) => labels.get(`${shot.name}.jpg`) ?? [])
  await writeFile(join(own, 'labels.json'), `${JSON.stringify(ordered, null, 1)}\n`)
  const picture = await readFile(join(own, 'portrait.jpg'))
  const portrait = await cropPortrait(picture, centreCrop(480, 600))
  const { sex, age } = recipe.head
  const birthYear = TODAY_YEAR - Math.round(YOUNGEST + AGE_SPAN * age)
  await writeSpecimenDocument(portrait, own, { seed: recipe.holderSeed, sex, birthYear })
  options.report?.(`${recipe.id}/${DOCUMENT_FILES.photo}`)
}

async function readLabels(folder: string): Promise<ShotLabel[]> {
  try {
    return JSON.parse(await readFile(join(folder, 'labels.json'), 'utf8')) as ShotLabel[]
  } catch {
    return []
  }
}

export async function buildSpecimens(options: BuildOptions = {}): Promise<string[]> {
  const folder = options.folder ?? SPECIMENS_FOLDER
  const recipes = await readRecipes(folder)
  const chosen = recipes.filter(({ id }) => !options.only || options.only.includes(id))
  for (const recipe of chosen) await buildPerson(recipe, folder, options)
  await writeFile(join(folder, 'nothing.jpg'), await photographNothing(NOTHING_SEED))
  const index = {
    note: 'Rendered by server/tools/specimen from the recipes. No picture shows a real human or a real document.',
    nothing: 'nothing.jpg',
    persons: recipes.map(({ id, head }) => ({
      id,
      sex: head.sex,
      portrait: `${id}/portrait.jpg`,
      live: `${id}/live.jpg`,
      passportPage: `${id}/${DOCUMENT_FILES.page}`,
      passportPhoto: `${id}/${DOCUMENT_FILES.photo}`,
      truth: `${id}/${DOCUMENT_FILES.truth}`,
      labels: `${id}/labels.json`,
      poses: SHOTS.slice(2).map(({ name }) => `${id}/${name}.jpg`),
    })),
  }
  await writeFile(join(folder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`)
  return chosen.map(({ id }) => id)
}
