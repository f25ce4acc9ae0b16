import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { canonicalBytes, type ProofFile } from '../../../server/proof/archive.ts'
import { aFile, aProofInput, aSealedProof, IDENTITY_ID, unpack } from './fixture.ts'

const ROOT = `${IDENTITY_ID}_20261120100312345`

const shuffled = (all: readonly string[]) =>
  fc.shuffledSubarray([...all], { minLength: all.length, maxLength: all.length })

test.each(['identityDetails', 'verificationAndEvaluationDetails'])(
  'of more %s than a verifier reads no proof is sealed',
  async (member) => {
    // 100 000 members and elements is what a verifier reads of one JSON file.
    const sealing = aSealedProof({ [member]: Array.from({ length: 100_001 }, () => 0) })
    await expect(sealing).rejects.toMatchObject({
      code: 'proof_not_stored',
      details: { reason: 'archive_too_large', jsonBytes: 200_003 },
    })
  },
)

describe('a sealed proof', () => {
  test('is a zip whose root folder is named by identity and time, and another zip reader opens it', async () => {
    const sealed = await aSealedProof()
    expect(sealed.fileName).toBe(`${ROOT}.zip`)
    expect((await unpack(sealed.bytes)).map(({ path }) => path)).toEqual([
      `${ROOT}/additionalFiles/receipt.pdf`,
      `${ROOT}/identityDetails.json`,
      `${ROOT}/images/passport.jpg`,
      `${ROOT}/images/portrait.jpg`,
      `${ROOT}/proof.json`,
      `${ROOT}/verificationAndEvaluationDetails.json`,
    ])
  })

  test('states the SHA-256 of every other file, and its own fields as the spec names them', async () => {
    const sealed = await aSealedProof()
    const files = new Map(
      (await unpack(sealed.bytes)).map(({ path, bytes }) => [path.slice(ROOT.length + 1), bytes]),
    )
    const hashOf = (path: string) => createHash('sha256').update(files.get(path)!).digest('hex')
    const proof: unknown = JSON.parse(files.get('proof.json')!.toString('utf8'))
    expect(proof).toEqual({
      version: '1.1',
      proofId: '01990000-0000-7000-8000-00000000000a',
      identityId: IDENTITY_ID,
      tenantId: 'default',
      tenantRole: 'RELYING_SERVICE',
      transactionId: IDENTITY_ID,
      ips: ['127.0.0.1'],
      startDateTime: '2026-11-20T10:00:00.000',
      endDateTime: '2026-11-20T10:03:12.345',
      componentVersion: 'Counterproof 0.1.0',
      hashes: {
        identityDetails: hashOf('identityDetails.json'),
        verificationAndEvaluationDetails: hashOf('verificationAndEvaluationDetails.json'),
        images: [
          { id: 'img-1', path: 'images/passport.jpg', hash: hashOf('images/passport.jpg') },
          { id: 'img-2', path: 'images/portrait.jpg', hash: hashOf('images/portrait.jpg') },
        ],
        additionalFiles: [
          { id: 'file-1', path: 'additionalFiles/receipt.pdf', hash: hashOf('additionalFiles/receipt.pdf') },
        ],
      },
      signature: expect.stringMatching(/^eyJhbGciOiJSUzI1NiJ9\.[\w-]+\.[\w-]+$/) as string,
    })
    expect(sealed.proof).toEqual(proof)
    expect(sealed.sha256).toBe(createHash('sha256').update(sealed.bytes).digest('hex'))
  })

  test('signs the minimised proof JSON without its signature, as any JSON library writes it', async () => {
    const { proof } = await aSealedProof()
    const files = await unpack((await aSealedProof()).bytes)
    const written = files.find(({ path }) => path.endsWith('/proof.json'))!.bytes.toString('utf8')
    const { signature, ...unsigned } = JSON.parse(written) as Record<string, unknown>
    expect(Buffer.from(proof.signature.split('.')[1], 'base64url').toString('utf8')).toBe(
      JSON.stringify(unsigned),
    )
    expect(signature).toBe(proof.signature)
  })

  test('is the same byte for byte whatever the order of images, of JSON members, and the time zone', async () => {
    const first = await aSealedProof()
    vi.stubEnv('TZ', 'Pacific/Auckland')
    const { images, identityDetails } = aProofInput()
    const reordered = Object.fromEntries(
      Object.entries(identityDetails as object).reverse(),
    ) as typeof identityDetails
    const second = await aSealedProof({ images: [...images].reverse(), identityDetails: reordered })
    vi.unstubAllEnvs()
    expect(Buffer.compare(first.bytes, second.bytes)).toBe(0)
  })

  test('is the same byte for byte whatever the order in which its files are given', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,8}\.jpg$/), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        names.chain((all) => fc.tuple(fc.constant(all), shuffled(all), shuffled(all))),
        async ([all, once, again]) => {
          const sealed = (order: readonly string[]) => {
            const files = order.map((name) =>
              aFile(`id-${all.indexOf(name)}`, name, Buffer.from(`of ${name}`)),
            )
            return aSealedProof({ images: files, videos: files, additionalFiles: files })
          }
          expect((await sealed(once)).sha256).toBe((await sealed(again)).sha256)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('reads each file twice, one at a time: never two of them are held', async () => {
    const readings: string[] = []
    let open = 0
    const watched = (fileName: string): ProofFile => ({
      id: fileName,
      fileName,
      read: async function* () {
        open++
        readings.push(`${fileName} beside ${open - 1}`)
        await new Promise((resolve) => setTimeout(resolve, 1))
        yield Buffer.from(fileName)
        open--
      },
    })
    await aSealedProof({ images: [watched('b.jpg'), watched('a.jpg')], additionalFiles: [watched('c.pdf')] })
    expect(readings).toEqual(
      ['b.jpg', 'a.jpg', 'c.pdf', 'c.pdf', 'a.jpg', 'b.jpg'].map((name) => `${name} beside 0`),
    )
  })

  test('tells its size before it is written', async () => {
    const { size, bytes } = await aSealedProof()
    expect(size).toBe(bytes.length)
  })

  test('bears the mark of a test tenant under its signature, and no mark otherwise', async () => {
    expect((await aSealedProof({ test: true })).proof.counterproof?.test).toBe(true)
    expect((await aSealedProof({ test: false })).proof).not.toHaveProperty('test')
  })

  test.each([
    ['leaves the folder', '../passport.jpg'],
    ['holds a folder', 'a/b.jpg'],
    ['holds what a person may have typed', 'Jane Doe.jpg'],
    ['is empty', ''],
  ])('is refused for an image whose file name %s', async (_, fileName) => {
    await expect(aSealedProof({ images: [aFile('x', fileName)] })).rejects.toThrow(TypeError)
  })

  test('is refused for two images that one file system would take for one', async () => {
    const images = [aFile('a', 'a.jpg'), aFile('b', 'A.JPG')]
    await expect(aSealedProof({ images })).rejects.toThrow(TypeError)
  })

  test('is refused when it holds more than any verifier reads: it could never be used', async () => {
    const megabyte = Buffer.alloc(1024 * 1024)
    const read = function* () {
      for (let made = 0; made <= 256; made++) yield megabyte
    }
    const refused = { code: 'proof_not_stored', details: { reason: 'archive_too_large' } }
    const many = Array.from({ length: 2000 }, (_, index) => aFile(`${index}`, `${index}.jpg`))
    await expect(aSealedProof({ images: many })).rejects.toMatchObject(refused)
    const videos = [{ id: 'long', fileName: 'long.webm', read }]
    await expect(aSealedProof({ videos })).rejects.toMatchObject(refused)
  })

  test('is refused for date-times in another form than the spec writes', async () => {
    await expect(aSealedProof({ endDateTime: '2026-11-20T10:03:12Z' })).rejects.toThrow(TypeError)
    await expect(aSealedProof({ startDateTime: '2026-11-20' })).rejects.toThrow(TypeError)
  })
})

describe('canonical JSON', () => {
  const text = (value: Parameters<typeof canonicalBytes>[0]) =>
    Buffer.from(canonicalBytes(value)).toString('utf8')

  test('sorts members at every depth and writes no white space', () => {
    expect(text({ b: [{ d: 1, c: null }], a: 'é\n', 10: true, 9: 1.5 })).toBe(
      '{"10":true,"9":1.5,"a":"é\\n","b":[{"c":null,"d":1}]}',
    )
  })

  test('leaves out members that are undefined and keeps a member named __proto__', () => {
    expect(text({ a: undefined, b: 1 })).toBe('{"b":1}')
    expect(text(JSON.parse('{"__proto__":{"x":1},"a":1}') as { a: number })).toBe(
      '{"__proto__":{"x":1},"a":1}',
    )
  })

  test('refuses what JSON cannot hold and what is nested without end', () => {
    expect(() => text(Number.NaN)).toThrow(TypeError)
    expect(() => text({ at: new Date(0) as unknown as string })).toThrow(TypeError)
    expect(() => text(JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as [])).toThrow(TypeError)
  })
})
