/** Trust bundles on the side of the central service, as a signed kiosk and an unknown caller see them. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { KIOSK_API, FILE_PIECE_BYTES, type TrustAnswer } from '../../server/protocol/wire.ts'
import { joinedKiosk, startCentralService, type TestCentralService } from '../support/central.ts'
import type { TestKiosk } from '../support/kiosk-client.ts'
import { onEachDatabase } from './head-office/databases.ts'

const NONCE = 'n'.repeat(22)
const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex')

onEachDatabase('trust bundles', (newDatabase) => {
  let central: TestCentralService
  let ours: TestKiosk
  let theirs: TestKiosk
  beforeAll(async () => {
    const databaseUrl = newDatabase()
    central = await startCentralService(databaseUrl === undefined ? {} : { databaseUrl })
    ours = await joinedKiosk(central, 'ours')
    theirs = await joinedKiosk(central, 'theirs')
  })
  afterAll(() => central.stop())

  const publish = (contents: readonly Buffer[], more: object = {}) => {
    const files = contents.map((content, at) => {
      const path = join(central.dataDir, `list-${at}`)
      writeFileSync(path, content)
      const facts = { kind: 'MASTER_LIST', series: `S${at}`, country: 'UT', signedAt: null }
      return { path, sha256: sha256(content), ...facts }
    })
    const people = { publishedBy: 'Ada', confirmedBy: 'Ben' }
    return runAction(central.context, 'publishTrustBundle', { tenantId: 'ours', ...people, files, ...more })
  }
  const ask = async (kiosk: TestKiosk, version = 0, hash: string | null = null) => {
    const body = Buffer.from(JSON.stringify({ nonce: NONCE, version, sha256: hash }))
    const answer = await kiosk.call('POST', '/trust-bundle', body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(200)
    const { check, bundle } = answer.body as TrustAnswer
    const { keys } = kiosk.trust.statementKeys
    return {
      check: await readStatement('trust-check', check, keys),
      bundle: bundle === undefined ? null : await readStatement('trust-bundle', bundle, keys),
      jws: bundle,
    }
  }

  test('a kiosk gets the newest one of its tenant once, and a signed confirmation each time', async () => {
    expect(await ask(ours)).toMatchObject({ check: { version: 0, sha256: null }, bundle: null })
    const long = Buffer.alloc(FILE_PIECE_BYTES + 10, 7)
    await publish([long, Buffer.from('short')])
    const first = await ask(ours)
    expect(first.check).toMatchObject({ kioskId: ours.kioskId, nonce: NONCE, version: 1 })
    expect(first.check.sha256).toBe(sha256(first.jws ?? ''))
    expect(first.bundle).toMatchObject({
      tenantId: 'ours',
      version: 1,
      publishedBy: 'Ada',
      confirmedBy: 'Ben',
    })
    expect(await ask(ours, 1, first.check.sha256)).toMatchObject({ check: { version: 1 }, bundle: null })
    const listed = await runAction(central.context, 'listTrustBundles', { tenantId: 'ours' })
    expect(listed).toMatchObject({ bundles: [{ version: 1, publishedBy: 'Ada', kiosks: 1 }] })
    expect((await ask(ours, 1, sha256('another'))).bundle).not.toBeNull()
    expect(await ask(theirs)).toMatchObject({ check: { version: 0 }, bundle: null })

    const piece = async (kiosk: TestKiosk, name: string, offset: number | string) => {
      const { status, body } = await kiosk.call('GET', `/trust-files/${name}/${offset}`)
      return status === 200 ? Buffer.from((body as { content: string }).content, 'base64').length : status
    }
    const name = sha256(long)
    expect([
      await piece(ours, name, 0),
      await piece(ours, name, FILE_PIECE_BYTES),
      await piece(ours, name, FILE_PIECE_BYTES * 3),
    ]).toEqual([FILE_PIECE_BYTES, 10, 0])
    expect([
      await piece(theirs, name, 0),
      await piece(ours, name, '-1'),
      await piece(ours, name, '9'.repeat(20)),
      await piece(ours, 'x', 0),
    ]).toEqual([404, 400, 400, 400])
    const unsigned = await fetch(`${central.url}${KIOSK_API}/trust-files/${name}/0`)
    expect(unsigned.status).toBe(401)

    await publish([Buffer.from('one'), Buffer.from('short')])
    expect(await ask(ours, 1, first.check.sha256)).toMatchObject({ bundle: { version: 2 } })
    // Only the files of the newest bundle are kept.
    expect(await piece(ours, name, 0)).toBe(404)
    expect(await piece(ours, sha256('short'), 0)).toBe(5)
  })

  test('two names, a known tenant, the files that were seen, and no silent removal', async () => {
    const before = (await ask(ours)).check.version
    const content = Buffer.from('one')
    const refused = (more: object, contents = [content, content]) =>
      publish(contents, more).then(
        () => 'published',
        (error: { code: string }) => error.code,
      )
    expect(await refused({ confirmedBy: ' ADA ' })).toBe('validation_failed')
    const spellings = { publishedBy: 'Ada Example', confirmedBy: ' ADA \u00a0 EXAMPLE' }
    expect(await refused(spellings)).toBe('validation_failed')
    expect(await refused({ publishedBy: 'A\nB' })).toBe('validation_failed')
    expect(await refused({ tenantId: 'unknown' })).toBe('not_found')
    expect(await refused({}, [content])).toBe('validation_failed')
    const changed = { path: join(central.dataDir, 'list-0'), sha256: sha256('seen') }
    const facts = { kind: 'MASTER_LIST', series: 'S0', country: 'UT', signedAt: null }
    expect(await refused({ files: [{ ...changed, ...facts }] })).toBe('validation_failed')
    expect((await ask(ours)).check.version).toBe(before)
    expect(await publish([content], { mayRemove: true })).toMatchObject({ removed: [{ series: 'S1' }] })
  })

  test('several publishers at the same time get one version after the other', async () => {
    const before = (await ask(ours)).check.version
    const made = await Promise.all(
      Array.from({ length: 4 }, () => publish([Buffer.from('one')]) as Promise<{ version: number }>),
    )
    expect(made.map(({ version }) => version - before).sort()).toEqual([1, 2, 3, 4])
  })
})
