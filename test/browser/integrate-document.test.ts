/**
 * docs/integrate.md does what it says: its blocks, run in order by a shell in a home of their own, with a real appliance on a real
 * port. Nothing is downloaded.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../server/tools/bench/crash/processes.ts'
import { writeContainer } from '../../server/proof/verify/container.ts'
import { readZip } from '../../server/proof/verify/read-zip.ts'
import { writeCameraClip } from '../support/camera-clip.ts'
import { CHROMIUM, cameraArgs, launchChromium } from '../support/chromium.ts'
import { readGoldens, type Golden } from '../support/golden.ts'
import { readSections, startWalk, type Section, type Walk } from '../support/document-walk.ts'

const ROOT = join(import.meta.dirname, '../..')
const SECTIONS = readSections(readFileSync(join(ROOT, 'docs/integrate.md'), 'utf8'))
/** Whole proofings beside much other work on two cores. */
const SECTION_MS = 300_000
/** A passport before a camera, beside the same work. */
const SEEN_MS = 150_000
/** Ports in the document that another process of this machine may use. */
const PORTS = ['8717', '3000', '3001', '3002', '3003', '3004', '3005']

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0
const hasTools = has('curl', '--version') && has('jq', '--version')
if (!hasTools) process.stderr.write('skipped: curl or jq not found\n')
const hasCryptography = has('python3', '-c', 'import cryptography')
if (!hasCryptography) process.stderr.write('skipped: python3-cryptography not found\n')
const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) process.stderr.write('skipped: chromium not found\n')

/** The same files in another zip; `write` is a line that writes the file `name` with its bytes `file`. */
const repack = (write: string): string => `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as whole, zipfile.ZipFile(sys.argv[2], 'w') as changed:
    for name in whole.namelist():
        file = whole.read(name)
        ${write}
`
/** Manipulation of an archive → the script's message. The packed verifier refuses each too. */
const REPACKED = [
  ['its files in a zip of another program', 'changed.writestr(name, file)', 'the archive was packed again'],
  ['a compressed file', 'changed.writestr(name, file, zipfile.ZIP_DEFLATED)', 'a file in it is compressed'],
] as const

function goldenNamed(name: string): Golden {
  const found = readGoldens().find((golden) => golden.name === name)
  if (!found) throw new TypeError(`there is no golden archive ${name}`)
  return found
}

/** The section whose title begins so. */
function section(title: string): Section {
  const found = SECTIONS.find((one) => one.title.startsWith(title))
  if (!found) throw new TypeError(`the page has no section ${title}`)
  return found
}

test('a page whose command fails, or prints something else than it shows, is found out', async () => {
  const home = mkdtempSync(join(tmpdir(), 'integrator-'))
  const follow = async (markdown: string): Promise<string> => {
    const env = { PATH: process.env.PATH }
    const walk = startWalk({ cwd: home, env, filesDir: home, scratchDir: home, replace: new Map() })
    try {
      await walk.follow(readSections(`## A page\n${markdown}`)[0])
      return 'as shown'
    } catch (error) {
      return (error as Error).message
    } finally {
      walk.close()
    }
  }
  const page = (command: string, shown: string): string =>
    `\`\`\`sh\n${command}\n\`\`\`\n\`\`\`json\n${shown}\n\`\`\`\n`
  const id = '01a20a18-260c-7618-a9f0-87bb9a5dcaaf'
  const answer = `{"id": "${id}", "status": "VERIFIED"}`
  expect(await follow(page(`echo '${answer}'`, answer.replace('01a2', 'ffff')))).toBe('as shown')
  expect(await follow(page(`echo '${answer}'`, '{"id": "…", "status": "VERIFIED"}'))).toBe('as shown')
  for (const other of [
    '{"id": "…", "status": "INVALID"}',
    '{"id": "…"}',
    `[${answer}]`,
    `${answer}\n${answer}`,
  ])
    expect(await follow(page(`echo '${answer}'`, other))).toMatch(/^line 5 shows another answer/)
  expect(await follow(page('false; true', answer))).toMatch(/^the block at line 2 failed/)
  expect(await follow('```py\n# a.py\nprint(1)\n```\n```sh\ncat a.py\n```\n```text\n…\nprint(1)\n```')).toBe(
    'as shown',
  )
  rmSync(home, { recursive: true })
})

describe.skipIf(!hasTools)('the page for integrators', () => {
  let home: string
  let walk: Walk
  let ports: ReadonlyMap<string, string>
  const trial = (...names: string[]): string => join(home, 'counterproof-trial', ...names)
  const bank = (): string => `http://localhost:${ports.get('3000')}`
  const bankAnswers = (): Promise<boolean> =>
    fetch(bank()).then(
      ({ ok }) => ok,
      () => false,
    )

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'integrator-'))
    mkdirSync(join(home, 'blocks'))
    ports = new Map(await Promise.all(PORTS.map(async (port) => [port, String(await freePort())] as const)))
    const env = {
      ...process.env,
      HOME: home,
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    }
    walk = startWalk({ cwd: ROOT, env, filesDir: trial(), scratchDir: join(home, 'blocks'), replace: ports })
  })
  afterAll(() => {
    walk.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })

  test('starts a trial', { timeout: SECTION_MS }, async () => {
    const { title, blocks } = section('1 ')
    const [install, ...rest] = blocks
    // The one command that is not run: it would take the packages from under this process.
    expect(install?.text).toBe('npm ci\n')
    await walk.follow({ title, blocks: rest })
  })

  test('leads through one proofing with curl', { timeout: SECTION_MS }, () => walk.follow(section('2 ')))
  test('leads through one with TypeScript', { timeout: SECTION_MS }, () => walk.follow(section('3 ')))
  test('has a receiver that is told and checks the signature', { timeout: SECTION_MS }, () =>
    walk.follow(section('4 ')),
  )

  test('serves a page that captures', { timeout: SECTION_MS }, async () => {
    await walk.follow(section('5 '))
    await expect.poll(bankAnswers).toBe(true)
  })
  test.skipIf(!hasChromium)(
    'has a page on which a camera sees a passport that is verified',
    { timeout: SECTION_MS },
    async () => {
      const film = join(home, 'camera.y4m')
      const size = { width: 1920, height: 1440, frames: 4 }
      await writeCameraClip(join(ROOT, 'resources/specimens/amber/passport-photo.jpg'), film, size)
      const browser = await launchChromium(cameraArgs(film))
      try {
        const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
        await page.goto(bank())
        // The page asks for the face once its back end was told that the passport is verified.
        const heading = () => page.textContent('h1')
        await expect
          .poll(heading, { timeout: SEEN_MS, interval: 250 })
          .toBe('Look into the camera')
          .catch(async (cause: unknown) => {
            const shown = await page.locator('body').innerText()
            throw new Error(`the page shows: ${shown}\n${readFileSync(trial('bank.log'), 'utf8')}`, { cause })
          })
      } finally {
        await browser.close()
      }
      expect(readFileSync(trial('bank.log'), 'utf8')).toContain('PASSPORT VERIFIED')
    },
  )

  describe('verifies the proofs', () => {
    const { title, blocks } = section('6 ')
    const isPython = ({ language, text }: { language: string; text: string }) =>
      language === 'py' || text.startsWith('python3 ')
    const split = blocks.findIndex(isPython)

    test('on the command line and in Node', { timeout: SECTION_MS }, () =>
      walk.follow({ title, blocks: blocks.slice(0, split) }),
    )
    test.skipIf(!hasCryptography)('in Python with the library of Debian', { timeout: SECTION_MS }, () =>
      walk.follow({ title, blocks: blocks.slice(split) }),
    )

    test.skipIf(!hasCryptography)(
      'in Python also with videos, files and a time stamp, and finds a change',
      () => {
        const { folder } = goldenNamed('2026-11-steps/everything')
        const verify = (archive: string) =>
          spawnSync('python3', [trial('verify_proof.py'), archive, join(folder, 'jwks.json')], {
            encoding: 'utf8',
          })
        expect(verify(join(folder, 'proof.zip'))).toMatchObject({ status: 0, stdout: 'genuine LOA1\n' })

        const changed = join(home, 'changed.zip')
        for (const [, write, reason] of REPACKED) {
          spawnSync('python3', ['-c', repack(write), join(folder, 'proof.zip'), changed])
          const { status, stderr } = verify(changed)
          expect([status, stderr]).toEqual([1, `not a proof: ${reason}\n`])
        }
        const { files } = readZip(readFileSync(join(folder, 'proof.zip')))
        const refusal = (alter: (path: string, bytes: Uint8Array) => Uint8Array | null) => {
          const altered = files.flatMap(({ path, bytes }) => {
            const other = alter(path.slice(path.indexOf('/') + 1), bytes)
            return other ? [{ path, bytes: other }] : []
          })
          writeFileSync(changed, writeContainer(altered))
          const { status, stderr } = verify(changed)
          expect(status).toBe(1)
          return stderr.trimEnd()
        }
        expect(
          refusal((path, bytes) =>
            path.startsWith('images/') ? Buffer.concat([bytes, Buffer.from('x')]) : bytes,
          ),
        ).toBe('not a proof: a file was changed, added or removed')
        expect(refusal((path, bytes) => (path === 'proof.json' ? null : bytes))).toBe(
          'not a proof: it has another form (KeyError)',
        )
        expect(
          refusal((path, bytes) => (path === 'longTermValidation.json' ? Buffer.from('{}') : bytes)),
        ).toBe('not a proof: longTermValidation.json has another form')
        writeFileSync(changed, 'no zip')
        expect(verify(changed)).toMatchObject({
          status: 1,
          stderr: 'not a proof: it has another form (BadZipFile)\n',
        })
      },
    )
  })

  test('has programs that a compiler accepts', { timeout: SECTION_MS }, () => {
    const modules = join(ROOT, 'node_modules')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
    const files = ['gateway.mts', 'proofing.mts', 'receiver.mts', 'bank.mts']
    const tsc = [
      join(modules, 'typescript/bin/tsc'),
      ...options,
      '--types',
      'node',
      '--typeRoots',
      join(modules, '@types'),
    ]
    const { stdout } = spawnSync(process.execPath, [...tsc, ...files], { cwd: trial(), encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  test('ends the trial and leaves nothing', { timeout: SECTION_MS }, async () => {
    await walk.follow(section('8 '))
    expect(existsSync(trial())).toBe(false)
  })
})
