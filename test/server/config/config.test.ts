import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CONFIG_FILE, loadConfig } from '../../../server/config/config.ts'
import { KEK_FILE, loadKek } from '../../../server/config/kek.ts'
import { loadPolicies } from '../../../server/config/policies.ts'
import { loadPipelines } from '../../../server/config/resources.ts'
import { AppError } from '../../../server/errors.ts'
import { STEPS } from '../../../server/verification/registry.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-config-'))
})
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

const problemFields = (load: () => unknown): readonly (string | undefined)[] => {
  try {
    load()
  } catch (error) {
    if (error instanceof AppError) return error.problems.map((problem) => problem.field)
    throw error
  }
  return []
}

describe('the configuration', () => {
  test('of a first run listens on the loopback address only and is in test mode', () => {
    expect(loadConfig({ dataDir })).toMatchObject({ host: '127.0.0.1', tenant: { mode: 'test' } })
  })

  test('lists every problem at once, by field', () => {
    const wrong = {
      port: 'x',
      tenant: { id: 'Bad Id', name: '', mode: 'live', policy: 'default' },
      colour: 'red',
    }
    writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify(wrong))
    const fields = problemFields(() => loadConfig({ dataDir }))
    for (const field of ['port', 'tenant.id', 'tenant.name', 'tenant.mode']) expect(fields).toContain(field)
    expect(fields.length).toBeGreaterThanOrEqual(5)
  })

  test.each(['[]', 'null', '7', '"text"', '{'])('refuses a file that is no JSON object: %s', (text) => {
    writeFileSync(join(dataDir, CONFIG_FILE), text)
    expect(problemFields(() => loadConfig({ dataDir }))).toEqual([CONFIG_FILE])
  })

  test('refuses a budget of uploads that cannot hold the largest body, or less for the server than for one application', () => {
    const MIB = 1024 * 1024
    const fieldsOf = (uploads: object) => {
      writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify({ uploads }))
      return problemFields(() => loadConfig({ dataDir }))
    }
    expect(fieldsOf({ maxFileBytes: 30 * MIB })).toEqual(['uploads.applicationBudgetBytes'])
    expect(fieldsOf({ serverBudgetBytes: 90 * MIB })).toEqual(['uploads.serverBudgetBytes'])
    const large = { maxFileBytes: 30 * MIB, applicationBudgetBytes: 107 * MIB }
    expect(fieldsOf(large)).toEqual([])
  })

  test('allows unencrypted recordings of portrait sessions only to a tenant in test mode', () => {
    const fieldsIn = (mode: 'test' | 'production') => {
      const tenant = { id: 'bank', name: 'Bank', mode, policy: 'default' }
      const config = { tenant, liveness: { recordingsDir: 'recordings' } }
      writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify(config))
      return problemFields(() => loadConfig({ dataDir }))
    }
    expect(fieldsIn('production')).toEqual(['liveness.recordingsDir'])
    expect(fieldsIn('test')).toEqual([])
  })

  test('is checked also where the command line says something else: the next start may not', () => {
    writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify({ kiosk: { window: 'x' } }))
    expect(problemFields(() => loadConfig({ dataDir, kioskWindow: 'browser' }))).toEqual(['kiosk.window'])
  })

  test('that is no JSON, or a port that is no number, is refused with the field', () => {
    expect(problemFields(() => loadConfig({ dataDir, port: Number('abc') }))).toEqual(['port'])
    writeFileSync(join(dataDir, CONFIG_FILE), '{')
    expect(problemFields(() => loadConfig({ dataDir }))).toEqual([CONFIG_FILE])
  })
})

describe('the master key', () => {
  const load = (): Buffer => loadKek({ dataDir, kek: { source: 'key-file' } })

  test('is made once, for its owner only, and read again', () => {
    const made = load()
    expect(made).toHaveLength(32)
    expect(statSync(join(dataDir, KEK_FILE)).mode & 0o777).toBe(0o600)
    expect(load().equals(made)).toBe(true)
  })

  test('is never made again beside a database that needs the lost one', () => {
    writeFileSync(join(dataDir, 'appliance.sqlite'), '')
    expect(load).toThrow('key_unavailable')
  })

  test('that others may read, or that is damaged, is refused', () => {
    load()
    chmodSync(join(dataDir, KEK_FILE), 0o644)
    expect(load).toThrow('key_unavailable')
    chmodSync(join(dataDir, KEK_FILE), 0o600)
    writeFileSync(join(dataDir, KEK_FILE), readFileSync(join(dataDir, KEK_FILE), 'utf8').slice(2))
    expect(load).toThrow('key_unavailable')
  })
})

describe('the shipped resources', () => {
  test('fit together: every step exists, every check of a policy has a rule, every limit its origin', () => {
    expect(Object.keys(loadPipelines([...STEPS.keys()]).pipelines)).toContain('IDDOCUMENT')
    expect([...loadPolicies().keys()].sort()).toEqual(['default', 'eidas', 'gpg45', 'nist-800-63a'])
    expect(Object.values(loadThresholds()).every(Number.isFinite)).toBe(true)
  })

  test('a pipeline with an unknown step is refused by name', () => {
    expect(problemFields(() => loadPipelines([]))).toContain('IDDOCUMENT.steps')
  })

  test('a check that is mitigated by itself, or by one that its pipeline does not have, is refused by name', () => {
    const file = join(dataDir, 'pipelines.json')
    const shipped = loadPipelines([...STEPS.keys()])
    const refusedWith = (other: string) => {
      const checks = { ...shipped.pipelines.MEDICARE.checks }
      checks.MEDICARE_NUMBER = { ...checks.MEDICARE_NUMBER, mitigatedBy: [other] }
      const MEDICARE = { ...shipped.pipelines.MEDICARE, checks }
      writeFileSync(file, JSON.stringify({ ...shipped, pipelines: { ...shipped.pipelines, MEDICARE } }))
      return problemFields(() => loadPipelines([...STEPS.keys()], file))
    }
    const field = 'MEDICARE.checks.MEDICARE_NUMBER.mitigatedBy'
    expect(refusedWith('MEDICARE_NUMBER')).toEqual([field])
    expect(refusedWith('MRZ_READING')).toEqual([field])
    expect(refusedWith('GIV_VERIFICATION')).toEqual([])
  })

  test('a policy that is broken is refused with its file', () => {
    writeFileSync(join(dataDir, 'odd.json'), '{"id":"odd"}')
    expect(
      problemFields(() => loadPolicies(dataDir)).some((field) => field?.startsWith('policies/odd.json')),
    ).toBe(true)
  })
})
