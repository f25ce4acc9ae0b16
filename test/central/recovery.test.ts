/** Recovery to a point in time by the means of PostgreSQL: every archive of that time is back, and kiosks deliver what came later again. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { joinedKiosk, openAlarms, startCentralService, type TestCentralService } from '../support/central.ts'
import { postgresReason, startPostgres, type TestPostgres } from '../support/postgres.ts'

describe.skipIf(postgresReason !== null)('a base backup and the archive of its log', () => {
  let postgres: TestPostgres
  let central: TestCentralService
  beforeAll(async () => {
    postgres = await startPostgres({
      archive_mode: 'on',
      archive_command: 'cp %p {folder}/wal/%f',
    })
    mkdirSync(join(postgres.folder, 'wal'))
    chmodSync(join(postgres.folder, 'wal'), 0o777)
    central = await startCentralService({ databaseUrl: postgres.createDatabase() })
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })

  test('bring the service back to any moment, and nothing that a kiosk has a receipt for is lost', async () => {
    const kiosk = await joinedKiosk(central)
    await kiosk.deliver(await kiosk.makeProof())
    const base = join(postgres.folder, 'base')
    postgres.tool('pg_basebackup', 'postgres', ['-D', base, '--checkpoint=fast'])
    // These are in the archived log alone.
    await kiosk.deliver(await kiosk.makeProof())
    await kiosk.deliver(await kiosk.makeProof())
    const listFile = join(central.dataDir, 'archives.txt')
    await runAction(central.context, 'listArchives', { file: listFile })
    const moment = postgres.sql('SELECT clock_timestamp()').trim()
    const later = await kiosk.makeProof()
    expect((await kiosk.deliver(later)).state).toBe('STORED')
    const segment = postgres.sql('SELECT pg_walfile_name(pg_switch_wal())').trim()
    await vi.waitFor(() => expect(existsSync(join(postgres.folder, 'wal', segment))).toBe(true), 30_000)

    // The machine is lost; another one gets the base backup, the archive and the key file.
    await central.close()
    postgres.stopServer('immediate')
    appendFileSync(
      join(base, 'postgresql.auto.conf'),
      `restore_command = 'cp ${postgres.folder}/wal/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\n`,
    )
    writeFileSync(join(base, 'recovery.signal'), '', { mode: 0o666 })
    postgres.replaceData(base)
    postgres.startServer()
    await vi.waitFor(() => expect(postgres.sql('SELECT pg_is_in_recovery()').trim()).toBe('f'), 30_000)

    central = await central.restart()
    kiosk.url = central.url
    expect(await runAction(central.context, 'checkArchives', { listFile })).toMatchObject({
      archives: 3,
      asListed: 3,
      problems: [],
      minutes: expect.any(Number) as unknown,
    })
    const readMissing = async () => {
      const { missing, trust } = await kiosk.status()
      if (missing === undefined) return []
      return (await readStatement('missing-proofs', missing, trust.statementKeys.keys as JWK[])).ranges
    }
    expect(await readMissing()).toEqual([[4, 4]])
    expect((await kiosk.deliver(later)).state).toBe('STORED')
    expect(await readMissing()).toEqual([])
    expect(await openAlarms(central, kiosk.kioskId)).toEqual([])
  })
})
