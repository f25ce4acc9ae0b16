/** XML from outside: what is read of it, and what is refused before it can exhaust memory. */
import { describe, expect, test } from 'vitest'
import { findChild, listChildren, listDescendants, readText } from '../../../server/xml/element.ts'
import { parseElement } from '../../../server/xml/element-reader.ts'
import { escapeXml } from '../../../server/xml/escape.ts'

const LIMITS = { maxDepth: 4, maxNodes: 10, maxTextLength: 400 }
const parse = (text: string) => parseElement(text, 'a', LIMITS)

test('an element is found by its name without prefix, with its own text', () => {
  const root = parse(
    '<x:a xmlns:x="urn:x" id="1"><x:b> one <x:c/></x:b><x:b>two &lt;<![CDATA[<]]></x:b></x:a>',
  )
  expect(root?.attributes).toMatchObject({ id: '1' })
  expect(readText(root ?? undefined, 'b')).toBe('one')
  expect(listChildren(root ?? undefined, 'b').map(({ text }) => text.trim())).toEqual(['one', 'two <<'])
  expect(findChild(root ?? undefined, 'c')).toBeUndefined()
  expect(root && [...listDescendants(root, 'c')]).toHaveLength(1)
})

describe('a text is refused', () => {
  test.each([
    ['that is no XML', '{"a":1}'],
    ['that is empty', ''],
    ['that is cut off', '<a><b>'],
    ['with another root', '<b/>'],
    ['with two roots', '<a/><a/>'],
    ['with a document type', '<!DOCTYPE a [<!ENTITY e "eeee">]><a>&e;</a>'],
    ['with an entity of its own', '<a>&e;</a>'],
    ['in another encoding', '<?xml version="1.0" encoding="UTF-16"?><a/>'],
    ['with elements too deep', `<a>${'<b>'.repeat(4)}${'</b>'.repeat(4)}</a>`],
    ['with too many elements', `<a>${'<b/>'.repeat(10)}</a>`],
    ['with a text that is too long', `<a>${'t'.repeat(600)}`],
  ])('%s', (_name, text) => {
    expect(parse(text)).toBeNull()
  })
})

test('written text is read as it was, without the characters that no XML may contain', () => {
  const text = 'O\u0000’Brien & <Söhne> "X" \ud800 \u{1F600}'
  expect(parse(`<a v="${escapeXml(text)}">${escapeXml(text)}</a>`)).toMatchObject({
    text: 'O’Brien & <Söhne> "X"  \u{1F600}',
    attributes: { v: 'O’Brien & <Söhne> "X"  \u{1F600}' },
  })
})
