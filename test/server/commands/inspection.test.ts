/** Inspections and the register of lost documents, as an operator keeps them beside a running appliance. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { findIn, filesIn, formsOf } from '../../support/byte-scan.ts'
import { collectOutput } from '../../support/output.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { aPassport } from '../app/scripted-vision.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({ environment: { inspection: { everyDays: 3000 } } })
})
afterAll(() => client.close())
afterEach(() => {
  vi.restoreAllMocks()
})

async function told(...argv: string[]) {
  const output = collectOutput()
  const code = await main([...argv, '--data', client.app.dataDir])
  vi.restoreAllMocks()
  return { code, text: output.text }
}
const inspection = (...argv: string[]) => told('inspection', ...argv)
const register = (...argv: string[]) => told('document-register', ...argv)
const lastEvent = () => client.app.appliance.store.events.after(0, 10_000).at(-1)

describe('npm run inspection', () => {
  test('begins with an inspection that is due', async () => {
    expect(await inspection('status')).toMatchObject({ code: 1 })
    expect((await inspection('status')).text).toContain('inspection overdue')
  })

  // @clause NIST-63A-4/4.10-inspection
  test('records an inspection, signed and in the log', async () => {
    expect((await inspection('record', '--outcome', 'passed')).code).toBe(0)
    expect(lastEvent()).toMatchObject({
      type: 'device.inspected',
      actor: 'operator',
      body: { outcome: 'PASSED' },
    })
    const { code, text } = await inspection('status')
    expect(code).toBe(0)
    expect(text).toContain('inspection in date; no open tampering; every entry is signed')
  })

  // @clause NIST-63A-4/4.10-tamper
  test('records tampering, which only an inspection from after it can end', async () => {
    expect((await inspection('tamper', '--kind', 'SEAL_BROKEN')).code).toBe(0)
    expect(lastEvent()).toMatchObject({ type: 'device.tampered', body: { kind: 'SEAL_BROKEN' } })
    expect((await inspection('status')).code).toBe(1)
    expect((await inspection('clear')).code).toBe(1)
    await inspection('record', '--outcome', 'failed')
    expect((await inspection('clear')).code).toBe(1)
    await inspection('record', '--outcome', 'passed')
    expect((await inspection('status')).text).toContain('not cleared: SEAL_BROKEN')
    expect((await inspection('clear')).code).toBe(0)
    expect(lastEvent()?.type).toBe('device.cleared')
    expect((await inspection('status')).code).toBe(0)
    expect((await inspection('clear')).code).toBe(1)
  })

  test('finds an entry that is not as it was signed', async () => {
    const db = new Database(join(client.app.dataDir, 'appliance.sqlite'))
    db.prepare(`UPDATE device_ledger SET detail = 'PASSED' WHERE detail = 'FAILED'`).run()
    db.close()
    const { code, text } = await inspection('status')
    expect(code).toBe(1)
    expect(text).toContain('1 entries are not as they were signed')
  })

  test.each([
    [['record']],
    [['record', '--outcome', 'fine']],
    [['tamper', '--kind', 'SOMETHING']],
    [['invent']],
    [['status', 'more']],
  ])('refuses %j as wrong use', async (argv) => {
    expect((await inspection(...argv)).code).toBe(2)
  })
})

describe('npm run document-register', () => {
  const write = (text: string): string => {
    const path = join(client.app.dataDir, '..', `register-${process.pid}.csv`)
    writeFileSync(path, text)
    return path
  }
  const HEADER = 'type,country,number,reason\n'

  test('begins without a list', async () => {
    expect((await register('status')).text).toBe('no list was imported\n')
  })

  test('imports a list that the running appliance looks into at once, and keeps hashes alone', async () => {
    const path = write(
      `\ufeff${HEADER}PASSPORT,UTO,LOST-00001,LOST\n\nDRIVING_LICENSE,USA-CA,Y1234567,REVOKED\n`,
    )
    const { code, text } = await register('import', path, '--name', 'Utopian list', '--date', '2026-03-01')
    expect({ code, text }).toEqual({
      code: 0,
      text: '2 documents of Utopian list, as of 2026-03-01, are in force\n',
    })
    expect(lastEvent()).toMatchObject({ type: 'register.imported', body: { entries: 2 } })
    const id = await client.anIdentity()
    await client.document(id, aPassport({ documentNumber: 'LOST00001' }))
    const checks = `/v1/identities/${id}/antifraud`
    await client.ask('FraudCheckAnswer', 'POST', checks, { payload: [{ type: 'DOCUMENT_STATUS' }] })
    await client.app.runJobs()
    expect((await client.ask('FraudCheckAnswer', 'GET', checks)).checks).toMatchObject([
      {
        status: 'INVALID',
        measured: { localRegister: 'Utopian list', localDate: '2026-03-01', reasons: 'LOST' },
      },
    ])
    const forms = { number: formsOf('LOST00001'), written: formsOf('LOST-00001'), other: formsOf('Y1234567') }
    expect(findIn(filesIn(client.app.dataDir), forms)).toEqual([])
  })

  test.each([
    [
      'a reason that is none',
      'PASSPORT,UTO,OK0000001,LOST\nPASSPORT,UTO,BAD0000001,BORROWED\n',
      'row 3',
      'reason',
    ],
    ['a type that is none', 'LIBRARY_CARD,UTO,BAD0000001,LOST\n', 'row 2', 'type'],
    ['a country that is none', 'PASSPORT,Utopia,BAD0000001,LOST\n', 'row 2', 'country'],
    ['a number without a sign', 'PASSPORT,UTO,---,LOST\n', 'row 2', 'number'],
    ['a line with too many values', 'PASSPORT,UTO,BAD0000001,LOST,more\n', 'line 2', ''],
    ['a quote that is not closed', 'PASSPORT,UTO,"BAD0000001,LOST\n', 'line', ''],
  ])('refuses a file with %s, by its place and without quoting it', async (_name, lines, line, field) => {
    const before = client.app.appliance.store.documentRegisters.current()
    const { code, text } = await register('import', write(HEADER + lines))
    expect(code).toBe(1)
    expect(text).toContain(line)
    expect(text).toContain(field)
    expect(text).not.toContain('BAD000')
    expect(client.app.appliance.store.documentRegisters.current()).toEqual(before)
  })

  test('refuses a file without its columns', async () => {
    const { code, text } = await register('import', write('number,reason\nA1,LOST\n'))
    expect({ code, text }).toMatchObject({
      code: 1,
      text: expect.stringContaining('type, country') as string,
    })
  })

  test('a later list takes the place of the one before, and may cover deaths', async () => {
    await register('import', write(`${HEADER}PASSPORT,UTO,OTHER0001,STOLEN\n`), '--covers-deaths')
    const { store } = client.app.appliance
    expect(store.documentRegisters.current()).toMatchObject({ entries: 1, coversDeaths: true })
    expect(store.documentRegisters.find('PASSPORT\nUTO\nLOST00001')).toEqual([])
    expect(store.documentRegisters.find('PASSPORT\nUTO\nOTHER0001')).toEqual(['STOLEN'])
    expect((await register('status')).text).toContain('1 documents, deaths too')
  })

  test.each([
    [['import']],
    [['import', '/nowhere', '--date', '2026-02-30']],
    [['import', '/nowhere', '--date', '2999-01-01']],
    [['import', '/nowhere', '--name', '<b>']],
    [['forget']],
    [['status', 'a', 'b']],
  ])('refuses %j as wrong use', async (argv) => {
    expect((await register(...argv)).code).toBe(2)
  })
})
