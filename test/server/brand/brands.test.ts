/** An organisation's face as data: what is taken, what is refused, and with which place and sentence. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkBrand, listBrands, loadBrand } from '../../../server/brand/brands.ts'
import { computeContrast, INK, PAPER, buildStylesheet } from '../../../server/brand/colours.ts'
import { MAX_PNG_BYTES, parsePngLogo } from '../../../server/brand/png-logo.ts'
import { MAX_SVG_BYTES, parseSvgLogo } from '../../../server/brand/svg-logo.ts'
import { AppError } from '../../../server/errors.ts'
import { brandFolders, journeyKnowledge } from '../../../server/open-kiosk.ts'

const SHIPPED = brandFolders({ dataDir: '/nowhere' }).shipped
const LANGUAGES = journeyKnowledge(null, null).languages
const TOKENS = readFileSync(join(import.meta.dirname, '../../../renderer/design/tokens.css'), 'utf8')

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'brands-'))))
afterEach(() => rmSync(dataDir, { recursive: true }))

const folders = () => ({ shipped: SHIPPED, own: join(dataDir, 'brands') })

/** A brand of the tenant, like the shipped one but for what is changed. */
function own(changes: object = {}, files: Readonly<Record<string, string | Buffer>> = {}): void {
  const folder = join(folders().own, 'ours')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  cpSync(join(SHIPPED, 'lantern'), folder, { recursive: true })
  const shipped = JSON.parse(readFileSync(join(folder, 'brand.json'), 'utf8')) as object
  writeFileSync(join(folder, 'brand.json'), JSON.stringify({ ...shipped, ...changes }))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
}

function refusalOf(load: () => unknown): readonly string[] {
  try {
    load()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.problems.map(({ field, code }) => `${field} ${code}`)
  }
  return []
}
const problems = () => refusalOf(() => loadBrand(folders(), 'ours', LANGUAGES))

describe('a brand', () => {
  test('is neutral where the configuration names none', () => {
    expect(loadBrand(folders(), undefined, LANGUAGES)).toBeNull()
  })

  test.each(['lantern', 'fjordline'])('%s comes with the product and is sound in every language', (name) => {
    const brand = loadBrand(folders(), name, LANGUAGES)
    expect(Object.keys(brand?.view.welcome ?? {})).toEqual(expect.arrayContaining([...LANGUAGES]))
  })

  test('of the data folder stands before one of the same name that comes with the product', () => {
    own({ name: 'Ours' })
    cpSync(join(folders().own, 'ours'), join(folders().own, 'lantern'), { recursive: true })
    expect(loadBrand(folders(), 'lantern', LANGUAGES)?.view.name).toBe('Ours')
  })

  test('that is in no folder is refused with the names that there are', () => {
    let refusal: unknown
    try {
      loadBrand(folders(), 'elsewhere', LANGUAGES)
    } catch (error) {
      refusal = error
    }
    const [problem] = refusal instanceof AppError ? refusal.problems : []
    expect(problem).toMatchObject({ code: 'unknown_brand', field: 'brand' })
    expect(problem?.message).toContain('fjordline, lantern')
  })

  test('with several faults is refused with all of them', () => {
    own(
      { colours: { action: '#8fd0e8', band: '#7b7b7b' }, welcome: { en: 'Hello' } },
      { 'logo.svg': '<svg><script/></svg>' },
    )
    expect(problems()).toEqual([
      'brands/ours/brand.json:colours.action low_contrast',
      'brands/ours/brand.json:colours.band low_contrast',
      ...LANGUAGES.filter((tag) => tag !== 'en').map(
        (tag) => `brands/ours/brand.json:welcome.${tag} missing_language`,
      ),
      'brands/ours/logo.svg logo_refused',
    ])
  })

  test.each<[string, object, string]>([
    ['an unknown member', { slogan: 'Trust us' }, 'brands/ours/brand.json: unrecognized_keys'],
    [
      'a colour by name',
      { colours: { action: 'teal', band: '#ffffff' } },
      'brands/ours/brand.json:colours.action invalid_format',
    ],
    ['a logo outside its folder', { logo: '../logo.svg' }, 'brands/ours/brand.json:logo invalid_format'],
    ['a logo that is not there', { logo: 'other.svg' }, 'brands/ours/other.svg not_readable'],
    [
      'a sentence that fills the screen',
      { welcome: { en: 'a'.repeat(91) } },
      'brands/ours/brand.json:welcome.en too_big',
    ],
  ])('with %s is refused by its place', (_what, changes, expected) => {
    own(changes)
    expect(problems()).toContain(expected)
  })

  test('whose file others may write is refused: it may not be the organisation’s word', () => {
    own()
    chmodSync(join(folders().own, 'ours/logo.svg'), 0o666)
    expect(problems()).toEqual(['brands/ours/logo.svg unsafe_file'])
  })

  test('is listed with those that come with the product, own ones first', () => {
    own()
    expect(listBrands(folders()).map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ['ours', true],
      ['fjordline', false],
      ['lantern', false],
    ])
  })

  test('is checked against the languages of the journey alone', () => {
    own({ welcome: { de: 'Willkommen' } })
    const [found] = listBrands(folders())
    expect(found && checkBrand(found, ['de']).problems).toEqual([])
  })
})

describe('the colours', () => {
  test('are compared with the surfaces that the screens really have', () => {
    const block = (selector: string) => TOKENS.slice(TOKENS.indexOf(selector)).split('}')[0] ?? ''
    const token = (css: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(css)?.[1]
    const [paper, ink] = [block(':root {'), block("[data-surround='ink'] {")]
    expect(PAPER).toEqual({
      bg: token(paper, 'bg'),
      surface: token(paper, 'surface'),
      text: token(paper, 'text'),
    })
    expect(INK).toEqual({ bg: token(ink, 'bg'), surface: token(ink, 'surface') })
  })

  // The first by definition, the second as WebAIM's checker says, the third as the design of the screens computes it.
  test.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#0b5c63', '#ffffff', 7.7],
  ])('%s on %s stands out by %f', (a, b, ratio) => {
    expect(computeContrast(a, b)).toBeCloseTo(ratio, 1)
  })

  test.each(['#6b1440', '#12508a', '#7a1f1f', '#3d5a00', '#000000'])(
    '%s is light enough on the dark document step, and its label is legible on it',
    (action) => {
      const [, dark = ''] = buildStylesheet({ action, band: '#ffffff' }).split(":root[data-surround='ink']")
      const value = (name: string) => new RegExp(`${name}: (#[0-9a-f]{6})`).exec(dark)?.[1] ?? ''
      expect(computeContrast(value('--action'), INK.surface)).toBeGreaterThanOrEqual(7)
      expect(computeContrast(value('--action-label'), value('--action'))).toBeGreaterThanOrEqual(4.5)
      expect(computeContrast(value('--action-label'), value('--action-pressed'))).toBeGreaterThanOrEqual(4.5)
    },
  )
})

const SVG = (inside: string, attributes = 'viewBox="0 0 10 10"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`,
  )
const DRAWN = '<path d="M0 0h9v9z"/>'

describe('an SVG logo', () => {
  test('is rewritten: shapes, gradients and classes stay, notes of a drawing program go', () => {
    const { bytes, problems: found } = parseSvgLogo(
      SVG(
        '<!-- made by hand --><metadata>who</metadata><title>Logo</title><style>.a{fill:url(#g)}</style>' +
          '<sodipodi:namedview xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"><x/></sodipodi:namedview>' +
          '<linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient>' +
          '<path class="a" d="M0 0h9v9z" data-name="x" fill="url( \'#g\' )"/>',
      ),
    )
    expect(found).toEqual([])
    expect(bytes?.toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><style>.a{fill:url(#g)}</style>' +
        '<linearGradient id="g"><stop offset="0" stop-color="#fff"></stop></linearGradient>' +
        '<path class="a" d="M0 0h9v9z" fill="url( \'#g\' )"></path></svg>',
    )
  })

  test.each<[string, string]>([
    ['a script', `${DRAWN}<script>alert(1)</script>`],
    ['a script behind a prefix', `${DRAWN}<s:script xmlns:s="http://www.w3.org/2000/svg">x</s:script>`],
    ['an event handler', '<path d="M0 0" onload="alert(1)"/>'],
    ['an event handler in capitals', '<path d="M0 0" ONCLICK="alert(1)"/>'],
    ['a picture from elsewhere', `${DRAWN}<image href="https://example.org/a.png"/>`],
    ['a clone of something elsewhere', `${DRAWN}<use xlink:href="https://example.org/a.svg#a"/>`],
    [
      'a gradient of another file',
      '<linearGradient id="g" href="other.svg#g"/><path d="M0 0h1" fill="url(#g)"/>',
    ],
    ['a fill from elsewhere', '<path d="M0 0h1" fill="url(https://example.org/f)"/>'],
    ['a style that imports', `<style>@import "https://example.org/a.css";</style>${DRAWN}`],
    [
      'a style that hides an address behind escapes',
      `<style>.a{fill:\\75rl(https://example.org)}</style>${DRAWN}`,
    ],
    ['a style attribute that loads', '<path d="M0 0h1" style="filter:url(//example.org/f)"/>'],
    ['HTML', `${DRAWN}<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">hi</p></foreignObject>`],
    ['HTML without a frame', `${DRAWN}<p xmlns="http://www.w3.org/1999/xhtml">hi</p>`],
    ['an animation', '<path d="M0 0h1"><set attributeName="href" to="javascript:alert(1)"/></path>'],
    ['a link', `<a href="#x">${DRAWN}</a>`],
    ['letters', '<text>Bank</text>'],
    ['nothing to be seen', '<g/>'],
    ['more elements than a drawing has', '<g/>'.repeat(2_001) + DRAWN],
    ['elements without end', '<g>'.repeat(30) + DRAWN + '</g>'.repeat(30)],
  ])('with %s is refused', (_what, inside) => {
    expect(parseSvgLogo(SVG(inside)).bytes).toBeNull()
  })

  test.each<[string, Buffer]>([
    [
      'an entity',
      Buffer.from('<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'),
    ],
    ['another root', Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>')],
    ['no name space', Buffer.from(`<svg viewBox="0 0 1 1">${DRAWN}</svg>`)],
    [
      'a stylesheet beside it',
      Buffer.from('<?xml-stylesheet href="https://example.org/a.css"?>' + SVG(DRAWN).toString()),
    ],
    ['an end that is missing', Buffer.from(SVG(DRAWN).toString().replace('</svg>', ''))],
    ['another encoding', Buffer.from([0xff, 0xfe, 0x3c, 0x00])],
    ['no size', SVG(DRAWN, '')],
    ['more bytes than it may have', Buffer.alloc(MAX_SVG_BYTES + 1, 0x20)],
  ])('that has %s is refused', (_what, file) => {
    expect(parseSvgLogo(file).bytes).toBeNull()
  })

  test('that was rewritten is taken again, unchanged', () => {
    const once = parseSvgLogo(readFileSync(join(SHIPPED, 'lantern/logo.svg'))).bytes
    expect(once && parseSvgLogo(once).bytes?.equals(once)).toBe(true)
  })
})

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
function png({
  side = 40,
  depth = 8,
  type = 6,
  interlaced = 0,
  pixels = null as Buffer | null,
  more = [] as Buffer[],
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([depth, type, 0, 0, interlaced], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', deflateSync(pixels ?? Buffer.alloc(side * (1 + side * 4)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('a PNG logo', () => {
  test('keeps its pixels and loses words, times and profiles', () => {
    const { bytes } = parsePngLogo(
      png({ more: [chunk('tEXt', Buffer.from('Author\0Ann')), chunk('iCCP', Buffer.from('p'))] }),
    )
    expect(bytes?.equals(png())).toBe(true)
  })

  const flipped = png()
  flipped.writeUInt8(flipped.readUInt8(60) ^ 1, 60)
  test.each<[string, Buffer]>([
    ['a byte that was changed', flipped],
    ['an end that is missing', png().subarray(0, -12)],
    ['something behind its end', Buffer.concat([png(), Buffer.from('more')])],
    ['fewer pixels than it says', png({ pixels: Buffer.alloc(100) })],
    ['more pixels than it says', png({ pixels: Buffer.alloc(40 * 161 + 1) })],
    ['a filter that does not exist', png({ pixels: Buffer.alloc(40 * 161, 5) })],
    ['a colour type that does not exist', png({ type: 5 })],
    ['interlaced lines', png({ interlaced: 1 })],
    ['too few pixels to be seen', png({ side: 31, pixels: Buffer.alloc(31 * 125) })],
    ['too many pixels', png({ side: 2049, pixels: Buffer.alloc(1) })],
    ['too many bytes', Buffer.alloc(MAX_PNG_BYTES + 1)],
    ['the name of another kind', Buffer.from('GIF89a')],
  ])('with %s is refused', (_what, file) => {
    expect(parsePngLogo(file).bytes).toBeNull()
  })
})
