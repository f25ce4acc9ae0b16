/** Releases at the central service: which are taken, and how kiosks get them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import type { CentralConfig } from '../../server/central/config.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { FILE_PIECE_BYTES, KIOSK_API } from '../../server/protocol/wire.ts'
import {
  countLargeObjects,
  joinedKiosk,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import type { TestKiosk } from '../support/kiosk-client.ts'
import { makeRelease, stranger, vendor, type TestRelease } from '../support/release.ts'
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../support/s3-server.ts'
import { onPostgres } from './head-office/databases.ts'

onPostgres('releases', (newDatabase) => {
  let s3: S3Server
  const services: TestCentralService[] = []
  const releaseKeys = [vendor.publicKey]
  const start = async (storage?: CentralConfig['storage']) => {
    const config = { releaseKeys, ...(storage ? { storage } : {}) }
    const central = await startCentralService({ databaseUrl: newDatabase(), config })
    services.push(central)
    return { central, kiosk: await joinedKiosk(central) }
  }
  beforeAll(async () => {
    s3 = await startS3Server()
  })
  afterAll(async () => {
    for (const service of services) await service.stop()
    await s3?.close()
  })

  const add = (central: TestCentralService, { packageFile, releaseFile }: TestRelease) =>
    runAction(central.context, 'addRelease', { packageFile, releaseFile }, 'ada')
  const refuse = (central: TestCentralService, release: TestRelease) =>
    add(central, release).then(
      () => 'added',
      (error: { problems: readonly { code: string }[] }) => error.problems[0]?.code,
    )
  const fetchPackage = async (kiosk: TestKiosk, sha256: string) => {
    const pieces: Buffer[] = []
    for (let offset = 0; ; offset += FILE_PIECE_BYTES) {
      const { status, body } = await kiosk.call('GET', `/releases/${sha256}/${offset}`)
      if (status !== 200) return status
      const piece = Buffer.from((body as { content: string }).content, 'base64')
      if (piece.length === 0) return Buffer.concat(pieces)
      pieces.push(piece)
    }
  }

  test.each(['database', 's3'] as const)(
    'are stored in the %s once and sent to kiosks in pieces',
    async (kind) => {
      const storage = {
        kind: 's3',
        endpoint: s3.endpoint,
        prefix: 'counterproof',
        timeoutMs: 20_000,
        ...S3_CREDENTIALS,
      } as const
      const { central, kiosk } = await start(kind === 's3' ? storage : undefined)
      const release = makeRelease({}, { bytes: 2_500_000 })
      const { sha256 } = release.manifest
      expect(await add(central, release)).toEqual({
        version: '1.2.0',
        architecture: 'amd64',
        sha256,
        added: true,
      })
      expect(await add(central, release)).toMatchObject({ added: false })
      expect(await countLargeObjects(central)).toBe(kind === 's3' ? 0 : 1)
      expect(await fetchPackage(kiosk, sha256)).toEqual(release.content)
      expect(await kiosk.call('GET', `/releases/${sha256}/9999999999`)).toMatchObject({ status: 400 })
      expect((await fetch(`${central.url}${KIOSK_API}/releases/${sha256}/0`)).status).toBe(401)
      const listed = await runAction(central.context, 'listReleases', {})
      expect(listed).toMatchObject({
        releases: [{ version: '1.2.0', minimumFrom: '1.0.0', bytes: 2_500_000, addedBy: 'ada' }],
      })
      const [logged] = await central.db.query(
        SYSTEM,
        `SELECT tenant_id, operator FROM access_log WHERE operation = 'addRelease'`,
      )
      expect(logged).toEqual({ tenant_id: null, operator: 'ada' })
    },
  )

  test('are refused unless a key of central.json signed them, with the package that they describe', async () => {
    const { central, kiosk } = await start()
    expect(await refuse(central, makeRelease({}, { key: stranger }))).toBe('key_unknown')
    const forged = makeRelease()
    const { manifest, ...rest } = JSON.parse(readFileSync(forged.releaseFile, 'utf8')) as { manifest: string }
    const changed = Buffer.from(manifest, 'base64url').toString().replace('1.2.0', '9.9.9')
    writeFileSync(
      forged.releaseFile,
      `${JSON.stringify({ ...rest, manifest: Buffer.from(changed).toString('base64url') })}\n`,
    )
    expect(['signature_invalid', 'manifest_malformed']).toContain(await refuse(central, forged))
    const other = makeRelease()
    writeFileSync(other.packageFile, makeRelease().content)
    expect(await refuse(central, other)).toBe('other_package')
    writeFileSync(other.packageFile, 'short')
    expect(await refuse(central, other)).toBe('other_package')
    expect(await countLargeObjects(central)).toBe(0)
    expect(await fetchPackage(kiosk, other.manifest.sha256)).toBe(404)
    const stored = makeRelease()
    await add(central, stored)
    expect(await refuse(central, makeRelease())).toBe('version_taken')
    expect(await add(central, makeRelease({ architecture: 'arm64' }))).toMatchObject({ added: true })
  })

  test('whose storage was interrupted are not sent, and the same command stores them', async () => {
    const { central, kiosk } = await start()
    const release = makeRelease()
    await add(central, release)
    await central.db.query(SYSTEM, 'UPDATE releases SET stored_at = NULL')
    expect(await fetchPackage(kiosk, release.manifest.sha256)).toBe(404)
    expect(await add(central, release)).toMatchObject({ added: true })
    expect(await countLargeObjects(central)).toBe(1)
    expect(await fetchPackage(kiosk, release.manifest.sha256)).toEqual(release.content)
  })
})
