/** Encodes message texts for SMPP 3.4: the GSM default alphabet (3GPP TS 23.038) or UCS-2, and splits long ones. */

/** Characters in the order of their codes. U+001B escapes to the extension table. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENDED: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
}
const ESCAPE = 0x1b

/** Values of `data_coding`. */
const CODING = { GSM: 0, UCS2: 8 } as const

interface EncodedText {
  readonly coding: (typeof CODING)[keyof typeof CODING]
  /** One message each; those of several have the header that joins them. */
  readonly parts: readonly Buffer[]
}

/** Octets of one message. A header of six octets takes seven characters of seven bits, or three of UCS-2. */
const ROOM = {
  [CODING.GSM]: { single: 160, joined: 153 },
  [CODING.UCS2]: { single: 140, joined: 134 },
} as const
const MAX_PARTS = 255

/** @param reference joins the parts; different for messages that the phone gets at the same time. */
export function encodeText(text: string, reference: number): EncodedText {
  const gsm = encodeGsm(text)
  const coding = gsm ? CODING.GSM : CODING.UCS2
  const units = gsm ?? encodeUcs2(text)
  const { single, joined } = ROOM[coding]
  const length = units.reduce((sum, unit) => sum + unit.length, 0)
  if (length <= single) return { coding, parts: [Buffer.concat(units)] }
  const contents = split(units, joined)
  if (contents.length > MAX_PARTS) throw new RangeError('the text is too long')
  const parts = contents.map((content, index) =>
    Buffer.concat([Buffer.from([5, 0, 3, reference & 0xff, contents.length, index + 1]), content]),
  )
  return { coding, parts }
}

/** One unit per character, which is never divided. Null if a character is not in the alphabet. */
function encodeGsm(text: string): readonly Buffer[] | null {
  const units: Buffer[] = []
  for (const character of text) {
    const extended = EXTENDED[character]
    const code = BASIC.indexOf(character)
    if (extended !== undefined) units.push(Buffer.from([ESCAPE, extended]))
    else if (code >= 0 && code !== ESCAPE) units.push(Buffer.from([code]))
    else return null
  }
  return units
}

/** Two surrogates stay together. */
const encodeUcs2 = (text: string): readonly Buffer[] =>
  [...text].map((character) => Buffer.from(character, 'utf16le').swap16())

function split(units: readonly Buffer[], room: number): readonly Buffer[] {
  const parts: Buffer[][] = [[]]
  let used = 0
  for (const unit of units) {
    if (used + unit.length > room) {
      parts.push([])
      used = 0
    }
    parts.at(-1)?.push(unit)
    used += unit.length
  }
  return parts.map((part) => Buffer.concat(part))
}

/** Reads a text of the simulator or a receipt; unknown codes become a question mark. */
export function decodeText(bytes: Buffer, coding: number): string {
  if (coding === CODING.UCS2) {
    const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
    return even.swap16().toString('utf16le')
  }
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === ESCAPE) {
      at++
      text += Object.keys(EXTENDED).find((character) => EXTENDED[character] === bytes[at]) ?? '?'
    } else text += BASIC[bytes[at]] ?? '?'
  }
  return text
}
