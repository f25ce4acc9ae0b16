/** Names of a document are read again in the language of the state that issued it, and of no other. */
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import type { DocumentReadings } from '../../../server/verification/read-document.ts'
import { readWholeDocument } from '../../../server/verification/read-whole-document.ts'
import type {
  DocumentMeasurement,
  PageLine,
  PageText,
  Vision,
  VisionCalls,
} from '../../../server/vision/protocol.ts'
import { HOLDER } from '../app/scripted-vision.ts'

type Asked = VisionCalls['readLinesAgain']['input']

const NOW = new Date('2026-11-21T12:00:00Z')
const FRAME = [
  { x: 0, y: 0 },
  { x: 1000, y: 0 },
  { x: 1000, y: 700 },
  { x: 0, y: 700 },
] as const
const IMAGE = new Uint8Array([1])

function line(text: string, y: number): PageLine {
  const box = { x: 0.35, y, width: 0.02 * text.length, height: 0.03 }
  const words = text.split(' ').map((word, i) => ({
    text: word,
    confidence: 0.97,
    isConfirmed: true,
    box: { ...box, x: box.x + 0.1 * i, width: 0.09 },
  }))
  return { words, box }
}
const PRINTED = [
  line('Surname', 0.1),
  line('ABRAMOV', 0.14),
  line('ABRAMOV', 0.19),
  line('Given names', 0.24),
  line('ADNAN BOKIR OGLU', 0.28),
  line('ADNAN', 0.33),
  line('Date of birth', 0.4),
  line('12.08.1974', 0.44),
]
const page: PageText = {
  lines: PRINTED,
  widthPx: 1000,
  heightPx: 700,
  frame: FRAME,
  uprightTurnDeg: 0,
  models: [{ id: 'tesseract-eng', version: '1', sha256: 'e' }],
  elapsedMs: 1,
}
const textOf = ({ words }: PageLine): string => words.map(({ text }) => text).join(' ')

function readings(issuingState: string): DocumentReadings {
  const lines = buildTd3({ ...HOLDER, issuingState, surname: 'ABRAMOV', givenNames: ['ADNAN'] })
  const mrz = { lines, format: 'TD3', band: FRAME, frame: 0, characters: [] }
  const side = { mrz, portrait: null, outline: { quad: FRAME } } as unknown as DocumentMeasurement
  const knowledge = loadDocumentTemplates()
  return {
    sides: [side],
    barcodes: [{ symbols: [] }],
    pages: [page],
    scannedBarcode: null,
    now: NOW,
    knowledge,
  }
}

/** Reads each line as this, or knows no language at all. */
function reader(spelled: ((text: string) => string) | null) {
  const asked: Asked[] = []
  const vision: Pick<Vision, 'readLinesAgain' | 'readCell'> = {
    readCell: async () => null,
    readLinesAgain: async (input) => {
      asked.push(input)
      if (spelled === null) return { lines: input.lines, models: [] }
      const lines = input.lines.map((old) => ({
        ...old,
        words: old.words.map((word) => ({ ...word, text: spelled(word.text) })),
      }))
      return { lines, models: [{ id: `tesseract-${input.language}`, version: '1', sha256: 'l' }] }
    },
  }
  return { asked, vision }
}

test('the lines that say names are read again, and the rest is left alone', async () => {
  const { asked, vision } = reader((text) => text.replace('BOKIR', 'BƏKIR').replace('OGLU', 'OĞLU'))
  const { document, pages } = await readWholeDocument(readings('AZE'), [IMAGE], vision)
  expect(asked.map(({ language, lines }) => [language, lines.map(textOf)])).toEqual([
    ['aze', ['ABRAMOV', 'ABRAMOV', 'ADNAN BOKIR OGLU', 'ADNAN']],
  ])
  expect(document.page.fields.find(({ field }) => field === 'givenNames')?.value).toBe('ADNAN BƏKIR OĞLU')
  expect(pages[0].lines.map(textOf)).toContain('ADNAN BƏKIR OĞLU')
  expect(pages[0].models.map(({ id }) => id)).toEqual(['tesseract-eng', 'tesseract-aze'])
  expect(document.page).not.toHaveProperty('lettersNotRead')
})

test('nothing is read again for a state whose letters the first readers know', async () => {
  const { asked, vision } = reader(() => 'X')
  const { document, pages } = await readWholeDocument(readings('GBR'), [IMAGE], vision)
  expect(asked).toEqual([])
  expect(pages).toEqual([page])
  expect(document.page).not.toHaveProperty('lettersNotRead')
})

test('where the language has no model, its letters are named as not read and the lines stay', async () => {
  const { vision } = reader(null)
  const { document, pages } = await readWholeDocument(readings('MLT'), [IMAGE], vision)
  expect(document.page.lettersNotRead).toEqual(['Ċ', 'Ġ', 'Ħ', 'Ż'])
  expect(pages).toEqual([page])
})

describe('the letter of the sex', () => {
  const lines = [
    ...PRINTED,
    line('Sex', 0.5),
    { ...line('Nationality', 0.5), box: { x: 0.6, y: 0.5, width: 0.2, height: 0.03 } },
    { ...line('UTOPIAN', 0.54), box: { x: 0.6, y: 0.54, width: 0.2, height: 0.03 } },
  ]
  const read = async (letter: string | null) => {
    const cells: VisionCalls['readCell']['input'][] = []
    const vision: Pick<Vision, 'readLinesAgain' | 'readCell'> = {
      readLinesAgain: async () => ({ lines: [], models: [] }),
      readCell: async (input) => {
        cells.push(input)
        return letter === null ? null : { character: letter, confidence: 0.84 }
      },
    }
    const given = readings('GBR')
    const whole = await readWholeDocument({ ...given, pages: [{ ...page, lines }] }, [IMAGE], vision)
    return { cells, sex: whole.document.page.fields.find(({ field }) => field === 'sex') ?? null }
  }

  test('is looked for where its label was read without it, and is no certain value', async () => {
    const { cells, sex } = await read('F')
    expect(cells).toHaveLength(1)
    expect(cells[0]).toMatchObject({ image: IMAGE, frame: FRAME })
    expect(sex).toMatchObject({ value: 'F', confidence: 0.84, foundBy: 'label' })
  })

  test.each([null, 'E', 'X', 'T'])('is M or F, and nothing else that was read there: %s', async (letter) => {
    const { cells, sex } = await read(letter)
    expect(cells).toHaveLength(2)
    expect(sex).toBeNull()
  })
})
