/** The commands that read chips, over a real pcscd with virtual readers. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import {
  findMissingPackages,
  startVirtualPcscd,
  type VirtualPcscd,
} from '../../../server/tools/simulator/chip/pcscd.ts'
import { makeDocument, type SimulatedDocument } from '../../../server/tools/simulator/chip/profiles.ts'
import { insertCard } from '../../../server/tools/simulator/chip/vpcd.ts'
import type { ReadersState } from '../../../server/chip-reader/readers.ts'
import { listReaders } from '../../../server/commands/readers.ts'
import { collectOutput } from '../../support/output.ts'

const missing = findMissingPackages()
const started =
  missing.length > 0
    ? `install ${missing.join(', ')}`
    : await startVirtualPcscd().catch(({ message }: Error) => message)

const SEEN = { timeout: 30_000, interval: 50 }
let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readers-'))
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

function configure(socket: string): void {
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ readers: { socket } }))
}

describe.skipIf(typeof started === 'string')(
  `commands with a real pcscd${typeof started === 'string' ? ` (${started})` : ''}`,
  () => {
    const pcscd = started as VirtualPcscd
    afterAll(() => pcscd.close())
    beforeEach(() => configure(pcscd.socketPath))

    async function withDocument(document: SimulatedDocument, run: () => Promise<void>): Promise<void> {
      const inserted = await insertCard(document.card, pcscd.ports[0])
      try {
        const list = async (): Promise<string> => {
          output.text = ''
          await main(['readers', 'list', '--data', folder])
          return output.text
        }
        // A loop without an end would outlast its test.
        await vi.waitFor(async () => expect(await list()).toContain('a contactless card'), SEEN)
        output.text = ''
        await run()
      } finally {
        await inserted.remove()
      }
    }

    test('list names each reader and what to do; test says what the chip is, without a key', async () => {
      const document = makeDocument('eacpace')
      await withDocument(document, async () => {
        expect(await main(['readers', 'list', '--data', folder, '--json'])).toBe(0)
        expect(JSON.parse(output.text)).toMatchObject({
          readers: [{ name: 'Virtual PCD 00 00', card: { kind: 'contactless' } }, { card: null }],
        })
        output.text = ''
        expect(await main(['readers', 'test', '--data', folder])).toBe(0)
        expect(output.text).toContain('PACE ECDH generic, TDES, parameters 13')
        expect(output.text).toContain('yes: it is a travel document')
      })
    })

    test('read tells the verdict of each step, no data of the document, and writes files only where asked', async () => {
      const document = makeDocument('eacpace')
      const trust = join(folder, 'trust')
      mkdirSync(trust)
      writeFileSync(join(trust, 'csca.der'), document.issued.authority)
      writeFileSync(join(folder, 'mrz.txt'), document.printedMrz.join('\n'))
      await withDocument(document, async () => {
        const out = join(folder, 'out')
        const asked = [
          'chip',
          'read',
          '--mrz-file',
          join(folder, 'mrz.txt'),
          '--trust',
          trust,
          '--data',
          folder,
        ]
        const status = await main([...asked, '--out', out])
        expect(output.text).toContain('successful    chip authentication')
        expect(output.text).toContain('successful    dg2')
        expect(output.text).not.toMatch(/MUSTERMANN|C11T002JM|960812/)
        expect(status).toBe(0)
        expect(output.text).toContain('passive authentication: successful')
        expect(readdirSync(out).sort()).toEqual(
          ['DG1.bin', 'DG14.bin', 'DG2.bin', 'EF_COM.bin', 'EF_SOD.bin', 'portrait-1.jp2'].sort(),
        )
        expect(readdirSync(out).map((name) => statSync(join(out, name)).mode & 0o777)).toEqual(
          Array(6).fill(0o600),
        )
        expect(readFileSync(join(out, 'DG1.bin'), 'latin1')).toContain('MUSTERMANN')
      })
    })

    test('read with a wrong card access number fails in the step that opens the chip', async () => {
      writeFileSync(join(folder, 'can.txt'), '123456\n')
      await withDocument(makeDocument('eacpace'), async () => {
        const asked = ['chip', 'read', '--can-file', join(folder, 'can.txt'), '--data', folder, '--json']
        expect(await main(asked)).toBe(1)
        const { verdict, steps } = JSON.parse(output.text) as {
          verdict: string
          steps: object[]
        }
        expect(verdict).toBe('failed')
        expect(steps).toContainEqual(
          expect.objectContaining({
            name: 'access',
            reason: 'access_key_wrong',
          }),
        )
      })
    })
  },
)

test('list waits for the process of the readers, which a busy machine starts slowly', async () => {
  const startsIn = (bootMs: number) => ({
    state: (waitMs = 2000): Promise<ReadersState> =>
      Promise.resolve(
        waitMs < bootMs
          ? { kind: 'unavailable', fault: 'process_ended' }
          : {
              kind: 'ready',
              readers: [{ name: 'Reader', card: null, isChosen: true, events: 0 }],
            },
      ),
  })
  expect(await listReaders(startsIn(10_000), undefined)).toMatchObject({
    code: 0,
  })
})

test('without pcscd the commands say what to install', async () => {
  configure('/nowhere/pcscd.comm')
  expect(await main(['readers', 'list', '--data', folder])).toBe(1)
  expect(output.text).toContain('pcscd does not run')
})

test.each([
  [['--can-file', 'x', '--mrz-file', 'y'], 'one key opens the chip'],
  [['--sod', 'x'], 'read has no option --sod'],
])('read with %j is refused', async (options, words) => {
  expect(await main(['chip', 'read', '--data', folder, ...options])).toBe(2)
  expect(output.text).toContain(words)
})

test('read refuses lines that are no MRZ, and does not repeat them', async () => {
  writeFileSync(join(folder, 'mrz.txt'), 'SECRETNUMBER\nSECOND\n')
  expect(await main(['chip', 'read', '--data', folder, '--mrz-file', join(folder, 'mrz.txt')])).toBe(2)
  expect(output.text).toContain('not the lines of an MRZ')
  expect(output.text).not.toContain('SECRETNUMBER')
})
