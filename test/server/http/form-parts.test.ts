/** The reader of forms under bytes that arrive in any pieces, and under bytes that are no form. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readParts, type Part } from '../../../server/http/form-parts.ts'
import { AppError } from '../../../server/errors.ts'

const LARGEST = { partBytes: 1_000_000, tooLarge: () => new AppError('upload_too_large') }

/** Cuts after the given lengths in turn, until nothing is left. */
async function* inPieces(body: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let from = 0, turn = 0; from < body.byteLength; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    yield body.subarray(from, from + length)
    from += length
  }
}

const read = (body: Buffer, lengths: readonly number[]) => readParts(inPieces(body, lengths), 'b', LARGEST)
const outcome = (body: Buffer, lengths: readonly number[]): Promise<readonly Part[] | string> =>
  read(body, lengths).catch((error: unknown) => (error instanceof AppError ? error.code : 'NOT OURS'))

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })
const content = fc
  .array(fc.constantFrom('\r\n', '\n', '\r', '--', '-', 'b', '--c', '\0', '\xff', ' ', 'x'.repeat(90)), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''))
  // A part may not hold the delimiter itself.
  .filter((text) => !`\r\n${text}\r\n`.includes('\r\n--b'))

test('a form gives the same parts in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 6 }), lengths, async (contents, pieces) => {
      const parts = contents.map(
        (text, n) => `--b\r\nContent-Disposition: form-data; name="P${n}"\r\n\r\n${text}\r\n`,
      )
      const body = Buffer.from(`${parts.join('')}--b--\r\n`, 'latin1')
      expect(await read(body, pieces)).toEqual(
        contents.map((text, n) => ({
          name: `p${n}`,
          hasFileName: false,
          bytes: Buffer.from(text, 'latin1'),
        })),
      )
    }),
    { numRuns: 300 },
  )
})

test('bytes that are no form end in a refusal of ours or in parts, never in silence or in another error', async () => {
  const piece = fc.constantFrom(
    '--b',
    '--b--',
    '\r\n--b',
    '\r\n--b\r\n',
    '\r\n--b--',
    '\r\n',
    '\n',
    '-',
    ':',
    ' \t',
    'Content-Disposition: form-data; name="x"\r\n\r\n',
    'Content-Disposition: form-data; name="x"',
    'Content-Transfer-Encoding: base64\r\n',
    'QUJD',
    '=',
    '\0',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), lengths, async (pieces, cuts) => {
      const body = Buffer.from(`--b\r\n${pieces.join('')}`, 'latin1')
      const ended = await outcome(body, cuts)
      expect(typeof ended === 'string' ? ended : 'parts').toMatch(/^(parts|malformed_body|upload_too_large)$/)
    }),
    { numRuns: 2000 },
  )
})

test('base64 is read in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), lengths, async (bytes, pieces) => {
      const lines = Buffer.from(bytes).toString('base64').replaceAll(/.{20}/g, '$&\r\n')
      const body =
        '--b\r\nContent-Disposition: form-data; name="x"\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
        `${lines}\r\n--b--\r\n`
      const [part] = await read(Buffer.from(body), pieces)
      expect(part?.bytes).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 200 },
  )
})
