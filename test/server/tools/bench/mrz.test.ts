import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const ALBA = join(ROOT, 'resources', 'specimens', 'alba')

test('a damaged or missing picture counts as not read, and the bench continues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-'))
  try {
    const { mrz } = JSON.parse(readFileSync(join(ALBA, 'truth.json'), 'utf8')) as { mrz: string[] }
    copyFileSync(join(ALBA, 'passport-photo.jpg'), join(folder, 'good.jpg'))
    writeFileSync(join(folder, 'damaged.jpg'), 'no picture')
    const rows = [
      'file\tformat\tmrz_lines_joined_by_|',
      `good.jpg\tTD3\t${mrz.join('|')}`,
      `damaged.jpg\tTD3\t${mrz.join('|')}`,
      'missing.jpg\tNONE\t',
    ]
    writeFileSync(join(folder, 'manifest.tsv'), rows.join('\n'))
    const argv = [
      'bench-mrz',
      '--manifest',
      join(folder, 'manifest.tsv'),
      '--images',
      folder,
      '--packs',
      'core',
      '--json',
    ]
    const { stdout } = spawnSync(process.execPath, [join(ROOT, 'server', 'run.mjs'), ...argv], {
      encoding: 'utf8',
    })
    expect(JSON.parse(stdout)).toMatchObject({
      images: 2,
      exact: 1,
      exactRate: 0.5,
      autoAccepted: 1,
      autoAcceptedWrong: 0,
      cer: 0.5,
      negatives: 1,
      invented: 0,
      unreadable: 2,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
