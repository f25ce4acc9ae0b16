/** Backups of the central service: one consistent snapshot with every packet, restored into an empty database and compared archive by archive. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import type { CheckedArchives } from '../../server/central/backup/archives.ts'
import { openBackup } from '../../server/central/backup/backup-file.ts'
import { sortByReference } from '../../server/central/backup/catalogue.ts'
import type { MadeBackup } from '../../server/central/backup/create.ts'
import { rehearseRestore, restoreBackup } from '../../server/central/backup/restore.ts'
import { loadCentralConfig, type CentralConfig } from '../../server/central/config.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { silentLog } from '../../server/log.ts'
import { joinedKiosk, startCentralService, type TestCentralService } from '../support/central.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import { layEmbeddedDatabase } from '../support/embedded-database.ts'
import type { TestPostgres } from '../support/postgres.ts'

const MIB = 1024 * 1024

test('tables are restored after the tables that they refer to', () => {
  const references = [
    { table: 'proofs', refers: 'kiosks' },
    { table: 'kiosks', refers: 'tenants' },
    { table: 'kiosks', refers: 'kiosks' },
  ]
  expect(sortByReference(['proofs', 'tenants', 'kiosks'], references)).toEqual([
    'tenants',
    'kiosks',
    'proofs',
  ])
  expect(() =>
    sortByReference(
      ['a', 'b'],
      [
        { table: 'a', refers: 'b' },
        { table: 'b', refers: 'a' },
      ],
    ),
  ).toThrow(TypeError)
})

describe.each(CENTRAL_DATABASES)('on $name', ({ name, reason, start }) => {
  const isEmbedded = name === 'PGlite'
  let postgres: TestPostgres | null = null
  let central: TestCentralService
  let folder: string
  let made: MadeBackup
  /** Lines of every stored proof at the time of the backup. */
  let listFile: string
  let kiosk: Awaited<ReturnType<typeof joinedKiosk>>

  beforeAll(async () => {
    if (reason !== null) return
    folder = mkdtempSync(join(tmpdir(), 'counterproof-central-backup-'))
    postgres = await start()
    // A plain owner: no superuser, as the README asks for.
    postgres?.sql('CREATE ROLE plain_owner LOGIN CREATEROLE')
    const databaseUrl = postgres?.createDatabase({ owner: 'plain_owner' })
    central = await startCentralService(databaseUrl === undefined ? {} : { databaseUrl })
    kiosk = await joinedKiosk(central)
    await kiosk.status({ lastSequence: 0 })
    await kiosk.deliver(await kiosk.makeProof({ pictureBytes: 2.5 * MIB }))
    for (let index = 0; index < 3; index++) await kiosk.deliver(await kiosk.makeProof())
    // An upload in progress comes along too.
    const unfinished = await kiosk.makeProof()
    await kiosk.announce(unfinished.announcement)
    await kiosk.chunk(unfinished.announcement.proofId, 0, unfinished.packet.subarray(0, 1000))
    const to = join(folder, 'to')
    await expect(runAction(central.context, 'createBackup', { folder: to })).rejects.toMatchObject({
      code: 'file_refused',
      details: { folder: to, reason: expect.stringContaining('does not exist') as unknown },
    })
    mkdirSync(to)
    made = (await runAction(central.context, 'createBackup', { folder: to })) as MadeBackup
    listFile = join(folder, 'archives.txt')
    await runAction(central.context, 'listArchives', { file: listFile })
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  /** A new data folder with the copy of the key file, and an empty database. */
  const anotherMachine = async (): Promise<{ config: CentralConfig; url: string | undefined }> => {
    const dataDir = mkdtempSync(join(folder, 'machine-'))
    if (postgres === null) await layEmbeddedDatabase(dataDir)
    const url = postgres?.createDatabase({ owner: 'plain_owner' })
    const config = loadCentralConfig({ dataDir, port: 0 }, url === undefined ? {} : { DATABASE_URL: url })
    mkdirSync(dirname(config.masterKeyFile), { mode: 0o700 })
    copyFileSync(central.context.config.masterKeyFile, config.masterKeyFile)
    return { config, url }
  }
  const startThere = ({ config, url }: Awaited<ReturnType<typeof anotherMachine>>) =>
    startCentralService({ dataDir: config.dataDir, ...(url === undefined ? {} : { databaseUrl: url }) })

  describe.skipIf(reason !== null)(`a backup${reason === null ? '' : ` (${reason})`}`, () => {
    test('restored on another machine has every archive, receipt and key, and the service continues from there', async () => {
      expect(made).toMatchObject({ proofs: 4, packetsElsewhere: 0 })
      const machine = await anotherMachine()
      const restored = await restoreBackup(machine.config, silentLog, made.path)
      expect(restored).toMatchObject({
        centreId: central.context.keys.current().centreId,
        backupOf: made.createdAt,
        archives: 4,
        problems: [],
      })
      const there = await startThere(machine)
      const rows = (from: TestCentralService) =>
        from.db.query(SYSTEM, 'SELECT * FROM proofs ORDER BY feed_position')
      expect(await rows(there)).toEqual(await rows(central))
      expect(await runAction(there.context, 'checkArchives', { listFile })).toMatchObject({
        archives: 4,
        asListed: 4,
        problems: [],
      })
      // The same kiosk continues with a new number, behind the others in the feed.
      const before = kiosk.url
      kiosk.url = there.url
      expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
      kiosk.url = before
      await there.stop()
    })

    test('holds neither the master key nor any secret in clear', async () => {
      const key = readFileSync(central.context.config.masterKeyFile, 'utf8').trim()
      const { content } = await openBackup(made.path, Buffer.from(key, 'hex'))
      const all = await buffer(content)
      const ciphertext = readFileSync(made.path)
      for (const bytes of [all, ciphertext]) {
        expect(bytes.includes(Buffer.from(key, 'hex'))).toBe(false)
        expect(bytes.toString('latin1').toLowerCase().includes(key.toLowerCase())).toBe(false)
      }
    })

    test('is refused with another key, if it was changed or cut, and for a database that is not empty', async () => {
      const machine = await anotherMachine()
      const bytes = readFileSync(made.path)
      const changed = join(folder, 'changed')
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 5000) ^ 1, bytes.length - 5000)
      writeFileSync(changed, bytes)
      const cut = join(folder, 'cut')
      copyFileSync(made.path, cut)
      truncateSync(cut, bytes.length - 100)
      for (const file of [changed, cut]) {
        await expect(restoreBackup(machine.config, silentLog, file)).rejects.toMatchObject({
          code: 'backup_refused',
          details: { file, reason: expect.stringContaining('is cut or damaged') as unknown },
        })
      }
      // A refused file leaves the database empty: the good file follows.
      expect((await restoreBackup(machine.config, silentLog, made.path)).archives).toBe(4)
      await expect(restoreBackup(machine.config, silentLog, made.path)).rejects.toMatchObject({
        code: 'backup_refused',
        details: { reason: expect.stringContaining('not empty') as unknown },
      })
      writeFileSync(machine.config.masterKeyFile, '7a'.repeat(32))
      await expect(restoreBackup(machine.config, silentLog, made.path)).rejects.toMatchObject({
        code: 'backup_refused',
        details: { reason: expect.stringContaining('another master key') as unknown },
      })
    })
  })

  describe.skipIf(reason !== null)('the comparison of archives', () => {
    test('names each archive that is missing, differs or is damaged', async () => {
      const machine = await anotherMachine()
      await restoreBackup(machine.config, silentLog, made.path)
      const there = await startThere(machine)
      const proofs = await there.db.query<{ proof_id: string; location: string }>(
        SYSTEM,
        'SELECT proof_id, location FROM proofs ORDER BY proof_id',
      )
      const [gone, other, damaged, lost] = proofs
      await there.db.query(SYSTEM, 'DELETE FROM proofs WHERE proof_id = $1', [gone?.proof_id ?? ''])
      await there.db.query(SYSTEM, `UPDATE proofs SET sha256 = repeat('0', 64) WHERE proof_id = $1`, [
        other?.proof_id ?? '',
      ])
      await there.db.query(SYSTEM, `SELECT lo_put($1::oid, 300, '\\x00112233445566778899'::bytea)`, [
        Number(damaged?.location.slice(3)),
      ])
      await there.db.query(SYSTEM, 'SELECT lo_unlink($1::oid)', [Number(lost?.location.slice(3))])
      const checked = (await runAction(there.context, 'checkArchives', { listFile })) as CheckedArchives
      expect(checked).toMatchObject({ archives: 3, asListed: 0, problemCount: 5 })
      expect(checked.problems).toEqual([
        { proofId: gone?.proof_id, reason: 'missing' },
        // Neither the packet nor the list says that this is the hash.
        { proofId: other?.proof_id, reason: 'damaged' },
        { proofId: other?.proof_id, reason: 'differs' },
        { proofId: damaged?.proof_id, reason: 'damaged' },
        { proofId: lost?.proof_id, reason: 'missing' },
      ])
      await there.stop()
    })
  })

  // A backup of PostgreSQL is restored into an embedded database here: the format is one for both.
  describe.skipIf(reason !== null || isEmbedded)('a drill', () => {
    test('restores into a temporary database, reads every archive and leaves nothing behind', async () => {
      const drilled = await rehearseRestore(central.context.config, silentLog, made.path)
      expect(drilled).toMatchObject({ archives: 4, problemCount: 0, minutes: expect.any(Number) as unknown })
      expect(readdirSync(central.dataDir).filter((name) => name.startsWith('drill'))).toEqual([])
    })
  })

  describe.skipIf(reason !== null || isEmbedded)('pg_dump, as the README says', () => {
    test('reads everything as the role of the central service, and pg_restore brings a service back', async () => {
      const machine = await anotherMachine()
      const nameIn = (url: string | undefined) => new URL(url ?? '').pathname.slice(1)
      const source = (
        await central.db.asOwner((queries) =>
          queries.query<{ name: string }>('SELECT current_database() AS name'),
        )
      )[0]?.name
      const file = join(postgres?.folder ?? '', 'dump')
      const asRole = ['--enable-row-security', '--role=counterproof_system', '-Fc', '-f', file]
      postgres?.tool('pg_dump', 'plain_owner', [...asRole, source ?? ''])
      postgres?.tool('pg_restore', 'plain_owner', ['--exit-on-error', '-d', nameIn(machine.url), file])
      const there = await startThere(machine)
      expect(await runAction(there.context, 'checkArchives', { listFile })).toMatchObject({
        asListed: 4,
        problems: [],
      })
      await there.stop()
    })
  })
})
