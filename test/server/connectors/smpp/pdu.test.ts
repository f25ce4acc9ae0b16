/** Bytes of SMPP 3.4: what we write is the standard's, and what is not the standard's is refused. */
import { describe, expect, test } from 'vitest'
import { decodeText, encodeText } from '../../../../server/connectors/sms/smpp/gsm.ts'
import {
  COMMAND,
  createPduReader,
  decodeMessage,
  encodeBind,
  encodeMessage,
  encodeMessageId,
  encodePdu,
  ESM,
  PduError,
  readReceipt,
  TLV,
  type ShortMessage,
} from '../../../../server/connectors/sms/smpp/pdu.ts'

const MESSAGE: ShortMessage = {
  source: { ton: 5, npi: 0, digits: 'Bank' },
  destination: { ton: 1, npi: 1, digits: '33639980001' },
  esmClass: 0,
  registeredDelivery: 1,
  coding: 0,
  content: Buffer.from('012345'),
  parameters: new Map(),
}

describe('bytes', () => {
  test('of a bind are those of the standard', () => {
    const body = encodeBind({ systemId: 'id', password: 'pw', systemType: '' })
    const bytes = encodePdu({ command: COMMAND.BIND_TRANSCEIVER, status: 0, sequence: 1, body })
    expect(bytes.toString('hex')).toBe(
      '0000001b' + '00000009' + '00000000' + '00000001' + '696400' + '707700' + '00' + '34' + '0000' + '00',
    )
  })

  test('of a message are those of the standard', () => {
    expect(encodeMessage(MESSAGE).toString('hex')).toBe(
      '00' +
        ('0500' + '42616e6b00') +
        ('0101' + '333336333939383030303100') +
        ('00' + '00' + '00' + '00' + '00') +
        ('01' + '00' + '00' + '00') +
        ('06' + '303132333435'),
    )
    expect(decodeMessage(encodeMessage(MESSAGE))).toEqual(MESSAGE)
  })

  test('of a long message are its payload', () => {
    const content = Buffer.alloc(300, 'x')
    const decoded = decodeMessage(encodeMessage({ ...MESSAGE, content }))
    expect(decoded.content).toEqual(content)
    expect(decoded.parameters.get(TLV.MESSAGE_PAYLOAD)).toEqual(content)
  })

  test('are read whole, however the network divides them', () => {
    const bytes = Buffer.concat(
      [1, 2].map((sequence) =>
        encodePdu({ command: COMMAND.SUBMIT_SM, status: 0, sequence, body: encodeMessage(MESSAGE) }),
      ),
    )
    for (const size of [1, 3, 16, bytes.length]) {
      const read = createPduReader()
      const pdus = []
      for (let at = 0; at < bytes.length; at += size) pdus.push(...read(bytes.subarray(at, at + size)))
      expect(pdus.map(({ sequence }) => sequence)).toEqual([1, 2])
    }
  })

  test.each([
    ['shorter than a header', '0000000f00000004'],
    ['longer than any PDU', '0000ffff00000004'],
    ['of four gigabytes', 'ffffffff'],
  ])('that announce a PDU %s end the reading', (_name, hex) => {
    expect(() => createPduReader()(Buffer.from(hex, 'hex'))).toThrow(PduError)
  })

  test('that end inside a field are refused, at every length', () => {
    const whole = encodeMessage({
      ...MESSAGE,
      parameters: new Map([[TLV.RECEIPTED_MESSAGE_ID, encodeMessageId('m-1')]]),
    })
    const short = encodeMessage(MESSAGE).length
    for (let length = 0; length < whole.length; length++) {
      const cut = () => decodeMessage(whole.subarray(0, length))
      // Optional parameters may be missing.
      if (length === short) expect(cut()).toMatchObject({ coding: 0 })
      else expect(cut, String(length)).toThrow(PduError)
    }
  })

  test('at random never do more than be refused', () => {
    let seed = 1
    const random = () => (seed = (seed * 48_271) % 2_147_483_647)
    for (let round = 0; round < 2000; round++) {
      const bytes = Buffer.from(Array.from({ length: random() % 80 }, () => random() & 0xff))
      try {
        readReceipt(decodeMessage(bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(PduError)
      }
    }
  })
})

describe('a delivery report', () => {
  const report = (text: string, parameters: ShortMessage['parameters'] = new Map()) =>
    readReceipt({ ...MESSAGE, esmClass: ESM.IS_RECEIPT, content: Buffer.from(text), parameters })

  test.each([
    ['id:77 sub:001 dlvrd:001 stat:DELIVRD err:000 text:0123', 'DELIVERED'],
    ['id:77 sub:001 dlvrd:000 stat:UNDELIV err:001 text:', 'FAILED'],
    ['id:77 stat:EXPIRED', 'FAILED'],
    ['id:77 stat:REJECTD', 'FAILED'],
    ['id:77 stat:DELETED', 'FAILED'],
    ['id:77 stat:ACCEPTD', 'UNKNOWN'],
    ['id:77 stat:UNKNOWN', 'UNKNOWN'],
    ['id:77', 'UNKNOWN'],
  ])('%s is read as %s', (text, state) => {
    expect(report(text)).toEqual({ messageId: '77', state })
  })

  test('says in its parameters what counts', () => {
    const parameters = new Map([
      [TLV.RECEIPTED_MESSAGE_ID, encodeMessageId('abc')],
      [TLV.MESSAGE_STATE, Buffer.of(2)],
    ])
    expect(report('id:77 stat:UNDELIV', parameters)).toEqual({ messageId: 'abc', state: 'DELIVERED' })
  })

  test('about no message, and a message of a phone, are none', () => {
    expect(report('stat:DELIVRD')).toBeNull()
    expect(readReceipt({ ...MESSAGE, content: Buffer.from('id:77 stat:DELIVRD') })).toBeNull()
  })
})

describe('a text', () => {
  const decode = ({ coding, parts }: ReturnType<typeof encodeText>, header: number) =>
    parts.map((part) => decodeText(part.subarray(header), coding)).join('')

  test('of the GSM alphabet has a byte for each character, and two for those of the extension', () => {
    const text = '012345 ist der Code für Müller & Söhne: {5} €'
    const encoded = encodeText(text, 1)
    expect(encoded).toMatchObject({ coding: 0, parts: [{ length: text.length + 3 }] })
    expect(decode(encoded, 0)).toBe(text)
    expect(encodeText('@£é', 1).parts[0].toString('hex')).toBe('000105')
  })

  test('in Arabic, and one with a character outside the alphabet, is UCS-2', () => {
    const text = '012345 رمز التحقق'
    const encoded = encodeText(text, 1)
    expect(encoded).toMatchObject({ coding: 8, parts: [{ length: text.length * 2 }] })
    expect(decode(encoded, 0)).toBe(text)
    expect(encodeText('ê', 1).coding).toBe(8)
  })

  test.each([
    ['160 GSM characters', 'x'.repeat(160), 1],
    ['161 GSM characters', 'x'.repeat(161), 2],
    ['70 Arabic characters', 'ر'.repeat(70), 1],
    ['71 Arabic characters', 'ر'.repeat(71), 2],
    ['81 characters of the extension', '€'.repeat(81), 2],
    ['68 characters with two surrogates each', '😀'.repeat(68), 3],
  ])('%s: it is joined from its parts without a loss', (_name, text, count) => {
    const encoded = encodeText(text, 7)
    expect(encoded.parts).toHaveLength(count)
    expect(decode(encoded, count === 1 ? 0 : 6)).toBe(text)
    for (const [index, part] of encoded.parts.entries()) {
      expect(part.length).toBeLessThanOrEqual(160)
      if (count > 1) expect([...part.subarray(0, 6)]).toEqual([5, 0, 3, 7, count, index + 1])
    }
  })
})
