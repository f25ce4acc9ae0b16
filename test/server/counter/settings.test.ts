/** Settings at the counter: files that are checked before they are written, take effect at once, and can be undone. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'
import { loadTenantPolicies } from '../../../server/config/policies.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import type { CheckView, SettingsView, SettingView } from '../../../server/counter/contract/settings.ts'
import type { LevelsView } from '../../../server/counter/contract/levels.ts'
import { loadLists, loadScreens } from '../../../server/open-settings.ts'
import { ADA, openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole()
})
afterEach(() => its.close())

type Tree = Record<string, unknown>
interface Refusal {
  readonly type: string
  readonly errors: readonly { readonly code: string; readonly field?: string; readonly message: string }[]
}

const administrator = (isFresh = true) => its.as(['administrator'], ADA, isFresh)
const view = async (name: string) => (await administrator().call<SettingView>('GET', `settings/${name}`)).body
const check = async (name: string, content: unknown) =>
  (await administrator().call<CheckView>('POST', `settings/${name}/check`, { content })).body
async function save(name: string, change: (content: Tree) => Tree, person = administrator()) {
  const { content, state } = await view(name)
  return person.call<SettingView & Refusal>('PUT', `settings/${name}`, {
    content: change((content ?? {}) as Tree),
    basedOn: state,
  })
}
async function undo(name: string, version: number) {
  const { state } = await view(name)
  return administrator().call<SettingView>('POST', `settings/${name}/undo`, { version, basedOn: state })
}
const own = (path: string): unknown => JSON.parse(readFileSync(join(its.t.dataDir, path), 'utf8'))
const SHIPPED_JOURNEY = join(RESOURCES_DIR, 'journeys/default.json')
/** Version after the one that comes with the product. */
const NEXT = Number((JSON.parse(readFileSync(SHIPPED_JOURNEY, 'utf8')) as Tree).version) + 1
const withHours = (openingHours: string, version: number) => (journey: Tree) => ({
  ...journey,
  version,
  receipt: { openingHours },
})

test('lists its documents, each with its file and whether the tenant has an own one', async () => {
  const { settings } = (await administrator().call<SettingsView>('GET', 'settings')).body
  expect(settings.map(({ name, file, origin }) => [name, file, origin])).toEqual([
    ['journey', 'journeys/default.json', 'SHIPPED'],
    ['brand', 'brands/own/brand.json', null],
    ['policy', 'policies/default.json', 'SHIPPED'],
    ['messages', 'texts/sms.json', 'SHIPPED'],
    ['documents', 'lists/supported-evidence.json', 'SHIPPED'],
    ['reasons', 'lists/adjudication.json', 'SHIPPED'],
  ])
})

describe('a change of the journey', () => {
  test('is written to the data folder, is in force at once and after a start, and stands in the log without its words', async () => {
    const { status, body } = await save('journey', withHours('Monday to Friday, 9 to 17', NEXT))
    expect([status, body.origin]).toEqual([200, 'OWN'])
    expect(its.deps.journey?.receipt.openingHours).toBe('Monday to Friday, 9 to 17')
    expect(own('journeys/default.json')).toMatchObject({ version: NEXT })
    expect(loadScreens(its.ctx).journey.receipt.openingHours).toBe('Monday to Friday, 9 to 17')
    expect(statSync(join(its.t.dataDir, 'journeys/default.json')).mode & 0o077).toBe(0)
    const [event, ...more] = its.events('settings.')
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'settings.changed',
      actor: `STAFF:${ADA}`,
      body: { setting: 'journey', act: 'SAVED', changes: 2 },
    })
    expect(JSON.stringify(event)).not.toContain('Monday')
  })

  test('keeps who and when, and undo brings back what was there before, also what came with the product', async () => {
    const first = await view('journey')
    await save('journey', withHours('9 to 17', NEXT))
    its.tick(60_000)
    await save('journey', withHours('10 to 18', NEXT + 1))
    const { versions } = await view('journey')
    expect(versions.map(({ act, changes, isInForce }) => [act, changes, isInForce])).toEqual([
      ['SAVED', 2, true],
      ['SAVED', 2, false],
      ['FOUND', null, false],
    ])
    expect(versions.map(({ at }) => at)).toEqual([
      '2026-03-01T10:01:00.000Z',
      '2026-03-01T10:00:00.000Z',
      null,
    ])
    const undone = await undo('journey', versions[1]?.id ?? 0)
    expect(its.deps.journey?.receipt.openingHours).toBe('9 to 17')
    expect(undone.body.versions[0]).toMatchObject({ act: 'UNDONE', isInForce: true })
    const back = await undo('journey', versions[2]?.id ?? 0)
    expect([back.body.origin, back.body.content]).toEqual(['SHIPPED', first.content])
    expect(existsSync(join(its.t.dataDir, 'journeys/default.json'))).toBe(false)
    expect(its.deps.journey?.receipt.openingHours).toBeUndefined()
  })

  test('that is broken is refused with every problem, and nothing of it is kept', async () => {
    const broken = (journey: Tree) => ({
      ...journey,
      languages: ['en', 'xx'],
      confirmedFrom: 'LOA9',
      texts: { en: { 'no.such.text': 'Hello' } },
    })
    const refused = await save('journey', broken)
    expect([refused.status, refused.body.type]).toEqual([400, 'urn:counterproof:problem:validation_failed'])
    expect(refused.body.errors.map(({ field }) => field).sort()).toEqual([
      'confirmedFrom',
      'languages.1',
      'texts.en.no.such.text',
      'version',
    ])
    const checked = await check('journey', broken((await view('journey')).content as Tree))
    expect(checked.findings.filter(({ severity }) => severity === 'problem')).toHaveLength(4)
    expect(existsSync(join(its.t.dataDir, 'journeys'))).toBe(false)
    expect(existsSync(join(its.t.dataDir, 'settings-history'))).toBe(false)
    expect(its.events('settings.')).toEqual([])
  })

  test('is refused when another administrator has changed the document since', async () => {
    const { content, state } = await view('journey')
    await save('journey', withHours('9 to 17', NEXT))
    const late = await administrator().call<Refusal>('PUT', 'settings/journey', {
      content: withHours('10 to 18', NEXT)(content as Tree),
      basedOn: state,
    })
    expect(late.status).toBe(403)
    expect(its.deps.journey?.receipt.openingHours).toBe('9 to 17')
  })

  test('keeps what was written into the file by hand', async () => {
    mkdirSync(join(its.t.dataDir, 'journeys'), { mode: 0o700 })
    const byHand = withHours('by hand', NEXT + 4)((await view('journey')).content as Tree)
    writeFileSync(join(its.t.dataDir, 'journeys/default.json'), JSON.stringify(byHand), { mode: 0o600 })
    await save('journey', withHours('9 to 17', NEXT + 5))
    const { versions } = await view('journey')
    expect(versions.map(({ act }) => act)).toEqual(['SAVED', 'FOUND'])
    await undo('journey', versions[1]?.id ?? 0)
    expect(own('journeys/default.json')).toEqual(byHand)
  })
})

test('a level above what this machine reaches is warned of, and not refused', async () => {
  const { content } = await view('journey')
  const asked = (confirmedFrom: string) =>
    check('journey', { ...(content as Tree), version: NEXT, confirmedFrom })
  const findings = (await asked('LOA3')).findings
  expect(findings.filter(({ severity }) => severity === 'problem')).toEqual([])
  expect(findings.map(({ code, field }) => `${code} ${field}`)).toContain('above_reach confirmedFrom')
  const reached = (await asked('LOA1')).findings
  expect(reached.map(({ code }) => code)).not.toContain('above_reach')
})

describe('a change of the policy', () => {
  const capped = (policy: Tree) => ({
    ...policy,
    version: '2-own',
    levels: (policy.levels as Tree[]).map((level) => ({ ...level, label: `our ${String(level.label)}` })),
  })

  test('decides the next level, and the next start takes it from the data folder', async () => {
    expect((await save('policy', capped)).status).toBe(200)
    const { policy, levels } = (await its.as(['officer']).call<LevelsView>('GET', 'levels')).body
    expect([policy.version, levels[2]?.label]).toEqual(['2-own', 'our substantial'])
    expect(loadTenantPolicies(its.ctx.config).get('default')?.version).toBe('2-own')
  })

  test('that breaks it is refused with every problem of the policy, and of the journey that needs it', async () => {
    const before = its.ctx.policy(its.ctx.config.tenant.id)
    const { body, status } = await save('policy', (policy) => ({
      ...policy,
      version: '3',
      caps: { ...(policy.caps as Tree), CLOCK_UNVERIFIED: 'LOA9' },
      profiles: (policy.profiles as Tree[]).map((profile) => ({
        ...profile,
        pieces: [{ evidence: 'ID_DOCUMENT', requires: ['NO_SUCH_CHECK'] }],
      })),
    }))
    expect(status).toBe(400)
    const words = body.errors.map(({ field, message }) => `${field}: ${message}`).join('\n')
    expect(words).toContain('LOA9')
    expect(words.match(/NO_SUCH_CHECK/g)).toHaveLength(before.profiles.length)
    expect(its.ctx.policy(its.ctx.config.tenant.id)).toBe(before)
    await save('journey', (journey) => ({ ...journey, version: NEXT, confirmedFrom: 'LOA2' }))
    const policy = (await view('policy')).content as Tree
    const unreachable = await check('policy', {
      ...policy,
      version: '3',
      levels: (policy.levels as Tree[]).slice(0, 2),
      profiles: (policy.profiles as Tree[]).filter(({ levelOfAssurance }) => levelOfAssurance === 'LOA1'),
      caps: Object.fromEntries(Object.keys(policy.caps as Tree).map((indicator) => [indicator, 'LOA0'])),
    })
    expect(unreachable.findings.map(({ message }) => message).join('\n')).toMatch(/journey does not fit/)
  })

  test('shows before it is saved what each level would need', async () => {
    const { levels, changes } = await check('policy', capped((await view('policy')).content as Tree))
    expect(levels.map(({ label }) => label)).toContain('our high')
    expect(levels.find(({ name }) => name === 'LOA2')?.needs).not.toEqual([])
    expect(changes.map(({ field }) => field)).toContain('levels.2.label')
    expect(existsSync(join(its.t.dataDir, 'policies'))).toBe(false)
  })
})

describe('the brand', () => {
  const welcome = Object.fromEntries(['en', 'fr', 'es', 'de', 'ar'].map((tag) => [tag, `Welcome ${tag}`]))
  const logo = readFileSync(join(RESOURCES_DIR, 'brands/lantern/logo.svg')).toString('base64')
  const brand = {
    name: 'Harbour Bank',
    logo: 'logo.svg',
    colours: { action: '#0b5c63', band: '#14202b' },
    welcome,
    logoData: logo,
  }

  test('is made on a machine that has none: files, a line of config.json, and the screens wear it at once', async () => {
    const { status } = await save('brand', () => brand)
    expect(status).toBe(200)
    expect(its.deps.brand?.name).toBe('Harbour Bank')
    expect(readdirSync(join(its.t.dataDir, 'brands/own')).sort()).toEqual(['brand.json', 'logo.svg'])
    expect(own('brands/own/brand.json')).not.toHaveProperty('logoData')
    expect(loadConfig({ dataDir: its.t.dataDir }).brand).toBe('own')
    await undo('brand', (await view('brand')).versions.at(-1)?.id ?? 0)
    expect(its.deps.brand).toBeUndefined()
    expect(loadConfig({ dataDir: its.t.dataDir }).brand).toBeUndefined()
  })

  test('without a logo is told so in a sentence, beside every other problem of its colours', async () => {
    const { findings } = await check('brand', {
      name: 'Harbour Bank',
      colours: { action: '#ffff00', band: '#14202b' },
      welcome,
    })
    expect(findings.map(({ code, field }) => [code, field])).toEqual(
      expect.arrayContaining([
        ['not_readable', 'logo'],
        ['low_contrast', 'colours.action'],
      ]),
    )
    expect(findings.map(({ message }) => message).join()).not.toContain('Invalid input')
  })

  test('with illegible colours and without a logo or a language is refused, and each fault is named', async () => {
    const { body, status } = await save('brand', () => ({
      ...brand,
      logoData: undefined,
      colours: { action: '#ffff00', band: '#14202b' },
      welcome: { en: 'Welcome' },
    }))
    expect(status).toBe(400)
    expect(body.errors.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['colours.action', 'welcome.fr', 'welcome.ar', 'logo']),
    )
    expect(existsSync(join(its.t.dataDir, 'brands'))).toBe(false)
  })

  test('keeps the journey from a language in which it has no welcome', async () => {
    await save('brand', () => brand)
    const less = { ...welcome, ar: undefined }
    expect((await save('brand', () => ({ ...brand, welcome: less }))).status).toBe(400)
    expect(
      (await save('journey', (journey) => ({ ...journey, version: NEXT, languages: ['en'] }))).status,
    ).toBe(200)
    expect((await save('brand', () => ({ ...brand, welcome: less }))).status).toBe(200)
    const { body } = await save('journey', (journey) => ({
      ...journey,
      version: NEXT + 1,
      languages: ['en', 'ar'],
    }))
    expect(body.errors.map(({ code }) => code)).toContain('missing_language')
  })
})

test('texts of messages and lists take effect at once, and a wrong list is told place by place', async () => {
  const passcode = 'Harbour Bank: {code}'
  expect((await save('messages', () => ({ en: { passcode } }))).status).toBe(200)
  expect(loadLists(its.ctx.config).passcodeTexts.mobile('123456', 'en').text).toBe('Harbour Bank: 123456')
  const wrong = await save('messages', () => ({ en: { passcode: 'no code' } }))
  expect(wrong.body.errors).toMatchObject([{ field: 'en.passcode' }])
  const { body } = await save('documents', (table) => ({
    ...table,
    groups: [{ documentType: 'PASSPORT', format: 'TD3', source: 'ours', countries: 'XXQ DEU DEU' }],
  }))
  expect(body.errors.map(({ code }) => code)).toEqual(['unknown_country', 'listed_twice'])
  const less = await save('documents', (table) => ({ ...table, groups: [] }))
  expect(less.status).toBe(200)
  expect(loadLists(its.ctx.config).supportedEvidence.groups).toEqual([])
})

test('only an administrator with a fresh second factor can change settings', async () => {
  for (const role of ['officer', 'supervisor', 'auditor', 'display'] as const) {
    expect((await its.as([role]).call('GET', 'settings')).status).toBe(403)
    expect((await save('journey', withHours('9 to 17', NEXT), its.as([role]))).status).toBe(403)
  }
  const stale = await save('journey', withHours('9 to 17', NEXT), administrator(false))
  expect(stale.body.type).toBe('urn:counterproof:problem:fresh_factor_needed')
  expect((await administrator().call('GET', 'settings/secrets')).status).toBe(404)
  expect(its.events('settings.')).toEqual([])
})
