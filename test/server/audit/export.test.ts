import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyExport } from '../../../server/audit/export.ts'
import { streamEvents } from '../../../server/audit/stream.ts'
import { verifyAudit } from '../../../server/audit/verify.ts'
import { main } from '../../../server/cli.ts'
import { placeKeyInFile } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { collectOutput } from '../../support/output.ts'
import { makeLog, type ALog, type Copy } from './a-log.ts'

let log: ALog
let copy: Copy
let file: string
let keyFile: string
beforeAll(async () => {
  log = await makeLog()
  copy = log.copy()
  file = join(copy.dataDir, 'export.jsonl')
  keyFile = join(copy.dataDir, 'jwks.json')
  writeFileSync(keyFile, JSON.stringify({ keys: [log.publicJwk] }))
  placeKeyInFile(copy.dataDir, log.kek)
})
afterAll(() => {
  copy[Symbol.dispose]()
  log.close()
})

const audit = async (...argv: string[]): Promise<{ code: number; out: string }> => {
  const output = collectOutput()
  try {
    const code = await main(['audit', ...argv])
    return { code, out: output.text }
  } finally {
    vi.restoreAllMocks()
  }
}
const keys = () => ({ jwks: { keys: [log.publicJwk] } })

describe('an export', () => {
  test('is checked without the database, and the log notes that it was made', async () => {
    const made = await audit('export', '--out', file, '--data', copy.dataDir, '--json')
    expect(made.code).toBe(0)
    const checked = await audit('verify-export', file, '--key', keyFile, '--json')
    expect(checked.code).toBe(0)
    const { events } = JSON.parse(checked.out) as { events: number }
    expect(events).toBeGreaterThan(20)
    const store = openStore(copy.dataDir, log.kek)
    const last = store.events.after(store.events.head().seq - 1, 1)
    store.close()
    expect(last).toMatchObject([{ type: 'audit.exported', actor: 'operator', body: { from: 1, to: events } }])
  })

  const tampered = async (change: (lines: string[]) => string[]) => {
    const path = join(copy.dataDir, 'tampered.jsonl')
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    writeFileSync(path, `${change(lines).join('\n')}\n`)
    return verifyExport(path, keys())
  }
  const actorChanged = (line: string) => line.replace(/"actor":"[^"]+"/, '"actor":"operator"')

  test.each<[string, (lines: string[]) => string[]]>([
    ['a line gone', (lines) => lines.toSpliced(4, 1)],
    ['the first line gone', (lines) => lines.slice(1)],
    ['the newest event gone', (lines) => lines.toSpliced(-2, 1)],
    ['a line changed', (lines) => lines.with(4, actorChanged(lines[4]))],
    ['two lines swapped', (lines) => lines.with(4, lines[5]).with(5, lines[4])],
    ['a line twice', (lines) => lines.toSpliced(4, 0, lines[4])],
    ['the statement gone', (lines) => lines.slice(0, -1)],
    ['nothing left', () => ['']],
  ])('with %s is refused', async (_, change) => {
    const report = await tampered(change)
    expect(report.valid).toBe(false)
    expect(report.problems.length).toBeGreaterThan(0)
  })

  test('of a part of the log stands alone, and its statement counts as a checkpoint of the whole', async () => {
    const part = join(copy.dataDir, 'part.jsonl')
    expect(
      (await audit('export', '--out', part, '--from', '3', '--to', '9', '--data', copy.dataDir)).code,
    ).toBe(0)
    const report = await verifyExport(part, keys())
    expect(report).toMatchObject({
      valid: true,
      events: 7,
      checkpoint: { seq: 9, export: { from: 3, to: 9 } },
    })
    const whole = await verifyAudit({ dataDir: copy.dataDir, kek: log.kek, checkpointFiles: [part] })
    expect(whole).toMatchObject({ valid: true, checked: { given: 1 } })
  })
})

describe('npm run audit', () => {
  test('verify says what is wrong, one sentence each, and ends with 1', async () => {
    expect((await audit('verify', '--data', copy.dataDir)).code).toBe(0)
    using bad = log.copy()
    placeKeyInFile(bad.dataDir, log.kek)
    bad.tamper((db) => void db.exec('DELETE FROM events WHERE seq = 5'))
    const { code, out } = await audit('verify', '--data', bad.dataDir)
    expect(code).toBe(1)
    expect(out).toContain('Event 5 is missing from the middle of the log.')
  })

  test('checkpoint prints a statement that verifies the log from outside', async () => {
    const { code, out } = await audit('checkpoint', '--data', copy.dataDir)
    expect(code).toBe(0)
    const taken = join(copy.dataDir, 'taken.txt')
    writeFileSync(taken, out)
    const given = await audit('verify', '--data', copy.dataDir, '--checkpoints', taken, '--key', keyFile)
    expect([given.code, given.out]).toEqual([0, expect.stringContaining('1 given')])
  })

  test('wrong use is said, with the help', async () => {
    expect((await audit('export', '--data', copy.dataDir)).code).toBe(2)
    expect((await audit('verify-export', file)).code).toBe(2)
    expect((await audit('tidy')).code).toBe(2)
  })
})

describe('a stream for a log collector', () => {
  const stream = async (...argv: string[]) =>
    (await audit('stream', ...argv, '--data', copy.dataDir)).out.trimEnd().split('\n')
  interface Line {
    readonly seq: number
    readonly kind: string
    readonly time: string
  }
  const read = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Line)

  test('has every event in order, and continues after the last number that arrived', async () => {
    const all = read(await stream())
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    expect(all.at(-1)).toMatchObject({ kind: 'audit.checkpointed', program: 'counterproof' })
    expect(read(await stream('--from', '8'))).toEqual(all.slice(7))
    const from = all[10].time
    expect(read(await stream('--from', from))).toEqual(all.filter(({ time }) => time >= from))
  })

  test('is lines of syslog if asked, one for each event', async () => {
    const lines = await stream('--syslog')
    expect(lines).toHaveLength((await stream()).length)
    for (const line of lines)
      expect(line).toMatch(/^<110>1 \S+Z \S+ counterproof - [a-z_.]+ \[event@32473 .*\]$/)
  })

  test('waits for further events until it is stopped', async () => {
    const store = openStore(copy.dataDir, log.kek)
    const stop = new AbortController()
    const newest = store.events.head().seq
    const events = streamEvents(store.events, { from: newest, followUntil: stop.signal })
    expect((await events.next()).value).toMatchObject({ facts: { seq: newest } })
    const waiting = events.next()
    store.events.append('appliance.thawed', null, {}, new Date('2027-01-01T00:00:00Z'))
    expect((await waiting).value).toMatchObject({ kind: 'appliance.thawed', facts: { seq: newest + 1 } })
    stop.abort()
    expect((await events.next()).done).toBe(true)
    store.close()
  })
})
