/** Lines for log collectors, read by the grammar of RFC 5424 and not by the code that writes them. */
import { describe, expect, test } from 'vitest'
import { formatLogLine } from '../../../server/audit/log-lines.ts'

const at = new Date('2026-11-30T01:02:03.456Z')
const line = (facts: Parameters<typeof formatLogLine>[0]['facts'], kind = 'proof.sealed') => ({
  at,
  program: 'counterproof',
  kind,
  facts,
})

/** HEADER SP STRUCTURED-DATA of RFC 5424, section 6, with one element. */
const SYSLOG =
  /^<(\d{1,3})>1 (\S+) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) \[([^ =\]"]{1,32})((?: [^ =\]"]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\]$/

function readSyslog(text: string) {
  const found = SYSLOG.exec(text)
  if (!found) throw new Error(`no line of RFC 5424: ${text}`)
  const [, priority, time, host, program, process, kind, element, values] = found
  const facts = [...values.matchAll(/ ([^ =\]"]+)="((?:[^"\\\]]|\\.)*)"/g)].map(([, name, value]) => [
    name,
    value.replaceAll(/\\(.)/g, '$1'),
  ])
  return { priority: Number(priority), time, host, program, process, kind, element, facts }
}

describe('a line of syslog', () => {
  test('has facility log audit, severity informational, time, host, program, kind and the facts', () => {
    const text = formatLogLine(line({ seq: 7, identityId: null, hasChip: true }), 'syslog', 'kiosk-7')
    expect(readSyslog(text)).toEqual({
      priority: 110,
      time: '2026-11-30T01:02:03.456Z',
      host: 'kiosk-7',
      program: 'counterproof',
      process: '-',
      kind: 'proof.sealed',
      element: 'event@32473',
      facts: [
        ['seq', '7'],
        ['hasChip', 'true'],
      ],
    })
  })

  test.each([
    ['quotes, brackets and backslashes', 'a "b" ] c\\ [d'],
    ['letters outside ASCII', 'Zürich 支店'],
  ])('keeps %s of a value', (_, value) => {
    expect(readSyslog(formatLogLine(line({ value }), 'syslog', 'h')).facts).toEqual([['value', value]])
  })

  test('stays one line with one element, whatever a value, a name or the host contains', () => {
    const hostile = { 'a=b] "c': 'x\r\n<110>1 - - - - - [y]', list: ['p', 'q"]'] }
    const read = readSyslog(formatLogLine(line(hostile, 'kind with space'), 'syslog', 'my host\n'))
    expect(read).toMatchObject({ host: 'my_host_', kind: 'kind_with_space' })
    expect(read.facts).toEqual([
      ['a_b___c', 'x <110>1 - - - - - [y]'],
      ['list', 'p q"]'],
    ])
    expect(readSyslog(formatLogLine(line({}), 'syslog', '')).host).toBe('-')
  })
})

test('a line of JSON is one object with the same facts', () => {
  const text = formatLogLine(line({ seq: 7, list: ['a', 'b\n'] }), 'json', 'h')
  expect(text).not.toContain('\n')
  expect(JSON.parse(text)).toEqual({
    time: '2026-11-30T01:02:03.456Z',
    program: 'counterproof',
    kind: 'proof.sealed',
    seq: 7,
    list: ['a', 'b\n'],
  })
})
