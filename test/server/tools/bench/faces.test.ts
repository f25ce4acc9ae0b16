import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { benchFaces } from '../../../../server/tools/bench/faces.ts'
import { main } from '../../../../server/cli.ts'
import { defaultModelsDir } from '../../../../server/vision/packs.ts'
import { sharedData } from '../../../support/shared-data.ts'

const faces = sharedData('faces')

test.skipIf(faces === null)(
  'unreadable and missing files count as failures to enrol, and pairs are counted without them',
  async () => {
    const row = (person: string, number: number) => ({
      person,
      file: `${person}/${person}_000${number}.jpg`,
      sha256: null,
    })
    const folder = await mkdtemp(join(tmpdir(), 'counterproof-bench-'))
    try {
      await writeFile(join(folder, 'broken.jpg'), 'no picture')
      const report = await benchFaces({
        rows: [
          row('Colin_Powell', 1),
          row('Colin_Powell', 2),
          row('Tony_Blair', 1),
          { person: 'Tony_Blair', file: relative(faces ?? '', join(folder, 'broken.jpg')), sha256: null },
          { person: 'Tony_Blair', file: 'absent.jpg', sha256: null },
        ],
        imagesDir: faces ?? '',
        packs: ['core'],
        modelsDir: defaultModelsDir(),
      })
      expect(report).toMatchObject({
        people: 2,
        images: 5,
        fte: 2,
        genuine: 1,
        impostor: 2,
        fnmrAtFmr: { '1e-2': 0, '1e-3': 0 },
        fmrAtOperatingPoint: 0,
        fnmrAtOperatingPoint: 0,
        idSim: { fte: 2, genuine: 2, impostor: 4 },
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)

test('wrong calls are distinguished from results by the exit code', async () => {
  expect(await main(['bench-faces', '--packs', 'some'])).toBe(2)
  expect(await main(['bench-faces', '--manifest', '/nowhere/faces.tsv'])).toBe(2)
})
