/** npm run policy: what it lists, shows, checks and explains. The words of an explanation: explain-words.test.ts. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { openBench, type Bench } from '../../support/judged-identities.ts'
import { collectOutput } from '../../support/output.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-policy-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function policy(...argv: string[]) {
  const output = collectOutput()
  const code = await main(['policy', ...argv])
  vi.restoreAllMocks()
  return { code, text: output.text }
}
const write = (name: string, value: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}
const shipped = JSON.parse(readFileSync(join(RESOURCES_DIR, 'policies', 'default.json'), 'utf8')) as Policy

describe('list and show', () => {
  test('name every policy with its levels', async () => {
    const { code, text } = await policy('list', '--json')
    expect(code).toBe(0)
    const { policies } = JSON.parse(text) as { policies: Policy[] }
    expect(policies.map(({ id }) => id)).toEqual(['default', 'eidas', 'gpg45', 'nist-800-63a'])
    expect((await policy('list')).text).toContain('LOA3 IAL3')
  })

  test('with --data name the tenant’s own, which stands before ours of the same id', async () => {
    const data = mkdtempSync(join(folder, 'data-'))
    mkdirSync(join(data, 'policies'), { mode: 0o700 })
    writeFileSync(join(data, 'policies/default.json'), JSON.stringify({ ...shipped, version: '2-own' }), {
      mode: 0o600,
    })
    const versionOf = async (...more: string[]) => {
      const { text } = await policy('list', '--json', ...more)
      const { policies } = JSON.parse(text) as { policies: Policy[] }
      return policies.find(({ id }) => id === 'default')?.version
    }
    expect(await versionOf('--data', data)).toBe('2-own')
    expect(await versionOf()).toBe(shipped.version)
    const gone = await policy('list', '--data', join(folder, 'nowhere'))
    expect([gone.code, gone.text]).toEqual([2, expect.stringContaining('--data: there is no folder')])
  })

  test('tell every profile, every cap and what each check means', async () => {
    const { text } = await policy('show', 'eidas')
    for (const part of [
      'high-chip-portrait',
      'CLOCK_UNVERIFIED',
      'HOLDER_CHIP_MATCH: a portrait proven live',
    ]) {
      expect(text).toContain(part)
    }
    expect(JSON.parse((await policy('show', 'default', '--json')).text)).toEqual(shipped)
  })
})

describe('check', () => {
  test('finds the shipped policies sound, and names the profiles that no evidence can meet', async () => {
    const { code, text } = await policy('check')
    expect(code).toBe(0)
    expect(text).toContain('gpg45, version 4: sound; to know:')
    expect(text).toMatch(/which no rule gives.*: L1C, .*V3A/)
    // An operator who has configured a bureau expects it to decide this check.
    expect(text).toMatch(/ATTRIBUTES_SOURCE \(a configured bureau decides ID_CLAIM_SOURCE/)
  })

  test('names every problem of a file with its field, and ends with status 1', async () => {
    const caps = { ...shipped.caps, CLOK_UNVERIFIED: 'LOA9' }
    const file = write('broken.json', { ...shipped, caps })
    const { code, text } = await policy('check', file)
    expect(code).toBe(1)
    expect(text).toContain('broken.json:caps.CLOK_UNVERIFIED')
    const { problems } = JSON.parse((await policy('check', file, '--json')).text) as { problems: unknown[] }
    expect(problems).toHaveLength(2)
  })

  test('tells a level that is easier than the one below', async () => {
    const [low, ...others] = shipped.profiles
    const easy = { ...low, name: 'easy', levelOfAssurance: 'LOA4' }
    const file = write('easy.json', { ...shipped, profiles: [low, easy, ...others] })
    const { code, text } = await policy('check', file)
    expect(code).toBe(0)
    expect(text).toContain('met by who meets none of the level below: easy')
    expect(text).toContain('met whenever one of a lower level is met: easy')
  })
})

describe('explain', () => {
  let bench: Bench
  beforeAll(() => {
    bench = openBench()
  })
  afterAll(() => bench.close())

  const PERSONAL = /ERIKSSON|OKONKWO|LINDQVIST|ANNA|1974|1990|1955/
  const shown = (family: 'IDDOCUMENT' | 'PORTRAIT', passed: readonly string[]) => ({
    family,
    type: family === 'PORTRAIT' ? ('PORTRAIT' as const) : ('PASSPORT' as const),
    status: 'VERIFIED' as const,
    passed,
    raised: [],
    person: 0,
    issuedDaysAgo: 10,
  })
  async function files(): Promise<{ proof: string; details: string; level: string }> {
    const identity = bench.make(shipped, {
      evidences: [
        shown('IDDOCUMENT', ['MRZ_READING', 'MRZ_CHECK_DIGITS', 'MRZ_WITNESS_AGREEMENT']),
        shown('PORTRAIT', ['BIOMETRIC_MATCHING_CHECK']),
      ],
      fraudChecks: [],
      consents: [],
    })
    const archive = await bench.seal(shipped, identity)
    const proof = join(folder, 'proof.zip')
    writeFileSync(proof, archive)
    const inside = readZip(archive).files.find(({ path }) => path.endsWith('/identityDetails.json'))
    const details = write('identityDetails.json', new TextDecoder().decode(inside?.bytes))
    expect(readFileSync(details, 'utf8')).toMatch(PERSONAL)
    return { proof, details, level: identity.levelOfAssurance }
  }

  test('tells of a proof by which profile its level was reached and what the others lack', async () => {
    const { proof, level } = await files()
    expect(level).toBe('LOA1')
    const { code, text } = await policy('explain', proof)
    expect(code).toBe(0)
    expect(text).toContain('LOA1 (low): by the profile document-and-portrait')
    expect(text).toMatch(/✗ LOA2 \(substantial\) document-and-live-portrait, missing:\n.*LEVEL3 is needed/)
    expect(text).toContain('the liveness check stops replayed recordings (LIVENESS_STOPS_REPLAYS)')
    expect(text).not.toMatch(PERSONAL)
  })

  test('tells what another policy would make of it, as JSON, too', async () => {
    const { proof, details } = await files()
    for (const file of [proof, details]) {
      const { code, text } = await policy('explain', file, '--policy', 'gpg45', '--json')
      expect(code).toBe(0)
      const told = JSON.parse(text) as { policy: object; profiles: { met: boolean }[] }
      expect(told).toMatchObject({ policy: { id: 'gpg45' }, assessment: { levelOfAssurance: 'LOA0' } })
      expect(told.profiles).toHaveLength(32)
      expect(text).not.toMatch(PERSONAL)
    }
  })

  test('takes what the API answers, and says where the file claims more than it shows', async () => {
    const { details } = await files()
    const value = JSON.parse(readFileSync(details, 'utf8')) as { globalStatus: object }
    const claiming = { ...value, globalStatus: { ...value.globalStatus, levelOfAssurance: 'LOA3' } }
    const { code, text } = await policy('explain', write('claiming.json', claiming))
    expect(code).toBe(0)
    expect(text).toContain('The file itself says LOA3')
    expect(text).not.toMatch(PERSONAL)
  })

  test('is refused for a proof that does not hold its policy', async () => {
    const old = join(import.meta.dirname, '../../vectors/proofs/2026-11-first-form/everything/proof.zip')
    const { code, text } = await policy('explain', old)
    expect(code).toBe(1)
    expect(text).toContain('It cannot be explained.')
  })
})

describe('wrong use', () => {
  test.each([
    [['show'], 'show needs the ID of a policy'],
    [['show', 'odd'], "there is no policy 'odd'"],
    [['list', 'odd'], 'this is not understood: odd'],
    [['check', 'a', 'b'], 'this is not understood: b'],
    [['odd'], "there is no action 'odd'"],
    [['list', '--policy', 'default'], '--policy belongs to explain'],
    [['explain'], 'explain needs a FILE'],
  ])('%j ends with status 2 and a sentence', async (argv, sentence) => {
    const { code, text } = await policy(...argv)
    expect(code).toBe(2)
    expect(text).toContain(sentence)
  })

  test('of a file that is not there, or no JSON, ends with its path and none of its content', async () => {
    expect((await policy('check', join(folder, 'nowhere.json'))).text).toContain('nowhere.json')
    const { code, text } = await policy('explain', write('odd.json', '{"surname": "ERIKSSON"'))
    expect(code).toBe(1)
    expect(text).not.toContain('ERIKSSON')
  })

  test('of JSON that is no identity names the members, and none of their values', async () => {
    const { code, text } = await policy(
      'explain',
      write('other.json', { globalStatus: 'ERIKSSON', idDocuments: 7 }),
    )
    expect(code).toBe(1)
    expect(text).toContain('globalStatus')
    expect(text).not.toContain('ERIKSSON')
  })
})

describe('reach', () => {
  interface Row {
    readonly title: string
    readonly levels: Readonly<Record<string, string>>
  }
  const rowsOf = async (...argv: string[]): Promise<Row[]> => {
    const { code, text } = await policy('reach', '--json', ...argv)
    expect(code).toBe(0)
    return (JSON.parse(text) as { installations: Row[] }).installations
  }

  test('tells what each kind of installation reaches: no part that is added costs a level', async () => {
    const rows = await rowsOf()
    const levelsOf = (title: string) => rows.find((row) => row.title.startsWith(title))?.levels
    // A picture does not prove that a document is genuine.
    expect(levelsOf('kiosk alone')).toEqual({
      default: 'LOA2',
      eidas: 'LOA1',
      gpg45: 'LOA0',
      'nist-800-63a': 'LOA0',
    })
    expect(levelsOf('kiosk + issuer of the document')).toMatchObject({ default: 'LOA3', eidas: 'LOA2' })
    for (const place of ['kiosk', 'counter']) {
      const own = rows.filter(({ title }) => title.startsWith(place))
      own.slice(1).forEach(({ levels }, at) => {
        for (const [id, level] of Object.entries(levels)) expect(level >= own[at].levels[id]).toBe(true)
      })
    }
    expect((await policy('reach')).text).toMatch(/^kiosk alone +LOA2 +LOA1 +LOA0 +LOA0$/m)
  })

  test('of one policy file, and of the appliance in a folder', async () => {
    const file = write('own.json', { ...shipped, id: 'own', levels: shipped.levels })
    expect(Object.keys((await rowsOf(file))[0].levels)).toEqual(['own'])
    const data = join(folder, 'appliance')
    collectOutput()
    await main(['keys', 'create', '--application', 'bank', '--new', '--data', data])
    vi.restoreAllMocks()
    const here = (await rowsOf('--data', data)).at(-1)
    expect(here).toMatchObject({ title: 'this appliance', levels: { default: 'LOA2' } })
  })

  test('of a file that is not there is refused in words, as a check of it is', async () => {
    for (const action of ['reach', 'check']) {
      const { code, text } = await policy(action, join(folder, 'nowhere.json'))
      expect([code, text]).toEqual([2, expect.stringMatching(/there is no file \S+nowhere\.json/)])
    }
  })

  test('a policy with a problem is refused with its fields', async () => {
    const { code, text } = await policy('reach', write('broken.json', { ...shipped, levels: [] }))
    expect([code, text]).toEqual([1, expect.stringContaining('levels')])
  })
})
