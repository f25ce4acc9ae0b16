/**
 * Loads the subjects before the simulated camera: people from a folder of photographs (one folder each) and the specimen
 * persons, split by person into a set for choosing limits and an unseen one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { RESOURCES_DIR } from '../../../config/resources.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import { seat, type Random, type HeadModel } from '../../specimen/liveness/head-model.ts'
import { qualityThresholds } from '../../../verification/thresholds.ts'
import { measureAppearance } from '../../../vision/faces/appearance.ts'
import { createDetector } from '../../../vision/faces/detect.ts'
import { measureMesh, type FaceMesh } from '../../../vision/faces/mesh.ts'
import { stateOfMesh } from '../../../vision/faces/pose.ts'
import { decodeImage } from '../../../vision/image.ts'
import { headWidth } from '../../../vision/liveness/mesh-points.ts'
import { boxAround, type Raster } from '../../../vision/raster.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'

export const PEOPLE_SETS = ['dev', 'test', 'all'] as const
export type PeopleSet = (typeof PEOPLE_SETS)[number]

export interface Photograph {
  readonly picture: Raster
  readonly mesh: FaceMesh
}

export interface Person {
  /** A running number, because no name leaves this file. */
  readonly id: number
  readonly photographs: readonly Photograph[]
}

/** Splits people into the two sets; another seed would mix seen and unseen people. */
export const SPLIT_SEED = 6
/** The message of a bench without a folder of photographs. */
export const SPECIMENS_ALONE = 'the specimen persons alone are drawn'
const MAX_PHOTOGRAPHS = 4
/** Smaller or less certain faces give unusable textures. */
const MIN_CONFIDENCE = 0.9
const MIN_HEAD_PX = 80
/**
 * Only photographs that look into the camera are used: an attacker prints such a picture, and the simulation turns a
 * live head straight in any case.
 */
const MAX_TURNED_DEG = 9
const MAX_LEANT_DEG = 12
/** Scales photographs to one size, so that none is accidentally drawn larger than life. */
const HEAD_PX = 260

interface Album {
  readonly files: readonly string[]
}

export async function loadPeople(
  sessions: Sessions,
  facesDir: string | null,
  set: PeopleSet,
): Promise<readonly Person[]> {
  const albums = [...listAlbums(facesDir), ...specimenAlbums()]
  const people: Person[] = []
  for (const [id, { files }] of albums.entries()) {
    if (!isIn(set, id, facesDir === null ? 0 : albums.length - SPECIMENS)) continue
    const photographs = await selectPhotographs(sessions, files)
    if (photographs.length > 0) people.push({ id, photographs })
  }
  return people
}

/** Every session has its own head: depth, nose and cheeks are drawn each time. */
export function seatPerson(person: Person, random: Random): HeadModel {
  const { picture, mesh } = person.photographs[Math.floor(random() * person.photographs.length)]
  return seat(picture, mesh, random)
}

/** Each set has half of the real and half of the drawn people. */
function isIn(set: PeopleSet, id: number, real: number): boolean {
  if (set === 'all') return true
  const [first, count] = id < real ? [0, real] : [real, SPECIMENS]
  const order = shuffled(
    Array.from({ length: count }, (_, i) => first + i),
    createRandom(SPLIT_SEED + first),
  )
  return order.indexOf(id) < count / 2 === (set === 'dev')
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j], mixed[i]]
  }
  return mixed
}

function listAlbums(facesDir: string | null): Album[] {
  if (facesDir === null) return []
  return readdirSync(facesDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({
      files: readdirSync(join(facesDir, name))
        .sort()
        .map((file) => join(facesDir, name, file)),
    }))
}

const SPECIMENS_DIR = join(RESOURCES_DIR, 'specimens')
const PERSONS = (
  JSON.parse(readFileSync(join(SPECIMENS_DIR, 'index.json'), 'utf8')) as {
    readonly persons: readonly { readonly portrait: string; readonly live: string }[]
  }
).persons
const SPECIMENS = PERSONS.length

function specimenAlbums(): Album[] {
  return PERSONS.map(({ portrait, live }) => ({
    files: [portrait, live].map((file) => join(SPECIMENS_DIR, file)),
  }))
}

/** Usable photographs: one straight, uncovered face in each, scaled to one size. */
export async function selectPhotographs(sessions: Sessions, files: readonly string[]): Promise<Photograph[]> {
  const [mesher] = listSessions(sessions, 'face-mesh')
  const detect = createDetector(listSessions(sessions, 'face-detector')[0], mesher)
  const found: Photograph[] = []
  for (const file of files) {
    if (found.length === MAX_PHOTOGRAPHS) break
    const bytes = readFileSync(file)
    // Some photographs are grey, but a camera's picture has three colours.
    const { raster } = await decodeImage(await sharp(bytes).toColourspace('srgb').jpeg().toBuffer())
    const [face] = await detect(raster)
    if (!face) continue
    const mesh = await measureMesh(mesher, raster, face)
    const width = headWidth(mesh.points)
    if (mesh.confidence < MIN_CONFIDENCE || width < MIN_HEAD_PX || !isStraight(mesh)) continue
    if (!isSeenWell(raster, mesh)) continue
    found.push(await enlarged(bytes, raster, mesh, HEAD_PX / width))
  }
  return found
}

function isStraight({ points }: FaceMesh): boolean {
  const { yawDeg, rollDeg } = stateOfMesh(points)
  return Math.abs(yawDeg) <= MAX_TURNED_DEG && Math.abs(rollDeg) <= MAX_LEANT_DEG
}

/** Faces behind dark glasses or half in the dark are skipped: the session would only ask for the whole face or for even light, and wait. */
function isSeenWell(raster: Raster, { points }: FaceMesh): boolean {
  const { occludedShare, illuminationUniformity } = measureAppearance(raster, points, boxAround(points))
  const { portraitMaximumOccludedShare, portraitMinimumIlluminationUniformity } = qualityThresholds()
  return (
    (occludedShare ?? 0) <= portraitMaximumOccludedShare &&
    (illuminationUniformity ?? 1) >= portraitMinimumIlluminationUniformity
  )
}

async function enlarged(bytes: Buffer, raster: Raster, mesh: FaceMesh, times: number): Promise<Photograph> {
  const size = { width: Math.round(raster.width * times) }
  const larger = await sharp(bytes).toColourspace('srgb').resize(size).jpeg({ quality: 95 }).toBuffer()
  const points = mesh.points.map(({ x, y, z }) => ({ x: x * times, y: y * times, z: z * times }))
  return { picture: (await decodeImage(larger)).raster, mesh: { ...mesh, points } }
}
