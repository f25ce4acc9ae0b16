/** Words of a line that the network read without blanks. All texts are invented. */
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { partWords } from '../../../../../server/vision/documents/text/part-words.ts'
import { stopEngine } from '../../../../../server/vision/documents/visual-zone/engine.ts'
import { readPage } from '../../../../../server/vision/documents/visual-zone/read-page.ts'
import { textNetworks } from '../../../../support/text-networks.ts'

afterAll(stopEngine)

/** Letters of 12 × 30 pixels with the gaps in front of them, drawn as bars, as a strip with capitals of 30 pixels. */
function draw(text: string, gapsPx: readonly number[]) {
  const [width, height] = [600, 71]
  const data = new Uint8Array(width * height).fill(255)
  let x = 20
  const letters = [...text].map((character, i) => {
    x += gapsPx[i]
    for (let y = 22; y < 52; y++) data.fill(0, y * width + x, y * width + x + 12)
    const letter = { character, confidence: 0.95, at: x / width, x: x + 6 }
    x += 12
    return letter
  })
  return { strip: { data, width, height }, letters }
}
const textsOf = (words: ReturnType<typeof partWords>): readonly string[] | undefined =>
  words?.map(({ text }) => text)

describe('the words of a line', () => {
  test('are parted where the ink leaves the room of a blank', () => {
    const { strip, letters } = draw('Placeofbirth', [0, 3, 3, 3, 3, 11, 3, 12, 3, 3, 3, 3])
    const words = partWords(strip, letters)
    expect(textsOf(words)).toEqual(['Place', 'of', 'birth'])
    expect(words?.map(({ x0, x1 }) => [x0 <= letters[0].x, x1 - x0 > 0])).toHaveLength(3)
    // Each word lies where its letters lie.
    expect(words?.[1].x0).toBeGreaterThan(letters[4].x)
    expect(words?.[1].x1).toBeLessThan(letters[7].x)
  })

  test('stay one word where the letters touch', () => {
    const { strip, letters } = draw('Nom', [0, 0, 0])
    expect(textsOf(partWords(strip, letters))).toEqual(['Nom'])
  })

  test('are not told where gaps of both kinds are as wide', () => {
    const { strip, letters } = draw('Dateof', [0, 3, 3, 7, 9, 3])
    expect(partWords(strip, letters)).toBeNull()
  })

  test('are parted where the network itself has seen a blank, whatever lies between', () => {
    const { strip, letters } = draw('Sex', [0, 3, 3])
    const blank = { character: ' ', confidence: 0.9, at: 0, x: letters[1].x + 7 }
    expect(textsOf(partWords(strip, [letters[0], letters[1], blank, letters[2]]))).toEqual(['Se', 'x'])
  })
})

test('a label that the network reads for certain has one reader, a value has two', async () => {
  const [width, height] = [1000, 320]
  const text = (y: number, size: number, inside: string) =>
    `<text x="60" y="${y}" font-size="${size}" font-family="DejaVu Sans" fill="#222">${inside}</text>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f2f2ee"/>${text(90, 26, 'Date of birth / Date de naissance')}${text(150, 34, 'ANDERSSON')}${text(240, 26, 'Alexander Lindqvist')}</svg>`
  const data = await sharp(Buffer.from(svg)).flatten().raw().toBuffer()
  const page = await readPage({ data, width, height }, null, 0, await textNetworks(), () => 0)
  const told = page.lines.map(({ words }) => [
    words.map(({ text: word }) => word).join(' '),
    words.every(({ isConfirmed }) => isConfirmed === true),
  ])
  expect(told).toEqual([
    ['Date of birth Date de naissance', false],
    ['ANDERSSON', true],
    // Set in small letters as a label is, but each word begins with a capital, as in a name.
    ['Alexander Lindqvist', true],
  ])
})
