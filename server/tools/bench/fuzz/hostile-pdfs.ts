/** Scans as PDF that attack the renderer: pages without end or size, nested forms, streams that expand enormously. */
import { deflateSync } from 'node:zlib'
import { pickOne, whole, type Make, type Random } from './bytes.ts'

const UNFOLDED_BYTES = 32 * 1024 * 1024

interface PdfObject {
  readonly dictionary: string
  readonly stream?: Buffer
}

/** Objects 1, 2, 3 …; the first is the catalogue. There is no cross-reference table, so the reader has to search. */
function pdf(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts = objects.flatMap(({ dictionary, stream }, i) => [
    Buffer.from(`${i + 1} 0 obj\n${dictionary}\n`, 'latin1'),
    ...(stream ? [Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')] : []),
    Buffer.from('endobj\n'),
  ])
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...parts,
    Buffer.from(`trailer\n<</Root 1 0 R/Size ${objects.length + 1}${trailer}>>\n%%EOF\n`),
  ])
}

const buildStream = (dictionary: string, stream: Buffer): PdfObject => ({
  dictionary: `<<${dictionary}/Length ${stream.length}>>`,
  stream,
})
const deflated = (dictionary: string, stream: Buffer): PdfObject =>
  buildStream(`${dictionary}/Filter/FlateDecode`, deflateSync(stream))

/** One page; object 4 is its content, and the following objects are its resources. */
function buildPage(
  { content, box = '0 0 300 200', resources = '' }: { content: Buffer; box?: string; resources?: string },
  more: readonly PdfObject[] = [],
): Buffer {
  return pdf([
    { dictionary: '<</Type/Catalog/Pages 2 0 R>>' },
    { dictionary: '<</Type/Pages/Kids[3 0 R]/Count 1>>' },
    { dictionary: `<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Contents 4 0 R/Resources<<${resources}>>>>` },
    deflated('', content),
    ...more,
  ])
}

const form = (content: string, resources: string): PdfObject =>
  buildStream(`/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<<${resources}>>`, Buffer.from(content))

/** Every form draws the next one `times` times, so that the last is drawn `times` to the power of `levels`. */
function nestedForms(levels: number, times: number): Buffer {
  const forms = Array.from({ length: levels }, (_, i) =>
    i === levels - 1 ? form('0 0 9 9 re f', '') : form('/F Do '.repeat(times), `/XObject<</F ${6 + i} 0 R>>`),
  )
  return buildPage({ content: Buffer.from('/F Do'), resources: '/XObject<</F 5 0 R>>' }, forms)
}

const BOXES = [
  '0 0 1000000000 1000000000',
  '0 0 1 1000000',
  '0 0 0.0001 0.0001',
  '300 200 0 0',
  '0 0 -5 -5',
  '0 0 nan inf',
  '1e99 0 3e38 9',
  '0 0 14400 1',
] as const

const buildTiles = (random: Random): Buffer => {
  const step = isEndless(random)
    ? pickOne(random, ['0.001', '0.05', '-0.01'])
    : pickOne(random, ['60', '0', '1e9'])
  return buildPage(
    {
      content: Buffer.from('/Pattern cs /P scn 0 0 3000 2000 re f'),
      box: '0 0 3000 2000',
      resources: '/Pattern<</P 5 0 R>>',
    },
    [
      buildStream(
        `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 50 50]/XStep ${step}/YStep ${step}/Resources<<>>`,
        Buffer.from('1 0 0 rg 0 0 40 40 re f'),
      ),
    ],
  )
}

/** Endless files end after seconds by the worker's own limit; a few of them are enough to test it. */
const isEndless = (random: Random): boolean => random() < 0.06

export const HOSTILE_PDFS: Readonly<Record<string, Make>> = {
  'pdf-odd-page': (_, random) =>
    buildPage({ content: Buffer.from('0 0 m 9 9 l S'), box: pickOne(random, BOXES) }),
  'pdf-recursive-form': () =>
    buildPage({ content: Buffer.from('/F Do'), resources: '/XObject<</F 5 0 R>>' }, [
      form('/F Do /F Do', '/XObject<</F 5 0 R>>'),
    ]),
  'pdf-nested-forms': (_, random) => nestedForms(2 + whole(random, 20), 2 + whole(random, 8)),
  'pdf-recursive-pages': (_, random) =>
    pdf([
      { dictionary: '<</Type/Catalog/Pages 2 0 R>>' },
      {
        dictionary: `<</Type/Pages/Parent 2 0 R/Kids[2 0 R 2 0 R 2 0 R]/Count ${pickOne(random, [0, 3, -1, 0x7fffffff])}>>`,
      },
    ]),
  'pdf-table-loop': (_, random) => {
    const bytes = buildPage({ content: Buffer.from('0 0 9 9 re f') })
    const loop = `xref\n0 1\n0000000000 65535 f \ntrailer\n<</Root 1 0 R/Size 9/Prev ${bytes.length}>>\nstartxref\n`
    return Buffer.concat([bytes, Buffer.from(`${loop}${random() < 0.5 ? bytes.length : 0x7fffffff}\n%%EOF`)])
  },
  'pdf-stream-bomb': (_, random) => {
    const zeros = Buffer.alloc(UNFOLDED_BYTES, pickOne(random, [' ', 'q ', '0 0 9 9 re f ']))
    return buildPage({ content: zeros.subarray(0, 1 + whole(random, UNFOLDED_BYTES)) })
  },
  'pdf-many-strokes': (_, random) => {
    const endless = isEndless(random)
    const dashed = pickOne(random, endless ? ['[0.001 0.001] 0 d '] : ['50 w 1 J 1 j ', '[9 9] 0 d ', ''])
    const curve = '0 0 m 3000 2000 10 1999 2990 1 c S '
    return buildPage({
      content: Buffer.from(dashed + curve.repeat(1 + whole(random, endless ? 200_000 : 20))),
      box: '0 0 3000 2000',
    })
  },
  'pdf-image-bomb': (_, random) => {
    const [width, height] = [1 + whole(random, 30_000), 1 + whole(random, 8_000)]
    const image = deflated(
      `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 1`,
      Buffer.alloc(Math.ceil(width / 8) * height),
    )
    return buildPage(
      { content: Buffer.from('300 0 0 200 0 0 cm /I Do'), resources: '/XObject<</I 5 0 R>>' },
      [image],
    )
  },
  'pdf-tiles': (_, random) => buildTiles(random),
  'pdf-shading': (_, random) => {
    const kind = pickOne(random, [
      '2/Coords[0 0 300 200]',
      '3/Coords[150 100 0 150 100 99999]',
      '1/Domain[0 9e9 0 9e9]',
    ])
    const program = Buffer.from(`{ ${'dup mul sqrt '.repeat(1 + whole(random, 3000))} pop pop 0.5 0.5 0.5 }`)
    return buildPage(
      {
        content: Buffer.from('/S sh'),
        resources: `/Shading<</S<</ShadingType ${kind}/ColorSpace/DeviceRGB/Extend[true true]/Function 5 0 R>>>>`,
      },
      [buildStream('/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]', program)],
    )
  },
  'pdf-script': () =>
    pdf([
      { dictionary: '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(for\\(;;\\);)>>>>' },
      { dictionary: '<</Type/Pages/Kids[3 0 R]/Count 1>>' },
      { dictionary: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/AA<</O<</S/Launch/F(/bin/sh)>>>>>>' },
    ]),
  'pdf-locked': () =>
    pdf(
      [
        { dictionary: '<</Type/Catalog/Pages 2 0 R>>' },
        { dictionary: '<</Type/Pages/Kids[]/Count 0>>' },
        {
          dictionary: `<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${'00'.repeat(32)}>/U<${'11'.repeat(32)}>>>`,
        },
      ],
      '/Encrypt 3 0 R/ID[<00><00>]',
    ),
  'pdf-many-objects': (_, random) =>
    buildPage(
      { content: Buffer.from('0 0 9 9 re f') },
      Array.from({ length: whole(random, 20_000) }, (): PdfObject => ({ dictionary: '<</A[[[[[[1]]]]]]>>' })),
    ),
  'pdf-deep-arrays': (_, random) => {
    const depth = 1 + whole(random, 100_000)
    return buildPage({ content: Buffer.from('q '.repeat(depth)) }, [
      { dictionary: `${'['.repeat(depth)}1${']'.repeat(depth)}` },
    ])
  },
}
