/**
 * `bench-outline-features`: writes the training data of the outline weights (models/document/fit_outline.py): the
 * features of every candidate on rendered scenes with and without a document, and how well it covers the true outline.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { writeFileWhole } from '../../../files/write-file.ts'
import { renderNegative, renderScene } from '../../specimen/scenes/scene.ts'
import { searchOutline } from '../../../vision/documents/outline/locate-outline.ts'
import { createNetworkProposer, type NetworkProposer } from '../../../vision/documents/outline/network.ts'
import { FEATURES } from '../../../vision/documents/outline/score-quad.ts'
import { decodeImage } from '../../../vision/image.ts'
import { readManifest } from '../../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../../vision/packs.ts'
import type { Quad } from '../../../vision/protocol.ts'
import { openSessions, listSessions } from '../../../vision/sessions.ts'
import { endBench } from '../labelled-data.ts'
import { quadIou } from './score.ts'

const HELP = `bench-outline-features: renders scenes and writes the features of every proposed document outline

  --out FILE    JSON file (default out/outline-features.json): names of the features; per candidate: scene, proposer, overlap with the truth, features
  --scenes N    number of scenes with a document; a third as many without one are added   (default 150)
  --seed S      the first seed; scene n takes S + n                                         (default 40000)
  --help        this text

Example: npm run bench:outline-features -- --scenes 50
`

/** One candidate of a scene. `iou` is 0 on a scene without a document. */
interface Row {
  readonly scene: string
  readonly foundBy: string
  readonly iou: number
  readonly features: readonly number[]
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      out: { type: 'string', default: 'out/outline-features.json' },
      scenes: { type: 'string', default: '150' },
      seed: { type: 'string', default: '40000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [scenes, seed] = [values.scenes, values.seed].map(Number)
  if (!Number.isInteger(scenes) || !Number.isInteger(seed)) {
    process.stderr.write('--scenes and --seed take whole numbers; see --help\n')
    return 2
  }
  const rows = await collect(scenes, seed)
  if (rows.length === 0) return endBench(0)
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileWhole(values.out, JSON.stringify({ features: FEATURES, rows }))
  process.stdout.write(
    `${rows.length} candidates of scenes ${seed} to ${seed + scenes - 1} in ${values.out}\n`,
  )
  return endBench(rows.length)
}

async function collect(scenes: number, seed: number): Promise<Row[]> {
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir())
  const sessions = await openSessions(manifest, defaultModelsDir(), ['core'])
  const network = createNetworkProposer(listSessions(sessions, 'document-locator')[0])
  const rows: Row[] = []
  for (let i = 0; i < scenes; i++) {
    const { jpeg, truth } = await renderScene({ seed: seed + i })
    rows.push(...(await listCandidates(jpeg, `d${seed + i}`, [truth.quad, ...truth.alsoRight], network)))
    if (i % 3 !== 0) continue
    const without = await renderNegative(seed + i)
    rows.push(...(await listCandidates(without.jpeg, `n${seed + i}`, [], network)))
  }
  return rows
}

async function listCandidates(
  jpeg: Uint8Array,
  scene: string,
  truths: readonly Quad[],
  network: NetworkProposer,
): Promise<Row[]> {
  const { raster } = await decodeImage(jpeg)
  const { candidates } = searchOutline(raster, await network.propose(raster))
  return candidates.map(({ refined, foundBy, features }) => ({
    scene,
    foundBy,
    iou: Math.max(0, ...truths.map((truth) => quadIou(refined.quad, truth))),
    features,
  }))
}
