/** Specimen subjects before a simulated camera, for tests of what is measured on live pictures. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../server/tools/specimen/head/noise.ts'
import { FRAME, type HeadPose, type NoiseLevel } from '../../server/tools/specimen/liveness/camera.ts'
import { seat, type HeadModel } from '../../server/tools/specimen/liveness/head-model.ts'
import { present, type Presentation, type PaiSpecies } from '../../server/tools/specimen/liveness/stage.ts'
import { createDetector } from '../../server/vision/faces/detect.ts'
import { measureMesh } from '../../server/vision/faces/mesh.ts'
import { decodeImage } from '../../server/vision/image.ts'
import type { Raster } from '../../server/vision/raster.ts'
import { readManifest, type Pack } from '../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions, listSessions, type Sessions } from '../../server/vision/sessions.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens')
export const STRAIGHT: HeadPose = { x: 0, y: 1, distance: 45, yawDeg: 0, pitchDeg: 0, rollDeg: 0, jaw: 0 }

const opened = new Map<string, Promise<Sessions>>()

/** The same for all who ask for the same packs: opening them takes longer than most tests that use them. */
export function openNetworks(packs: readonly Pack[] = ['core']): Promise<Sessions> {
  const sessions = opened.get(packs.join()) ?? openPacks(packs)
  opened.set(packs.join(), sessions)
  return sessions
}

async function openPacks(packs: readonly Pack[]): Promise<Sessions> {
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir())
  return openSessions(manifest, defaultModelsDir(), packs)
}

export const specimenPhotograph = (person: string, name: string): Buffer =>
  readFileSync(join(SPECIMENS, person, name))

export async function sit(sessions: Sessions, person: string, seed: number): Promise<HeadModel> {
  const [detector] = listSessions(sessions, 'face-detector')
  const [mesh] = listSessions(sessions, 'face-mesh')
  const { raster } = await decodeImage(specimenPhotograph(person, 'near-40cm.jpg'))
  const [face] = await createDetector(detector, mesh)(raster)
  return seat(raster, await measureMesh(mesh, raster, face), createRandom(seed))
}

export const plainWall = (shade = 128): Raster => ({
  data: new Uint8Array(FRAME.width * FRAME.height * 3).fill(shade),
  width: FRAME.width,
  height: FRAME.height,
})

export function presentHead(
  subjectHead: HeadModel,
  {
    species = 'live',
    wearer = subjectHead,
    noise = 'nominal',
    background = plainWall(),
    seed = 5,
  }: {
    readonly species?: PaiSpecies
    readonly wearer?: HeadModel
    readonly noise?: NoiseLevel
    readonly background?: Raster
    readonly seed?: number
  } = {},
): Presentation {
  return present({ species, subjectHead, wearer, background, noise }, createRandom(seed))
}
