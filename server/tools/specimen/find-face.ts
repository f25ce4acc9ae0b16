/** The product's own face tools for the commands and tests of this folder; builds missing core models. */
import { createFaceTools } from '../../vision/faces/tools.ts'
import type { FaceTools } from '../../vision/faces/tools.ts'
import { readManifest } from '../../vision/manifest.ts'
import type { Pack } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { openSessions } from '../../vision/sessions.ts'

/** Throws AppError `configuration_invalid` for a damaged model. */
export async function openFaceTools(packs: readonly Pack[] = ['core']): Promise<FaceTools> {
  const manifest = readManifest()
  const modelsDir = defaultModelsDir()
  await buildCorePack(manifest, modelsDir)
  return createFaceTools(await openSessions(manifest, modelsDir, packs))
}
