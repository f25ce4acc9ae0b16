/** Tests the exit codes of benches that measured nothing, and their measurements without labelled data. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { endBench, withLabelledData } from '../../../../server/tools/bench/labelled-data.ts'

const RUN = join(import.meta.dirname, '..', '..', '..', '..', 'server', 'run.mjs')

/** The working directory of the command: `../shared/data` is the usual place beside it. */
let repository: string
let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'counterproof-bench-'))
  repository = join(parent, 'repository')
  mkdirSync(repository)
})
afterEach(() => {
  rmSync(parent, { recursive: true, force: true })
})

function runBench(...argv: string[]) {
  return spawnSync(process.execPath, [RUN, ...argv], { encoding: 'utf8', cwd: repository })
}

describe('the exit status of a bench', () => {
  test('is 2 when nothing was measured, whatever else it says', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect([endBench(0), endBench(0, true), endBench(0, false)]).toEqual([2, 2, 2])
    expect(write).toHaveBeenCalledWith('nothing was measured\n')
    write.mockRestore()
  })

  test('is 0 when what was measured keeps its promise, and 1 when it does not', () => {
    expect([endBench(1), endBench(1, true), endBench(1, false)]).toEqual([0, 0, 1])
  })
})

describe('a bench ends with 2', () => {
  test.each(['bench-mrz', 'bench-pdf417', 'bench-faces', 'bench-documents'])(
    '%s, when the manifest that it is given does not exist',
    (name) => {
      const { status, stderr } = runBench(name, '--manifest', join(parent, 'missing.tsv'))
      expect(status).toBe(2)
      expect(stderr).toContain(`${join(parent, 'missing.tsv')} does not exist: nothing was measured`)
    },
  )

  test('when the pictures of its manifest are all missing', () => {
    writeFileSync(join(parent, 'list.tsv'), 'file\tformat\tmrz_lines_joined_by_|\na.jpg\tNONE\t\n')
    mkdirSync(join(parent, 'list'))
    const { status, stderr } = runBench('bench-mrz', '--manifest', join(parent, 'list.tsv'))
    expect(status).toBe(2)
    expect(stderr).toContain('nothing was measured')
  }, 60_000)

  test('when the folder of its texts is empty', () => {
    mkdirSync(join(parent, 'texts'))
    const { status, stderr } = runBench('bench-aamva', '--dir', join(parent, 'texts'))
    expect([status, stderr]).toEqual([2, 'nothing was measured\n'])
  })

  test('when it is asked for no picture', () => {
    const { status, stderr } = runBench('bench-fuzz', '--only', 'pictures', '--images', '0', '--server', '0')
    expect(status).toBe(2)
    expect(stderr).toContain('nothing was measured')
  }, 60_000)
})

describe('without labelled data', () => {
  test('a bench makes its own, says so in one line, and names the place of labelled data', () => {
    const { status, stdout, stderr } = runBench('bench-aamva', '--json')
    expect(status).toBe(0)
    // Ten versions of the standard in two countries, and every text must parse.
    expect(JSON.parse(stdout)).toMatchObject({ files: 20, parsed: 20, plausible: 20 })
    expect(stderr.trimEnd().split('\n')).toEqual([
      `no labelled data: strings of invented persons are read. Labelled data goes to ${join(parent, 'shared/data/aamva')}, or is named (--help)`,
    ])
  })

  test('labelled data in the usual place is measured instead, without a word', () => {
    mkdirSync(join(parent, 'shared/data/aamva'), { recursive: true })
    writeFileSync(join(parent, 'shared/data/aamva/one.txt'), 'no barcode')
    const { stdout, stderr } = runBench('bench-aamva', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ files: 1, parsed: 0 })
    expect(stderr).toBe('')
  })

  test('the rendered set is gone after the bench, also when it fails', async () => {
    let folder = ''
    const failing = withLabelledData<string, never>(
      null,
      (rendered) => (folder = rendered),
      () => {
        throw new TypeError('failed')
      },
    )
    await expect(failing).rejects.toThrow('failed')
    expect([folder === '', existsSync(folder)]).toEqual([false, false])
  })
})
